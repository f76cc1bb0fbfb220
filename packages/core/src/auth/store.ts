import type { AuditContext } from '../audit/store.ts'
import type { PasskeyStore } from './passkeys/store.ts'

/** A user as stored. `email` is lower-case, or null if an app's own sign-in returned none. */
export interface StoredUser {
  readonly id: string
  readonly email: string | null
}

/** A bearer token of a machine, or the session of a browser. Times are ms since 1970. */
export interface Credential {
  readonly kind: 'token' | 'session'
  readonly user: StoredUser
  /** The time at which the credential was issued. A session is issued at the sign-in. */
  readonly createdAt: number
  readonly expiresAt: number
  /**
   * The time of the last use that was stored. Not every use is stored. The first use of a session is its sign-in. Null
   * before the first use.
   */
  readonly usedAt: number | null
}

/** A credential to issue. `hash` is SHA-256, lower-case hex, of the secret that only its holder has. */
export interface NewCredential {
  readonly id: string
  readonly hash: string
  readonly expiresAt: number
}

export interface CredentialHash {
  readonly hash: string
}

export interface RenewCredentialParams {
  readonly hash: string
  readonly now: number
  readonly expiresAt: number
}

export interface FindRevokedCredentialParams {
  readonly hash: string
  readonly now: number
}

export interface UpsertUserParams {
  readonly id: string
  readonly email: string | null
  readonly now: number
}

export interface EnsureSecretParams {
  /** The secret to store if there is none. */
  readonly candidate: string
  readonly now: number
}

/**
 * A sign-in code that was mailed to `address` (lower-case). Hashes are lower-case hex; the hash of the code is keyed
 * with a secret.
 */
