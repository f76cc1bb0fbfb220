import { headerCountry, type Country, type Logger } from '@tributary/core'
import { maxmindCountry } from './maxmind.ts'

/** Where the caller's country comes from (decisions section 5). */
export interface CountrySource {
  /** The same for everyone: two letters, or `none` for unknown. */
  readonly fixed?: string | undefined
  /** A header that a trusted proxy sets, such as `cloudfront-viewer-country`. */
  readonly header?: string | undefined
  /** A MaxMind country file, looked up by the caller's address. */
  readonly file?: string | undefined
}

const letters = (value: string | undefined): string | null =>
  value !== undefined && /^[A-Za-z]{2}$/.test(value.trim()) && !['XX', 'T1'].includes(value.trim().toUpperCase())
    ? value.trim().toUpperCase()
    : null

/**
 * The country port from its configuration; what a proxy sends is read as core's `headerCountry` reads it. The header goes before the file, the file before what is fixed. `XX` and
 * `T1`, which Cloudflare sends for unknown and Tor, are unknown. Throws when the file cannot be read; a newer one counts
 * within a minute, and `logger` hears of it.
 */
export async function countryFrom({ fixed, header, file }: CountrySource, logger?: Logger): Promise<Country> {
  const found = file === undefined ? null : await maxmindCountry(file, { logger })
  const name = header?.toLowerCase()
  const sent = name === undefined ? null : headerCountry(name)
  const same = letters(fixed)
  return (request) => {
    if (sent && request.headers[name!] !== undefined) return sent(request)
    return found ? found(request) : same
  }
}
