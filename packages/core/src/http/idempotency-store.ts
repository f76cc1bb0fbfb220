/** A key in the form in which its actor sent it. Keys of two actors are independent. */
export interface IdempotencyKey {
  /** The sender: `user:<id>`, or `operator:<name> <method> <path>`. */
  readonly actor: string
  /** The key: 1 to 255 printable ASCII characters. */
  readonly key: string
}

/** A key that a request has claimed. A request that claims the key after `leaseUntil` stores another lease. */
export interface HeldKey extends IdempotencyKey {
  readonly lease: string
}

/** Times are ms since 1970. */
export interface ClaimKeyParams extends HeldKey {
  /** The owner of the key, or null for a key of an operator. */
  readonly ownerId: string | null
  /** The id of the user whom an operator's call is about, or null. It is stored only if there is such a user. */
  readonly subject: string | null
  /** Hexadecimal SHA-256 of the request: route and body. */
  readonly fingerprint: string
  /** The id that the effect gets if this request is the first with the key. UUID version 7. */
  readonly effectId: string
  readonly now: number
  readonly leaseUntil: number
  /** Keys that were first sent before this time count as new. */
  readonly since: number
}

export interface StoreReplyParams extends HeldKey {
  readonly reply: string
}

export interface ReleaseKeyParams extends HeldKey {
  /** Whether any request may claim the key, because this request had no effect. Otherwise only the same request may. */
  readonly forAnyRequest: boolean
}

/**
 * The state of a key for a request. `claimed`: the request runs, and its effect gets this id; `in_progress`: the first
 * request is running; `reused`: the key belongs to a different request; `replied`: the stored first reply; `erased`: the
 * request was about a user who was erased, and the reply with them; `no_owner`: there is no such user.
 */
export type KeyState =
  | { readonly state: 'claimed'; readonly effectId: string }
  | { readonly state: 'replied'; readonly reply: string }
  | { readonly state: 'in_progress' | 'reused' | 'erased' | 'no_owner' }

/** A user's key, for the account export. */
export interface KeyRecord {
  readonly key: string
  readonly createdAt: number
}

/**
 * Idempotency keys and the replies to their requests. A key outlives its request: its effect id is the same for every
 * request with the key, so that a request after a crash completes the effect that the first request began. Every method
 * is one atomic step.
 */
export interface IdempotencyStore {
  /**
   * Claims a key. Only one of several concurrent requests gets the key. A key without a reply can be claimed again once
   * its lease has ended, or when the end of its lease is further ahead than a lease can last, because the clock was set
   * back. A key that was first sent before `since` counts as new.
   */
  claimKey(params: Readonly<ClaimKeyParams>): Promise<KeyState>
  /** Stores the reply if the key still has this lease. */
  storeReply(params: Readonly<StoreReplyParams>): Promise<void>
  /** Ends the lease without a reply, so that the key may be claimed immediately. Its effect id stays the same. */
  releaseKey(params: Readonly<ReleaseKeyParams>): Promise<void>
  /** Deletes keys first sent before this time, a bounded number at a time. Returns whether there may be more. */
  deleteKeys(params: { readonly before: number }): Promise<boolean>
  /** Returns a user's keys, oldest first. */
  export(params: { readonly ownerId: string }): Promise<KeyRecord[]>
  /**
   * Deletes a user's keys and replies, and the replies to operators' calls about the user, a bounded number at a time.
   * The keys of operators stay, so that a repeated call has no second effect; a reply that such a call has not stored
   * yet is not stored any more. Returns whether there may be more.
   */
  erase(params: { readonly ownerId: string }): Promise<boolean>
}

/** Returns the actor of a user's keys. */
export const userActor = (userId: string): string => `user:${userId}`