export interface SignInCode {
  /** SHA-256 of the challenge, which only the browser or program that requested the code has. */
  readonly challengeHash: string
  readonly codeHash: string
  readonly address: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface VerifySignInCodeParams {
  readonly challengeHash: string
  readonly address: string
  /** The hashes of the code: one for each secret with which it may have been hashed. */
  readonly codeHashes: readonly string[]
  readonly codeGuesses: number
  /** The id of the user if the address is new. */
  readonly userId: string
  readonly session: NewCredential
  /** The name of the browser in the list of sessions. */
  readonly label: string
  /** The hash of the browser's present session, or null. The session is revoked when the code is right. */
  readonly replacedHash: string | null
  readonly now: number
}

/** The outcome is also `wrong` when the code was used, has expired or has no guesses left. */
export type VerifySignInCodeResult =
  | { readonly outcome: 'signed_in'; readonly user: StoredUser }
  | { readonly outcome: 'wrong' }

/** The time for which the guesses at a sign-in code count for its address, in milliseconds. */
export const guessWindowMs = 24 * 60 * 60 * 1000

/** A machine that holds a token. */
export interface Machine {
  readonly id: string
  readonly label: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/**
 * A machine or browser that is signed in, or a machine that was approved and has not fetched its token. `isCurrent` is
 * true for the machine or browser that sent the request.
 */
export interface ListedCredential extends Machine {
  readonly kind: 'machine' | 'browser'
  readonly status: 'signed_in' | 'approved'
  readonly isCurrent: boolean
}

export interface ListCredentialsParams {
  readonly ownerId: string
  readonly now: number
  /** The hash of the request's own credential, or null. */
  readonly currentHash: string | null
}

export interface RevokeCredentialByIdParams {
  readonly ownerId: string
  readonly id: string
}

export interface RevokeCredentialsParams {
  readonly ownerId: string
  /** The tokens and sessions to revoke: of machines and browsers, or only of browsers. */
  readonly kinds: 'all' | 'browsers'
  /** The hash of the credential to keep, or null. */
  readonly keptHash: string | null
  /** Present when an operator revokes the credentials: adds an audit entry if something is revoked. */
  readonly audit?: AuditContext | undefined
}

/** A revoked credential. `hash` is null for an approved device authorization, which has no token yet. */
export interface RevokedCredential {
  readonly hash: string | null
}

/**
 * A device authorization (RFC 8628). Both codes are hashes in lower-case hex; the hash of the user code is keyed with a
 * secret. `interval` is in seconds. The token gets the same `id`.
 */
export interface StartDeviceAuthorizationParams {
  readonly id: string
  readonly deviceCodeHash: string
  readonly userCodeHash: string
  readonly machine: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly interval: number
}

/**
 * A device authorization as a poll finds it. `nextPollAt` is the end of the interval, or null before the first poll.
 */
export interface PolledAuthorization {
  readonly status: DeviceAuthorization['status']
  readonly nextPollAt: number | null
}

/** A device authorization as shown to the user who decides. The status `taken` means that the token was issued. */
export interface DeviceAuthorization {
  readonly machine: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly status: 'pending' | 'approved' | 'denied' | 'taken'
}

export interface DecideDeviceAuthorizationParams {
  readonly ownerId: string
  /** The hash of the session that decides, or null if an app's own sign-in authenticates the user. */
  readonly sessionHash: string | null
  readonly userCodeHash: string
  readonly decision: 'approved' | 'denied'
  readonly now: number
}

export type DeviceDecision =
  | { readonly outcome: 'decided'; readonly machine: string }
  | { readonly outcome: 'unknown' | 'already_decided' | 'expired' }

export interface PollDeviceTokenParams {
  readonly deviceCodeHash: string
  /** The token to issue if the authorization is approved. Its id is the id of the authorization. */
  readonly token: Omit<NewCredential, 'id'>
  readonly now: number
}

/** The result of a poll; `interval` (seconds) includes the five seconds that `slow_down` adds. */
export type DeviceTokenResult =
  | { readonly outcome: 'approved'; readonly userId: string }
  | { readonly outcome: 'slow_down'; readonly interval: number }
  | { readonly outcome: 'pending' | 'denied' | 'taken' | 'expired' | 'unknown' }

/** Everything stored here about one user, for the account export. */
export interface AuthExport {
  readonly user: StoredUser & { readonly createdAt: number }
  readonly machines: readonly (Machine & { readonly expiresAt: number })[]
  readonly sessions: readonly {
    readonly label: string
    readonly createdAt: number
    readonly lastUsedAt: number | null
    readonly expiresAt: number
  }[]
  readonly deviceLogins: readonly { readonly machine: string; readonly status: string; readonly createdAt: number }[]
}

/** A browser session of an operator. `hash` is the hash, in lower-case hex, of the secret that only the browser has. */
export interface StartOperatorSessionParams {
  readonly hash: string
  readonly expiresAt: number
  readonly audit: AuditContext
}

export interface FindOperatorSessionParams {
  readonly hashes: readonly string[]
  readonly now: number
}

/** A valid session of an operator. */
export interface StoredOperatorSession {
  readonly hash: string
  /** The operator's name at the sign-in. */
  readonly operator: string
  /** The time at which the operator signed in with the token. */
  readonly startedAt: number
  /** Whether the operator has passkeys, but the session was not confirmed with a passkey. */
  readonly needsPasskey: boolean
}

export interface EndOperatorSessionParams {
  readonly hash: string
  readonly audit: AuditContext
}

/**
 * Users and their credentials. Every method is atomic, even with concurrent calls and hosts, and throws `Unavailable`
 * when the store does not answer. The store receives hashes, never secrets. An item that has expired at `now` counts as
 * absent unless a method says otherwise. Methods that add something also delete items that expired long ago.
 */
export interface AuthStore extends PasskeyStore {
  /**
   * Returns the credential with a hash, or null. Expired credentials are included: the caller compares the expiry, so
   * that it can cache the credential.
   */
  findCredential(params: Readonly<CredentialHash>): Promise<Credential | null>
  /** Stores a use of a credential, and its new expiry. Does nothing if the credential was revoked or has expired. */
  renewCredential(params: Readonly<RenewCredentialParams>): Promise<void>
  /** Revokes a credential. Does nothing if there is no such credential. */
  revokeCredential(params: Readonly<CredentialHash>): Promise<void>

  /**
   * Returns the owner of a credential that was revoked before its expiry. Returns null when the credential was not
   * revoked, has expired since, or belonged to a user who is erased.
   */
  findRevokedCredential(params: Readonly<FindRevokedCredentialParams>): Promise<{ readonly userId: string } | null>
  /** Deletes revoked credentials that have expired, a bounded number at a time. Returns whether there may be more. */
  deleteExpiredRevocations(params: { readonly now: number }): Promise<boolean>

  /** Returns the user, or null. */
  findUser(params: { readonly id: string }): Promise<StoredUser | null>
  /**
   * Inserts a user of an app's own sign-in, or updates the e-mail address of a known user. An address that another user
   * has is left out: addresses are unique, and accounts are never joined by address.
   */
  upsertUser(params: Readonly<UpsertUserParams>): Promise<void>

