import type { ListPage, ListParams } from '../../http/list.ts'
import type { AuditContext } from '../../audit/store.ts'
import type { NewEvent } from '../../events/event.ts'
import type { SaleShares } from '../../ledger/sale-shares.ts'
import type { SaleCandidate } from '../copies/rules.ts'
import type { OutcomeStatus } from '../details.ts'
import type { PageRequest, StoredTrace } from '../store.ts'

export interface Sale {
  readonly id: string
  readonly buyer: string
  readonly usd: number
  /** Milliseconds since 1970. */
  readonly soldAt: number
}

/** A trace on its way into a sale. */
export interface SaleItem {
  readonly id: string
  /**
   * The id that the buyer gets for it: a random UUID, new for each sale, so that it reveals nothing about the
   * contributor.
   */
  readonly buyerId: string
  /** The tokens that the contributor is paid for (`countNewTokens`). Default: all. */
  readonly newTokens?: number | undefined
}

/** The reason why a trace is not in a sale: it is not for sale, is a copy, or does not exist any more. */
export const skipReasons = ['excluded', 'copy', 'gone'] as const
export interface SkippedTrace {
  readonly id: string
  readonly reason: (typeof skipReasons)[number]
}

/** The traces that a sale leaves out. */
export interface LeftOut {
  /** Traces left out as copies, and their tokens. */
  readonly copies: DatasetTotals
  /** The skipped traces. For a sale by filter, these are the first `maxSkippedTraces`. */
  readonly skipped: readonly SkippedTrace[]
}
export const maxSkippedTraces = 500
export const nothingLeftOut: LeftOut = { copies: { traces: 0, tokens: 0 }, skipped: [] }

/** A sale with the number of its traces. */
export interface RecordedSale extends Sale {
  readonly traceCount: number
}

export interface ListSalesParams extends ListParams<'soldAt' | 'buyer' | 'usd'> {
  /** Lists those of this name (`buyerKey`). */
  readonly buyer?: string | undefined
}

/** A trace of a sale as the operator lists it. */
export interface SoldTrace {
  readonly id: string
  readonly title: string | null
  readonly buyerTraceId: string | null
  /** Null after the erasure of the contributor's account. */
  readonly userId: string | null
  readonly source: string
  readonly model: string | null
  /** ISO 8601. */
  readonly createdAt: string
  readonly tokens: number
  readonly newTokens: number
  readonly withdrawn: boolean
}

/** The traces are searched by their ID, that of the buyer, the contributor and the model. */
export interface ListSoldTracesParams extends ListParams<'stored' | 'createdAt' | 'tokens' | 'newTokens'> {
  readonly saleId: string
  readonly source?: string | undefined
}

/**
 * A condition on the traces for sale; a trace must match every given field. It has the same meaning in the dataset, in
 * a sale and in its dry run.
 */
export interface DatasetFilter {
  readonly source?: string | undefined
  /** The name of the agent and the status of the outcome in the trace's details. */
  readonly agent?: string | undefined
  readonly outcome?: OutcomeStatus | undefined
  readonly model?: string | undefined
  /** Only traces that are not in another sale. */
  readonly neverSold?: boolean | undefined
  /** The earliest and the latest `createdAt`, both included: ISO 8601, UTC, milliseconds, `Z`. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly minTokens?: number | undefined
}

export interface DatasetTotals {
  readonly traces: number
  readonly tokens: number
}

/** The totals of the traces that a sale would take. */
export interface SellableTotals extends DatasetTotals {
  /** The number of the traces that were sold before. */
  readonly soldBefore: number
  /** Traces that it would leave out as copies, and their tokens. */
  readonly copies: DatasetTotals
}

/** A sale with its totals, and the filter that chose its traces. Null when they were listed. */
export interface SaleDetails extends Sale, DatasetTotals, LeftOut {
  readonly filter: DatasetFilter | null
}

/** The traces of an offer that may be sold, within some places. */
export interface Candidates {
  /**
   * The traces whose new tokens must be counted (`countNewTokens`). For an offer by filter these are those that overlap
   * with others and that the buyer does not have, at most `maxTracesPerSaleStep`.
   */
  readonly candidates: readonly SaleCandidate[]
  /** For an offer by filter, the traces that do not overlap with others, so that all their tokens are new. */
  readonly unique: DatasetTotals & Pick<SellableTotals, 'soldBefore'>
  /** For an offer by filter, the traces that the buyer already has, which count as copies. */
  readonly bought: DatasetTotals
}

/** A sale by filter that is not finished, and the traces that it considers next. */
export interface PendingSale extends Candidates {
  readonly sale: Sale
  readonly filter: DatasetFilter
  readonly audit: AuditContext
  /** The place up to which traces were considered, and the place after this step. */
  readonly after: number
  readonly next: number
  /** Whether every trace was considered: then nothing is added, and the sale must be finished. */
  readonly isDone: boolean
}

export interface AddSaleItemsParams {
  readonly step: PendingSale
  /** The candidates of the step that are sold. */
  readonly items: readonly SaleItem[]
  /** The buyer's id of the unique trace at each place of the step. It is empty when there are none. */
  readonly uniqueBuyerIds: readonly string[]
  /** The candidates that are left out. */
  readonly leftOut?: LeftOut | undefined
}

/** The traces that are offered to a buyer: listed ones, or those that match a filter up to a place. */
export type SaleOffer = { readonly ids: readonly string[] } | { readonly filter: DatasetFilter; readonly until: number }

/** A page of the traces of an offer that may be sold. */
export interface CandidatePage extends Candidates {
  /** The start of the next page. Null after the last one. */
  readonly next: number | null
}

/** The number of traces that one step of a sale by filter adds: it holds the write lock for about 20 ms. */
export const maxTracesPerSaleStep = 1_000

/** A sale with its effects in the same step. */
export interface FinishSaleParams {
  readonly sale: Sale
  readonly shares: SaleShares
  readonly audit: AuditContext
  readonly event?: NewEvent<'sale.recorded'> | undefined
}

export interface RecordSaleParams extends FinishSaleParams {
  readonly items: readonly SaleItem[]
  /** Default: `nothingLeftOut`. */
  readonly leftOut?: LeftOut | undefined
}

type Documents<Cursor> = Promise<{ documents: AsyncIterable<StoredTrace>; next: Cursor | null }>

/**
 * Sells traces, and reads which traces may be sold and which were sold, of all contributors. Each method is atomic
 * unless it says otherwise.
 */
export interface DatasetStore {
  /**
   * Records a sale, with an audit entry, and counts it on each listed trace that exists, is not excluded and whose
   * owner was not erased. Adds the contributors' shares to the ledger, one entry each, and enqueues a mail to those
   * whose first sale it is. Returns the ids of the sold traces. A trace may be sold again. With the id of a recorded
   * sale it changes nothing and returns the ids that it sold, listed or not.
   */
  recordSale(params: Readonly<RecordSaleParams>): Promise<string[]>

