import type { ListPage, ListParams } from '../http/list.ts'
import type { AuditAction, ReadAction } from './actions.ts'

export type { AuditAction, ReadAction } from './actions.ts'

/** The operator who requested an action, and the request. A store records both in the transaction of the change. */
export interface AuditContext {
  /** The id of the entry, a UUID version 7. */
  readonly id: string
  /** The operator's name. */
  readonly actor: string
  readonly requestId: string
  /** The operator's IP address as determined by `trustedProxies`, or null. */
  readonly address: string | null
  /** The time of the request, in milliseconds since 1970. */
  readonly at: number
}

/** A few fields of the item that an action changed, without text of a user. Null means that the item did not exist. */
export type AuditState = Readonly<Record<string, string | number | boolean | null>> | null

/** An action of an operator that changed something, or that read conversations or the waitlist. */
export interface AuditEntry extends AuditContext {
  readonly action: AuditAction
  /**
   * The id of the changed item. For payouts and corrections it is the id of the user; for `waitlist.notify` the
   * country; for `operator.sign_in` and `operator.sign_out` the operator; for `dataset.download` the sale, or
   * `for_sale`; for `waitlist.read` and `waitlist.download` the country, or `all`; for `contributor.read` the user.
   */
  readonly target: string
  readonly before: AuditState
  readonly after: AuditState
}

export interface RecordReadParams {
  readonly action: ReadAction
  readonly target: string
  readonly audit: AuditContext
  /**
   * The time in milliseconds since 1970. If the operator already has such an entry since this time, no entry is added.
   */
  readonly unlessSince?: number | undefined
}

/** The filter of a list of entries, which are searched by their IDs, request, operator, target and address. */
export interface ListAuditParams extends ListParams<'at' | 'actor' | 'action'> {
  /** The operator whose entries to list, or null for all. */
  readonly actor?: string | null | undefined
  readonly action?: AuditAction | null | undefined
  /** The ids whose entries to list. Absent means all. */
  readonly targets?: readonly string[] | undefined
}

/**
 * The audit log of the operators' actions. Methods of other stores that have an `AuditContext` as a parameter add
 * entries in the transaction of their change. An action that changed nothing, or failed, adds no entry. Entries cannot
 * be changed, except that an erasure replaces the id of the erased person. Only the oldest entries can be deleted.
 */
export interface AuditStore {
  /**
   * Adds an entry about data that an operator read. With `unlessSince`, adds it only if the operator has no such entry
   * since this time.
   */
  recordRead(params: Readonly<RecordReadParams>): Promise<void>
  /** Lists entries, newest first. */
  listEntries(params: Readonly<ListAuditParams>): Promise<ListPage<AuditEntry>>
  /** Returns the last entry of this action that changed the target's status, or null. */
  findStatusChange(params: {
    readonly action: AuditAction
    readonly target: string
    readonly status: string
  }): Promise<AuditEntry | null>
  /**
   * Deletes entries older than this time, oldest first, a bounded number at a time. Returns whether there may be more.
   */
  deleteEntries(params: { readonly before: number }): Promise<boolean>
}
