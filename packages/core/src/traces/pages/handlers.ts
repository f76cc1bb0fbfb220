import { writeCursor, readCursor } from '../../http/fields.ts'
import { fail } from '../../http/failures.ts'
import type { Flash } from '../../http/flash.ts'
import type { ClientTerms } from '../../ui/client-commands.ts'
import type { Html } from '../../ui/html.ts'
import { redirect, mount, type Handlers, type Mounted, type User } from '../../http/route.ts'
import { TraceFilter as TraceFilterFields } from '../contract.ts'
import { deleteTraces, type DeletionDeps } from '../delete.ts'
import { readDetails, parseReplacements } from '../stored-json.ts'
import { readableTitles } from '../readable-titles.ts'
import { readableTrace, type RescrubDeps } from '../rescrub.ts'
import { idsInState, listRemainingIds, toFilter } from '../rules.ts'
import type { TraceFilter, TraceState } from '../store.ts'
import { confirmPage, shownTitles } from './confirm.ts'
import { tracePagesContract } from './contract.ts'
import { findPart } from './conversation.ts'
import { listQuery, tracesPage, type FilterValues, type JobLine } from './list.ts'
import type { CompletedAction } from './texts.ts'
import { tracePage, type TraceView } from './trace.ts'

/** The dependencies of the pages of traces. */
export interface TracePagesDeps extends RescrubDeps, DeletionDeps, ClientTerms {
  /** The mount prefix, for links. */
  readonly prefix: string
  /** Returns the person's unfinished uploads. Ingestion provides this function. */
  readonly jobs: (ownerId: string) => Promise<readonly JobLine[]>
  /** Returns whether a device of the person is signed in. */
  readonly hasDevice: (ownerId: string) => Promise<boolean>
  /**
   * Returns the steps to the first upload for a person without traces. The policy capability provides this function.
   */
  readonly journey: (ownerId: string) => Promise<Html>
  /** Renders the state of a person on the waitlist, which replaces the steps. Returns null for other people. */
  readonly waiting: (ownerId: string) => Promise<Html | null>
  /**
   * Returns the person's progress towards the first upload, for the top of a page. Returns null after the first upload.
   */
  readonly progress: (ownerId: string) => Promise<Html | null>
  /** Adds a term to the person's blocked terms. Returns false when the list is full. */
  readonly blockTerm: (ownerId: string, term: string, now: number) => Promise<boolean>
}

/** The number of traces that a page of the list shows. */
const pageSize = 25
/** The number of traces that one submission changes when it names a filter. */
const maxChanged = 5_000
const readSize = 500

type Action = CompletedAction['action']

