import { listParams } from '../../http/list.ts'
import { auditContext, onlyFirstRead } from '../../http/audit-context.ts'
import type { AuditStore } from '../../audit/store.ts'
import { writeCursor, readCursor } from '../../http/fields.ts'
import { fail } from '../../http/failures.ts'
import type { PlainRequest } from '../../http/message.ts'
import { reply, mount, type Handlers, type Mounted, type Reply } from '../../http/route.ts'
import { timestamp } from '../../ids.ts'
import type { Digest } from '../../ports.ts'
import { contentHash, type HashedMessage } from '../hash.ts'
import { readableTitlesOfAll } from '../readable-titles.ts'
import { readableTrace, type RescrubDeps } from '../rescrub.ts'
import { documentText, type ReadableTrace } from '../rules.ts'
import { datasetContract } from './contract.ts'
import type { DatasetFormat, LineFormat } from './formats.ts'
import type { DatasetFilter, DatasetStore, DocumentPage, SoldTrace } from './store.ts'
import type { TraceStore, WithheldReason } from '../store.ts'
import { encodePieces } from '../text-pieces.ts'
import type { SigningKey } from './rules.ts'
import { completeSale, countSale, sellListedTraces, type SalesDeps } from './sales.ts'
import { tracePieces } from './trace-pieces.ts'

/** The dependencies of reading lines of the dataset. */
export interface ReadDatasetDeps extends RescrubDeps {
  readonly dataset: DatasetStore
  readonly digest: Digest
}

/** The dependencies of the routes of sales and the dataset. */
export interface DatasetDeps extends ReadDatasetDeps, SalesDeps {
  readonly traces: Pick<TraceStore, 'readTrace'>
  /** Records that an operator read something. */
  readonly recordRead: AuditStore['recordRead']
  /** Returns the signed-in operator of a browser. `off` means that the service has no operators. */
  readonly signedIn: (request: PlainRequest, now: number) => Promise<{ readonly name: string } | 'no' | 'off'>
  readonly signingKeys: readonly SigningKey[]
}

export const datasetHandlers: Handlers<typeof datasetContract, DatasetDeps> = {
  async recordSale({ body, effectId: id, now, audit }, deps) {
    const { buyer, usd, traceIds, filter, dryRun } = body
    if (dryRun) {
      const offer = traceIds ? { ids: traceIds } : { filter, until: await deps.dataset.findLastPlace() }
      const totals = await countSale({ offer, buyer }, deps)
      return { ok: true, dryRun: true, ...totals }
    }
    const sale = { id, buyer, usd, soldAt: now }
    if (!traceIds) {
      await deps.dataset.startSale({ sale, filter, audit })
      await completeSale(id, deps)
      const { traces, tokens, copies } = (await deps.dataset.findSale({ saleId: id }))!
      return { ok: true, saleId: id, traces, tokens, copies }
    }
    return { ok: true, saleId: id, ...(await sellListedTraces({ sale, traceIds, audit }, deps)) }
  },

  async listSales({ query }, { dataset }) {
    const { items, next } = await dataset.listSales({ ...listParams(query), buyer: query.buyer })
    return { ok: true, items: items.map((sale) => ({ ...sale, soldAt: timestamp(sale.soldAt) })), nextCursor: next }
  },

  async readSale({ params }, { dataset }) {
    const sale = await dataset.findSale({ saleId: params.id })
    if (!sale) return fail('not_found')
    const { soldAt, skipped, ...rest } = sale
    return { ok: true, sale: { ...rest, soldAt: timestamp(soldAt), skippedIds: [...skipped] } }
  },

  async listSoldTraces({ params, query }, deps) {
    const { dataset } = deps
    if (!(await dataset.findSale({ saleId: params.id }))) return fail('not_found')
    const { items, next } = await dataset.listSoldTraces({
      ...listParams(query),
      saleId: params.id,
      source: query.source,
      withdrawn: query.withdrawn === undefined ? undefined : query.withdrawn === 'true',
    })
    return { ok: true, items: (await readableTitlesOfAll(items, deps)).map(soldTraceItem), nextCursor: next }
  },

  async readDataset({ query, audit }, deps) {
    const { format, saleId, cursor, limit, origin, neverSold, ...conditions } = query
    const filter = { ...conditions, neverSold: neverSold === 'true' }
    const page =
      saleId === undefined
        ? await deps.dataset.readSellableTraces({ cursor: readCursor(cursor), limit, filter })
        : await deps.dataset.readSoldTraces({ saleId, cursor: cursor || null, limit })
    if (!page) return fail('not_found')
    const next = typeof page.next === 'number' ? writeCursor(page.next) : page.next
    // Ids have no content, so reading them is not a download.
    if (format !== 'ids') {
      const read = onlyFirstRead(cursor, audit.at)
      await deps.recordRead({ action: 'dataset.download', target: saleId ?? 'for_sale', audit, ...read })
    }
    return linesReply(page, next, { format, hasOrigin: origin !== undefined }, deps)
  },

  async downloadSale({ params, query, request, ...asked }, deps) {
    const operator = await deps.signedIn(request, asked.now)
    if (operator === 'no') return fail('unauthorized')
    if (operator === 'off' || !(await deps.dataset.findSale({ saleId: params.id }))) return fail('not_found')
    const audit = auditContext({ ...asked, actor: operator.name }, deps.random)
    await deps.recordRead({ action: 'dataset.download', target: params.id, audit })
    return saleFile({ saleId: params.id, format: query.format }, deps)
  },

  listSigningKeys: (_, { signingKeys }) => ({ keys: [...signingKeys] }),
}

