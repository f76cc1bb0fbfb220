import type { ListPage, ListParams } from '../../http/list.ts'
import type { AuditContext } from '../../audit/store.ts'
import type { NewEvent } from '../../events/event.ts'
import type { SaleShares } from '../../ledger/sale-shares.ts'
import type { SaleCandidate } from '../copies/rules.ts'
import type { OutcomeStatus } from '../detail-schemas.ts'
import type { PageRequest, StoredTrace, TitleOfTrace } from '../store.ts'

export interface Sale {
  readonly id: string
  readonly buyer: string
  readonly usd: number
  /** Milliseconds since 1970. */
  readonly soldAt: number
}

/** A trace that is added to a sale. */
export interface SaleItem {
  readonly id: string
  /**
   * The id under which the buyer gets the trace: a random UUID, new for each sale, so that it reveals nothing about the
   * contributor.
   */
  readonly buyerId: string
  /** The tokens that the contributor is paid for (`countNewTokens`). Default: all. */
  readonly newTokens?: number | undefined
}

/** The reason why a trace is not in a sale: it is not for sale, is a copy, or no longer exists. */
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
  /** Lists only sales to the buyer of this name (`buyerKey`). */
  readonly buyer?: string | undefined
}

export interface FindSimilarSaleParams {
  readonly buyer: string
  readonly traceCount: number
  /** Milliseconds since 1970. */
  readonly since: number
  readonly exceptId: string | null
}

/** A trace of a sale in the operator's list. */
export interface SoldTrace extends TitleOfTrace {
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

/**
 * The search covers the trace's ID, the buyer's ID of the trace, the contributor and the model. The range refers to
 * `createdAt`.
 */
export interface ListSoldTracesParams extends ListParams<'stored' | 'createdAt' | 'tokens' | 'newTokens'> {
  readonly saleId: string
  readonly source?: string | undefined
  /** Whether an operator withdrew the traces. Absent: all traces. */
  readonly withdrawn?: boolean | undefined
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

/** The totals of the traces that a sale would include. */
export interface SellableTotals extends DatasetTotals {
  /** The number of the traces that were sold before. */
  readonly soldBefore: number
  /** Traces that the sale would leave out as copies, and their tokens. */
  readonly copies: DatasetTotals
}

/** A sale with its totals, and the filter that selected its traces. The filter is null when the traces were listed. */
export interface SaleDetails extends Sale, DatasetTotals, LeftOut {
  readonly filter: DatasetFilter | null
}

/** The traces of an offer that may be sold, within a range of positions. */
export interface Candidates {
  /**
   * The traces whose new tokens must be counted (`countNewTokens`). For an offer by filter, these are at most
   * `maxTracesPerSaleStep` traces that overlap with other traces and that the buyer does not have.
   */
  readonly candidates: readonly SaleCandidate[]
  /** For an offer by filter, the traces that do not overlap with other traces, so that all their tokens are new. */
  readonly unique: DatasetTotals & Pick<SellableTotals, 'soldBefore'>
  /** For an offer by filter, the traces that the buyer already has, which count as copies. */
  readonly bought: DatasetTotals
}

/** A sale by filter that is not finished, and the traces that it considers next. */
export interface PendingSale extends Candidates {
  readonly sale: Sale
  readonly filter: DatasetFilter
  readonly audit: AuditContext
  /** The position up to which traces were considered, and the position after this step. */
  readonly after: number
  readonly next: number
  /** Whether every trace was considered. If so, nothing more is added, and the sale must be finished. */
  readonly isDone: boolean
}

export interface AddSaleItemsParams {
  readonly step: PendingSale
  /** The candidates of the step that are sold. */
  readonly items: readonly SaleItem[]
  /**
   * The buyer's ids for the unique traces of the step, by position within the step. Empty when there are no unique
   * traces.
   */
  readonly uniqueBuyerIds: readonly string[]
  /** The candidates that are left out. */
  readonly leftOut?: LeftOut | undefined
}

/** The traces that are offered to a buyer: listed traces, or traces that match a filter up to a position. */
export type SaleOffer = { readonly ids: readonly string[] } | { readonly filter: DatasetFilter; readonly until: number }

/** A page of the traces of an offer that may be sold. */
export interface CandidatePage extends Candidates {
  /** The start of the next page. Null after the last page. */
  readonly next: number | null
}

/** The number of traces that one step of a sale by filter adds. Such a step holds the write lock for about 20 ms. */
export const maxTracesPerSaleStep = 1_000

/** A sale, and the effects that are stored in the same step. */
export interface FinishSaleParams {
  readonly sale: Sale
  readonly shares: SaleShares
  readonly audit: AuditContext
  readonly event?: NewEvent<'sale.recorded'> | undefined
}

export interface RecordSaleParams extends FinishSaleParams {
  readonly items: readonly SaleItem[]
  /** The overlapping traces that the buyer had when the new tokens were counted (`boughtOverlapsOf`). Default: none. */
  readonly boughtOverlaps?: readonly number[] | undefined
  /** Default: `nothingLeftOut`. */
  readonly leftOut?: LeftOut | undefined
}

/** A page of traces to deliver. The documents are read when they are iterated, so `ids` alone reads no content. */
export interface DocumentPage<Cursor> {
  readonly documents: AsyncIterable<StoredTrace>
  /** The ids of the documents, in their order. */
  readonly ids: readonly string[]
  readonly next: Cursor | null
}

/**
 * Sells traces of all contributors, and reads the traces that may be sold or were sold. Each method is atomic unless
 * its comment says otherwise.
 */
export interface DatasetStore {
  /**
   * Records a sale, with an audit entry, and increments the sale count of each sold trace. A listed trace is sold if it
   * exists, is not excluded, has an owner who was not erased, is not in another sale to this buyer, and overlaps with
   * no trace of another sale to this buyer except `boughtOverlaps`. Adds one entry for each contributor's share to the
   * ledger, and enqueues a mail to each contributor whose first sale this is. Returns the ids of the sold traces. A
   * trace may be sold again to another buyer. A sale that sells no trace is recorded with a price of 0. If a sale with
   * this id is already recorded, changes nothing and returns the ids of all traces of that sale, listed or not.
   */
  recordSale(params: Readonly<RecordSaleParams>): Promise<string[]>

