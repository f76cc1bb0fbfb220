import type { Country } from '@tributary/core'
import { open, type CountryResponse } from 'maxmind'

/**
 * The country port over a MaxMind country or city file (`GeoLite2-Country.mmdb`), looked up by the caller's address.
 * Unknown and private addresses, and what is no address, are null. Reads the file once; a newer one counts after a
 * restart. Rejects when the file cannot be read or is none of MaxMind's.
 *
 * ```ts
 * const country = await maxmindCountry('/var/lib/GeoIP/GeoLite2-Country.mmdb')
 * ```
 */
export async function maxmindCountry(path: string): Promise<Country> {
  const file = await open<CountryResponse>(path)
  return ({ address }) => {
    if (address === null) return null
    try {
      // A dual-stack socket tells an IPv4 address as `::ffff:192.0.2.1`. Where the address is, not where its network is registered.
      const code = file.get(address.replace(/^::ffff:(?=\d+\.)/i, ''))?.country?.iso_code
      return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : null
    } catch {
      return null // no address at all
    }
  }
}
