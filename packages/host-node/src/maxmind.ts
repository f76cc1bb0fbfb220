import { stat } from 'node:fs/promises'
import type { Country, Logger } from '@tributary/core'
import { open, type CountryResponse, type Reader } from 'maxmind'

export interface MaxmindOptions {
  /** Hears when a newer file could not be read. */
  readonly logger?: Logger | undefined
  /** How often, at most, a look at the file is taken, in ms; default 60,000. */
  readonly lookMs?: number
}

/**
 * The country port over a MaxMind country or city file (`GeoLite2-Country.mmdb`), looked up by the caller's address.
 * Unknown and private addresses, and what is no address, are null. A file that takes its place (another time of change, size
 * or inode) counts from within a minute on, without a restart; while it cannot be read the one before does. Rejects when the
 * file cannot be read at first or is none of MaxMind's.
 *
 * ```ts
 * const country = await maxmindCountry('/var/lib/GeoIP/GeoLite2-Country.mmdb')
 * ```
 */
export async function maxmindCountry(path: string, { logger, lookMs = 60_000 }: MaxmindOptions = {}): Promise<Country> {
  let known = await markOf(path)
  let file: Reader<CountryResponse> = await open<CountryResponse>(path)
  let lookedAt = performance.now()

  async function look(): Promise<void> {
    try {
      const mark = await markOf(path)
      if (mark === known) return
      file = await open<CountryResponse>(path)
      known = mark
      logger?.info({ path }, 'a new country file is in use')
    } catch (error) {
      logger?.warn({ err: error, path }, 'the new country file cannot be read; the one before stays in use')
    }
  }

  return ({ address }) => {
    if (address === null) return null
    const now = performance.now()
    if (now - lookedAt >= lookMs) {
      lookedAt = now
      void look()
    }
    try {
      // A dual-stack socket tells an IPv4 address as `::ffff:192.0.2.1`. Where the address is, not where its network is registered.
      const code = file.get(address.replace(/^::ffff:(?=\d+\.)/i, ''))?.country?.iso_code
      return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : null
    } catch {
      return null // no address at all
    }
  }
}

async function markOf(path: string): Promise<string> {
  const { mtimeMs, size, ino } = await stat(path)
  return `${mtimeMs} ${size} ${ino}`
}
