import type { PersonalContext } from '../contributors/identity.ts'
import { refusedName } from './names.ts'
import { isCurrent, readableTrace, type RescrubDeps } from './rescrub.ts'
import { documentText, skippedText, addTraceState } from './rules.ts'
import type { StoredTrace, TraceStore } from './store.ts'

/**
 * Yields all stored data of a person's traces for the account export: documents of `GET /api/traces/:id/download` with
 * their sale state, each as JSON text. A trace that cannot be shown has null as its messages, and the reason in
 * `skipped`.
 */
export async function* exportDocuments(traces: TraceStore, ownerId: string, deps: RescrubDeps): AsyncGenerator<string> {
  // The person's data is read once for all traces, and again when it changes.
  let context = null as PersonalContext | null
  const readScrubContext = async (id: string) => (context ??= await deps.readScrubContext(id))
  for await (const stored of traces.exportTraces({ ownerId })) {
    if (context?.identityRevision !== stored.ownerRevision) context = null
    const trace = await readableTrace(stored, { ...deps, readScrubContext })
    const document =
      typeof trace === 'string'
        ? skippedText(hasCurrentNames(stored, deps) ? stored : removeNames(stored), trace)
        : documentText(trace, trace.messages)
    const { replacements } = typeof trace === 'string' ? stored : trace
    yield addTraceState(document, { ...stored, replacements })
  }
}

/**
 * Returns whether the names of a trace were scrubbed by the current version. The names of a withheld trace were
 * scrubbed by an earlier version.
 */
const hasCurrentNames = (stored: StoredTrace, { scrubVersion }: RescrubDeps): boolean =>
  stored.withheld === null && isCurrent(stored, scrubVersion)

/** Removes the names of a trace, because only an earlier version of the scrubber scrubbed them. */
const removeNames = (trace: StoredTrace): StoredTrace => ({
  ...trace,
  sourceId: refusedName,
  title: null,
  model: null,
  parentTraceId: null,
})
