import ipaddr from 'ipaddr.js'

/** Names of private networks, even if they resolve to a public address. */
const privateName = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|test|invalid|onion|arpa)\.?$/i

/** Returns whether an IP address is public: not private, local, shared, reserved or multicast. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast'
}

/**
 * Returns an untrusted URL in its normal form, or null if the URL is not public. A public URL has https, a public name
 * or IP address, no user and password, the default port, and at most 2048 characters. The platform's `fetch` checks the
 * address to which a name resolves.
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
  // A public name has a dot, and its last label is not a number.
  return bare.includes('.') && !privateName.test(bare) && !/\d$/.test(bare) ? href : null
}
