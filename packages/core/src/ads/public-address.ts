import ipaddr from 'ipaddr.js'

/** Names that lead into somebody's own network, whatever they resolve to. */
const inside = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|test|invalid|onion|arpa)\.?$/i

/** Whether an IP address is one of the public internet: not private, local, shared, reserved or many machines'. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}

/**
 * A web address as a stranger may hand it to us, in its normal form: https, a public name or public IP address, no user and
 * password, the usual port, at most 2048 characters. Null for anything else. What a name resolves to is for the platform's
 * `fetch` to check.
 */
export function toPublicUrl(address: unknown): string | null {
  if (typeof address !== 'string' || address.length > 2048) return null
  let url: URL
  try {
    url = new URL(address)
  } catch {
    return null
  }
  const { protocol, hostname, username, password, port, href } = url
  if (protocol !== 'https:' || username !== '' || password !== '' || port !== '' || href.length > 2048) return null
  const bare = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(bare)) return isPublicAddress(bare) ? href : null
  // A public name has a dot, and its last label is no number.
  return bare.includes('.') && !inside.test(bare) && !/\d$/.test(bare) ? href : null
}
