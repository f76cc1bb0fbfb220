/** Returns a count with its noun: `1 trace`, `1,200 traces`. The plural adds an `s`. */
export function counted(count: number, one: string): string {
  return `${grouped(count)} ${one}${count === 1 ? '' : 's'}`
}

/** Returns an integer with a comma between groups of three digits. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Returns dollars with two decimals; of less than a cent as many as show two digits of it, six at most. */
export function dollars(usd: number): string {
  const decimals = usd === 0 || usd >= 0.01 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(usd)))
  const [whole, rest] = usd.toFixed(decimals).split('.')
  return `$${grouped(Number(whole))}.${rest}`
}
