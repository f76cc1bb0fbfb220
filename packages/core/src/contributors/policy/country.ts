import type { Country } from '../../ports.ts'
import { knownCountry } from './rules.ts'

/** Everyone is in this country: for development, and for a service behind a door of its own. Null: unknown for everyone. */
export function fixedCountry(country: string | null): Country {
  if (country !== null && knownCountry(country) === null) throw new Error('a country is two upper-case letters')
  return () => country
}

/**
 * The country from a header that a trusted proxy sets, and takes away when a caller sends it: `cf-ipcountry`,
 * `cloudfront-viewer-country`, `x-vercel-ip-country`. Anything but two upper-case letters, and `XX` or `T1`, is unknown.
 */
export function headerCountry(name: string): Country {
  const key = name.toLowerCase()
  return ({ headers }) => knownCountry(headers[key])
}
