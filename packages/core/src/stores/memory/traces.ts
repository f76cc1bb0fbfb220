import type { ListPage } from '../../http/list.ts'
import { listPage, type MemoryList } from './list.ts'
import type { DecisionInput } from '../../ingest/rules.ts'
import type { PreparedTrace } from '../../ingest/store.ts'
import { matchesDetails, redactionCounts, reportReason, traceState } from '../../traces/rules.ts'
import type { AuditContext } from '../../audit/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { memoryBuyers, type MemoryBuyers, type SoldItem } from './buyers.ts'
import { memoryDailyCounts, type MemoryDailyCounts } from './overview.ts'
import type { MemoryLedger } from './ledger.ts'
import { memoryOutbox, type MemoryOutbox } from './outbox.ts'
import {
  maxSkippedTraces,
  maxTracesPerSaleStep,
  nothingLeftOut,
  type SkippedTrace,
  type DatasetFilter,
  type DatasetStore,
  type DatasetTotals,
  type LeftOut,
  type FinishSaleParams,
  type PendingSale,
  type RecordedSale,
  type Sale,
  type SaleDetails,
  type ListSalesParams,
  type SaleItem,
  type SoldTrace,
} from '../../traces/dataset/store.ts'
import { MemoryScrubContexts } from './blocked-terms.ts'
import { MemoryContentBlobs } from './content-blobs.ts'
import { MemoryCopies } from './copies.ts'
import { buyerKey } from '../../traces/dataset/rules.ts'
import type { CopyStats, CopyStore, PreparedCopies, SimilarTraces } from '../../traces/copies/store.ts'
import { isCopy, type Overlap } from '../../traces/copies/rules.ts'
import type { PassedTrace, RescrubStore, StoreRescrubbedParams } from '../../traces/rescrub-store.ts'
import {
  unknownOrigin,
  type ConversationName,
  type ExportedConversation,
  type ExportedTrace,
  type OwnTrace,
  type NewTrace,
  type SaleState,
  type StoredTrace,
  type TraceFilter,
  type TraceName,
  type TraceOrigin,
  type TraceRecord,
  type TraceState,
  type TraceStats,
  type TraceStore,
  type WithheldReason,
} from '../../traces/store.ts'

/** A conversation, with the pieces of it that the owner has (null: deleted), by segment. */
interface Conversation {
  hash: string
  readonly pieces: Map<number, Kept | null>
}

interface Kept extends TraceRecord, TraceOrigin {
  num: number
  ownerId: string | null
  messages: string | null
  tools: string | null
  replacements: string
  withheld: WithheldReason | null
  withdrawnAt: number | null
  /** Whether its owner is being erased: `ownerId` is then one that leads to nobody. */
  isErasing: boolean
  sellExcluded: boolean
  saleCount: number
  storedAt: number
  conversation: Conversation | null
  parent: Conversation | null
}

/**
 * The data of an owner: traces by number, conversations by keyed hash, and the hashes E7 knows (null: the contributor
 * deleted it).
 */
interface OwnerData {
  traces: Map<number, Kept>
  conversations: Map<string, Conversation>
  seen: Map<string, Kept | null>
  /** Keyed hashes of the names of deleted traces that had no conversation. */
  deletedNames: Set<string>
}

type Store = TraceStore & DatasetStore
type Params<Method extends keyof Store> = Parameters<Store[Method]>[0]

const segmentOf = ({ segmentIndex }: Pick<TraceName, 'segmentIndex'>): number => segmentIndex ?? 0
const stateOf = ({ id, sellExcluded, saleCount }: Kept): SaleState => ({ id, sellExcluded, saleCount })

interface MadeSale extends Sale, LeftOut {
  readonly filter: DatasetFilter | null
  readonly items: readonly SaleItem[]
}

/** A sale by filter that nobody sees yet, and the places of the traces that it considers. */
interface StartedSale extends MadeSale {
  readonly filter: DatasetFilter
  readonly audit: AuditContext
  readonly after: number
  readonly until: number
}

/** Returns whether a trace may be delivered: its person is not erased and no operator withdrew it. */
const isDeliverable = ({ withdrawnAt, ownerId, isErasing }: Kept): boolean =>
  withdrawnAt === null && ownerId !== null && !isErasing

/** Returns whether a trace can be sold. */
const isForSale = (kept: Kept | undefined): kept is Kept =>
  kept !== undefined && !kept.sellExcluded && kept.withheld === null && isDeliverable(kept)

const totalsOf = (traces: readonly Kept[]): DatasetTotals => ({
  traces: traces.length,
  tokens: traces.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
})

