import type { AuditAction } from './rules.ts'

export type { AuditAction } from './rules.ts'

/** Who asked for an operator's action, by which request. A store writes it down in the transaction of the effect. */
export interface AuditContext {
  /** The id of the entry, a UUID version 7. */
  readonly id: string
  /** The operator's name. */
  readonly actor: string
  readonly requestId: string
  /** The operator's address after `trustedProxies`, or null. */
  readonly address: string | null
  /** When it was asked for, in milliseconds since 1970. */
  readonly at: number
}

/** A few fields of what an action changed: no text of a person. Null: nothing was there. */
export type AuditState = Readonly<Record<string, string | number | boolean | null>> | null

/** An operator's action that changed something. */
export interface AuditEntry extends AuditContext {
  readonly action: AuditAction
  /** The id of what was changed; of `waitlist.notify` the country, of `operator.sign_in` and `operator.sign_out` the operator. */
  readonly target: string
  readonly before: AuditState
  readonly after: AuditState
}

export interface ListAuditParams {
  /** The `next` of the page before; null starts. */
  readonly cursor: number | null
  readonly limit: number
  /** Only entries of this operator; null: of all. */
  readonly actor: string | null
  readonly action: AuditAction | null
}

/**
 * What operators did. Entries are written by the methods of other stores that take an `AuditContext`, in the transaction of their
 * effect: an action that changed nothing, or failed, leaves none. Nothing changes an entry, and only the oldest can be deleted.
 */
export interface AuditStore {
  /** Returns entries, newest first. */
  list(params: ListAuditParams): Promise<{ readonly items: readonly AuditEntry[]; readonly next: number | null }>
  /** Deletes entries of before this time, the oldest first, a bounded number at a time; returns whether there may be more. */
  forget(before: number): Promise<boolean>
}
