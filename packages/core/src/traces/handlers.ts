import { fail } from '../http/failures.ts'
import { mount } from '../http/mount.ts'
import { reply, type Handlers, type Mounted } from '../http/route.ts'
import { tracesContract } from './contract.ts'
import { deleteTraces, type DeletionDeps } from './delete.ts'
import { readableTitles } from './readable-titles.ts'
import { readableTrace, type RescrubDeps } from './rescrub.ts'
import { cursorPlace, cursorText, documentText, idsLeft, listedTrace, saleState, toFilter } from './rules.ts'

/** What the routes of traces need. */
export interface TracesDeps extends RescrubDeps, DeletionDeps {}

export const tracesHandlers: Handlers<typeof tracesContract, TracesDeps> = {
  async bulkUpdateTraces({ user, body }, { traces }) {
    const updated = await traces.setSellExcluded({
      ownerId: user.id,
      ids: body.ids,
      sellExcluded: body.action === 'exclude',
    })
    const updatedIds = updated.map(({ id }) => id)
    return { ok: true, updatedIds, updatedCount: updatedIds.length, skippedCount: idsLeft(body.ids, updatedIds).length }
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

  async downloadTrace({ user, params }, deps) {
    const stored = await deps.traces.readTrace({ ownerId: user.id, id: params.id })
    if (!stored) return fail('not_found')
    const trace = await readableTrace(stored, deps)
    // The store has damaged it: no failure of the contract, and `trace.damaged` is in the log.
    if (trace === 'damaged' && stored.messages !== null) return fail('internal_error')
    if (typeof trace === 'string') return fail('blob_unavailable')
    return reply(200, documentText(trace, trace.messages), [
      ['content-type', 'application/json'],
      ['content-disposition', `attachment; filename="trace-${trace.id}.json"`],
      ['cache-control', 'private, no-store'],
    ])
  },

  async listTraces({ user, query }, deps) {
    const { cursor, limit, ...asked } = query
    const page = { cursor: cursorPlace(cursor), limit, filter: toFilter(asked) }
    const { items, next } = await deps.traces.listTraces({ ownerId: user.id, ...page })
    const shown = await readableTitles(user.id, items, deps)
    return { ok: true, traces: shown.map(listedTrace), nextCursor: cursorText(next) }
  },

  async getTraceStats({ user, query }, { traces }) {
    const stats = await traces.getTraceStats({ ownerId: user.id, filter: toFilter(query) })
    return { ok: true, ...stats, estimatedUsd: Math.round(stats.estimatedUsd * 1e6) / 1e6 }
  },
}

/** Binds the routes of traces to their handlers. */
export const mountTraces = (deps: TracesDeps): Mounted[] => mount(tracesContract, tracesHandlers, deps)