const tracePagesHandlers: Handlers<typeof tracePagesContract, TracePagesDeps> = {
  tracesPage({ user, query, flash }, deps) {
    return showList(user, deps, {
      filter: filterValues(query),
      cursor: query.cursor,
      selected: query.select === 'none' ? null : (query.select ?? null),
      done: readCompletedAction(flash),
    })
  },

  async changeTraces({ user, body, now }, deps) {
    const { value, fields } = body
    const filter = filterValues(fields)
    const cursor = /^\d{1,15}$/.test(fields['cursor'] ?? '') ? fields['cursor'] : undefined
    const all = value?.all === 'yes'
    if (!value || (!all && !value.ids?.length))
      return showList(user, deps, { filter, cursor, error: 'traces.selectFirst' })
    const { action, confirmed } = value
    const needsConfirmation = all || action === 'delete'
    if (needsConfirmation && !confirmed) {
      const ids = all ? await listChangeable(user.id, action, filter, shownTitles, deps) : [...new Set(value.ids)]
      const count = all ? await countChangeable(user.id, action, filter, deps) : ids.length
      const matching = all ? await deps.traces.getTraceStats({ ownerId: user.id, filter: toFilter(filter) }) : null
      const kept = { ...filter, cursor }
      return confirmPage({
        prefix: deps.prefix,
        email: user.email,
        progress: null,
        action,
        count,
        soldCount: matching?.sold ?? 0,
        alreadyCount: (action === 'exclude' ? matching?.excluded : matching?.forSale) ?? 0,
        titles: await listTitles(user.id, ids, deps),
        maxCount: maxChanged,
        path: '/traces',
        fields: [
          ...Object.entries(kept).flatMap(([name, text]) => (text ? [[name, text] as const] : [])),
          ...(all ? [['all', 'yes'] as const] : value.ids!.map((id) => ['ids', id] as const)),
        ],
        back: `/traces${listQuery(kept)}`,
      })
    }
    const ids = all ? await listChangeable(user.id, action, filter, maxChanged, deps) : value.ids!
    const changed = await change(user.id, action, ids, now, deps)
    const flash = { done: action, counts: [changed.length, listRemainingIds(ids, changed).length] }
    return redirect(`/traces${listQuery({ ...filter, cursor: all ? undefined : cursor })}`, flash)
  },

  async tracePage({ user, params, query, flash }, deps) {
    const options = {
      done: readCompletedAction(flash),
      page: query.page,
      reported: reports.find((one) => one === flash?.done),
    }
    return (await showTrace(user, params.id, deps, options)) ?? fail('not_found')
  },

  async changeTrace({ user, params: { id }, body: { value, fields }, now }, deps) {
    const trace = await deps.traces.findTrace({ ownerId: user.id, id })
    if (!trace) return fail('not_found')
    if (fields['action'] === 'report') {
      const term = value?.term
      const earlier = term === undefined ? null : await readMessages(user, id, deps)
      if (term !== undefined && (await deps.blockTerm(user.id, term, now))) {
        const isFound = earlier !== (await readMessages(user, id, deps))
        return redirect(`/traces/${id}`, { done: isFound ? 'found' : 'not_found' })
      }
      const problem = term === undefined ? 'trace.termError' : 'trace.termsFull'
      const shown = await showTrace(user, id, deps, { term: fields['term'] ?? '', problem })
      return shown ?? fail('not_found')
    }
    if (value?.action === 'reportWrong' && value.placeholder) {
      await deps.traces.reportReplacement({ ownerId: user.id, id, placeholder: value.placeholder, now })
      return redirect(`/traces/${id}`, { done: 'wrong' })
    }
    if (!value || value.action === 'report' || value.action === 'reportWrong') return redirect(`/traces/${id}`)
    const { action, confirmed } = value
    if (action === 'delete' && !confirmed)
      return confirmPage({
        prefix: deps.prefix,
        email: user.email,
        progress: null,
        action,
        count: 1,
        titles: await listTitles(user.id, [id], deps),
        maxCount: 1,
        path: `/traces/${id}`,
        fields: [],
        back: `/traces/${id}`,
      })
    const { length } = await change(user.id, action, [id], now, deps)
    const flash = { done: action, counts: [length, 1 - length] }
    return redirect(action === 'delete' && length === 1 ? '/traces' : `/traces/${id}`, flash)
  },
}

/**
 * Returns the messages of a trace as JSON, in the form that its page shows, or the reason why they are not shown.
 * Returns null when there is no such trace.
 */
async function readMessages(user: User, id: string, deps: TracePagesDeps): Promise<string | null> {
  const stored = await deps.traces.readTrace({ ownerId: user.id, id })
  const shown = stored && (await readableTrace(stored, deps))
  return shown === null || typeof shown === 'string' ? shown : shown.messages
}

/** Renders the page of a trace, scrubbed in the same way as its download. Returns null when there is no such trace. */
async function showTrace(
  user: User,
  id: string,
  deps: TracePagesDeps,
  options: Partial<Pick<TraceView, 'done' | 'reported' | 'term' | 'problem'>> & {
    readonly page?: string | undefined
  },
): Promise<string | null> {
  const [stored, progress] = await Promise.all([
    deps.traces.readTrace({ ownerId: user.id, id }),
    deps.progress(user.id),
  ])
  if (!stored) return null
  const shown = await readableTrace(stored, deps)
  const { page, ...more } = options
  const frame = { prefix: deps.prefix, email: user.email, progress, done: null, ...more }
  if (typeof shown !== 'string')
    return tracePage({
      ...frame,
      trace: { ...stored, ...shown },
      details: readDetails(shown),
      replacements: parseReplacements(shown.replacements),
      conversation: findPart(shown.messages, page),
    })
  const withoutNames = shown === 'damaged' ? {} : { title: null, model: null, sourceId: '' }
  const conversation = stored.messages === null ? 'missing' : shown
  return tracePage({ ...frame, trace: { ...stored, ...withoutNames }, conversation })
}

