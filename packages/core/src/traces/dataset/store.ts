import type { AuditContext } from '../../admin/audit/store.ts'
import type { NewEvent } from '../../events/event.ts'
import type { SaleShares } from '../../ledger/sale.ts'
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
  /** The id that the buyer gets for it: a random UUID, new for each sale, so that it tells nothing of the contributor. */
  readonly buyerId: string
}

/** A sale with how many traces went with it. */
export interface RecordedSale extends Sale {
  readonly traceCount: number
}

export interface RecordSaleParams {
  readonly sale: Sale
  readonly items: readonly SaleItem[]
  readonly shares: SaleShares
  readonly audit: AuditContext
  readonly event?: NewEvent<'sale.recorded'> | undefined
}

type Page<Item> = Promise<{ items: Item[]; next: number | null }>
type Documents<Cursor> = Promise<{ documents: AsyncIterable<StoredTrace>; next: Cursor | null }>

/** Sells traces and reads what may be sold and what was sold, of all contributors. Each method is atomic unless it says otherwise. */
export interface DatasetStore {
  /**
   * Records a sale, with an entry in the audit, and counts it on each listed trace that exists, is not excluded and whose owner was
   * not erased. Adds the contributors' shares to the ledger, one entry each, and enqueues a mail to those whose first sale it is.
   * Returns the ids sold. A trace may be sold again. With the id of a recorded sale it changes nothing and returns those of the ids
   * that the sale sold.
   */
  recordSale(params: Readonly<RecordSaleParams>): Promise<string[]>

  /** Returns a page of the sales, newest first. */
  listSales(params: PageRequest): Page<RecordedSale>

  /**
   * Returns a page of the traces sold in a sale, also of owners erased since, ordered by the buyer's ids; null when there is no such
   * sale. `cursor` is the buyer's id that ended the page before. Each has the buyer's id and no name from the contributor:
   * `sourceId` is an id that the pieces of one conversation share within the sale, `parentTraceId` that of the parent conversation
   * if it was sold with it.
   */
  readSoldTraces(
    params: Readonly<{ saleId: string; cursor: string | null; limit: number }>,
  ): Promise<Awaited<Documents<string>> | null>

  /**
   * Returns a page of what may be sold, oldest first: every trace that has an owner and is not excluded, sold before or not. The
   * documents are read a few at a time while they are consumed; one that is excluded or deleted meanwhile is left out, and one whose
   * content is missing or damaged has the messages that `StoredTrace` describes.
   */
  readSellableTraces(params: PageRequest): Documents<number>
}
