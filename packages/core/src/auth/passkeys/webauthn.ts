import {
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { decodeClientDataJSON, isoBase64URL } from '@simplewebauthn/server/helpers'
import type { Passkeys } from '../../ports.ts'
import { algorithms } from './rules.ts'

/** Verifies passkeys with `@simplewebauthn/server`. */
export const verifier: Passkeys = {
  async verifyRegistration(given, { challenge, origin, rpId }) {
    const response = given as RegistrationResponseJSON
    return nullOnError(async () => {
      if (decodeClientDataJSON(response.response.clientDataJSON).crossOrigin) return null
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        supportedAlgorithmIDs: [...algorithms],
      })
      if (!verified) return null
      const { id, publicKey, counter } = registrationInfo.credential
      return { credentialId: id, publicKey: isoBase64URL.fromBuffer(publicKey), counter }
    })
  },
  async verifySignature(given, { challenge, origin, rpId }, { credentialId, publicKey, counter }) {
    const response = given as AuthenticationResponseJSON
    return nullOnError(async () => {
      if (response.id !== credentialId) return null
      // The service's pages are not shown in frames, so an answer from a frame of another site is refused. The library
      // does not check this.
      if (decodeClientDataJSON(response.response.clientDataJSON).crossOrigin) return null
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        credential: { id: credentialId, publicKey: isoBase64URL.toBuffer(publicKey), counter },
      })
      return verified ? authenticationInfo.newCounter : null
    })
  },
}

/** The library throws on every invalid response, which anybody can send. */
const nullOnError = <Result>(verify: () => Promise<Result | null>): Promise<Result | null> => verify().catch(() => null)
