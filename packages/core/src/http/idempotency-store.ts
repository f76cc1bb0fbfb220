/** A key as its actor sent it. Keys of two actors never meet. */
export interface IdempotencyKey {
  /** Who sent it: `user:<id>`, or `operator:<name>`. */
  readonly actor: string
  /** 1 to 255 printable ASCII characters. */
  readonly key: string
}

/** A request's hold on a key: whoever takes the key over after `leaseUntil` writes another lease. */
export interface HeldKey extends IdempotencyKey {
  readonly lease: string
}

/** A request that wants a key. Times are ms. */
export interface ClaimKeyParams extends HeldKey {
  /** The person whose key it is; null: the operator. */
  readonly ownerId: string | null
  /** Hexadecimal SHA-256 of the request: route and body. */
  readonly fingerprint: string
  /** The id that the effect gets if this request is the first with the key. UUID version 7. */
  readonly effectId: string
  readonly now: number
  readonly leaseUntil: number
  /** Keys first sent before this time are forgotten. */
  readonly since: number
}

/**
 * What a key says to a request. `claimed`: go on, and give the effect this id; `in_progress`: the first request is at work;
 * `reused`: the key belongs to another request; `replied`: the first reply, as it was kept; `no_owner`: there is no such person.
 */
export type KeyState =
  | { readonly state: 'claimed'; readonly effectId: string }
  | { readonly state: 'replied'; readonly reply: string }
  | { readonly state: 'in_progress' | 'reused' | 'no_owner' }

/** What is held of a person's keys. */
export interface KeyRecord {
  readonly key: string
  readonly createdAt: number
}

/**
 * Idempotency keys and the replies to the requests that they came with. A key's record outlives its request: the effect id in it
 * is the same for every request with the key, so that one that comes after a crash completes what the first began.
 */
export interface IdempotencyStore {
  /**
   * Takes a key. Of any number of requests at once one gets it. A key without a reply is free again once its lease is over, or lies
   * further ahead than a lease can; one first sent before `since` is new again.
   */
  claimKey(params: Readonly<ClaimKeyParams>): Promise<KeyState>
  /** Keeps the reply, if the key is still held. */
  keepReply(params: Readonly<HeldKey & { readonly reply: string }>): Promise<void>
  /** Ends the hold without a reply, so that the request may be repeated at once. */
  releaseKey(params: Readonly<HeldKey>): Promise<void>
  /** Forgets keys first sent before this time, a bounded number at a time; true when there may be more. */
  forgetKeys(before: number): Promise<boolean>
  /** A person's keys, oldest first. */
  export(ownerId: string): Promise<KeyRecord[]>
  /** Deletes a person's keys with their replies, a bounded number at a time; true when there may be more. */
  erase(ownerId: string): Promise<boolean>
}

/** The actor of a person's keys. */
export const personActor = (userId: string): string => `user:${userId}`
