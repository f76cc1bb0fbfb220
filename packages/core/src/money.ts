/** Returns dollars as whole micro-dollars, the unit of every stored amount. */
export const toMicros = (usd: number): number => Math.round(usd * 1_000_000)

/** Returns micro-dollars as dollars, with at most 6 decimals. */
export const toDollars = (micros: number): number => micros / 1_000_000

export const microsPerCent = 10_000

/** Returns micro-dollars rounded down to whole cents. Balances are shown so, and their totals are sums of what is shown. */
export const floorToCents = (micros: number): number => Math.floor(micros / microsPerCent) * microsPerCent

/** Returns micro-dollars without the parts of a cent; less than a cent is returned as it is. */
export const truncateToCents = (micros: number): number =>
  Math.abs(micros) < microsPerCent ? micros : Math.trunc(micros / microsPerCent) * microsPerCent

/**
 * Returns the parts of a balance in whole cents, in micro-dollars: what is available, pending and paid out, each rounded
 * down, and as the total their sum.
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

/** Returns the decimals that show every amount of a column in dollars: 2, or 4 or 6 where one is not in whole cents. */
export function decimalsOf(amounts: readonly number[]): number {
  const hasParts = (unit: number): boolean => amounts.some((usd) => toMicros(usd) % unit !== 0)
  return hasParts(microsPerCent) ? (hasParts(100) ? 6 : 4) : 2
}

/**
 * Returns dollars for people: `$1,234.50`, with two decimals; an amount below a cent has four or six. `language` is a
 * BCP 47 tag, and `decimals` the number of decimals in a column.
 */
export function formatUsd(usd: number, language = 'en-US', decimals?: number): string {
  const digits = decimals ?? (Math.abs(usd) < 0.01 ? decimalsOf([usd]) : 2)
  const options = {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const
  return new Intl.NumberFormat(language, options).format(usd)
}
