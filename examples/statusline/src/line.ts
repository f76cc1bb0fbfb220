import { cells, terminalSafe } from '@tributary/core'
import type { Cached } from './state.ts'

/**
 * The line: `Sponsor · Brand: text`, cut to the terminal's width. The service sends safe text; a cache is a file, and an example
 * that prints what it reads without a look would teach the wrong thing, so it is made safe here again.
 */
export function line({ paid, brandName, text }: Pick<Cached, 'paid' | 'brandName' | 'text'>, columns: number): string {
  const brand = terminalSafe(String(brandName), 64)
  const words = terminalSafe(String(text))
  return fitted(`${paid ? 'Sponsor' : 'Program'} · ${brand === '' ? '' : `${brand}: `}${words}`, columns)
}

function fitted(whole: string, columns: number): string {
  if (cells(whole) <= columns) return whole
  let cut = ''
  for (const character of whole) {
    if (cells(`${cut}${character}…`) > columns) break
    cut += character
  }
  return `${cut.trimEnd()}…`
}
