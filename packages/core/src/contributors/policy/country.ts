import type { Country } from '../../ports.ts'
import { knownCountry } from './rules.ts'

/** Returns a country source with one country for everyone: for development and private services. Null: unknown. */
export function fixedCountry(country: string | null): Country {
  if (country !== null && knownCountry(country) === null)
    throw new Error(`country must be two upper-case letters: ${country}`)
  return () => country
}

/**
 * Returns a country source that reads a header which a trusted proxy sets, and removes when a client sends it:
 * `cf-ipcountry`, `cloudfront-viewer-country`, `x-vercel-ip-country`. Anything but two upper-case letters, and `XX` or
 * `T1`, is unknown.
 */
export function headerCountry(name: string): Country {
  const key = name.toLowerCase()
  return ({ headers }) => knownCountry(headers[key])
}
