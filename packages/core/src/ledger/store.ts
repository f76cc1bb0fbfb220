import type { ListPage, ListParams } from '../http/list.ts'
import type { AuditContext } from '../audit/store.ts'
import type { MailText, RequestedMail } from '../outbox/store.ts'

export const entryKinds = ['sale', 'impressions', 'payout', 'correction'] as const
export type EntryKind = (typeof entryKinds)[number]

/** An entry of the ledger. Times are ms since 1970. */
export interface LedgerEntry {
  /** A UUID version 7. */
  readonly id: string
  readonly kind: EntryKind
  /** The amount in micro-dollars: positive for earnings, negative for amounts that were paid out or taken back. */
  readonly micros: number
  readonly at: number
  /** The time from which a payout may include the entry. */
  readonly availableAt: number
  /** The id of a sale, and the number of the person's traces that were sold in it. Null for other entries. */
  readonly saleId: string | null
  readonly traces: number | null
  /**
   * The tokens of the traces of a sale, and how many of these tokens were new. Null for other entries, and before
   * copies were recognized.
   */
  readonly tokens: number | null
  readonly newTokens: number | null
  /** The device of impressions and their UTC day, counted from 1970. Null for other entries. */
  readonly device: string | null
  readonly day: number | null
  /** The operator's own reference for a payout. Null for other entries. */
  readonly reference: string | null
  /** The reason of a correction. Null for other entries. */
  readonly reason: string | null
}

/** The sums of a person's entries at one point in time, in micro-dollars. */
export interface Balance {
  /** The sum that can be paid out: all entries except pending sales. Negative if a paid amount was corrected. */
  readonly balance: number
  /** The amount of sales that are not available yet. */
  readonly pending: number
  /** The sum of all entries except payouts: the balance, the pending amount and the amount that was paid out. */
  readonly lifetime: number
}

/** The earnings of a person on a UTC day, counted from 1970: sales by their time, impressions by their day. */
export interface DayEarnings {
  readonly day: number
  readonly micros: number
}

/** A person who has entries in the ledger. */
export interface PersonBalance extends Balance {
  readonly userId: string
  /** The verified address of the account, or null. */
  readonly email: string | null
}

/** A payout as the operator sees it. */
export interface RecordedPayout extends Pick<LedgerEntry, 'id' | 'at'> {
  /** Null if the account was erased. */
  readonly userId: string | null
  readonly email: string | null
  /** The amount, which is more than 0. */
  readonly micros: number
  readonly reference: string
}

/** The share of a sale that its contributors get, and the number of these contributors. */
export interface SaleShare {
  readonly micros: number
  readonly people: number
  /** The time from which a payout may include the share, in ms since 1970. */
  readonly availableAt: number
}

export interface ListEntriesParams {
  readonly ownerId: string
  readonly now: number
  /** The `next` of the previous page, or null for the first page. */
  readonly cursor: number | null
  readonly limit: number
}

export interface EntryPage {
  readonly balance: Balance
  /** The entries of the page, newest first. */
  readonly items: readonly LedgerEntry[]
  /** The sum in micro-dollars of the entries on newer pages, without payouts and pending sales. */
  readonly newer: number
  readonly next: number | null
}

export interface ListBalancesParams extends ListParams<'signedUpAt' | 'unpaidUsd' | 'lifetimeUsd'> {
  readonly now: number
}

export interface RecordPayoutParams {
  /** The id of the entry, and of its mail in the outbox. */
  readonly id: string
  readonly userId: string
  /** The amount, which is more than 0. */
  readonly micros: number
  /** The reference, which is unique among payouts. */
  readonly reference: string
  readonly mail: MailText
  readonly audit: AuditContext
}

export type RecordPayoutResult =
  | { readonly outcome: 'recorded'; readonly entry: LedgerEntry; readonly balance: Balance }
  | { readonly outcome: 'unknown' | 'insufficient_balance' | 'reference_used' | 'contributor_not_approved' }

export const requestStatuses = ['open', 'paid', 'rejected'] as const

/** A contributor's request to be paid. Times are ms since 1970; `decidedAt` is null while it is open. */
export interface PayoutRequest {
  /** A UUID version 7. */
  readonly id: string
  /** The balance at the time of the request, in micro-dollars. */
  readonly micros: number
  readonly status: (typeof requestStatuses)[number]
  readonly requestedAt: number
  readonly decidedAt: number | null
  /** The reason why an operator rejected the request. */
  readonly reason: string | null
}

/** A request as the operator sees it. */
export interface ListedPayoutRequest extends PayoutRequest {
  readonly userId: string
  /** The verified address of the account, or null. */
  readonly email: string | null
}

export interface ListPayoutRequestsParams extends ListParams<'requestedAt'> {
  /** The status of the listed requests. Absent means every status. */
  readonly status?: PayoutRequest['status'] | undefined
}

export interface RequestPayoutParams {
  /** The id of the request, and of its mail in the outbox. */
  readonly id: string
  readonly ownerId: string
  /** The minimum balance, in micro-dollars. */
  readonly minMicros: number
  readonly mail: RequestedMail
  readonly now: number
}

