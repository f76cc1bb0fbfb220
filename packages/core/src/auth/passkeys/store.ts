import type { AuditContext } from '../../audit/store.ts'

/** A passkey of an operator, as registered. Times are in milliseconds since 1970. */
export interface StoredPasskey {
  readonly id: string
  /** The name of the operator whose sessions the passkey confirms. */
  readonly operator: string
  /**
   * The authenticator's ID of the passkey, in base64url. The ID identifies one registration and is unique among all
   * operators.
   */
  readonly credentialId: string
  /** The public key (COSE) in base64url, unchanged from the authenticator. */
  readonly publicKey: string
  /** The number of signatures according to the authenticator, or 0 if the authenticator does not count signatures. */
  readonly counter: number
  /** Hints about how browsers reach the authenticator: `internal`, `usb`, `hybrid`. */
  readonly transports: readonly string[]
  /** The domain for which the passkey was registered. Browsers offer the passkey only on this domain. */
  readonly rpId: string
  /** The name that the operator gave the passkey. */
  readonly label: string
  readonly createdAt: number
  /** The time at which the passkey last confirmed a session, or null. */
  readonly usedAt: number | null
}

/** The purpose of a challenge. An answer for one purpose is not accepted for the other purpose. */
export type ChallengePurpose = 'registration' | 'sign_in'

export interface SetChallengeParams {
  /** The hash of the requesting session. */
  readonly sessionHash: string
  readonly purpose: ChallengePurpose
  readonly challenge: string
  readonly expiresAt: number
  readonly now: number
}

export interface TakeChallengeParams {
  readonly sessionHash: string
  readonly purpose: ChallengePurpose
  readonly now: number
}

export interface AddPasskeyParams {
  readonly passkey: Omit<StoredPasskey, 'createdAt' | 'usedAt'>
  /** The hash of the session that registers the passkey. */
  readonly sessionHash: string
  /** The maximum number of passkeys of an operator. */
  readonly limit: number
  readonly audit: AuditContext
}

export interface UsePasskeyParams {
  readonly id: string
  /** The authenticator's counter after this signature. */
  readonly counter: number
  readonly sessionHash: string
  /** The hash of the session's next secret. */
  readonly nextSessionHash: string
  readonly audit: AuditContext
}

export interface RemovePasskeyParams {
  readonly id: string
  /** The operator who must own the passkey. Null means any operator. */
  readonly operator: string | null
  /** The hash of the requesting session, which continues. */
  readonly sessionHash: string
  readonly audit: AuditContext
}

/**
 * The passkeys of operators. As soon as an operator has a passkey, each of the operator's sessions must be confirmed
 * with a passkey (`needsPasskey` of `findOperatorSession`).
 */
export interface PasskeyStore {
  /**
   * Stores the challenge of a valid session. The challenge replaces an earlier challenge of either purpose. Returns
   * whether there is such a session.
   */
  setChallenge(params: Readonly<SetChallengeParams>): Promise<boolean>
  /**
   * Removes the challenge of a valid session and returns it, so that it is used once. Returns null if there is no valid
   * challenge.
   */
  takeChallenge(params: Readonly<TakeChallengeParams>): Promise<string | null>
  /** Lists the passkeys of an operator, or of all operators if null: by operator, oldest first. */
  listPasskeys(params: { readonly operator: string | null }): Promise<StoredPasskey[]>
  /**
   * Adds a passkey of the session's operator and marks the session as confirmed by it, with an audit entry. Nothing is
   * added when the session is not valid or belongs to another operator (`no_session`), when the credential is already
   * registered by any operator (`exists`), or when the operator has `limit` passkeys (`too_many`).
   */
  addPasskey(params: Readonly<AddPasskeyParams>): Promise<'added' | 'exists' | 'too_many' | 'no_session'>
  /**
   * Marks a valid session as confirmed by a passkey of its operator, under a new hash, and stores the counter, with an
   * audit entry. Returns false, and changes nothing, when the operator has no such passkey, or when the counter did not
   * increase. A counter that was 0 and still is 0 is accepted, because such an authenticator does not count.
   */
  usePasskey(params: Readonly<UsePasskeyParams>): Promise<boolean>
  /**
   * Removes a passkey, and ends the other sessions that it confirmed, with an audit entry. Returns whether there was
   * such a passkey.
   */
  removePasskey(params: Readonly<RemovePasskeyParams>): Promise<boolean>
}