/** Returns a trace of a sale without the fields that decide how its title is shown. */
function soldTraceItem({ scrubVersion, identityRevision, ownerRevision, ...item }: SoldTrace) {
  return item
}

type LinesPage = Pick<DocumentPage<unknown>, 'documents' | 'ids'>

interface LineForm {
  readonly format: LineFormat
  /** Whether the lines of the format `documents` include `origin`. */
  readonly hasOrigin?: boolean
}

interface SaleRequest {
  readonly saleId: string
  readonly format: LineFormat
}

/** Returns the reply that a browser saves as the file of a sale. */
export const saleFile = ({ saleId, format }: SaleRequest, deps: ReadDatasetDeps): Reply<AsyncIterable<Uint8Array>> =>
  reply(200, readSale({ saleId, format }, deps), [
    ['content-type', 'application/jsonl'],
    ['content-disposition', `attachment; filename="sale-${saleId}-${format}.jsonl"`],
  ])

/**
 * Returns the reply with a page of a sale, whose `x-next-cursor` names the next page. Returns null when there is no
 * such sale.
 */
export async function salePage(
  { saleId, format, cursor, limit }: SaleRequest & { readonly cursor: string | null; readonly limit: number },
  deps: ReadDatasetDeps,
): Promise<Reply<AsyncIterable<Uint8Array>> | null> {
  const page = await deps.dataset.readSoldTraces({ saleId, cursor, limit })
  return page && linesReply(page, page.next, { format }, deps)
}

/** Returns the reply with the lines of a page. */
function linesReply(
  page: LinesPage,
  next: string | null,
  form: LineForm,
  deps: ReadDatasetDeps,
): Reply<AsyncIterable<Uint8Array>> {
  const headers: [string, string][] = [['content-type', 'application/jsonl']]
  if (next !== null) headers.push(['x-next-cursor', next])
  return reply(200, readLines(page, form, deps), headers)
}

/** The number of traces of a sale that are read from the store at a time. */
const pageSize = 500

/** Reads the lines of all traces of a sale. */
async function* readSale({ saleId, format }: SaleRequest, deps: ReadDatasetDeps): AsyncGenerator<Uint8Array> {
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<DatasetStore['readSoldTraces']>> = await deps.dataset.readSoldTraces({
      saleId,
      cursor,
      limit: pageSize,
    })
    if (!page) return
    yield* readLines(page, { format }, deps)
    cursor = page.next
  } while (cursor !== null)
}

