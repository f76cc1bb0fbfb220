import type { AuditContext } from '../admin/audit/store.ts'

/** What E3, E8 and E9 tell of a trace. It is `locked` when `saleCount` is above 0. */
export interface SaleState {
  readonly id: string
  readonly sellExcluded: boolean
  readonly saleCount: number
}

/** A trace without its messages. Every text in it went through the scrubber. */
export interface TraceRecord {
  /** Lower-case UUID. */
  readonly id: string
  readonly source: string
  readonly sourceId: string
  readonly segmentIndex: number | null
  readonly model: string | null
  /** ISO 8601, UTC, milliseconds, `Z`: as the contributor sent it. */
  readonly createdAt: string
  readonly parentTraceId: string | null
  /** 64 lower-case hexadecimal digits: of what was sent (`contentHash`). */
  readonly contentHash: string
  readonly tokenCount: number
  /** Dollars. */
  readonly estimatedUsd: number
  readonly scrubVersion: string
  /** JSON text of an object, category to count. */
  readonly redactions: string
}

/** A scrubbed trace on its way in. */
export interface NewTrace extends TraceRecord {
  /** JSON text: the array of E10's `messages`, keys in its order. */
  readonly messages: string
}

export interface ListedTrace extends TraceRecord, SaleState {}

/** A trace with its messages as they were stored: null when they are missing, a text that is no JSON when they are damaged. */
export interface StoredTrace extends TraceRecord {
  readonly messages: string | null
}

/** A sale that a trace went with. */
export interface SaleOfTrace {
  readonly saleId: string
  readonly buyer: string
  /** The id that this buyer knows the trace by. */
  readonly buyerTraceId: string
  /** Milliseconds since 1970. */
  readonly soldAt: number
}

/** A trace with everything that is kept of it, for its contributor. */
export interface ExportedTrace extends StoredTrace, SaleState {
  /** Milliseconds since 1970. */
  readonly storedAt: number
  /** Oldest first. */
  readonly sales: readonly SaleOfTrace[]
}

export interface Sale {
  readonly id: string
  readonly buyer: string
  readonly usd: number
  /** Milliseconds since 1970. */
  readonly soldAt: number
}

/** What names a trace of its owner, no segment being segment 0. */
export type TraceName = Pick<TraceRecord, 'source' | 'sourceId' | 'segmentIndex'>

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

/** A page of a list. `cursor` is the `next` of the page before; null starts. */
export interface PageRequest {
  readonly cursor: number | null
  readonly limit: number
}

/**
 * The traces of contributors. Ids are lower-case UUIDs. A method that takes an owner sees that owner's traces only:
 * another person's is as if it did not exist. Each list that comes back is in the order of the list that went in.
 */
export interface TraceStore {
  findTrace(ownerId: string, id: string): Promise<SaleState | null>

  /**
   * Excludes from sale, or includes, each listed trace that was never sold, and returns those, also the ones already in
   * that state. One sold at the same moment is either excluded before the sale sees it or left as it is: never both.
   */
  setSellExcluded(ownerId: string, ids: readonly string[], excluded: boolean): Promise<SaleState[]>

  /**
   * Deletes each listed trace that was never sold, with its content and, in the outcomes that tell of it, its name (they then
   * have the source id ''); its hash stays known, and so does the keyed hash of its name where `nameHashes` has one by its id. One sold at the same moment is either deleted before the sale sees it or kept:
   * never both. Unknown ids are in neither list. All that belongs to a trace goes in one step; a long list may take several.
   */
  deleteUnsoldTraces(
    ownerId: string,
    ids: readonly string[],
    nameHashes?: Readonly<Record<string, string>>,
  ): Promise<{ deleted: string[]; sold: string[] }>

  /** The names of those of the traces that were never sold. */
  listUnsoldNames(ownerId: string, ids: readonly string[]): Promise<(TraceName & { readonly id: string })[]>

  /**
   * Those of the hashes that the owner has stored or has deleted, once each. Text that is not 64 lower-case
   * hexadecimal digits is unknown.
   */
  findKnownHashes(ownerId: string, hashes: readonly string[]): Promise<string[]>

  /** Newest first, by when they were stored. */
  listTraces(ownerId: string, page: PageRequest): Promise<{ items: ListedTrace[]; next: number | null }>

  readTrace(ownerId: string, id: string): Promise<StoredTrace | null>

  /** Everything stored of the owner, oldest first, a few at a time. */
  exportTraces(ownerId: string): AsyncIterable<ExportedTrace>
  /** The content hashes of the traces that the owner deleted, a few at a time. */
  exportDeletedHashes(ownerId: string): AsyncIterable<string>
  /** The keyed hashes of the names of traces that the owner deleted, a few at a time. */
  exportDeletedNames(ownerId: string): AsyncIterable<string>

  /**
   * Sells: records the sale, with an entry in the audit, and counts it on each listed trace that exists, is not excluded
   * and has an owner, all at once. Returns the ids sold. A trace may be sold again, but not once its owner was erased. With the id of a sale that was made before
   * it returns those of the ids which that sale sold, and changes nothing.
   */
  recordSale(sale: Sale, items: readonly SaleItem[], audit: AuditContext): Promise<string[]>

  /** The sales made, newest first. */
  listSales(page: PageRequest): Promise<{ items: RecordedSale[]; next: number | null }>

  /**
   * A page of what went with a sale, also of owners who were erased since, in the order of the buyer's ids. `cursor` is the buyer's
   * id that the page before ended with. Each has the buyer's id, and no name that the contributor's machine gave it: `sourceId` is
   * an id that the pieces of one conversation share within the sale, `parentTraceId` that of the conversation it came out of, if
   * that was sold with it. Null: there is no such sale.
   */
  readSoldTraces(
    params: Readonly<{ saleId: string; cursor: string | null; limit: number }>,
  ): Promise<{ documents: AsyncIterable<StoredTrace>; next: string | null } | null>

  /**
   * A page of what may be sold, oldest first: everything that has an owner and is not excluded, sold before or not. The cursor is
   * known at once; the documents are read a few at a time while they are consumed, and one that was excluded or deleted before its
   * turn is left out. One whose content is missing or damaged comes with what `StoredTrace` says of its messages.
   */
  readSellableTraces(page: PageRequest): Promise<{ documents: AsyncIterable<StoredTrace>; next: number | null }>

  /**
   * Erases the person: what was never sold goes with its content, and every hash goes. What was sold stays without its
   * owner and without the names the person's machine gave it (`sourceId` becomes the id, `parentTraceId` null). A
   * bounded number at a time; true when there may be more.
   */
  eraseTraces(ownerId: string): Promise<boolean>
}
