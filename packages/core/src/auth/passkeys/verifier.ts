import type { Passkeys } from '../../ports.ts'

/** The library and its dependencies have about 440 KB and are therefore loaded on first use. */
const load = async (): Promise<Passkeys> => (await import('./webauthn.ts')).verifier

/**
 * Verifies passkeys with `@simplewebauthn/server`, an optional peer, which is loaded with the first passkey. Without the
 * package the methods reject with Node's `ERR_MODULE_NOT_FOUND`.
 *
 * ```ts
 * const service = createService({ baseUrl, stores, adminToken, passkeys: webAuthnPasskeys() })
 * ```
 */
export const webAuthnPasskeys = (): Passkeys => ({
  verifyRegistration: async (...asked) => (await load()).verifyRegistration(...asked),
  verifySignature: async (...asked) => (await load()).verifySignature(...asked),
})
