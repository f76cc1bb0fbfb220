import { sponsorLine } from '@tributary/core'
import type { Cached } from './state.ts'

/**
 * The line: `Sponsor · Brand: text`, cut to the terminal's width. The service sends safe text; a cache is a file, and an example
 * that prints what it reads without a look would teach the wrong thing, so it is made safe here again.
 */
export function line({ paid, brandName, text }: Pick<Cached, 'paid' | 'brandName' | 'text'>, columns: number): string {
  return sponsorLine({ isPaid: paid, brandName: String(brandName), text: String(text) }, columns)
}
