/** Returns dollars as whole micro-dollars, the unit of every stored amount. */
export const toMicros = (usd: number): number => Math.round(usd * 1_000_000)

/** Returns micro-dollars as dollars, with at most 6 decimals. */
export const toDollars = (micros: number): number => micros / 1_000_000

const microsPerCent = 10_000

/**
 * Returns micro-dollars rounded down to whole cents. Balances are shown in this form, and their totals are sums of the
 * shown amounts.
 */
export const floorToCents = (micros: number): number => Math.floor(micros / microsPerCent) * microsPerCent

/**
 * Returns the parts of a balance in whole cents, in micro-dollars: the available, pending and paid amount, each rounded
 * down, and their sum as the total.
 */
export function balanceParts({
  balance,
  pending,
  lifetime,
}: Readonly<Record<'balance' | 'pending' | 'lifetime', number>>) {
  const parts = {
    available: floorToCents(balance),
    pending: floorToCents(pending),
    paidOut: floorToCents(lifetime - balance - pending),
  }
  return { ...parts, total: parts.available + parts.pending + parts.paidOut }
}

/** Returns the number of decimals for a column of amounts in dollars: 2, or 4 or 6 if all amounts are below a cent. */
export function decimalsOf(amounts: readonly number[]): number {
  const some = amounts.filter((usd) => usd !== 0)
  if (some.length === 0 || some.some((usd) => Math.abs(usd) >= 0.01)) return 2
  return some.some((usd) => toMicros(usd) % 100 !== 0) ? 6 : 4
}

/**
 * Returns the number of decimals that shows all amounts in dollars without rounding, so that sums equal the shown
 * amounts.
 */
export function exactDecimals(amounts: readonly number[]): 2 | 4 | 6 {
  const isWhole = (unit: number): boolean => amounts.every((usd) => toMicros(usd) % unit === 0)
  return isWhole(microsPerCent) ? 2 : isWhole(100) ? 4 : 6
}

/**
 * Formats dollars for people: `$1,234.50`. All amounts are rounded by this rule, so that an amount looks the same on
 * every page: towards zero, to cents. An amount below a cent has four or six decimals, or is `<$0.01` in a column with
 * larger amounts. `language` is a BCP 47 tag, and `decimals` is the number of decimals of the column.
 */
export function formatUsd(usd: number, language = 'en-US', decimals = decimalsOf([usd])): string {
  const options = {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  } as const
  const format = (amount: number): string => new Intl.NumberFormat(language, options).format(amount)
  const unit = 10 ** (6 - decimals)
  const shown = Math.trunc(toMicros(usd) / unit) * unit
  if (shown === 0 && toMicros(usd) !== 0) return `${usd < 0 ? '-' : ''}<${format(toDollars(unit))}`
  return format(toDollars(shown))
}
