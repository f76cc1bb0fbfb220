import { sanitizeText, toUtc } from '../http/text.ts'
import { firstOf, itemAt } from '../lists.ts'
import { uuid7 } from '../ids.ts'
import type { Measurements } from '../measurements.ts'
import type { Clock, Digest, Logger, Random, Tokenizer, Verifier } from '../ports.ts'
import { createPacer, type LeaseKeeper } from '../queue/loop.ts'
import { DetectorError } from '../scrubber/engine/rule.ts'
import { Unavailable } from '../unavailable.ts'
import { VerifierError, verifyTrace } from '../traces/verify.ts'
import type { PersonalContext } from '../contributors/identity.ts'
import type { Scrubber, ScrubResult, SteppedScrubber } from '../scrubber/index.ts'
import type { HmacCode } from '../auth/hmac.ts'
import { detailTexts, keepDetails, withDetailTexts, ReplacementCollector } from '../traces/stored-json.ts'
import {
  conversationHashes,
  formerNameHashes,
  keepName,
  nameTail,
  refusedName,
  unnamed,
  titleOf,
} from '../traces/names.ts'
import type { ConversationName, NewTrace } from '../traces/store.ts'
import type { MessageSent, TraceSent } from './contract.ts'
import type { Claim, PreparedTrace } from './store.ts'
import { estimate } from './rules.ts'

/** The source of a trace that was sent without one. */
export const defaultSource = 'unknown'

/** The number of characters of a trace after which its scrubbing yields to other work. */
const long = 64 * 1024

export interface PrepareDeps {
  readonly scrubber: Scrubber & Partial<SteppedScrubber>
  /** The version of the scrubber, including the version of the verifier. */
  readonly scrubVersion: string
  /** The service's data about the owner, and the owner's blocked terms. The scrubber replaces all of it. */
  readonly context: PersonalContext
  readonly tokenizer: Tokenizer
  readonly digest: Digest
  /** Hashes names with every secret of the deployment, the newest first. */
  readonly keyed: HmacCode
  /** The value of `Claim.hasFormerNames`. If false, no former names are computed. */
  readonly hasFormerNames: boolean
  readonly usdPerMillionTokens: number
}

/**
 * Converts a time to ISO 8601 in UTC with milliseconds. Nearly all times have one of two forms that can be converted
 * without the slow `Date`.
 */
function toUtcTime(text: string): string {
  if (text.endsWith('Z') && text.length === 24) return text
  return text.endsWith('Z') && text.length === 20 ? `${text.slice(0, 19)}.000Z` : toUtc(text)
}

/** The shown form of a name. If the owner has former names, also the forms that earlier versions may have shown. */
interface KeptName {
  readonly shown: string
  readonly formerNames: readonly string[]
}

/** Returns the stored form of a trace's name; see `keepName`. */
async function nameForStore(sent: string, scrubbedName: string, ownerId: string, deps: NameDeps): Promise<KeptName> {
  const name = sanitizeText(sent)
  const makeTail = (): string => nameTail(ownerId, sent, deps.digest)
  const formerNames = new Set(deps.hasFormerNames ? [name, unnamed + makeTail()] : [])
  const shown = await keepName({
    name,
    scrubbed: scrubbedName,
    async scrubAlone(text) {
      const alone = await scrubTexts([text], deps)
      if (!alone.ok) return null
      const name = firstOf(alone.texts)
      if (deps.hasFormerNames) formerNames.add(name + makeTail())
      return name
    },
    makeTail,
  })
  if (deps.hasFormerNames) formerNames.add(shown)
  return { shown, formerNames: [...formerNames] }
}

/** Yields to other work. Rejects when the current work must stop. */
type Yield = () => Promise<void>

interface NameDeps extends Pick<PrepareDeps, 'scrubber' | 'digest' | 'context' | 'hasFormerNames'> {
  readonly yieldToEventLoop: Yield
}

/** A message as it is stored. */
interface StoredMessage {
  readonly position: number
  readonly role: string | null
  readonly content: string
  readonly tokenCount: number
  readonly createdAt: string | null
  readonly truncated: boolean
}

/**
 * Scrubs texts of a trace. If the scrubber can yield or has asynchronous detectors, uses them. Rejects with
 * `DetectorError`.
 */
