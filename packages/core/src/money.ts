/** Returns dollars as whole micro-dollars, the unit of every stored amount. */
export const toMicros = (usd: number): number => Math.round(usd * 1_000_000)

/** Returns micro-dollars as dollars, with at most 6 decimals. */
export const toDollars = (micros: number): number => micros / 1_000_000

/**
 * Returns dollars for people: `$1,234.50`, with two decimals; an amount below a cent has as many as show two digits of
 * it, six at most. `language` is a BCP 47 tag.
 */
export function formatUsd(usd: number, language = 'en-US'): string {
  const size = Math.abs(usd)
  const digits = size === 0 || size >= 0.01 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(size)))
  const options = {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const
  return new Intl.NumberFormat(language, options).format(usd)
}
