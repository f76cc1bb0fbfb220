import type { AuditContext } from '../../audit/store.ts'

/** A passkey of an operator, as registered. Times are in milliseconds since 1970. */
export interface StoredPasskey {
  readonly id: string
  /** The name of the operator whose sessions it confirms. */
  readonly operator: string
  /** The authenticator's ID of the passkey, in base64url: the key of one registration, unique over all operators. */
  readonly credentialId: string
  /** The public key as the authenticator sent it (COSE), base64url. */
  readonly publicKey: string
  /** The number of signatures that the authenticator has counted, or 0 if it does not count them. */
  readonly counter: number
  /** Hints about how browsers reach the authenticator: `internal`, `usb`, `hybrid`. */
  readonly transports: readonly string[]
  /** The domain for which the passkey was registered. Browsers offer it only there. */
  readonly rpId: string
  /** The name that its operator gave it. */
  readonly label: string
  readonly createdAt: number
  /** The time at which it last confirmed a session, or null. */
  readonly usedAt: number | null
}

/** The purpose of a challenge. An answer to one purpose does not count as an answer to the other. */
export type ChallengePurpose = 'registration' | 'sign_in'

export interface SetChallengeParams {
  /** The hash of the session that asks. */
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
  /** The hash of the session that registers it. */
  readonly sessionHash: string
  /** The most passkeys of an operator. */
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
  /** The operator who must own the passkey. Null: any operator. */
  readonly operator: string | null
  /** The hash of the requesting session, which continues. */
  readonly sessionHash: string
  readonly audit: AuditContext
}

/**
 * The passkeys of operators. As soon as an operator has one, every session of theirs that no passkey confirmed needs
 * one: `findOperatorSession` says so.
 */
export interface PasskeyStore {
  /**
   * Stores the challenge of a live session, in place of an earlier one of either purpose. Returns whether there is such
   * a session.
   */
  setChallenge(params: Readonly<SetChallengeParams>): Promise<boolean>
  /**
   * Removes the challenge of a live session and returns it, so that it is used once. Returns null if there is no valid
   * one.
   */
  takeChallenge(params: Readonly<TakeChallengeParams>): Promise<string | null>
  /** Lists the passkeys of an operator, or of all with null: by operator, oldest first. */
  listPasskeys(params: { readonly operator: string | null }): Promise<StoredPasskey[]>
  /**
   * Adds a passkey of the session's operator and counts the session as confirmed by it, with an audit entry. Nothing is
   * added when the session is not live or is another operator's (`no_session`), when the credential is already
   * registered by any operator (`exists`), or when the operator has `limit` passkeys (`too_many`).
   */
  addPasskey(params: Readonly<AddPasskeyParams>): Promise<'added' | 'exists' | 'too_many' | 'no_session'>
  /**
   * Counts a live session as confirmed by a passkey of its operator, under a new hash, and stores the counter, with an
   * audit entry. Returns false, and changes nothing, when the operator has no such passkey, or when the counter did not
   * grow. A counter that is and was 0 is accepted, because such an authenticator does not count.
   */
  usePasskey(params: Readonly<UsePasskeyParams>): Promise<boolean>
  /**
   * Removes a passkey, and ends the other sessions that it confirmed, with an audit entry. Returns whether there was
   * such a passkey.
   */
  removePasskey(params: Readonly<RemovePasskeyParams>): Promise<boolean>
}