/** The number of traces in a sample. */
const sampleSize = 10

/** Returns the first traces that may be sold and match the filter, oldest first, as a buyer would get them. */
export async function sampleTraces(filter: DatasetFilter, deps: DatasetDeps): Promise<ReadableTrace[]> {
  const { documents } = await deps.dataset.readSellableTraces({ cursor: null, limit: sampleSize, filter })
  const sampled: ReadableTrace[] = []
  for await (const stored of documents) {
    const trace = await readableTrace(stored, deps)
    if (typeof trace !== 'string') sampled.push(trace)
  }
  return sampled
}

/**
 * Returns a trace of a contributor as a buyer would get it, the reason why it is withheld, or null if it does not exist.
 */
export async function readOwnTrace(
  params: Parameters<TraceStore['readTrace']>[0],
  deps: DatasetDeps,
): Promise<ReadableTrace | WithheldReason | null> {
  const stored = await deps.traces.readTrace(params)
  return stored && readableTrace(stored, deps)
}

/** Returns a trace of a sale, or null if it is not in this sale. */
export async function findSoldTrace(
  { saleId, traceId }: { readonly saleId: string; readonly traceId: string },
  { dataset }: Pick<DatasetDeps, 'dataset'>,
): Promise<Pick<SoldTrace, 'id' | 'buyerTraceId' | 'userId' | 'withdrawn'> | null> {
  // The search also finds the buyer's IDs of traces.
  const { items } = await dataset.listSoldTraces({ saleId, search: traceId, cursor: null, limit: 2 })
  return items.find(({ id }) => id === traceId) ?? null
}

async function* readLines(
  { documents, ids }: LinesPage,
  { format, hasOrigin = false }: LineForm,
  deps: ReadDatasetDeps,
): AsyncGenerator<Uint8Array> {
  const pieces =
    format === 'ids'
      ? ids.map((id) => `${JSON.stringify({ id })}\n`)
      : linePieces(documents, { format, hasOrigin }, deps)
  yield* encodePieces(pieces, deps.yieldToEventLoop)
}

async function* linePieces(
  documents: DocumentPage<unknown>['documents'],
  { format, hasOrigin }: { readonly format: DatasetFormat; readonly hasOrigin: boolean },
  deps: ReadDatasetDeps,
): AsyncGenerator<string> {
  for await (const stored of documents) {
    const trace = await readableTrace(stored, deps)
    if (trace === 'refused' || trace === 'verification_failed') continue
    // The other formats have no form for a trace that cannot be read.
    if (trace === 'damaged') {
      if (format === 'documents') yield `${JSON.stringify({ id: stored.id, skipped: trace })}\n`
      continue
    }
    const shown = prepareForBuyer(trace, deps.digest)
    if (format === 'documents') yield hasOrigin ? withOrigin(shown) : documentText(shown, shown.messages)
    else yield* tracePieces(shown, format, deps.yieldToEventLoop)
    yield '\n'
  }
}

function withOrigin({ termsVersion, country, ...trace }: ReadableTrace): string {
  const text = documentText(trace, trace.messages)
  return `${text.slice(0, -1)},"origin":${JSON.stringify({ termsVersion, country })}}`
}

/**
 * Returns the trace as a buyer may see it. The document of a downloaded trace names no person, and its names were
 * scrubbed. But its content hash is computed from the text before scrubbing, and a buyer could use this hash to test
 * guesses of the removed values. So if anything was removed, the returned hash is computed from the scrubbed text.
 */
function prepareForBuyer(trace: ReadableTrace, digest: Digest): ReadableTrace {
  if (trace.redactions === '{}') return trace
  return { ...trace, contentHash: contentHash(JSON.parse(trace.messages) as HashedMessage[], digest) }
}

/** Binds the routes of sales and the dataset to their handlers. */
export const mountDataset = (deps: DatasetDeps): Mounted[] => mount(datasetContract, datasetHandlers, deps)
