/** Returns a count with its noun: `1 trace`, `1,200 traces`. The plural adds an `s`. */
export function counted(count: number, one: string): string {
  return `${grouped(count)} ${one}${count === 1 ? '' : 's'}`
}

/** Returns an integer with a comma between groups of three digits. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Returns a share of 0 to 1 as a percentage with at most one decimal: `12.5%`. */
export const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`