const scrubTexts = async (
  texts: readonly string[],
  { scrubber, context, yieldToEventLoop }: Omit<NameDeps, 'digest' | 'hasFormerNames'>,
): Promise<ScrubResult> =>
  scrubber.scrubAsync ? scrubber.scrubAsync(texts, yieldToEventLoop, context) : scrubber.scrub(texts, context)

/** Scrubs only a trace's name, for the outcome of a trace that is not stored. */
export async function scrubName(sent: string, ownerId: string, deps: NameDeps): Promise<string> {
  const done = await scrubTexts([sanitizeText(sent)], deps)
  return done.ok ? (await nameForStore(sent, firstOf(done.texts), ownerId, deps)).shown : refusedName
}

/** A trace as it is stored, with the names by which it is recognized. */
export type ScrubbedTrace = Pick<
  Extract<PreparedTrace, { kind: 'scrubbed' }>,
  'trace' | 'redactions' | 'conversation' | 'parent' | 'formerNameHashes'
> & { readonly messages: readonly StoredMessage[] }

/**
 * Sanitizes a trace and scrubs all its texts in one call, so that the same value has the same placeholder everywhere.
 * Counts the tokens of the result. Returns null when the scrubber refuses the trace. A long trace waits for
 * `yieldToEventLoop` every few milliseconds. Rejects with the error of `yieldToEventLoop`, or with `DetectorError`.
 */
export async function scrubSentTrace(
  sent: TraceSent,
  id: string,
  contentHash: string,
  ownerId: string,
  deps: PrepareDeps & { readonly yieldToEventLoop: Yield },
): Promise<ScrubbedTrace | null> {
  const messages = sortByIds(sent.messages)
  // The name comes first, so that its placeholders have the same numbers as when it is scrubbed alone.
  const texts = [sent.sourceId, sent.model ?? '', sent.parentTraceId ?? '']
  let chars = 0
  for (const { message } of messages) {
    texts.push(message.content)
    chars += message.content.length
  }
  for (const text of detailTexts(sent)) texts.push(text)
  const replacements = new ReplacementCollector()
  const context = { ...deps.context, onPlaceholder: replacements.onPlaceholder }
  const { scrubber, yieldToEventLoop } = deps
  const done = await scrubTexts(texts.map(sanitizeText), { scrubber, context, yieldToEventLoop })
  if (!done.ok || done.texts.length !== texts.length) return null
  if (chars > long) await yieldToEventLoop()
  const [name, model, parent, ...contents] = done.texts as readonly string[] as [string, string, string, ...string[]]
  let tokenCount = 0
  const stored = messages.map(({ message, position }, i): StoredMessage => {
    const content = itemAt(contents, i)
    const tokens = deps.tokenizer.count(content)
    tokenCount += tokens
    return {
      position,
      role: message.role ?? null,
      content,
      tokenCount: tokens,
      createdAt: message.createdAt === undefined ? null : toUtcTime(message.createdAt),
      truncated: message.truncated ?? false,
    }
  })
  const { source = defaultSource, sourceId, segmentIndex = null, parentTraceId } = sent
  const kept = await nameForStore(sourceId, name, ownerId, deps)
  const keptParent = parentTraceId === undefined ? null : await nameForStore(parentTraceId, parent, ownerId, deps)
  const nameConversation = async (sentName: string, { formerNames }: KeptName): Promise<ConversationName> => ({
    hashes: await conversationHashes(deps.keyed, ownerId, { source, sourceId: sentName }),
    formerNames,
  })
  const formerHashes = await Promise.all(
    kept.formerNames.map((former) => formerNameHashes(deps.keyed, ownerId, { source, sourceId: former, segmentIndex })),
  )
  const trace: NewTrace = {
    id,
    source,
    sourceId: kept.shown,
    segmentIndex,
    title: titleOf(stored),
    model: sent.model === undefined ? null : model,
    createdAt: toUtcTime(sent.createdAt),
    parentTraceId: keptParent?.shown ?? null,
    contentHash,
    tokenCount,
    estimatedUsd: estimate(tokenCount, deps.usdPerMillionTokens),
    scrubVersion: deps.scrubVersion,
    identityRevision: deps.context.identityRevision,
    redactions: JSON.stringify(done.counts),
    ...keepDetails(withDetailTexts(sent, contents.slice(messages.length))),
    messages: JSON.stringify(stored),
    replacements: replacements.toJson(),
  }
  return {
    trace,
    messages: stored,
    redactions: done.total,
    conversation: await nameConversation(sourceId, kept),
    parent: parentTraceId === undefined || !keptParent ? null : await nameConversation(parentTraceId, keptParent),
    formerNameHashes: formerHashes.flat(),
  }
}

