import { DetectorError } from '../scrubber/engine/rule.ts'
import { firstOf } from '../lists.ts'
import type { ScrubContext, Scrubber, SteppedScrubber } from '../scrubber/index.ts'
import { isCurrent, type RescrubDeps } from './rescrub.ts'
import type { TitleOfTrace } from './store.ts'

/**
 * Returns traces of an owner with their titles as they may be shown now, by the rules of `readableTrace`. A title is
 * scrubbed again if it was scrubbed by an older scrubber, or before the owner's identity or blocked terms changed. A
 * title that cannot be scrubbed now is null. Nothing is stored.
 */
export async function readableTitles<Trace extends TitleOfTrace>(
  ownerId: string,
  traces: readonly Trace[],
  deps: Pick<RescrubDeps, 'scrubVersion' | 'scrubber' | 'readScrubContext' | 'yieldToEventLoop' | 'logger'>,
): Promise<readonly Trace[]> {
  const isStale = (trace: Trace): trace is Trace & { readonly title: string } =>
    trace.title !== null && !isCurrent({ ...trace, ownerId }, deps.scrubVersion)
  if (!traces.some(isStale)) return traces
  const [context, scrubber] = await Promise.all([deps.readScrubContext(ownerId), deps.scrubber()])
  const shown: Trace[] = []
  for (const trace of traces)
    shown.push(isStale(trace) ? { ...trace, title: await scrubTitle(trace, scrubber, context, deps) } : trace)
  return shown
}

async function scrubTitle(
  { id, title }: TitleOfTrace & { readonly title: string },
  scrubber: Scrubber & Partial<SteppedScrubber>,
  context: ScrubContext,
  { yieldToEventLoop, logger }: Pick<RescrubDeps, 'yieldToEventLoop' | 'logger'>,
): Promise<string | null> {
  try {
    const result = await (scrubber.scrubAsync?.([title], yieldToEventLoop, context) ?? scrubber.scrub([title], context))
    return result.ok ? firstOf(result.texts) : null
  } catch (error) {
    if (!DetectorError.is(error)) throw error
    logger.error({ err: error, traceId: id }, 'trace.detector_failed')
    return null
  }
}