  /** Returns the place of the trace that was stored last: counts and sales up to this place leave out later traces. */
  findLastPlace(): Promise<number>

  /**
   * Starts a sale of every trace that may be sold and matches the filter, out of those that are stored at this moment,
   * or of those up to the place `until`. Nobody sees the sale before `finishSale`. Does nothing when there is a sale
   * with this id.
   */
  startSale(
    params: Readonly<{ sale: Sale; filter: DatasetFilter; until?: number | undefined; audit: AuditContext }>,
  ): Promise<void>

  /** Returns the next step of a sale that was started, or null when it is finished or there is none. */
  readPendingSale(params: Readonly<{ saleId: string }>): Promise<PendingSale | null>

  /**
   * Does one step of a sale: adds the items and the unique traces that may still be sold, and counts the sale on them,
   * so that they can no longer be excluded or deleted. Counts the traces that the buyer has as left out, and moves the
   * place from `after` to `next`. Does nothing when another call has moved it.
   */
  addSaleItems(params: Readonly<AddSaleItemsParams>): Promise<void>

  /**
   * Makes a sale visible when all its steps are done, with all effects of a sale (`recordSale`). Changes nothing when
   * it is visible already.
   */
  finishSale(params: Readonly<FinishSaleParams>): Promise<void>

  /**
   * Returns the ids of sales that were started before this time, in milliseconds since 1970, and are not finished. It
   * returns at most 100.
   */
  listPendingSales(params: Readonly<{ startedBefore: number }>): Promise<string[]>

  /** Lists the traces of a finished sale, the last stored first. */
  listSoldTraces(params: Readonly<ListSoldTracesParams>): Promise<ListPage<SoldTrace>>

  /** Returns a sale with its totals, or null if there is none. */
  findSale(params: Readonly<{ saleId: string }>): Promise<SaleDetails | null>

  /**
   * Returns a page of the traces of an offer that may be sold, in the order of their places, with the overlaps of each
   * with other traces. `buyer` decides which traces were bought before, except in the sale `saleId`. It is compared
   * trimmed and without regard to case.
   */
  listSaleCandidates(
    params: Readonly<{ offer: SaleOffer; buyer: string; saleId?: string | undefined; cursor: number | null }>,
  ): Promise<CandidatePage>

  /** Returns the reason why each of the traces is not for sale. Those that are for sale are left out. */
  listSkipReasons(params: Readonly<{ ids: readonly string[] }>): Promise<SkippedTrace[]>

  /** Lists the sales, which are searched by their ID and the buyer's name. */
  listSales(params: Readonly<ListSalesParams>): Promise<ListPage<RecordedSale>>

  /**
   * Returns a page of the traces sold in a sale, ordered by the buyer's ids, or null when there is no such sale. Traces
   * that were withdrawn since, or whose owner was erased, are left out, also while the documents are read. `cursor` is
   * the buyer's id that ended the page before. Each has the buyer's id and no name from the contributor: `sourceId` is
   * an id that the pieces of one conversation share within the sale, `parentTraceId` that of the parent conversation if
   * it was sold with it.
   */
  readSoldTraces(
    params: Readonly<{ saleId: string; cursor: string | null; limit: number }>,
  ): Promise<Awaited<Documents<string>> | null>

  /**
   * Returns a page of the traces that may be sold, oldest first: every trace that has an owner, is not excluded and
   * matches the filter, whether it was sold before or not. The documents are read a few at a time. A trace that is
   * excluded or deleted meanwhile is left out. A trace whose content is missing or damaged has the messages that
   * `StoredTrace` describes.
   */
  readSellableTraces(params: PageRequest & Readonly<{ filter?: DatasetFilter | undefined }>): Documents<number>
}