function sortByIds(messages: readonly MessageSent[]): { message: MessageSent; position: number }[] {
  const placed = messages.map((message, i) => ({ message, position: message.position ?? i }))
  return placed.sort((a, b) => a.position - b.position)
}

/** A trace of the batch that has a hash and no outcome yet. */
export interface Waiting {
  readonly index: number
  readonly sent: TraceSent
  readonly contentHash: string
  readonly isRepeated: boolean
  /** Whether the trace stopped workers that ran only this trace. It is then rejected without being read. */
  readonly isPoison: boolean
  readonly chars: number
}

/** A trace that is ready to be written. Its messages have the form of its content. */
export type ReadyTrace =
  | Exclude<PreparedTrace, { kind: 'scrubbed' }>
  | (Extract<PreparedTrace, { kind: 'scrubbed' }> & Pick<ScrubbedTrace, 'messages'>)

/** The dependencies of preparing the traces of a job. */
interface PreparationDeps extends Omit<PrepareDeps, 'hasFormerNames'> {
  /** Checks each trace after the scrubber. Null if there is no verifier. */
  readonly verifier: Verifier | null
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly measurements: Measurements
}

/** Returns whether a verifier or detector failed. */
export const isReaderError = (error: unknown): error is Error =>
  error instanceof VerifierError || DetectorError.is(error)

/**
 * Returns a function that scrubs and verifies one trace. If the trace itself fails, only this trace is rejected; if a
 * verifier or detector fails, the attempt ends.
 */
export function createPreparation(
  deps: PreparationDeps,
  { jobId, ownerId, hasFormerNames }: Claim,
  lease: LeaseKeeper,
): (trace: Waiting, isKnown: boolean) => Promise<ReadyTrace> {
  let stopped: { by: unknown } | undefined
  // A yield may take a millisecond of a timer, and the scrubber asks for a yield every half millisecond. The pacer
  // skips most of these yields.
  const yieldToEventLoop = createPacer(deps.clock, async () => {
    try {
      await lease.check()
    } catch (error) {
      stopped = { by: error }
      throw error
    }
  })
  const traceDeps = { ...deps, hasFormerNames, yieldToEventLoop }
  return async ({ index, sent, contentHash, isRepeated, isPoison }, isKnown) => {
    if (isPoison) return { kind: 'refused', index, sourceId: refusedName, contentHash, isRepeated }
    let sourceId = refusedName
    try {
      if (isKnown) {
        sourceId = await scrubName(sent.sourceId, ownerId, traceDeps)
        return { kind: 'known', index, sourceId, contentHash, isRepeated }
      }
      const stopTimer = deps.measurements.startTimer()
      const done = await scrubSentTrace(sent, uuid7(deps.clock(), deps.random), contentHash, ownerId, traceDeps)
      const found = done ? await verifyTrace(deps.verifier, done.trace) : []
      stopTimer('tributary_scrub_seconds', {})
      if (found.length > 0) {
        const reason = 'verification_failed'
        deps.logger.warn({ jobId, index, reason, rules: found }, 'trace.rejected')
        return { kind: 'refused', index, sourceId: refusedName, contentHash, isRepeated }
      }
      if (done) return { kind: 'scrubbed', index, sourceId: done.trace.sourceId, contentHash, isRepeated, ...done }
      sourceId = await scrubName(sent.sourceId, ownerId, traceDeps)
    } catch (error) {
      // This error ends the job, not only the trace.
      if (stopped) throw stopped.by
      if (isReaderError(error) || Unavailable.is(error)) throw error
      deps.logger.error({ err: error, jobId, index }, 'ingest.trace.prepare_failed')
    }
    return { kind: 'refused', index, sourceId, contentHash, isRepeated }
  }
}
