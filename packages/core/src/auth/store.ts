import type { AuditContext } from '../admin/audit/store.ts'

/** A person as the store knows them. `email` is lower-case, or null for one whom an app's own sign-in vouches for without it. */
export interface Account {
  readonly id: string
  readonly email: string | null
}

/** What a stored hash stands for: a bearer token of a machine, or a browser's session. Times are ms since 1970. */
export interface Credential {
  readonly kind: 'token' | 'session'
  readonly user: Account
  /** When it was given out; a session begins with a sign-in. */
  readonly createdAt: number
  readonly expiresAt: number
  /** When its use was last written down, which is not each time; null before the first. */
  readonly usedAt: number | null
}

/** A new credential. `hash` is SHA-256, lower-case hex, of the secret that only its holder has. */
export interface Minted {
  readonly id: string
  readonly hash: string
  readonly expiresAt: number
}

/** A sign-in code that was mailed to `address` (lower-case). Hashes are lower-case hex, the code's under a secret. */
export interface SignInCode {
  /** SHA-256 of the challenge that only whoever asked for the code has. */
  readonly challengeHash: string
  readonly codeHash: string
  readonly address: string
  /** Names the browser that asked, if it signed in as this address before; else null. Their wrong guesses are counted apart. */
  readonly browserHash: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

/** A code that somebody typed. */
export interface SignInAttempt {
  readonly challengeHash: string
  readonly address: string
  /** One hash for each secret that the code may have been hashed under. */
  readonly codeHashes: readonly string[]
  readonly codeGuesses: number
  readonly dailyGuesses: number
  /** The id of a new person. */
  readonly userId: string
  readonly session: Minted
  /** What the browser is called in the list of sessions. */
  readonly label: string
  /** The hash of the session that the browser has, or null: it ends when the code is right. */
  readonly replacedHash: string | null
  readonly now: number
}

/** `wrong` also when the code is used, expired or out of guesses. `until` is when the address has a guess left again. */
export type SignInResult =
  | { readonly outcome: 'signed_in'; readonly user: Account }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'too_many_guesses'; readonly until: number }

/** How long a sign-in code counts among the guesses of its address, in milliseconds. */
export const guessWindowMs = 24 * 60 * 60 * 1000

/** A machine that holds a token. */
export interface Machine {
  readonly id: string
  readonly label: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** A machine or browser that is signed in; `isCurrent` when it is the one that asks. */
export interface SignedIn extends Machine {
  readonly kind: 'machine' | 'browser'
  readonly isCurrent: boolean
}

export interface ListSignedInParams {
  readonly ownerId: string
  readonly now: number
  /** The hash of the credential that asks, or null. */
  readonly currentHash: string | null
}

/** A device login as it is asked for. Both codes are hashes, lower-case hex, the user's under a secret; `interval` in seconds. */
export interface DeviceStart {
  readonly deviceHash: string
  readonly userHash: string
  readonly machine: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly interval: number
}

/** A device login as the person sees it who is to decide. */
export interface DeviceLogin {
  readonly machine: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly status: 'pending' | 'approved' | 'denied' | 'taken'
}

/** What became of a decision. */
export type Decided =
  | { readonly outcome: 'decided'; readonly machine: string }
  | { readonly outcome: 'unknown' | 'already_decided' | 'expired' }

/** What a poll meets; `interval` (seconds) already counts the five that a `slow_down` adds. */
export type Polled =
  | { readonly outcome: 'approved'; readonly userId: string }
  | { readonly outcome: 'slow_down'; readonly interval: number }
  | { readonly outcome: 'pending' | 'denied' | 'taken' | 'expired' | 'unknown' }

/** Everything held here about one person, for their export. */
export interface SessionExport {
  readonly user: Account & { readonly createdAt: number }
  readonly machines: readonly (Machine & { readonly expiresAt: number })[]
  readonly sessions: readonly {
    readonly label: string
    readonly createdAt: number
    readonly lastUsedAt: number | null
    readonly expiresAt: number
  }[]
  readonly deviceLogins: readonly { readonly machine: string; readonly status: string; readonly createdAt: number }[]
}

/** A browser session of an operator. `hash` is lower-case hex, of the secret that only the browser has. */
export interface OperatorSessionStart {
  readonly hash: string
  readonly expiresAt: number
  readonly audit: AuditContext
}

/**
 * People and what they sign in with. Every method is one atomic step, whichever callers and hosts race, and throws
 * `Unavailable` when the store does not answer. A secret is never handed in, only its hash. What has expired at `now` is
 * as if it were not there; the steps that add something also sweep what expired long ago.
 */
export interface SessionStore {
  /** The person and expiry behind a hash, or null. The caller holds the expiry itself, so that an answer can be kept for a while. */
  find(hash: string): Promise<Credential | null>
  /** Writes down that a live credential was used and until when it now holds. One that was ended or expired stays so. */
  touch(hash: string, now: number, expiresAt: number): Promise<void>
  /** Ends one credential. Fine if there is none. */
  end(hash: string): Promise<void>

