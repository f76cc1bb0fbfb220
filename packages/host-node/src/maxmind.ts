import { stat } from 'node:fs/promises'
import type { Country, Logger } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import { open, type CountryResponse, type Reader } from 'maxmind'

export interface MaxmindOptions {
  /** Logs when the file was reloaded, or could not be reloaded. */
  readonly logger?: Logger | undefined
  /** The minimum milliseconds between two checks of the file. Default: 60,000. */
  readonly checkMs?: number
}

/**
 * Creates a country port that looks up the caller's address in a MaxMind country or city database
 * (`GeoLite2-Country.mmdb`). Returns null for unknown, private and invalid addresses. A changed file (modification
 * time, size or inode) is reloaded within a minute; while it cannot be read the old one is used. Rejects when the file
 * cannot be read at first or is not a MaxMind database.
 *
 * ```ts
 * const country = await maxmindCountry('/var/lib/GeoIP/GeoLite2-Country.mmdb')
 * ```
 */
export async function maxmindCountry(path: string, options: MaxmindOptions = {}): Promise<Country> {
  checkOptionNames(options, { logger: true, checkMs: true })
  const { logger, checkMs = 60_000 } = options
  let loadedVersion = await readVersion(path)
  let file: Reader<CountryResponse> = await open<CountryResponse>(path)
  let checkedAt = performance.now()

  async function reloadIfChanged(): Promise<void> {
    try {
      const version = await readVersion(path)
      if (version === loadedVersion) return
      file = await open<CountryResponse>(path)
      loadedVersion = version
      logger?.info({ path }, 'country.file.reloaded')
    } catch (error) {
      // The database that was read before stays in use.
      logger?.warn({ err: error, path }, 'country.file.reload_failed')
    }
  }

  return ({ address }) => {
    if (address === null) return null
    const now = performance.now()
    if (now - checkedAt >= checkMs) {
      checkedAt = now
      void reloadIfChanged()
    }
    try {
      // Some proxies add the port of the caller. A dual-stack socket reports IPv4 as `::ffff:192.0.2.1`. `country` is
      // the location of the network, not the country in which it is registered.
      const bare = address.replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2').replace(/^::ffff:(?=\d+\.)/i, '')
      const code = file.get(bare)?.country?.iso_code
      return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : null
    } catch {
      return null // The text is not an address.
    }
  }
}

/** Returns a value that changes with the file. */
async function readVersion(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path)
  return `${mtimeMs} ${size} ${ino}`
}
