/** Returns dollars as whole micro-dollars, the unit of every stored amount. */
export const toMicros = (usd: number): number => Math.round(usd * 1_000_000)

/** Returns micro-dollars as dollars, with at most 6 decimals. */
export const toDollars = (micros: number): number => micros / 1_000_000

/** Returns dollars for people: `$12.50`, with more than two decimals only where they are needed. */
export const formatUsd = (usd: number): string =>
  usd.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 6 })