async function showList(
  user: User,
  deps: TracePagesDeps,
  view: {
    readonly filter: FilterValues
    readonly cursor: string | undefined
    readonly selected?: 'page' | 'all' | null
    readonly done?: CompletedAction | null
    readonly error?: 'traces.selectFirst'
  },
): Promise<string> {
  const { filter, cursor } = view
  const asked = toFilter(filter)
  const hasFilter = Object.values(filter).some((value) => value !== undefined)
  const list = { cursor: readCursor(cursor), limit: pageSize, filter: hasFilter ? asked : undefined }
  const [{ items, next }, stats, statsOfAllStates, jobs, progress] = await Promise.all([
    deps.traces.listTraces({ ownerId: user.id, ...list }),
    filter.state ? deps.traces.getTraceStats({ ownerId: user.id, filter: asked }) : null,
    deps.traces.getTraceStats({ ownerId: user.id, filter: { ...asked, state: undefined } }),
    deps.jobs(user.id),
    deps.progress(user.id),
  ])
  const isEmpty = items.length === 0 && !cursor && !hasFilter
  const waiting = isEmpty && jobs.length === 0 ? await deps.waiting(user.id) : null
  return tracesPage({
    prefix: deps.prefix,
    client: deps,
    hasDevice: isEmpty && !waiting ? await deps.hasDevice(user.id) : false,
    email: user.email,
    // An empty list shows the complete steps.
    progress: isEmpty ? null : progress,
    journey: isEmpty && !waiting ? await deps.journey(user.id) : null,
    waiting,
    traces: await readableTitles(user.id, items, deps),
    filter,
    stats: stats ?? statsOfAllStates,
    statsOfAllStates,
    cursor: cursor || null,
    next: writeCursor(next),
    selected: view.selected ?? null,
    jobs,
    done: view.done ?? null,
    error: view.error ?? null,
    isRangeReversed: asked.from !== undefined && asked.to !== undefined && asked.from > asked.to,
  })
}

/** Excludes, includes or deletes the traces that were never sold. Returns their ids. */
async function change(
  ownerId: string,
  action: Action,
  ids: readonly string[],
  now: number,
  deps: TracePagesDeps,
): Promise<string[]> {
  if (action === 'delete') return (await deleteTraces(deps, ownerId, ids, now)).deleted
  const sellExcluded = action === 'exclude'
  return idsInState(await deps.traces.setSellExcluded({ ownerId, ids, sellExcluded }), sellExcluded)
}

const changeable: Readonly<Record<Action, readonly TraceState[]>> = {
  exclude: ['for_sale'],
  include: ['excluded'],
  delete: ['for_sale', 'excluded'],
}

/** Returns the filters of the traces that the action changes: one for each state. */
function changeableFilters(action: Action, filter: FilterValues): TraceFilter[] {
  return changeable[action]
    .filter((state) => filter.state === undefined || filter.state === state)
    .map((state) => ({ ...toFilter(filter), state }))
}

async function countChangeable(ownerId: string, action: Action, filter: FilterValues, { traces }: TracePagesDeps) {
  const stats = changeableFilters(action, filter).map((one) => traces.getTraceStats({ ownerId, filter: one }))
  return (await Promise.all(stats)).reduce((sum, one) => sum + one.traces, 0)
}

/** Returns the titles of traces in the order of their ids. Skips traces without a title. */
async function listTitles(ownerId: string, ids: readonly string[], deps: TracePagesDeps) {
  const shown = await readableTitles(ownerId, await deps.traces.listTitles({ ownerId, ids }), deps)
  const titles = new Map(shown.map(({ id, title }) => [id, title]))
  return ids.flatMap((id) => {
    const title = titles.get(id)
    return title ? [{ id, title }] : []
  })
}

/** Returns the ids of the first `max` traces that match the filter and that the action changes. */
async function listChangeable(
  ownerId: string,
  action: Action,
  filter: FilterValues,
  max: number,
  { traces }: TracePagesDeps,
) {
  const ids: string[] = []
  for (const one of changeableFilters(action, filter)) {
    let cursor: number | null = null
    do {
      const limit = Math.min(readSize, max - ids.length)
      if (limit === 0) return ids
      const page: Awaited<ReturnType<typeof traces.listTraces>> = await traces.listTraces({
        ownerId,
        cursor,
        limit,
        filter: one,
      })
      ids.push(...page.items.map(({ id }) => id))
      cursor = page.next
    } while (cursor !== null)
  }
  return ids
}

/** Returns the valid fields of the filter. */
function filterValues(fields: Readonly<Record<string, unknown>>): FilterValues {
  const values = Object.entries(TraceFilterFields.shape).flatMap(([name, schema]) => {
    const sent = fields[name]
    return sent !== undefined && schema.safeParse(sent).success ? [[name, sent]] : []
  })
  return Object.fromEntries(values) as FilterValues
}

/** The results of reporting a term or a replacement. The page of the trace shows a message for each of them. */
const reports = ['found', 'not_found', 'wrong'] as const

function readCompletedAction(flash: Flash | null): CompletedAction | null {
  const action = (['exclude', 'include', 'delete'] as const).find((one) => one === flash?.done)
  const [count = 0, skipped = 0] = flash?.counts ?? []
  return action ? { action, count, skipped } : null
}

/** Binds the routes of the pages of traces to their handlers. */
export const mountTracePages = (deps: TracePagesDeps): Mounted[] => mount(tracePagesContract, tracePagesHandlers, deps)
