import { rescrubTraces, type RescrubDeps } from './rescrub.ts'
import { documentText, skippedText, withState } from './rules.ts'
import type { StoredTrace, TraceStore } from './store.ts'

/** Everything stored of a person as E10 documents with their sale state, JSON text each; one that cannot be shown has null for its messages and says why in `skipped`. For the account's export. */
export async function* exportDocuments(traces: TraceStore, ownerId: string, deps: RescrubDeps): AsyncGenerator<string> {
  for await (const stored of traces.exportTraces({ ownerId })) {
    const trace = await rescrubTraces(stored, deps)
    const document =
      typeof trace === 'string'
        ? skippedText(stored.scrubVersion === deps.scrubVersion ? stored : unnamed(stored), trace)
        : documentText(trace, trace.messages)
    yield withState(document, stored)
  }
}

/** What an older table scrubbed, and the one of today did not: not even its names are shown. */
const unnamed = (trace: StoredTrace): StoredTrace => ({
  ...trace,
  sourceId: '[REFUSED]',
  title: null,
  model: null,
  parentTraceId: null,
})