  /**
   * Returns the secret for hashing short codes if none is configured. The secret is the same on every host. Stores
   * `candidate` if the store has no secret yet.
   */
  ensureSecret(params: Readonly<EnsureSecretParams>): Promise<string>

  /** Returns the wrong guesses at the codes that were created for an address within the last 24 hours. */
  countWrongGuesses(params: { readonly address: string; readonly now: number }): Promise<number>
  /** Stores a sign-in code in addition to the other codes of its address. */
  createSignInCode(code: Readonly<SignInCode>): Promise<void>
  /**
   * Compares an entered code with the code of a challenge. If the code is right, it is used up, and a user is inserted
   * (with `userId`) unless the address has a user. The session is stored and counts as used now. Only one of several
   * concurrent calls with the right code signs in, and at most `codeGuesses` guesses at one code are compared.
   */
  verifySignInCode(params: Readonly<VerifySignInCodeParams>): Promise<VerifySignInCodeResult>

  /**
   * Stores a pending device authorization. Returns false when another authorization still has the same user code: retry
   * with a new code.
   */
  startDeviceAuthorization(params: Readonly<StartDeviceAuthorizationParams>): Promise<boolean>
  /** Returns the device authorization with a user code, or null. Expired authorizations are included. */
  findDeviceAuthorization(params: { readonly userCodeHash: string }): Promise<DeviceAuthorization | null>
  /**
   * Decides a pending device authorization, once. Of several concurrent decisions only one takes effect; the other
   * calls return `already_decided`. The result is `unknown` when the user or the session that decides no longer exists.
   */
  decideDeviceAuthorization(params: Readonly<DecideDeviceAuthorizationParams>): Promise<DeviceDecision>
  /** Returns how a device authorization may be polled, or null for an unknown code. Changes nothing. */
  findPolledAuthorization(params: { readonly deviceCodeHash: string }): Promise<PolledAuthorization | null>
  /**
   * Polls for the token of a device authorization. A pending authorization that is polled before its interval ends gets
   * `slow_down`, which adds five seconds to the interval. For an approved authorization the token is stored; exactly
   * one of several concurrent polls gets `approved`, the others get `taken`. For a decided authorization the interval
   * does not matter, and a revoked authorization gets `denied`.
   */
  pollDeviceToken(params: Readonly<PollDeviceTokenParams>): Promise<DeviceTokenResult>

  /**
   * Returns the machines and browsers of a user whose credentials have not expired, newest first, with the approved
   * device authorizations whose token was not fetched.
   */
  listCredentials(params: Readonly<ListCredentialsParams>): Promise<ListedCredential[]>
  /**
   * Revokes the credential or the approved device authorization of one of the owner's machines or browsers. Returns
   * null when the owner has no machine or browser with this id.
   */
  revokeCredentialById(params: Readonly<RevokeCredentialByIdParams>): Promise<RevokedCredential | null>
  /**
   * Revokes the credentials of an owner, and every approved device authorization, so that a later poll issues no token.
   * Returns what was revoked.
   */
  revokeCredentials(params: Readonly<RevokeCredentialsParams>): Promise<RevokedCredential[]>

  /** Stores a session of the audit context's operator, with an audit entry. */
  startOperatorSession(params: Readonly<StartOperatorSessionParams>): Promise<void>
  /** Returns the valid session with one of these hashes, or null. */
  findOperatorSession(params: Readonly<FindOperatorSessionParams>): Promise<StoredOperatorSession | null>
  /** Deletes a session, with an audit entry. Does nothing if there is no such session. */
  endOperatorSession(params: Readonly<EndOperatorSessionParams>): Promise<void>

  /** Returns everything stored here about a user, or null when there is no such user. */
  export(params: { readonly ownerId: string }): Promise<AuthExport | null>
  /**
   * Deletes the credentials, codes and device authorizations of a user, a bounded number of rows at a time. The user is
   * deleted with the last rows. Returns whether there may be more.
   */
  erase(params: { readonly ownerId: string }): Promise<boolean>
}

/**
 * The time for which an expired device authorization is kept, in milliseconds, so that a late poll gets `expired` and
 * not `unknown`.
 */
export const expiredAuthorizationMs = 24 * 60 * 60 * 1000

/** Compares machines by their creation, the newest first. */
export const newestFirst = (a: Machine, b: Machine): number => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