/** The traces in Maps: for tests, trials and the sample. Every step is synchronous inside, so it is atomic. */
export class MemoryTraces implements TraceStore, DatasetStore {
  readonly #byId = new Map<string, Kept>()
  /** In the order of their numbers, since numbers only grow. */
  readonly #byNum = new Map<number, Kept>()
  readonly #byOwner = new Map<string, OwnerData>()
  /** The ids that people have from the start of their erasure, by the one before. */
  readonly #erasedIds = new Map<string, string>()
  readonly #sales = new Map<string, MadeSale>()
  readonly #startedSales = new Map<string, StartedSale>()
  readonly #onDeletion: ((traceId: string) => void)[] = []
  #last = 0
  readonly #onRename: ((traceId: string, before: string, after: string) => void)[] = []
  readonly #audits: Pick<MemoryAudit, 'record'>
  readonly #outbox: Pick<MemoryOutbox, 'enqueueEvent'>
  readonly #ledger: Pick<MemoryLedger, 'addSale'> | null
  readonly #contexts: Pick<MemoryScrubContexts, 'revisionOf'>
  readonly #buyers: Pick<MemoryBuyers, 'recordRemovals'>

  readonly #counts: Pick<MemoryDailyCounts, 'add'>
  readonly contentBlobs = new MemoryContentBlobs()
  readonly overlaps = new MemoryCopies()

