import type { MakeEvent } from '../../events/event.ts'
import { fail } from '../../http/failures.ts'
import { mount, reply, type Handlers, type Mounted } from '../../http/route.ts'
import { randomUuid } from '../../ids.ts'
import type { Digest, Random } from '../../ports.ts'
import type { SaleShares } from '../../ledger/sale.ts'
import { contentHash, type HashedMessage } from '../hash.ts'
import { rescrubTrace, type RescrubDeps } from '../rescrub.ts'
import { cursorPlace, cursorText, documentText, left, type ReadableTrace } from '../rules.ts'
import type { StoredTrace } from '../store.ts'
import { datasetContract } from './contract.ts'
import type { DatasetStore, Sale } from './store.ts'

/** What the routes of sales and the dataset need. */
export interface DatasetDeps extends RescrubDeps {
  readonly dataset: DatasetStore
  readonly digest: Digest
  readonly random: Random
  readonly makeEvent: MakeEvent
  /** Returns what the contributors of a sale get; the ledger hands it over. */
  readonly sharesOf: (sale: Pick<Sale, 'usd' | 'soldAt'>) => SaleShares | Promise<SaleShares>
}

export const datasetHandlers: Handlers<typeof datasetContract, DatasetDeps> = {
  async recordSale({ body, effectId: saleId, now, audit }, { dataset, random, makeEvent, sharesOf }) {
    const sale = { id: saleId, buyer: body.buyer, usd: body.usd, soldAt: now }
    const items = body.traceIds.map((id) => ({ id, buyerId: randomUuid(random) }))
    const soldIds = await dataset.recordSale({
      sale,
      items,
      shares: await sharesOf(sale),
      audit,
      event: makeEvent('sale.recorded', now),
    })
    return { ok: true, saleId, soldIds, skippedIds: left(body.traceIds, soldIds) }
  },

  async readDataset({ query }, deps) {
    const { saleId, cursor, limit } = query
    const page =
      saleId === undefined
        ? await deps.dataset.readSellableTraces({ cursor: cursorPlace(cursor), limit })
        : await deps.dataset.readSoldTraces({ saleId, cursor: cursor || null, limit })
    if (!page) return fail('not_found')
    const headers: [string, string][] = [['content-type', 'application/jsonl']]
    const next = typeof page.next === 'number' ? cursorText(page.next) : page.next
    if (next !== null) headers.push(['x-next-cursor', next])
    return reply(200, lines(page.documents, deps), headers)
  },
}

/** Characters of documents between two yields to the event loop. */
const stride = 32 * 1024

async function* lines(documents: AsyncIterable<StoredTrace>, deps: DatasetDeps): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let chars = 0
  for await (const stored of documents) {
    const trace = await rescrubTrace(stored, deps)
    if (trace === 'refused' || trace === 'verification_failed') continue
    const line =
      trace === 'damaged'
        ? JSON.stringify({ id: stored.id, skipped: trace })
        : documentText(offered(trace, deps.digest), trace.messages)
    yield encoder.encode(`${line}\n`)
    chars += line.length
    if (chars < stride) continue
    // A local store answers and a quick client reads without yielding.
    await deps.yieldToEventLoop()
    chars = 0
  }
}

/**
 * The trace as a buyer may see it. An E10 document names no person, and its names went through the scrubber. But its content
 * hash is of what was sent: beside the scrubbed text it would let a buyer test guesses of what was taken out. So where
 * something was, it becomes the hash of what is shown.
 */
function offered(trace: ReadableTrace, digest: Digest): ReadableTrace {
  if (trace.redactions === '{}') return trace
  return { ...trace, contentHash: contentHash(JSON.parse(trace.messages) as HashedMessage[], digest) }
}

/** Binds the routes of sales and the dataset to their handlers. */
export const mountDataset = (deps: DatasetDeps): Mounted[] => mount(datasetContract, datasetHandlers, deps)
