import type { Country } from '../../ports.ts'
import { knownCountry } from './rules.ts'

/** Returns a country source with one country for everyone, for development and private services. Null means unknown. */
export function fixedCountry(country: string | null): Country {
  if (country !== null && knownCountry(country) === null)
    throw new Error(`country must be two upper-case letters: ${country}`)
  return () => country
}

/**
 * Returns a country source that reads a header, such as `cf-ipcountry`, `cloudfront-viewer-country` or
 * `x-vercel-ip-country`. A trusted proxy must set the header, and remove any that a client sends. `XX`, `T1`, and any
 * value other than two upper-case letters mean an unknown country.
 */
export function headerCountry(name: string): Country {
  const key = name.toLowerCase()
  return ({ headers }) => knownCountry(headers[key])
}