  /** Tells whose a credential was that was ended before it expired; null when it was none, has expired since or its person is gone. */
  findEnded(params: { readonly hash: string; readonly now: number }): Promise<{ readonly userId: string } | null>
  /** Forgets ended credentials that have expired, a bounded number at a time; returns whether there may be more. */
  forgetEnded(now: number): Promise<boolean>

  /** The person, or null. */
  account(id: string): Promise<Account | null>
  /**
   * Gives a person of an app's own sign-in their row, and keeps a known one's e-mail address up to date. An address that
   * another person here already has is left out: addresses stay unique, and accounts are never joined by address.
   */
  upsertUser(person: Account, now: number): Promise<void>

  /** The secret that short codes are hashed under where none is configured: `fresh` if there was none; the same for every host. */
  secret(fresh: string, now: number): Promise<string>

  /** Keeps a sign-in code for whoever asked for it, beside those that others asked for. */
  createSignInCode(code: Readonly<SignInCode>): Promise<void>
  /**
   * Compares a code with the one of a challenge. When it is right, the code is used up, the person gets a row (with `userId`)
   * unless the address has one, and the session is there. Of any number of calls at once with the right code one signs in, and no
   * more guesses are ever compared than `codeGuesses` for one code and `dailyGuesses` within 24 hours for one address.
   */
  verifySignInCode(attempt: Readonly<SignInAttempt>): Promise<SignInResult>

  /** False when the user code is held by a login that is still known: ask again with another. */
  startDevice(login: DeviceStart): Promise<boolean>
  /** The login behind a user code, expired ones included, or null. */
  findDevice(userHash: string): Promise<DeviceLogin | null>
  /** Decides a pending login, once: of an approval and a denial at the same moment one wins and the other is `already_decided`. */
  decideDevice(owner: string, userHash: string, decision: 'approved' | 'denied', now: number): Promise<Decided>
  /**
   * One poll. Pending and faster than the interval, measured from the last poll: `slow_down`, and five seconds more from
   * now on. Approved: the token is there and this poll's; of any number of polls at once exactly one gets `approved`,
   * the others `taken`. A decided login answers at once, since there is nothing left to wait for.
   */
  pollDevice(deviceHash: string, token: Minted, now: number): Promise<Polled>

  /** Returns the owner's machines and browsers whose tokens and sessions have not expired, newest first. */
  listSignedIn(params: Readonly<ListSignedInParams>): Promise<SignedIn[]>
  /** Ends the token or session of one machine or browser of the owner's; its hash, or null when the owner has no such one. */
  revoke(owner: string, id: string): Promise<string | null>

  /** Keeps a session of the operator who asks, with an entry in the audit. */
  startOperatorSession(session: OperatorSessionStart): Promise<void>
  /** Returns which of the hashes is that of a session that has not ended or expired, or null. */
  findOperatorSession(params: { readonly hashes: readonly string[]; readonly now: number }): Promise<string | null>
  /** Ends the session of the operator who asks, with an entry in the audit. Fine if there is none. */
  endOperatorSession(params: { readonly hash: string; readonly audit: AuditContext }): Promise<void>

  /** Null when there is no such person. */
  export(owner: string): Promise<SessionExport | null>
  /**
   * Deletes every session, token, code and device login of the person, a bounded number at a time; true when there may be more.
   * The person goes with the last.
   */
  erase(owner: string): Promise<boolean>
}

/** How long an expired device login is remembered, so that a late poll hears `expired` and not `unknown`. */
export const deviceKeptMs = 24 * 60 * 60 * 1000