  constructor(
    audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
    counts: Pick<MemoryDailyCounts, 'add'> = memoryDailyCounts(),
    outbox: Pick<MemoryOutbox, 'enqueueEvent'> = memoryOutbox(),
    ledger: Pick<MemoryLedger, 'addSale'> | null = null,
    contexts: Pick<MemoryScrubContexts, 'revisionOf'> = new MemoryScrubContexts(),
    buyers: Pick<MemoryBuyers, 'recordRemovals' | 'addTraces'> = memoryBuyers(),
  ) {
    this.#audits = audits
    this.#counts = counts
    this.#outbox = outbox
    this.#ledger = ledger
    this.#contexts = contexts
    this.#buyers = buyers
    buyers.addTraces({
      findSales: (traceId) => (this.#byId.has(traceId) ? this.#salesOf(traceId) : null),
      withdraw: (traceId, at) => this.#withdraw(traceId, at),
      listSold: (ownerId) =>
        [...(this.#byOwner.get(ownerId)?.traces.values() ?? [])]
          .filter(({ saleCount }) => saleCount > 0)
          .map(({ id }) => this.#salesOf(id)),
    })
  }

  /** Returns the sales of a trace, also those that are not finished. */
  #salesOf(traceId: string): SoldItem[] {
    return [...this.#sales.values(), ...this.#startedSales.values()].flatMap(({ id: saleId, buyer, items }) => {
      const item = items.find(({ id }) => id === traceId)
      return item ? [{ saleId, buyer, buyerTraceId: item.buyerId }] : []
    })
  }

  #withdraw(traceId: string, at: number): boolean {
    const kept = this.#byId.get(traceId)
    if (kept?.withdrawnAt !== null) return false
    Object.assign(kept, { withdrawnAt: at, sellExcluded: kept.sellExcluded || kept.saleCount === 0 })
    return true
  }

  /** Whoever names a trace elsewhere hears of its deletion, in the same step. */
  onDeletion(hear: (traceId: string) => void): void {
    this.#onDeletion.push(hear)
  }

  /** Whoever names a trace elsewhere hears of its new name, in the same step. */
  onRename(hear: (traceId: string, before: string, after: string) => void): void {
    this.#onRename.push(hear)
  }

  /**
   * Finds or makes a conversation, which has the newest hash from then on. Traces without a conversation, or without a
   * parent, that are recognized by a former name belong to it from then on.
   */
  openConversation(ownerId: string, source: string, { hashes, formerNames }: ConversationName): Conversation {
    const { traces, conversations } = this.#ownerData(ownerId)
    const [hash = ''] = hashes
    const found = hashes.map((one) => conversations.get(one)).find((one) => one !== undefined)
    const conversation = found ?? { hash, pieces: new Map<number, Kept | null>() }
    conversations.delete(conversation.hash)
    conversations.set((conversation.hash = hash), conversation)
    for (const kept of traces.values()) {
      if (kept.source !== source) continue
      const segment = segmentOf(kept)
      if (kept.conversation === null && formerNames.includes(kept.sourceId) && !conversation.pieces.has(segment)) {
        kept.conversation = conversation
        conversation.pieces.set(segment, kept)
      }
      if (kept.parent === null && kept.parentTraceId !== null && formerNames.includes(kept.parentTraceId))
        kept.parent = conversation
    }
    return conversation
  }

  /** Returns what decides the outcome of a trace, and the ids of the traces that have its content or its name. */
  stateFor(
    ownerId: string,
    prepared: PreparedTrace,
  ): Pick<DecisionInput, 'content' | 'isNameDeleted' | 'named'> & {
    readonly contentTraceId: string | null
    readonly namedTraceId: string | null
  } {
    const ownerData = this.#ownerData(ownerId)
    const content = ownerData.seen.get(prepared.contentHash)
    const piece =
      prepared.kind === 'scrubbed'
        ? this.openConversation(ownerId, prepared.trace.source, prepared.conversation).pieces.get(
            segmentOf(prepared.trace),
          )
        : undefined
    const isFormerDeleted =
      prepared.kind === 'scrubbed' && prepared.formerNameHashes.some((hash) => ownerData.deletedNames.has(hash))
    return {
      content: content === undefined ? 'unknown' : content === null ? 'deleted' : 'stored',
      contentTraceId: content?.id ?? null,
      isNameDeleted: piece === null || isFormerDeleted,
      named: !piece ? 'none' : piece.saleCount > 0 ? 'sold' : 'unsold',
      namedTraceId: piece?.id ?? null,
    }
  }

  /**
   * Stores a trace, or updates the same piece of its conversation: that keeps its id, its number and its exclusion, and
   * its old hash is no longer known.
   */
  upsert(
    ownerId: string,
    prepared: Extract<PreparedTrace, { kind: 'scrubbed' }>,
    now: number,
    origin: TraceOrigin,
  ): void {
    const { trace } = prepared
    const ownerData = this.#ownerData(ownerId)
    const names = {
      conversation: this.openConversation(ownerId, trace.source, prepared.conversation),
      parent: prepared.parent && this.openConversation(ownerId, trace.source, prepared.parent),
    }
    const piece = names.conversation.pieces.get(segmentOf(trace))
    this.contentBlobs.replace(piece?.messages ?? null, trace.messages)
    if (!piece) {
      names.conversation.pieces.set(segmentOf(trace), this.#add(ownerId, trace, now, names, origin))
      return
    }
    ownerData.seen.delete(piece.contentHash)
    Object.assign(piece, trace, names, origin, { id: piece.id, storedAt: now, withheld: null })
    ownerData.seen.set(trace.contentHash, piece)
  }

  #add(
    ownerId: string,
    trace: NewTrace,
    storedAt: number,
    names: Pick<Kept, 'conversation' | 'parent'>,
    origin = unknownOrigin,
  ): Kept {
    const num = ++this.#last
    const state = { withheld: null, withdrawnAt: null, isErasing: false, sellExcluded: false, saleCount: 0 }
    const kept: Kept = { ...trace, ...names, ...state, ...origin, num, ownerId, storedAt }
    const ownerData = this.#ownerData(ownerId)
    this.#byId.set(kept.id, kept)
    this.#byNum.set(kept.num, kept)
    ownerData.traces.set(kept.num, kept)
    ownerData.seen.set(kept.contentHash, kept)
    return kept
  }

  /** Stores traces of an owner past the ingest, as they were before there were conversations: for tests. */
  seedTraces(ownerId: string, traces: readonly NewTrace[], now = 0): void {
    for (const trace of traces) {
      this.contentBlobs.replace(null, trace.messages)
      this.#add(ownerId, trace, now, { conversation: null, parent: null })
    }
  }

  /** Stores what recognizes copies of a trace; `idOf` returns the trace of an index of its batch. */
  storeCopies(id: string, copies: PreparedCopies, idOf: (index: number) => string | undefined): void {
    this.overlaps.store(id, copies, (other) => ('num' in other ? this.#byNum.get(other.num)?.id : idOf(other.index)))
  }

  /** As `CopyStore.findSimilarTraces`. */
  findSimilar(params: Parameters<CopyStore['findSimilarTraces']>[0]): SimilarTraces {
    return this.overlaps.findSimilar(params, (id) => this.#byId.get(id))
  }

  /** Returns whether a trace is a copy. */
  isCopy(id: string): boolean {
    return isCopy(this.overlaps.countCopiedTokens(id), this.#byId.get(id)?.tokenCount ?? 0)
  }

  /** Returns how many of an owner's traces are copies. */
  countCopies(ownerId: string): CopyStats & { readonly traces: number } {
    const ids = [...(this.#byOwner.get(ownerId)?.traces.values() ?? [])].map(({ id }) => id)
    return {
      traces: ids.length,
      copiedTraces: ids.filter((id) => this.isCopy(id)).length,
      copiedTokens: ids.reduce((sum, id) => sum + this.overlaps.countCopiedTokens(id), 0),
    }
  }

  /** Returns the owners, in the order of their first traces. */
  listOwners(): string[] {
    return [...this.#byOwner.keys()]
  }

  async findTrace({ ownerId, id }: Params<'findTrace'>): Promise<SaleState | null> {
    const kept = this.#mine(ownerId, id)
    return kept ? stateOf(kept) : null
  }

  async setSellExcluded({ ownerId, ids, sellExcluded }: Params<'setSellExcluded'>): Promise<SaleState[]> {
    const unsold = this.#listed(ownerId, ids).filter((kept) => kept.saleCount === 0)
    for (const kept of unsold) kept.sellExcluded = sellExcluded
    return unsold.map(stateOf)
  }

  async reportReplacement({ ownerId, id, placeholder, now }: Params<'reportReplacement'>): Promise<boolean> {
    const kept = this.#mine(ownerId, id)
    const reported = kept && reportReason(kept, placeholder)
    if (!reported) return false
    kept.replacements = reported.replacements
    this.#counts.add(now, { [`wrongReplacements.${reported.rule}`]: 1 })
    return true
  }

  async listFormerNames({ ownerId, ids }: Params<'listFormerNames'>): ReturnType<TraceStore['listFormerNames']> {
    return this.#listed(ownerId, ids)
      .filter(({ saleCount, conversation }) => saleCount === 0 && conversation === null)
      .map(({ id, source, sourceId, segmentIndex }) => ({ id, source, sourceId, segmentIndex }))
  }

  async listTitles({ ownerId, ids }: Params<'listTitles'>): ReturnType<TraceStore['listTitles']> {
    const ownerRevision = this.#contexts.revisionOf(ownerId)
    return this.#listed(ownerId, ids).map(({ id, title, scrubVersion, identityRevision }) => ({
      id,
      title,
      scrubVersion,
      identityRevision,
      ownerRevision,
    }))
  }

  async deleteUnsoldTraces({
    ownerId,
    ids,
    formerNameHashes = {},
    makeEvent,
  }: Params<'deleteUnsoldTraces'>): Promise<{ deleted: string[]; sold: string[] }> {
    const listed = this.#listed(ownerId, ids)
    const unsold = listed.filter((kept) => kept.saleCount === 0)
    for (const kept of unsold) {
      this.#remove(kept)
      const ownerData = this.#ownerData(ownerId)
      ownerData.seen.set(kept.contentHash, null)
      const formerHash = formerNameHashes[kept.id]
      if (kept.conversation) kept.conversation.pieces.set(segmentOf(kept), null)
      else if (formerHash !== undefined) ownerData.deletedNames.add(formerHash)
      for (const onDeletion of this.#onDeletion) onDeletion(kept.id)
    }
    const traceIds = unsold.map(({ id }) => id)
    if (traceIds.length > 0) {
      const data = { userId: ownerId, traceIds }
      this.#outbox.enqueueEvent(makeEvent?.(), { ownerId, subject: ownerId, data })
    }
    const sold = listed.filter((kept) => kept.saleCount > 0)
    return { deleted: traceIds, sold: sold.map((kept) => kept.id) }
  }

  async findKnownHashes({ ownerId, hashes }: Params<'findKnownHashes'>): Promise<string[]> {
    const seen = this.#byOwner.get(ownerId)?.seen
    return seen ? [...new Set(hashes)].filter((hash) => seen.has(hash)) : []
  }

  async listTraces({
    ownerId,
    cursor,
    limit,
    filter = {},
  }: Params<'listTraces'>): ReturnType<TraceStore['listTraces']> {
    const older = this.#filtered(ownerId, filter).filter(({ num }) => cursor === null || num < cursor)
    const page = older.reverse().slice(0, limit)
    const ownerRevision = this.#contexts.revisionOf(ownerId)
    return {
      items: page.map(({ conversation: _, parent: __, ...kept }) => ({ ...kept, ownerRevision })),
      next: older.length > limit ? page.at(-1)!.num : null,
    }
  }

  async getTraceStats({ ownerId, filter = {} }: Params<'getTraceStats'>): Promise<TraceStats> {
    const found = this.#filtered(ownerId, filter)
    const countOf = (state: TraceState): number => found.filter((kept) => traceState(kept) === state).length
    const redactions: Record<string, number> = {}
    for (const [category, count] of found.flatMap((kept) => Object.entries(redactionCounts(kept))))
      redactions[category] = (redactions[category] ?? 0) + count
    return {
      traces: found.length,
      forSale: countOf('for_sale'),
      excluded: countOf('excluded'),
      sold: countOf('sold'),
      tokens: found.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
      estimatedUsd: found.reduce((sum, { estimatedUsd }) => sum + estimatedUsd, 0),
      redactions,
    }
  }

  async readTrace({ ownerId, id }: Params<'readTrace'>): Promise<OwnTrace | null> {
    const kept = this.#mine(ownerId, id)
    return kept ? { ...this.#stored(kept), ...stateOf(kept), storedAt: kept.storedAt } : null
  }

  async *exportTraces({ ownerId }: Params<'exportTraces'>): AsyncGenerator<ExportedTrace> {
    for (const kept of this.#byOwner.get(ownerId)?.traces.values() ?? []) {
      const sales = [...this.#sales.values()].flatMap(({ id, buyer, soldAt, items }) => {
        const item = items.find((one) => one.id === kept.id)
        return item ? [{ saleId: id, buyer, buyerTraceId: item.buyerId, soldAt }] : []
      })
      yield { ...this.#stored(kept), ...stateOf(kept), storedAt: kept.storedAt, sales }
    }
  }

  async *exportDeletedHashes({ ownerId }: Params<'exportDeletedHashes'>): AsyncGenerator<string> {
    for (const [hash, kept] of [...(this.#byOwner.get(ownerId)?.seen ?? [])].sort()) if (kept === null) yield hash
  }

  async *exportConversations({ ownerId }: Params<'exportConversations'>): AsyncGenerator<ExportedConversation> {
    const conversations = [...(this.#byOwner.get(ownerId)?.conversations.values() ?? [])]
    for (const { hash, pieces } of conversations.sort((a, b) => (a.hash < b.hash ? -1 : 1))) {
      const deleted = [...pieces].filter(([, piece]) => piece === null).map(([segment]) => segment)
      yield { hash, deletedSegments: deleted.sort((a, b) => a - b) }
    }
  }

  async *exportDeletedNames({ ownerId }: Params<'exportDeletedNames'>): AsyncGenerator<string> {
    yield* [...(this.#byOwner.get(ownerId)?.deletedNames ?? [])].sort()
  }

  async recordSale({ items: offered, leftOut = nothingLeftOut, ...recorded }: Params<'recordSale'>): Promise<string[]> {
    const { sale } = recorded
    const made = this.#sales.get(sale.id)
    if (made) return made.items.map(({ id }) => id)
    const listed = offered.filter(({ id }, at) => offered.findIndex((one) => one.id === id) === at)
    const items = listed.filter(({ id }) => isForSale(this.#byId.get(id)))
    for (const { id } of items) this.#byId.get(id)!.saleCount++
    await this.#makeSale({ ...sale, ...leftOut, filter: null, items }, recorded)
    return items.map(({ id }) => id)
  }

  async #makeSale(sale: MadeSale, { shares, audit, event }: FinishSaleParams): Promise<void> {
    const { id, buyer, usd, soldAt, filter, items, copies, skipped } = sale
    if (!this.#sales.has(id)) {
      this.#counts.add(soldAt, { salesMicros: Math.round(usd * 1_000_000) })
      this.#audits.record(audit, 'sale.record', id, null, { buyer, usd, traces: items.length })
      const data = { saleId: id, buyer, usd, traceCount: items.length }
      this.#outbox.enqueueEvent(event, { ownerId: null, subject: id, data })
    }
    this.#sales.set(id, { id, buyer, usd, soldAt, filter, items, copies, skipped })
    const sold = items.flatMap(({ id: traceId, newTokens }) => {
      const { ownerId, tokenCount } = this.#byId.get(traceId)!
      return ownerId === null ? [] : [{ ownerId, tokens: tokenCount, newTokens: newTokens ?? tokenCount }]
    })
    await this.#ledger?.addSale({ sale, shares, sold })
  }

  async findLastPlace(): Promise<number> {
    return this.#last
  }

  async startSale({ sale, filter, until = this.#last, audit }: Params<'startSale'>): Promise<void> {
    if (this.#sales.has(sale.id) || this.#startedSales.has(sale.id)) return
    this.#startedSales.set(sale.id, { ...sale, ...nothingLeftOut, filter, items: [], audit, after: 0, until })
  }

  async readPendingSale({ saleId }: Params<'readPendingSale'>): Promise<PendingSale | null> {
    const started = this.#startedSales.get(saleId)
    if (!started) return null
    const { filter, items: _, copies: _copies, skipped: _skipped, audit, after, until, ...sale } = started
    const offer = { filter, until }
    const { candidates, next } = await this.listSaleCandidates({ offer, buyer: sale.buyer, saleId, cursor: after })
    return { sale, audit, after, next: next ?? until, isDone: after >= until, candidates }
  }

  async addSaleItems({ saleId, after, next, items, leftOut = nothingLeftOut }: Params<'addSaleItems'>): Promise<void> {
    const started = this.#startedSales.get(saleId)
    if (started?.after !== after) return
    const added = items.filter(({ id }) => isForSale(this.#byId.get(id)))
    for (const { id } of added) this.#byId.get(id)!.saleCount++
    this.#startedSales.set(saleId, {
      ...started,
      items: [...started.items, ...added],
      after: next,
      copies: {
        traces: started.copies.traces + leftOut.copies.traces,
        tokens: started.copies.tokens + leftOut.copies.tokens,
      },
      skipped: [...started.skipped, ...leftOut.skipped].slice(0, maxSkippedTraces),
    })
  }

  async finishSale(recorded: Params<'finishSale'>): Promise<void> {
    const started = this.#startedSales.get(recorded.sale.id)
    if (!started || started.after < started.until) return
    this.#startedSales.delete(started.id)
    await this.#makeSale(started, recorded)
  }

  async listPendingSales({ startedBefore }: Params<'listPendingSales'>): Promise<string[]> {
    return [...this.#startedSales.values()].filter(({ soldAt }) => soldAt < startedBefore).map(({ id }) => id)
  }

  async findSale({ saleId }: Params<'findSale'>): Promise<SaleDetails | null> {
    const found = this.#sales.get(saleId)
    if (!found) return null
    const { items, ...sale } = found
    return { ...sale, ...totalsOf(items.map(({ id }) => this.#byId.get(id)!)) }
  }

  async listSaleCandidates({
    offer,
    buyer,
    saleId,
    cursor,
  }: Params<'listSaleCandidates'>): ReturnType<DatasetStore['listSaleCandidates']> {
    const ids = 'ids' in offer ? new Set(offer.ids) : null
    const offered = (
      'ids' in offer
        ? [...this.#byNum.values()].filter((kept) => ids!.has(kept.id) && isForSale(kept))
        : this.#sellable(offer.filter, saleId).filter(({ num }) => num <= offer.until)
    ).filter(({ num }) => num > (cursor ?? 0))
    const page = 'ids' in offer ? offered : offered.slice(0, maxTracesPerSaleStep)
    const all = new Set(
      'ids' in offer ? offered : this.#sellable(offer.filter, saleId).filter(({ num }) => num <= offer.until),
    )
    const bought = this.#boughtBy(buyer, saleId)
    return {
      candidates: page.map((kept) => ({
        num: kept.num,
        id: kept.id,
        owner: this.#ownerNum(kept.ownerId)!,
        tokenCount: kept.tokenCount,
        isSold: kept.saleCount > 0,
        isBought: bought.has(kept.id),
        overlaps: this.#overlapsOf(kept, (other) => all.has(other), bought),
      })),
      next: page.length < offered.length ? page.at(-1)!.num : null,
    }
  }

  async listSkipReasons({ ids }: Params<'listSkipReasons'>): ReturnType<DatasetStore['listSkipReasons']> {
    return ids.flatMap((id): SkippedTrace[] => {
      const kept = this.#byId.get(id)
      if (!kept || kept.ownerId === null) return [{ id, reason: 'gone' }]
      return isForSale(kept) ? [] : [{ id, reason: 'excluded' }]
    })
  }

  async readSoldTraces({
    saleId,
    cursor,
    limit,
  }: Params<'readSoldTraces'>): ReturnType<DatasetStore['readSoldTraces']> {
    const sale = this.#sales.get(saleId)
    if (!sale) return null
    const later = sale.items
      .filter(({ id, buyerId }) => (cursor === null || buyerId > cursor) && isDeliverable(this.#byId.get(id)!))
      .sort((a, b) => (a.buyerId < b.buyerId ? -1 : 1))
    const page = later.slice(0, limit)
    return { documents: this.#forBuyer(page, sale.items), next: later.length > limit ? page.at(-1)!.buyerId : null }
  }

  async *#forBuyer(page: readonly SaleItem[], items: readonly SaleItem[]): AsyncGenerator<StoredTrace> {
    for (const { id, buyerId } of page) {
      const kept = this.#byId.get(id)!
      if (!isDeliverable(kept)) continue
      const soldName = (conversation: Conversation | null, name: string | null): string | null =>
        items
          .filter((one) => {
            const other = this.#byId.get(one.id)!
            if (conversation !== null) return other.conversation === conversation
            return (
              other.ownerId === kept.ownerId &&
              other.source === kept.source &&
              other.sourceId === name &&
              other.conversation === null
            )
          })
          .map((one) => one.buyerId)
          .sort()[0] ?? null
      yield {
        ...this.#stored(kept),
        id: buyerId,
        sourceId: soldName(kept.conversation, kept.sourceId) ?? buyerId,
        parentTraceId: soldName(kept.parent, kept.parentTraceId),
      }
    }
  }

  async listSales({ buyer: name, ...params }: Params<'listSales'>): Promise<ListPage<RecordedSale>> {
    const all = [...this.#sales.values()].map(({ id, buyer, usd, soldAt, items }, num) => ({
      num,
      sale: { id, buyer, usd, soldAt, traceCount: items.length },
    }))
    const list: MemoryList<(typeof all)[number], NonNullable<ListSalesParams['sort']>> = {
      num: ({ num }) => num,
      at: ({ sale }) => sale.soldAt,
      sorts: { soldAt: ({ num }) => num, buyer: ({ sale }) => sale.buyer, usd: ({ sale }) => sale.usd },
      whole: ({ sale }) => [sale.id, sale.buyer],
      text: ({ sale }) => [sale.id, sale.buyer],
    }
    const found = all.filter(({ sale }) => name === undefined || buyerKey(sale.buyer) === buyerKey(name))
    const { items, next } = listPage(found, list, params)
    return { items: items.map(({ sale }) => sale), next }
  }

  async listSoldTraces({ saleId, source, ...params }: Params<'listSoldTraces'>): Promise<ListPage<SoldTrace>> {
    const items = this.#sales.get(saleId)?.items ?? []
    const all = items.flatMap(({ id, buyerId, newTokens }) => {
      const kept = this.#byId.get(id)
      if (!kept || (source !== undefined && kept.source !== source)) return []
      const { num, ownerId: userId, model, createdAt, tokenCount: tokens, withdrawnAt, storedAt } = kept
      const trace = { id, buyerTraceId: buyerId, userId, source: kept.source, model, createdAt, tokens }
      return [{ num, storedAt, trace: { ...trace, newTokens: newTokens ?? tokens, withdrawn: withdrawnAt !== null } }]
    })
    const list: MemoryList<(typeof all)[number], 'stored'> = {
      num: ({ num }) => num,
      at: ({ storedAt }) => storedAt,
      sorts: { stored: ({ num }) => num },
      whole: ({ trace }) => [trace.id, trace.buyerTraceId, trace.userId],
      text: ({ trace }) => [trace.id, trace.buyerTraceId, trace.source, trace.model],
    }
    const page = listPage(all, list, params)
    return { items: page.items.map(({ trace }) => trace), next: page.next }
  }

  async readSellableTraces({
    cursor,
    limit,
    filter = {},
  }: Params<'readSellableTraces'>): Promise<{ documents: AsyncIterable<StoredTrace>; next: number | null }> {
    const later = this.#sellable(filter).filter((kept) => kept.num > (cursor ?? 0))
    const page = later.slice(0, limit)
    return { documents: this.#offered(page), next: later.length > limit ? page.at(-1)!.num : null }
  }

  /** Returns the ids of the traces that a buyer bought, except in one sale. */
  #boughtBy(buyer: string, saleId: string | undefined): ReadonlySet<string> {
    const key = buyerKey(buyer)
    const made = [...this.#sales.values(), ...this.#startedSales.values()]
    return new Set(
      made
        .filter((sale) => buyerKey(sale.buyer) === key && sale.id !== saleId)
        .flatMap(({ items }) => items.map(({ id }) => id)),
    )
  }

  #overlapsOf(kept: Kept, isOffered: (other: Kept) => boolean, bought: ReadonlySet<string>): Overlap[] {
    return this.overlaps.overlapsOf(kept.id).flatMap(({ otherId, isEarlier, ranges }) => {
      const other = this.#byId.get(otherId)
      if (!other) return []
      const { num, tokenCount } = other
      const owner = this.#ownerNum(other.ownerId)
      return [{ num, owner, tokenCount, isEarlier, isOffered: isOffered(other), isBought: bought.has(otherId), ranges }]
    })
  }

  /** Returns a number for an owner; null for a trace whose owner was erased. */
  #ownerNum(ownerId: string | null): number | null {
    return ownerId === null ? null : [...this.#byOwner.keys()].indexOf(ownerId)
  }

  #sellable({ source, from, to, minTokens, model, neverSold, ...details }: DatasetFilter, saleId = ''): Kept[] {
    return [...this.#byNum.values()].filter(
      (kept) =>
        isForSale(kept) &&
        (source === undefined || kept.source === source) &&
        matchesDetails(kept, details) &&
        (from === undefined || kept.createdAt >= from) &&
        (to === undefined || kept.createdAt <= to) &&
        (minTokens === undefined || kept.tokenCount >= minTokens) &&
        (model === undefined || kept.model === model) &&
        (neverSold !== true || this.#salesOf(kept.id).every((item) => item.saleId === saleId)),
    )
  }

  async *#offered(page: readonly Kept[]): AsyncGenerator<StoredTrace> {
    for (const kept of page) {
      if (this.#byNum.has(kept.num) && isForSale(kept)) yield this.#stored(kept)
    }
  }

  /** Gives what a person has another id, under which it is erased later. */
  startErasure(ownerId: string, erasedId: string): void {
    const ownerData = this.#byOwner.get(ownerId)
    if (!ownerData) return
    this.#byOwner.delete(ownerId)
    this.#byOwner.set(erasedId, ownerData)
    this.#erasedIds.set(ownerId, erasedId)
    for (const kept of ownerData.traces.values()) Object.assign(kept, { ownerId: erasedId, isErasing: true })
  }

  async eraseTraces({ ownerId, notice }: Params<'eraseTraces'>): Promise<boolean> {
    const ids = [ownerId, this.#erasedIds.get(ownerId) ?? '']
    for (const kept of ids.flatMap((id) => [...(this.#byOwner.get(id)?.traces.values() ?? [])])) {
      if (kept.saleCount === 0) this.#remove(kept)
      else {
        this.#buyers.recordRemovals('erased', this.#salesOf(kept.id), notice)
        this.contentBlobs.replace(kept.messages, null)
        const names = { sourceId: kept.id, parentTraceId: null, conversation: null, parent: null }
        Object.assign(kept, names, { ownerId: null, messages: null, title: null })
        this.overlaps.removeFingerprints(kept.id)
      }
    }
    for (const id of ids) this.#byOwner.delete(id)
    this.#erasedIds.delete(ownerId)
    this.overlaps.foundDays.delete(ownerId)
    return false
  }

  /** Returns the place of the trace stored last. */
  lastNum(): number {
    return Math.max(0, ...[...this.#byNum.keys()].slice(-1))
  }

  /** As `RescrubStore.listTracesAfter`. */
  listAfter({ ownerId, cursor, limit }: Parameters<RescrubStore['listTracesAfter']>[0]): PassedTrace[] {
    const passed = [...this.#byNum.values()].filter(
      (kept) => kept.num > cursor && (ownerId === null || kept.ownerId === ownerId),
    )
    return passed.slice(0, limit).map((kept) => {
      const { num, id, scrubVersion, identityRevision } = kept
      const { ownerRevision } = this.#stored(kept)
      const isSold = kept.saleCount > 0
      return { num, id, ownerId: kept.ownerId, isSold, scrubVersion, identityRevision, ownerRevision }
    })
  }

  /** As `RescrubStore.storeRescrubbed`. */
  storeRescrubbed({ ownerId, id, expected, result }: StoreRescrubbedParams): boolean {
    const kept = this.#mine(ownerId, id)
    const isExpected =
      kept?.saleCount === 0 &&
      kept.scrubVersion === expected.scrubVersion &&
      kept.identityRevision === expected.identityRevision &&
      kept.contentHash === expected.contentHash
    if (!kept || !isExpected) return false
    if (result.kind === 'withheld') {
      const { reason: withheld, scrubVersion, identityRevision } = result
      Object.assign(kept, { withheld, scrubVersion, identityRevision })
      return true
    }
    this.contentBlobs.replace(kept.messages, result.trace.messages)
    for (const hear of this.#onRename) hear(id, kept.sourceId, result.trace.sourceId)
    Object.assign(kept, result.trace, { withheld: null })
    return true
  }

  /** Returns the content of a trace as it is stored. */
  contentOf(id: string): string | null {
    return this.#byId.get(id)?.messages ?? null
  }

  /** As `ContentStore.replaceContent`. */
  replaceContent(id: string, expected: string, content: string): boolean {
    const kept = this.#byId.get(id)
    if (kept?.messages !== expected) return false
    this.contentBlobs.replace(expected, content)
    kept.messages = content
    return true
  }

  #stored({ conversation: _, parent: __, isErasing: ___, ...kept }: Kept): StoredTrace {
    return { ...kept, ownerRevision: kept.ownerId === null ? 0 : this.#contexts.revisionOf(kept.ownerId) }
  }

  /** Makes the content of a trace unreadable, as a damaged store would: for tests. */
  loseContent(id: string): void {
    const kept = this.#byId.get(id)
    if (kept) kept.messages = null
  }

  #ownerData(ownerId: string): OwnerData {
    let ownerData = this.#byOwner.get(ownerId)
    if (!ownerData)
      this.#byOwner.set(
        ownerId,
        (ownerData = { traces: new Map(), conversations: new Map(), seen: new Map(), deletedNames: new Set() }),
      )
    return ownerData
  }

  #mine(ownerId: string, id: string): Kept | undefined {
    const kept = this.#byId.get(id)
    return kept?.ownerId === ownerId ? kept : undefined
  }

  #filtered(ownerId: string, { state, source, from, to, saleId, words = [], ...details }: TraceFilter): Kept[] {
    const soldIds = saleId === undefined ? null : new Set(this.#sales.get(saleId)?.items.map(({ id }) => id))
    const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    return [...(this.#byOwner.get(ownerId)?.traces.values() ?? [])].filter(
      (kept) =>
        (state === undefined || traceState(kept) === state) &&
        (source === undefined || kept.source === source) &&
        matchesDetails(kept, details) &&
        (from === undefined || kept.createdAt >= from) &&
        (to === undefined || kept.createdAt <= to) &&
        (soldIds === null || soldIds.has(kept.id)) &&
        words.every((word) => lower(kept.title ?? '').includes(lower(word))),
    )
  }

  #listed(ownerId: string, ids: readonly string[]): Kept[] {
    return [...new Set(ids)].map((id) => this.#mine(ownerId, id)).filter((kept) => kept !== undefined) as Kept[]
  }

  #remove(kept: Kept): void {
    this.overlaps.remove(kept.id)
    this.contentBlobs.replace(kept.messages, null)
    this.#byId.delete(kept.id)
    this.#byNum.delete(kept.num)
    const ownerData = this.#ownerData(kept.ownerId!)
    ownerData.traces.delete(kept.num)
  }
}
