import { headerCountry, type Country, type Logger } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import { maxmindCountry } from './maxmind.ts'

/** The sources of the caller's country. */
export interface CountrySource {
  /** Every caller's country: two letters, or `none` for unknown. */
  readonly fixed?: string | undefined
  /** A header that a trusted proxy sets, such as `cloudfront-viewer-country`. */
  readonly header?: string | undefined
  /** A MaxMind country database, looked up by the caller's address. */
  readonly file?: string | undefined
}

const normalizeCountry = (value: string | undefined): string | null =>
  value !== undefined && /^[A-Za-z]{2}$/.test(value.trim()) && !['XX', 'T1'].includes(value.trim().toUpperCase())
    ? value.trim().toUpperCase()
    : null

/**
 * Creates the country port. The header, which is read as by core's `headerCountry`, has precedence over the file, and
 * the file over the fixed country. `XX` and `T1`, which Cloudflare sends for unknown and Tor, count as unknown. Throws
 * when the file cannot be read. A changed file is reloaded within a minute and logged.
 */
export async function countryFrom(source: CountrySource, logger?: Logger): Promise<Country> {
  checkOptionNames(source, { fixed: true, header: true, file: true })
  const { fixed, header, file } = source
  const lookUp = file === undefined ? null : await maxmindCountry(file, { logger })
  const name = header?.toLowerCase()
  const readHeader = name === undefined ? null : headerCountry(name)
  const fixedCountry = normalizeCountry(fixed)
  return (request) => {
    if (readHeader && request.headers[name!] !== undefined) return readHeader(request)
    return lookUp ? lookUp(request) : fixedCountry
  }
}
