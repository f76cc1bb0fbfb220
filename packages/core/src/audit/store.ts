import type { AuditAction, ReadAction } from './actions.ts'

export type { AuditAction, ReadAction } from './actions.ts'

/** Which operator requested an action, by which request. A store records it in the transaction of the effect. */
export interface AuditContext {
  /** The id of the entry, a UUID version 7. */
  readonly id: string
  /** The operator's name. */
  readonly actor: string
  readonly requestId: string
  /** The operator's address after `trustedProxies`, or null. */
  readonly address: string | null
  /** The time of the request, in milliseconds since 1970. */
  readonly at: number
}

/** A few fields of what an action changed, without a user's text. Null: it did not exist. */
export type AuditState = Readonly<Record<string, string | number | boolean | null>> | null

/** An operator's action that changed something, or read conversations or the waitlist. */
export interface AuditEntry extends AuditContext {
  readonly action: AuditAction
  /**
   * The id of what was changed; of payouts and corrections that of the user; of `waitlist.notify` the country, of
   * `operator.sign_in` and `operator.sign_out` the operator. `dataset.download` names the sale, or `for_sale`;
   * `waitlist.read` and `waitlist.download` the country, or `all`; `contributor.read` the user.
   */
  readonly target: string
  readonly before: AuditState
  readonly after: AuditState
}

export interface RecordReadParams {
  readonly action: ReadAction
  readonly target: string
  readonly audit: AuditContext
  /** In milliseconds since 1970. */
  readonly unlessSince?: number | undefined
}

export interface ListAuditParams {
  /** The `next` of the previous page, or null for the first. */
  readonly cursor: number | null
  readonly limit: number
  /** The operator whose entries to list, or null for all. */
  readonly actor: string | null
  readonly action: AuditAction | null
  /** The ids whose entries to list; undefined for all. */
  readonly targets?: readonly string[] | undefined
}

/**
 * The audit log of what operators did. Methods of other stores that take an `AuditContext` add entries in the
 * transaction of their effect: an action that changed nothing, or failed, adds none. No entry can be changed, except
 * that an erasure replaces the id of its person, and only the oldest can be deleted.
 */
export interface AuditStore {
  /** Adds an entry: an operator read this. With `unlessSince`, only if none of this operator's is as new as that. */
  recordRead(params: Readonly<RecordReadParams>): Promise<void>
  /** Returns entries, newest first. */
  listEntries(
    params: Readonly<ListAuditParams>,
  ): Promise<{ readonly items: readonly AuditEntry[]; readonly next: number | null }>
  /**
   * Deletes entries older than this time, oldest first, a bounded number at a time; returns whether there may be more.
   */
  deleteEntries(params: { readonly before: number }): Promise<boolean>
}
