import { writeCursor, readCursor } from '../http/fields.ts'
import { firstOf } from '../lists.ts'
import { fail, Failure } from '../http/failures.ts'
import type { ConsumeRate } from '../http/rate-limit.ts'
import { reply, mount, type Handlers, type Mounted } from '../http/route.ts'
import { tracesContract } from './contract.ts'
import { deleteTraces, type DeletionDeps } from './delete.ts'
import { readableTitles } from './readable-titles.ts'
import type { DownloadQueue, Downloads } from './download.ts'
import type { RescrubDeps } from './rescrub.ts'
import { idsInState, listRemainingIds, listedTrace, saleState, toFilter } from './rules.ts'

/** The dependencies of the routes of traces. */
export interface TracesDeps extends RescrubDeps, DeletionDeps {
  readonly downloads: Downloads
  readonly downloadQueue: DownloadQueue
  readonly consumeRate: ConsumeRate
}

/** The endings of the names of downloaded files. */
const fileEndings = { documents: '.json', messages: '-messages.json', sts: '.jsonl', atif: '-atif.json' } as const

export const tracesHandlers: Handlers<typeof tracesContract, TracesDeps> = {
  async bulkUpdateTraces({ user, body }, { traces }) {
    const sellExcluded = body.action === 'exclude'
    const updated = await traces.setSellExcluded({ ownerId: user.id, ids: body.ids, sellExcluded })
    const updatedIds = idsInState(updated, sellExcluded)
    return {
      ok: true,
      updatedIds,
      updatedCount: updatedIds.length,
      skippedCount: listRemainingIds(body.ids, updatedIds).length,
    }
  },

  async bulkDeleteTraces({ user, body, now }, deps) {
    const { deleted, sold } = await deleteTraces(deps, user.id, body.ids, now)
    return { ok: true, deletedIds: deleted, skippedSoldIds: sold }
  },

  async knownHashes({ user, body }, { traces }) {
    return { ok: true, known: await traces.findKnownHashes({ ownerId: user.id, hashes: body.hashes }) }
  },

  async getTrace({ user, params }, { traces }) {
    const trace = await traces.findTrace({ ownerId: user.id, id: params.id })
    return trace ? { ok: true, trace: saleState(trace) } : fail('not_found')
  },

  async updateTrace({ user, params, body }, { traces }) {
    const [trace] = await traces.setSellExcluded({
      ownerId: user.id,
      ids: [params.id],
      sellExcluded: body.sellExcluded,
    })
    if (trace) return { ok: true, trace: saleState(trace) }
    return fail((await traces.findTrace({ ownerId: user.id, id: params.id })) ? 'already_sold' : 'not_found')
  },

  async downloadTrace({ user, params, query: { format }, request, now }, deps) {
    const { downloadQueue, downloads, consumeRate } = deps
    const download = await downloadQueue.read(user.id, async () => {
      const read = await downloads.read({ ownerId: user.id, id: params.id, format })
      if (read.kind !== 'document') return fail(read.kind === 'missing' ? 'not_found' : 'blob_unavailable')
      const bytes = read.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
      // The rate limit is consumed when this download is read, after the earlier downloads of the person. When the
      // limit is exceeded, the waiting downloads are not read.
      return (await consumeRate('download_bytes', user.id, now, bytes)) ?? { ...read, bytes }
    })
    if (download instanceof Failure) return download
    const { chunks, bytes } = download
    const isWhole = chunks.length === 1 || request.method === 'HEAD'
    const body = isWhole ? firstOf(chunks) : downloadQueue.send(user.id, chunks)
    if (body instanceof Failure) return body
    return reply(200, body, [
      ['content-type', format === 'sts' ? 'application/jsonl' : 'application/json'],
      ['content-length', String(bytes)],
      ['content-disposition', `attachment; filename="trace-${params.id.toLowerCase()}${fileEndings[format]}"`],
      ['cache-control', 'private, no-store'],
    ])
  },

  async listTraces({ user, query }, deps) {
    const { cursor, limit, ...asked } = query
    const page = { cursor: readCursor(cursor), limit, filter: toFilter(asked) }
    const { items, next } = await deps.traces.listTraces({ ownerId: user.id, ...page })
    const shown = await readableTitles(user.id, items, deps)
    return { ok: true, traces: shown.map(listedTrace), nextCursor: writeCursor(next) }
  },

  async getTraceStats({ user, query }, { traces }) {
    const stats = await traces.getTraceStats({ ownerId: user.id, filter: toFilter(query) })
    return { ok: true, ...stats, estimatedUsd: Math.round(stats.estimatedUsd * 1e6) / 1e6 }
  },
}

/** Binds the routes of traces to their handlers. */
export const mountTraces = (deps: TracesDeps): Mounted[] => mount(tracesContract, tracesHandlers, deps)
