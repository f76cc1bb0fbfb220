import type { AuditContext } from '../../audit/store.ts'
import type { NewEvent } from '../../events/event.ts'
import type { ListPage, ListParams } from '../../http/list.ts'
import type { MailText } from '../../outbox/store.ts'

/**
 * A buyer who can sign in. All sales under the buyer's name belong to the buyer (`buyerKey`). Times are ms since 1970.
 */
export interface Buyer {
  readonly id: string
  readonly name: string
  /** The address that receives notices of removals. */
  readonly email: string | null
  readonly createdAt: number
  /** Whether the buyer has a token. */
  readonly isActive: boolean
  /** The time at which the buyer's last token was created. */
  readonly tokenAt: number
}

export interface NewBuyer {
  readonly id: string
  readonly name: string
  readonly email: string | null
  /** Hex SHA-256 of the token. */
  readonly tokenHash: string
}

/**
 * The reason why a buyer must delete a trace: its contributor's account was erased, or an operator withdrew the trace.
 */
export const removalReasons = ['erased', 'withdrawn'] as const
export type RemovalReason = (typeof removalReasons)[number]

/** A sold trace that its buyer must delete. Times are ms since 1970. */
export interface Removal {
  /** UUID version 7. */
  readonly id: string
  readonly saleId: string
  readonly buyerTraceId: string
  readonly reason: RemovalReason
  readonly at: number
  readonly acknowledgedAt: number | null
}

export const removalStatuses = ['open', 'acknowledged'] as const

/** A removal as the operator sees it. */
export interface ListedRemoval extends Removal {
  /** The name in the sale. */
  readonly buyer: string
  /** The address of the buyer for notices. */
  readonly email: string | null
}

export interface ListAllRemovalsParams extends ListParams<'at'> {
  readonly status: (typeof removalStatuses)[number]
  /** The name of the buyer whose removals are listed, compared as `buyerKey`. Absent: the removals of all buyers. */
  readonly buyer?: string | undefined
}

/** A request to a buyer to delete traces. */
export interface RemovalNotice {
  /** The id of the erasure or the withdrawal, a UUID version 7. Each buyer gets one mail for this id. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** The event to send for each removal, with the removal's id. */
  readonly event?: NewEvent<'trace.removal_requested'> | undefined
  /** The mail to each buyer with an address. */
  readonly mail: MailText
}

/** A trace that an operator may withdraw. */
export interface Withdrawal {
  readonly title: string | null
  /** The number of sales that contain the trace. */
  readonly sales: number
  /** Whether the trace is already withdrawn. */
  readonly isWithdrawn: boolean
}

/** The state of the notices about an erased account's sold traces. */
export interface ErasureNotices {
  /** Counts of traces to delete, one for each buyer, without names. */
  readonly buyers: readonly {
    readonly traces: number
    readonly acknowledged: number
    /** The time of the last acknowledgment. Null until the buyer has acknowledged all of the traces. */
    readonly acknowledgedAt: number | null
  }[]
}

type Page<Item> = Promise<{ items: Item[]; next: number | null }>
interface PageRequest {
  readonly cursor: number | null
  readonly limit: number
}

/** Stores buyers, their tokens and sessions, and the removals of which they are notified. Each method is atomic. */
export interface BuyerStore {
  /** Adds a buyer, with an audit entry. Returns `exists` when another buyer has the same name (`buyerKey`). */
  createBuyer(params: { readonly buyer: NewBuyer; readonly audit: AuditContext }): Promise<Buyer | 'exists'>
  /** Lists the buyers, newest first. They are searched by ID, name and address. */
  listBuyers(params: Readonly<ListParams<'createdAt' | 'name'>>): Promise<ListPage<Buyer>>
  /**
   * Sets the address for notices of removals (null removes it), with an audit entry. Returns null when there is no such
   * buyer.
   */
  setEmail(params: {
    readonly id: string
    readonly email: string | null
    readonly audit: AuditContext
  }): Promise<Buyer | null>
  /**
   * Replaces the token of a buyer, or revokes it (null), ends the buyer's sessions, and adds an audit entry. Returns
   * false when there is no such buyer.
   */
  setToken(params: {
    readonly id: string
    readonly tokenHash: string | null
    readonly audit: AuditContext
  }): Promise<boolean>
  /** Returns the buyer of a token, or null. */
  findBuyer(params: { readonly tokenHash: string }): Promise<Buyer | null>
  /** Returns the buyer to whom the sales of a name belong (`buyerKey`), or null. */
  findBuyerByName(params: { readonly name: string }): Promise<Buyer | null>

  /**
   * Starts a session of the buyer who has this token. Returns false when no buyer has this token. Deletes expired
   * sessions.
   */
  startSession(params: {
    readonly tokenHash: string
    readonly hash: string
    readonly now: number
    readonly expiresAt: number
  }): Promise<boolean>
  /** Returns the buyer of a session that has not expired, or null. */
  findSession(params: { readonly hash: string; readonly now: number }): Promise<Buyer | null>
  endSession(params: { readonly hash: string }): Promise<void>

  /**
   * Withdraws a trace, with an audit entry. The trace is no longer sold or delivered, and each buyer who has the trace
   * is notified (`RemovalNotice`). The reason is not in the audit entry: it stays with the trace until the contributor
   * is erased, and is not stored if the contributor is erased already. Returns the number of the trace's removals, even
   * if the trace was already withdrawn, or null when there is no such trace.
   */
  withdrawTrace(params: {
    readonly id: string
    readonly reason: string
    readonly notice: RemovalNotice
    readonly audit: AuditContext
  }): Promise<number | null>
  /**
   * Returns a trace's title, the number of its sales and whether it is withdrawn, or null when there is no such trace.
   */
  findWithdrawal(params: { readonly id: string }): Promise<Withdrawal | null>
  /** Returns the reasons of at most 200 withdrawn traces. Traces without a stored reason are omitted. */
  listWithdrawalReasons(params: {
    readonly ids: readonly string[]
  }): Promise<readonly { readonly traceId: string; readonly reason: string }[]>
  /**
   * Returns a page of the removals of a buyer's sales, in the order in which they were recorded. `since` limits the
   * page to removals from this time on, in milliseconds.
   */
  listRemovals(
    params: PageRequest & {
      /** The buyer's name. Names are compared as `buyerKey`. */
      readonly buyer: string
      readonly since: number
      /** Whether to return only removals that are not acknowledged. */
      readonly isOpen?: boolean | undefined
    },
  ): Page<Removal>
  /**
   * Acknowledges removals of a buyer. A removal that was already acknowledged keeps its time. Returns the ids that
   * belong to removals of the buyer.
   */
  acknowledgeRemovals(params: {
    readonly buyer: string
    readonly ids: readonly string[]
    readonly now: number
  }): Promise<Removal[]>
  /**
   * Lists the removals of all buyers or of one, newest first. They are searched by ID, the IDs of the sale and of the
   * buyer's trace, and the buyer's name and address.
   */
  listAllRemovals(params: Readonly<ListAllRemovalsParams>): Promise<ListPage<ListedRemoval>>
  /** Returns the number of removals of a sale, and how many of them are not acknowledged. */
  countRemovals(params: { readonly saleId: string }): Promise<{ readonly all: number; readonly open: number }>
  /** Returns how many buyers have traces of a person, and how many sold traces the person has. */
  countSold(params: { readonly ownerId: string }): Promise<{ readonly buyers: number; readonly traces: number }>
  /** Returns the removals of which buyers were notified when an account was erased. `id` is the id of the notice. */
  findErasure(params: { readonly id: string }): Promise<ErasureNotices>
}