export type RequestPayoutResult =
  | { readonly outcome: 'requested'; readonly request: PayoutRequest }
  | {
      readonly outcome: 'unknown' | 'insufficient_balance' | 'payout_request_open' | 'contributor_not_approved'
    }

export interface RejectPayoutRequestParams {
  readonly id: string
  readonly reason: string
  readonly mail: MailText
  readonly audit: AuditContext
}

export type RejectPayoutRequestResult =
  | { readonly outcome: 'rejected'; readonly request: PayoutRequest }
  | { readonly outcome: 'unknown' | 'already_decided' }

export interface RecordCorrectionParams {
  readonly id: string
  readonly userId: string
  /** The amount, which is not 0. */
  readonly micros: number
  readonly reason: string
  /** The reference, which is unique among corrections, or null. */
  readonly reference: string | null
  readonly audit: AuditContext
}

export type RecordCorrectionResult =
  | { readonly outcome: 'recorded'; readonly entry: LedgerEntry; readonly balance: Balance }
  | { readonly outcome: 'unknown' | 'reference_used' }

export interface PostImpressionsParams {
  /** The current UTC day, counted from 1970. The days before it are posted. */
  readonly today: number
  readonly now: number
  /** The person's share of the price that was paid, 0 to 1. */
  readonly share: number
  /** A fresh UUID version 7, from which the ids of the entries are made (`entryIdAt`). */
  readonly entryId: string
}

interface Owner {
  readonly ownerId: string
}

/**
 * The ledger of the earnings of contributors and of the payouts to them. Entries are only added, one for each kind and
 * reference. An erasure removes the person from them and keeps the amounts. Balances are the sums of entries. Sales add
 * their entries with `DatasetStore.recordSale`, in the same step. Every method is one atomic step, and ignores persons
 * who are being erased.
 */
export interface LedgerStore {
  /** Returns a page of a person's entries with the balance at that moment. */
  listEntries(params: Readonly<ListEntriesParams>): Promise<EntryPage>
  /** Returns the earnings of a person by day, the latest day first. Days without earnings are left out. */
  listDayEarnings(params: Readonly<Owner & { fromDay: number }>): Promise<DayEarnings[]>
  /**
   * Lists the balances of persons who have entries, the latest sign-up first. They can also be sorted by the balance and
   * the pending amount together, or by the lifetime sum. A search covers ID and address.
   */
  listBalances(params: Readonly<ListBalancesParams>): Promise<ListPage<PersonBalance>>
  /** Lists the payouts of all persons. They are searched by ID, reference, and the person's ID and address. */
  listPayouts(params: Readonly<ListParams<'at' | 'usd'>>): Promise<ListPage<RecordedPayout>>
  /** Returns the last payout to a person, or null. */
  findLastPayout(params: Owner): Promise<RecordedPayout | null>

  /** Returns the sum for all contributors of a sale, including erased contributors. Null if the sale has no entries. */
  findSaleShare(params: { readonly saleId: string }): Promise<SaleShare | null>

  /**
   * Records a payout that the balance of an approved contributor covers, with an audit entry, closes the person's
   * request, and enqueues a mail to them. Concurrent calls never overdraw the balance. An existing payout with the same
   * reference, person and amount is returned.
   */
  recordPayout(params: Readonly<RecordPayoutParams>): Promise<RecordPayoutResult>
  /**
   * Stores an approved contributor's request to be paid the whole balance, and enqueues a mail to them. Only one of
   * several concurrent calls stores a request, because a person has at most one open request.
   */
  requestPayout(params: Readonly<RequestPayoutParams>): Promise<RequestPayoutResult>
  /** Returns a person's latest request, or null. */
  findPayoutRequest(params: Owner): Promise<PayoutRequest | null>
  /**
   * Lists the payout requests of all persons, newest first. They are searched by ID, reason, and the person's ID and
   * address.
   */
  listPayoutRequests(params: Readonly<ListPayoutRequestsParams>): Promise<ListPage<ListedPayoutRequest>>
  /** Rejects an open request, once, with an audit entry, and enqueues a mail to the person. */
  rejectPayoutRequest(params: Readonly<RejectPayoutRequestParams>): Promise<RejectPayoutRequestResult>
  /** Returns a person's requests, oldest first. */
  exportPayoutRequests(params: Owner): Promise<PayoutRequest[]>

  /**
   * Records a correction with an audit entry; the balance may become negative. An existing correction with the same
   * reference, person and amount is returned.
   */
  recordCorrection(params: Readonly<RecordCorrectionParams>): Promise<RecordCorrectionResult>

  /**
   * Adds the shares of impressions of past days that are not in the ledger, one entry for each device and day, a
   * bounded number at a time. Returns whether there may be more. If a day's shares are already in the ledger,
   * impressions that are counted for this day later are added to `today`.
   */
  postImpressions(params: Readonly<PostImpressionsParams>): Promise<boolean>

  /** Returns a person's entries, oldest first. */
  export(params: Owner): Promise<LedgerEntry[]>
  /**
   * Removes the person from a bounded number of entries, and deletes their requests. Returns whether there may be more.
   * Amounts, kinds, times, sales and the references of payouts and corrections are kept. Devices and reasons are
   * removed.
   */
  erase(params: Owner): Promise<boolean>
}
