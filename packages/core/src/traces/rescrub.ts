import type { PersonalContext } from '../contributors/identity.ts'
import { firstOf, itemAt } from '../lists.ts'
import type { Lazy } from '../lazy.ts'
import type { Digest, Logger, Verifier } from '../ports.ts'
import { DetectorError } from '../scrubber/engine/rule.ts'
import type { ScrubContext, Scrubber, ScrubResult, SteppedScrubber } from '../scrubber/index.ts'
import { detailTexts, keepDetails, readDetails, withDetailTexts, ReplacementCollector } from './stored-json.ts'
import { divideName, keepName, nameTail, titleOf } from './names.ts'
import { toReadable, type ReadableTrace } from './rules.ts'
import type { StoredTrace, WithheldReason } from './store.ts'
import { VerifierError, verifyTrace } from './verify.ts'

/**
 * The dependencies for scrubbing a stored trace again with the current scrubber and the current identity of its owner.
 */
export interface RescrubDeps {
  /** The current version of the scrubber with its verifier, known without loading either. */
  readonly scrubVersion: string
  readonly verifier: Verifier | null
  readonly scrubber: Lazy<Scrubber>
  /** Reads the texts that must be replaced in every trace of a person. */
  readonly readScrubContext: (ownerId: string) => Promise<PersonalContext>
  readonly digest: Digest
  readonly yieldToEventLoop: () => Promise<void>
  readonly logger: Logger
}

interface Message {
  readonly role: string | null
  readonly content: string
}

/** Returns whether a trace was scrubbed by this version, with the identity and terms that its owner has now. */
export function isCurrent(
  trace: Pick<StoredTrace, 'scrubVersion' | 'identityRevision' | 'ownerId' | 'ownerRevision'>,
  scrubVersion: string,
): boolean {
  const hasSameIdentity = trace.ownerId === null || trace.identityRevision === trace.ownerRevision
  return trace.scrubVersion === scrubVersion && hasSameIdentity
}

/**
 * Returns the trace as it may be shown now (`rescrubTrace`). A trace that the verifier or a detector cannot read now is
 * not shown, like a refused trace. Nothing is stored, so that the next read tries again.
 */
export async function readableTrace(trace: StoredTrace, deps: RescrubDeps): Promise<ReadableTrace | WithheldReason> {
  try {
    return await rescrubTrace(trace, deps)
  } catch (error) {
    if (DetectorError.is(error)) {
      deps.logger.error({ err: error, traceId: trace.id }, 'trace.detector_failed')
      return 'refused'
    }
    if (!(error instanceof VerifierError)) throw error
    deps.logger.error({ err: error, traceId: trace.id }, 'trace.verifier_failed')
    return 'verification_failed'
  }
}

/**
 * Returns the trace as the current scrubber and its verifier leave it. The trace is scrubbed again if an older scrubber
 * scrubbed it, or if its owner's identity or blocked terms changed after it was stored. The version and the counts
 * belong to the returned trace. A trace that cannot be shown is logged, and the reason is returned. Nothing is stored
 * here: `rescrub/worker.ts` stores the result in the background. Throws `VerifierError` and `DetectorError`.
 */
export async function rescrubTrace(stored: StoredTrace, deps: RescrubDeps): Promise<ReadableTrace | WithheldReason> {
  const trace = await toReadable(stored, deps.yieldToEventLoop)
  if (!trace) {
    deps.logger.error({ traceId: stored.id }, 'trace.damaged')
    return 'damaged'
  }
  // Damaged content may be back, for example on a disk that was not mounted.
  if (isCurrent(trace, deps.scrubVersion) && trace.withheld !== 'damaged') return trace.withheld ?? trace
  const { identityRevision, ...known } = trace.ownerId === null ? noContext : await deps.readScrubContext(trace.ownerId)
  const replacements = new ReplacementCollector(trace.replacements)
  const context = { ...known, onPlaceholder: replacements.onPlaceholder }
  const scrubber: Scrubber & Partial<SteppedScrubber> = await deps.scrubber()
  const version = { scrubVersion: deps.scrubVersion, identityRevision }
  const sent = JSON.parse(trace.messages) as readonly Message[]
  const source = divideName(trace.sourceId)
  const parent = trace.parentTraceId === null ? null : divideName(trace.parentTraceId)
  const details = readDetails(trace)
  const texts = [
    source.name,
    trace.model ?? '',
    parent?.name ?? '',
    ...sent.map(({ content }) => content),
    ...detailTexts(details),
  ]
  const scrub = async (given: readonly string[], wanted: ScrubContext): Promise<ScrubResult> =>
    scrubber.scrubAsync ? scrubber.scrubAsync(given, deps.yieldToEventLoop, wanted) : scrubber.scrub(given, wanted)
  const scrubAlone = async (text: string): Promise<string | null> => {
    const alone = await scrub([text], known)
    return alone.ok ? firstOf(alone.texts) : null
  }
  const done = await scrub(texts, context)
  if (!done.ok) {
    deps.logger.warn({ traceId: trace.id, reason: done.reason }, 'trace.refused')
    return 'refused'
  }
  const { messages } = trace
  if (done.total === 0) return verifyReadable({ ...trace, ...version, messages, withheld: null }, deps)
  const [sourceName, model, parentName, ...contents] = done.texts as readonly string[] as [
    string,
    string,
    string,
    ...string[],
  ]
  const shown = sent.map((message, i) => ({ ...message, content: itemAt(contents, i) }))
  const keep = async (
    stored: string,
    { name, tail }: ReturnType<typeof divideName>,
    scrubbed: string,
  ): Promise<string> =>
    scrubbed === name
      ? stored
      : keepName({
          name,
          scrubbed,
          scrubAlone,
          makeTail: () => tail || nameTail(trace.ownerId ?? trace.id, stored, deps.digest),
        })
  const rescrubbed: ReadableTrace = {
    ...trace,
    ...version,
    title: trace.title === null ? null : titleOf(shown),
    sourceId: await keep(trace.sourceId, source, sourceName),
    model: trace.model === null ? null : model,
    parentTraceId:
      trace.parentTraceId === null || parent === null ? null : await keep(trace.parentTraceId, parent, parentName),
    ...keepDetails(withDetailTexts(details, contents.slice(sent.length))),
    redactions: sum(trace.redactions, done.counts),
    messages: JSON.stringify(shown),
    replacements: replacements.toJson(),
    withheld: null,
  }
  return verifyReadable(rescrubbed, deps)
}

/** Returns the trace unless the verifier still finds something in it. */
async function verifyReadable(
  trace: ReadableTrace,
  { verifier, logger }: RescrubDeps,
): Promise<ReadableTrace | 'verification_failed'> {
  const rules = await verifyTrace(verifier, trace)
  if (rules.length === 0) return trace
  logger.warn({ traceId: trace.id, reason: 'verification_failed', rules }, 'trace.refused')
  return 'verification_failed'
}

/** The context of an erased owner, whose identifying data was erased too. */
export const noContext: ScrubContext & { readonly identityRevision: number } = { identityRevision: 0 }

function sum(before: string, more: Readonly<Record<string, number>>): string {
  const counts = JSON.parse(before) as Record<string, number>
  for (const [category, count] of Object.entries(more)) counts[category] = (counts[category] ?? 0) + count
  return JSON.stringify(counts)
}
