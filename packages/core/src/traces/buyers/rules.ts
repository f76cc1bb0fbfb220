/**
 * Estimates the size of a sale as JSON Lines, in bytes: 4 bytes per token, and 600 bytes per trace for the fields other
 * than the messages.
 */
export const estimateBytes = ({ traces, tokens }: { readonly traces: number; readonly tokens: number }): number =>
  tokens * 4 + traces * 600

const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Returns a size with two digits: `1.2 MB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const value = bytes / 1000 ** power
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
