import type { StoredPasskey } from './store.ts'

/** The signatures that are accepted, as COSE numbers, best first: EdDSA, ES256, RS256 (RFC 9053, RFC 8812). */
export const algorithms = [-8, -7, -257] as const

/** The time for which a challenge may be answered, in milliseconds. Each challenge can be answered once. */
export const challengeMs = 5 * 60 * 1000

/** The maximum number of passkeys of an operator. */
export const maxPasskeys = 10

/**
 * Returns the domain to which passkeys of a base URL belong, or null if browsers do not allow passkeys there. Browsers
 * require https or `localhost`, and a name instead of an IP address.
 */
export function passkeyDomain(baseUrl: string): string | null {
  const { protocol, hostname } = new URL(baseUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  return (protocol === 'https:' || isLocal) && !isAddress ? hostname : null
}

interface ChallengeOptions {
  /** The challenge in hexadecimal, which is also valid base64url. */
  readonly challenge: string
  readonly rpId: string
  readonly passkeys: readonly StoredPasskey[]
}

/** Returns passkeys in the form of a browser's list of descriptors. */
const descriptors = (passkeys: readonly StoredPasskey[]) =>
  passkeys.map(({ credentialId: id, transports }) => ({ type: 'public-key', id, transports }))

/**
 * Returns the JSON of `PublicKeyCredentialCreationOptions`. An authenticator that already holds one of `passkeys`
 * refuses to register.
 */
export const creationOptions = ({
  challenge,
  rpId,
  passkeys,
  rpName,
  userHandle,
  operator,
}: ChallengeOptions & { readonly rpName: string; readonly userHandle: string; readonly operator: string }) => ({
  rp: { id: rpId, name: rpName },
  user: { id: userHandle, name: operator, displayName: operator },
  challenge,
  pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
  timeout: challengeMs,
  excludeCredentials: descriptors(passkeys),
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  attestation: 'none',
})

/** Returns the JSON of `PublicKeyCredentialRequestOptions`. */
export const requestOptions = ({ challenge, rpId, passkeys }: ChallengeOptions) => ({
  challenge,
  rpId,
  timeout: challengeMs,
  userVerification: 'required',
  allowCredentials: descriptors(passkeys),
})
