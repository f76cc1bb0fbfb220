import { DetectorError } from '../scrubber/engine/rule.ts'
import type { ScrubContext, Scrubber, SteppedScrubber } from '../scrubber/index.ts'
import { isCurrent, noContext, type RescrubDeps } from './rescrub.ts'
import type { TitleOfTrace } from './store.ts'

type TitleDeps = Pick<RescrubDeps, 'scrubVersion' | 'scrubber' | 'readScrubContext' | 'yieldToEventLoop' | 'logger'>

/** A trace in a list. Only some lists show the model. */
type Shown = TitleOfTrace & { readonly model?: string | null }

/**
 * Returns traces of an owner with their titles and models as they may be shown now, by the rules of `readableTrace`.
 * They are scrubbed again if they were scrubbed by an older scrubber, or before the owner's identity or blocked terms
 * changed. If this is impossible now, both are null. Nothing is stored.
 * @param ownerId null after the erasure of the owner's account.
 */
export async function readableTitles<Trace extends Shown>(
  ownerId: string | null,
  traces: readonly Trace[],
  deps: TitleDeps,
): Promise<readonly Trace[]> {
  const isStale = (trace: Trace): boolean =>
    Boolean(trace.title ?? trace.model) && !isCurrent({ ...trace, ownerId }, deps.scrubVersion)
  if (!traces.some(isStale)) return traces
  const [context, scrubber] = await Promise.all([
    ownerId === null ? noContext : deps.readScrubContext(ownerId),
    deps.scrubber(),
  ])
  const shown: Trace[] = []
  for (const trace of traces) shown.push(isStale(trace) ? await scrubTitle(trace, scrubber, context, deps) : trace)
  return shown
}

/** Returns traces of several owners as `readableTitles` does, in the same order. */
export async function readableTitlesOfAll<Trace extends Shown & { readonly userId: string | null }>(
  traces: readonly Trace[],
  deps: TitleDeps,
): Promise<readonly Trace[]> {
  const shown = new Map<string, Trace>()
  for (const owner of new Set(traces.map(({ userId }) => userId))) {
    const own = traces.filter(({ userId }) => userId === owner)
    for (const trace of await readableTitles(owner, own, deps)) shown.set(trace.id, trace)
  }
  return traces.flatMap(({ id }) => shown.get(id) ?? [])
}

async function scrubTitle<Trace extends Shown>(
  trace: Trace,
  scrubber: Scrubber & Partial<SteppedScrubber>,
  context: ScrubContext,
  { yieldToEventLoop, logger }: TitleDeps,
): Promise<Trace> {
  const { id, title, model } = trace
  const texts = [title ?? '', model ?? '']
  try {
    const result = await (scrubber.scrubAsync?.(texts, yieldToEventLoop, context) ?? scrubber.scrub(texts, context))
    const [newTitle = null, newModel = null] = result.ok ? result.texts : []
    return { ...trace, title: title && newTitle, ...(model !== undefined && { model: model && newModel }) }
  } catch (error) {
    if (!DetectorError.is(error)) throw error
    logger.error({ err: error, traceId: id }, 'trace.detector_failed')
    return { ...trace, title: null, ...(model !== undefined && { model: null }) }
  }
}