  /**
   * Returns the position of the trace that was stored last. Counts and sales up to this position leave out later
   * traces.
   */
  findLastPlace(): Promise<number>

  /**
   * Starts a sale of every trace that may be sold and matches the filter, among the traces stored at this moment or up
   * to the position `until`. The sale is not visible before `finishSale`. Does nothing when a sale with this id exists.
   */
  startSale(
    params: Readonly<{ sale: Sale; filter: DatasetFilter; until?: number | undefined; audit: AuditContext }>,
  ): Promise<void>

  /** Returns the next step of a sale that was started, or null when there is no unfinished sale with this id. */
  readPendingSale(params: Readonly<{ saleId: string }>): Promise<PendingSale | null>

  /**
   * Does one step of a sale. Adds the items and the unique traces, if they may still be sold, and the buyer has not
   * bought them or a trace that overlaps with them since the candidates were read. Increments their sale counts, so
   * that they can no longer be excluded or deleted. Counts the traces that the buyer already has as left out, and moves
   * the position from `after` to `next`. Does nothing when another call has moved the position.
   */
  addSaleItems(params: Readonly<AddSaleItemsParams>): Promise<void>

  /**
   * Makes a sale visible when all its steps are done, with all effects of a sale (`recordSale`). Changes nothing when
   * the sale is already visible.
   */
  finishSale(params: Readonly<FinishSaleParams>): Promise<void>

  /** Returns the ids of at most 100 unfinished sales that were started before this time, in milliseconds since 1970. */
  listPendingSales(params: Readonly<{ startedBefore: number }>): Promise<string[]>

  /** Lists the traces of a finished sale. The trace that was stored last is first. */
  listSoldTraces(params: Readonly<ListSoldTracesParams>): Promise<ListPage<SoldTrace>>

  /** Returns a sale with its totals, or null if there is none. */
  findSale(params: Readonly<{ saleId: string }>): Promise<SaleDetails | null>

  /**
   * Returns a page of the traces of an offer that may be sold, ordered by position, with the overlaps of each trace
   * with other traces. Traces that `buyer` bought before, except in the sale `saleId`, are marked as bought. The
   * buyer's name is compared trimmed and without regard to case.
   */
  listSaleCandidates(
    params: Readonly<{ offer: SaleOffer; buyer: string; saleId?: string | undefined; cursor: number | null }>,
  ): Promise<CandidatePage>

  /** Returns the reason why each of the traces is not for sale. Traces that are for sale are left out. */
  listSkipReasons(params: Readonly<{ ids: readonly string[] }>): Promise<SkippedTrace[]>

  /** Lists the sales. The search covers the sale's ID and the buyer's name. */
  listSales(params: Readonly<ListSalesParams>): Promise<ListPage<RecordedSale>>

  /**
   * Returns the last finished sale of this number of traces to the buyer (`buyerKey`) later than `since`, or null if
   * there is none. Leaves out the sale `exceptId`.
   */
  findSimilarSale(params: Readonly<FindSimilarSaleParams>): Promise<Pick<Sale, 'soldAt'> | null>

  /**
   * Returns a page of the traces sold in a sale, ordered by the buyer's ids, or null when there is no such sale. Traces
   * that were withdrawn since, or whose owner was erased, are left out, even if this happens while the documents are
   * read. `cursor` is the last buyer's id of the previous page. Each trace has the buyer's id and no name from the
   * contributor. The pieces of one conversation have the same `sourceId` within the sale. `parentTraceId` is the
   * `sourceId` of the parent conversation, if the parent was sold in the same sale.
   */
  readSoldTraces(
    params: Readonly<{ saleId: string; cursor: string | null; limit: number }>,
  ): Promise<DocumentPage<string> | null>

  /**
   * Returns a page of the traces that may be sold, oldest first: every trace that has an owner, is not excluded and
   * matches the filter, whether it was sold before or not. The documents are read a few at a time. A trace that is
   * excluded or deleted meanwhile is left out. A trace whose content is missing or damaged has the messages that
   * `StoredTrace` describes.
   */
  readSellableTraces(
    params: PageRequest & Readonly<{ filter?: DatasetFilter | undefined }>,
  ): Promise<DocumentPage<number>>
}
