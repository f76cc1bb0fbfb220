import type { MakeEvent } from '../events/event.ts'
import { fail } from '../http/failures.ts'
import type { Html } from '../http/html.ts'
import { mount, redirect, reply, type Handlers, type Mounted } from '../http/route.ts'
import type { HmacCode } from '../auth/hmac.ts'
import { tracesContract } from './contract.ts'
import { confirmPage, tracesPage, type Done, type JobLine } from './pages.ts'
import { rescrubTrace, type RescrubDeps } from './rescrub.ts'
import { cursorPlace, cursorText, documentText, left, listedTrace, saleState, toFilter } from './rules.ts'
import { nameHashes } from './names.ts'
import type { TraceStore } from './store.ts'

/** What these routes stand on. */
export interface TracesDeps extends RescrubDeps {
  readonly traces: TraceStore
  readonly makeEvent: MakeEvent
  /** Under the secret of the deployment. */
  readonly keyed: HmacCode
  /** The mount prefix, for the page's links. */
  readonly prefix: string
  /** The caller's uploads that are not finished, for the page; ingest hands it over. */
  readonly jobs?: (ownerId: string) => Promise<readonly JobLine[]>
  /** The steps to the first upload as HTML, for who has no traces yet; policy hands it over. */
  readonly journey?: (ownerId: string) => Promise<Html>
}

/** How many traces a page of /traces shows. */
const pageSize = 50

async function shown(
  deps: TracesDeps,
  user: { id: string; email: string | null },
  cursor: string | undefined,
  notice: { done?: Done | null; error?: string },
) {
  const [{ items, next }, jobs] = await Promise.all([
    deps.traces.listTraces({ ownerId: user.id, cursor: cursorPlace(cursor), limit: pageSize }),
    deps.jobs?.(user.id) ?? [],
  ])
  const journey = items.length === 0 && !cursor ? await deps.journey?.(user.id) : null
  return tracesPage({
    journey: journey ?? null,
    prefix: deps.prefix,
    email: user.email,
    traces: items,
    cursor: cursor || null,
    next: cursorText(next),
    jobs,
    done: notice.done ?? null,
    error: notice.error ?? null,
  })
}

/** Deletes what was never sold, and has the names remembered by their keyed hashes. */
async function deleteTraces(deps: TracesDeps, ownerId: string, ids: readonly string[], now: number) {
  const { traces, keyed, makeEvent } = deps
  const hashes: Record<string, string> = {}
  for (const { id, ...name } of await traces.listUnsoldNames({ ownerId, ids }))
    hashes[id] = (await nameHashes(keyed, ownerId, name))[0]
  return traces.deleteUnsoldTraces({
    ownerId,
    ids,
    nameHashes: hashes,
    makeEvent: () => makeEvent('traces.deleted', now),
  })
}

export const tracesHandlers: Handlers<typeof tracesContract, TracesDeps> = {
  async bulkUpdateTraces({ user, body }, { traces }) {
    const updated = await traces.setSellExcluded({
      ownerId: user.id,
      ids: body.ids,
      sellExcluded: body.action === 'exclude',
    })
    const updatedIds = updated.map(({ id }) => id)
    return { ok: true, updatedIds, updatedCount: updatedIds.length, skippedCount: left(body.ids, updatedIds).length }
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
    const trace = await rescrubTrace(stored, deps)
    // Damage is ours to mend: it is no declared outcome, and `trace.damaged` is in the log.
    if (trace === 'damaged' && stored.messages !== null) return fail('internal_error')
    if (typeof trace === 'string') return fail('blob_unavailable')
    return reply(200, documentText(trace, trace.messages), [
      ['content-type', 'application/json'],
      ['content-disposition', `attachment; filename="trace-${trace.id}.json"`],
      ['cache-control', 'private, no-store'],
    ])
  },

  async listTraces({ user, query }, { traces }) {
    const { cursor, limit, ...asked } = query
    const page = { cursor: cursorPlace(cursor), limit, filter: toFilter(asked) }
    const { items, next } = await traces.listTraces({ ownerId: user.id, ...page })
    return { ok: true, traces: items.map(listedTrace), nextCursor: cursorText(next) }
  },

  async getTraceStats({ user, query }, { traces }) {
    const stats = await traces.getTraceStats({ ownerId: user.id, filter: toFilter(query) })
    return { ok: true, ...stats, estimatedUsd: Math.round(stats.estimatedUsd * 1e6) / 1e6 }
  },

  tracesPage({ user, query }, deps) {
    const whole = (text: string | undefined): number => (/^\d{1,3}$/.test(text ?? '') ? Number(text) : 0)
    const done = query.done ? { what: query.done, count: whole(query.count), skipped: whole(query.skipped) } : null
    return shown(deps, user, query.cursor, { done })
  },

  async changeTraces({ user, body, now }, deps) {
    const { value, fields } = body
    if (!value) {
      const cursor = /^[0-9a-z]{1,10}$/.test(fields['cursor'] ?? '') ? fields['cursor'] : undefined
      return shown(deps, user, cursor, { error: 'Choose at least one trace, and what to do with it.' })
    }
    const { ids, action, confirmed, cursor } = value
    if (action === 'delete' && !confirmed)
      return confirmPage({ prefix: deps.prefix, email: user.email, ids, cursor: cursor ?? null })
    const done =
      action === 'delete'
        ? (await deleteTraces(deps, user.id, ids, now)).deleted
        : (await deps.traces.setSellExcluded({ ownerId: user.id, ids, sellExcluded: action === 'exclude' })).map(
            ({ id }) => id,
          )
    const query = new URLSearchParams({ done: action, count: `${done.length}`, skipped: `${left(ids, done).length}` })
    if (cursor) query.set('cursor', cursor)
    return redirect(`/traces?${query.toString()}`)
  },
}

/** Binds the routes of traces to their handlers. */
export const mountTraces = (deps: TracesDeps): Mounted[] => mount(tracesContract, tracesHandlers, deps)
