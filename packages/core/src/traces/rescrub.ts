import type { Lazy } from '../http/lazy.ts'
import type { Logger } from '../ports.ts'
import type { Scrubber, SteppedScrubber } from '../scrubber/index.ts'
import { isReadable, titleOf, type ReadableTrace } from './rules.ts'
import type { StoredTrace } from './store.ts'

/** What it takes to bring a trace that an older table scrubbed up to the one of today. */
export interface RescrubDeps {
  /** The version of the table of today, known without loading it. */
  readonly scrubVersion: string
  readonly scrubber: Lazy<Scrubber>
  readonly yieldToEventLoop: () => Promise<void>
  readonly logger: Logger
}

/** Why a stored trace is not shown: it cannot be read, or the scrubber of today refuses it. */
export type Skipped = 'damaged' | 'refused'

interface Message {
  readonly role: string | null
  readonly content: string
}

/**
 * The trace as it may be shown today. One that was stored with an older table goes through the present one on its way out:
 * a secret that no rule knew last year leaves no more. What is stored stays as it was; version and counts are those of what is
 * shown. With the present version nothing is scrubbed. A trace that cannot be shown is logged, and the reason returned.
 */
export async function rescrubTraces(trace: StoredTrace, deps: RescrubDeps): Promise<ReadableTrace | Skipped> {
  if (!isReadable(trace)) {
    deps.logger.error({ traceId: trace.id }, 'trace.damaged')
    return 'damaged'
  }
  if (trace.scrubVersion === deps.scrubVersion) return trace
  const { messages } = trace
  const sent = JSON.parse(messages) as readonly Message[]
  const texts = [trace.sourceId, trace.model ?? '', trace.parentTraceId ?? '', ...sent.map(({ content }) => content)]
  const scrubber: Scrubber & Partial<SteppedScrubber> = await deps.scrubber()
  const done = scrubber.scrubAsync ? await scrubber.scrubAsync(texts, deps.yieldToEventLoop) : scrubber.scrub(texts)
  if (!done.ok) {
    deps.logger.warn(
      { traceId: trace.id, reason: done.reason },
      'a stored trace is refused by the scrubber of today and is not shown',
    )
    return 'refused'
  }
  if (done.total === 0) return { ...trace, messages, scrubVersion: scrubber.version }
  const [sourceId, model, parent, ...contents] = done.texts as readonly string[] as [
    string,
    string,
    string,
    ...string[],
  ]
  const shown = sent.map((message, i) => ({ ...message, content: contents[i]! }))
  return {
    ...trace,
    title: trace.title === null ? null : titleOf(shown),
    sourceId,
    model: trace.model === null ? null : model,
    parentTraceId: trace.parentTraceId === null ? null : parent,
    scrubVersion: scrubber.version,
    redactions: sum(trace.redactions, done.counts),
    messages: JSON.stringify(shown),
  }
}

function sum(before: string, more: Readonly<Record<string, number>>): string {
  const counts = JSON.parse(before) as Record<string, number>
  for (const [category, count] of Object.entries(more)) counts[category] = (counts[category] ?? 0) + count
  return JSON.stringify(counts)
}
