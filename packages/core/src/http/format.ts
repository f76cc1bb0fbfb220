/** Returns a count with its noun: `1 trace`, `1,200 traces`. The plural adds an `s`. */
export function counted(count: number, one: string): string {
  return `${grouped(count)} ${one}${count === 1 ? '' : 's'}`
}

/** Returns an integer with a comma between groups of three digits. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',')
}
