import { sponsorLine } from '@tributary/core'
import type { Cached } from './state.ts'

/**
 * Formats the line: `Sponsor · Brand: text`, cut to the terminal's width. The service sends safe text, but a cache file
 * can be edited, so the text is made safe again before it is printed.
 */
export function formatLine(
  { paid, brandName, text }: Pick<Cached, 'paid' | 'brandName' | 'text'>,
  columns: number,
): string {
  return sponsorLine({ isPaid: paid, brandName: String(brandName), text: String(text) }, columns)
}
