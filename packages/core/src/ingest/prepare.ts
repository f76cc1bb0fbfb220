import { sanitizeText } from '../http/text.ts'
import type { Digest, Tokenizer } from '../ports.ts'
import type { PersonalContext } from '../contributors/identity.ts'
import type { ScrubContext } from '../scrubber/index.ts'
import { keepName, nameTail, refusedName } from '../traces/kept-name.ts'
import { titleOf } from '../traces/rules.ts'
import type { NewTrace } from '../traces/store.ts'
import type { MessageSent, TraceSent } from './contract.ts'
import { estimate } from './rules.ts'

/** What the worker needs of the scrubber. */
export interface Scrub {
  readonly version: string
  scrub(
    texts: readonly string[],
    context?: ScrubContext,
  ):
    | {
        readonly ok: true
        readonly texts: readonly string[]
        readonly counts: Readonly<Record<string, number>>
        readonly total: number
      }
    | { readonly ok: false }
  /** The same with pauses in between, if it can; see `SteppedScrubber`. */
  scrubAsync?(
    texts: readonly string[],
    yieldToEventLoop: () => Promise<void>,
    context?: ScrubContext,
  ): Promise<ReturnType<Scrub['scrub']>>
}

/** Characters of a trace above which it is scrubbed with pauses: below, a yieldToEventLoop costs more than it gives. */
const long = 64 * 1024

export interface PrepareDeps {
  readonly scrubber: Scrub
  /** The version of the scrubber with its verifier. */
  readonly scrubVersion: string
  /** What the service knows about the traces' owner and the owner's blocked terms, all of which is replaced. */
  readonly context: PersonalContext
  readonly tokenizer: Tokenizer
  readonly digest: Digest
  readonly usdPerMillionTokens: number
}

/** ISO 8601 in UTC with milliseconds. Nearly every time comes in one of two forms of that already, and a Date is slow. */
function utc(text: string): string {
  if (text.endsWith('Z') && text.length === 24) return text
  return text.endsWith('Z') && text.length === 20 ? `${text.slice(0, 19)}.000Z` : new Date(text).toISOString()
}

/** Returns a trace's name as it is kept; see `keepName`. */
function keptName(sent: string, scrubbed: string, ownerId: string, { scrubber, digest, context }: NameDeps): string {
  const scrubAlone = (text: string): string | null => {
    const alone = scrubber.scrub([text], context)
    return alone.ok ? alone.texts[0]! : null
  }
  return keepName({ name: sanitizeText(sent), scrubbed, scrubAlone, makeTail: () => nameTail(ownerId, sent, digest) })
}

type NameDeps = Pick<PrepareDeps, 'scrubber' | 'digest' | 'context'>

/** Scrubs a trace's name alone, for the outcome of a trace that is not stored. */
export function cleanName(sent: string, ownerId: string, deps: NameDeps): string {
  const done = deps.scrubber.scrub([sanitizeText(sent)], deps.context)
  return done.ok ? keptName(sent, done.texts[0]!, ownerId, deps) : refusedName
}

/**
 * The trace as it will be stored: sanitized, then every text of it through the scrubber in one call, so that the same
 * value has the same placeholder throughout; tokens counted on what is left. Null when the scrubber refuses it. A long one
 * waits for `yieldToEventLoop` every few milliseconds, and rejects with what that rejects with.
 */
export async function scrubbed(
  sent: TraceSent,
  id: string,
  contentHash: string,
  ownerId: string,
  deps: PrepareDeps,
  yieldToEventLoop: () => Promise<void>,
): Promise<{ trace: NewTrace; redactions: number } | null> {
  const messages = inOrder(sent.messages)
  // The name comes first: its placeholders are then numbered as they are when it is scrubbed alone.
  const texts = [sent.sourceId, sent.model ?? '', sent.parentTraceId ?? '']
  let chars = 0
  for (const { message } of messages) {
    texts.push(message.content)
    chars += message.content.length
  }
  const { scrubber, context } = deps
  const fit = texts.map(sanitizeText)
  const done =
    chars > long && scrubber.scrubAsync
      ? await scrubber.scrubAsync(fit, yieldToEventLoop, context)
      : scrubber.scrub(fit, context)
  if (!done.ok || done.texts.length !== texts.length) return null
  if (chars > long) await yieldToEventLoop()
  const [name, model, parent, ...contents] = done.texts as [string, string, string, ...string[]]
  let tokenCount = 0
  const stored = messages.map(({ message, position }, i) => {
    const content = contents[i]!
    const tokens = deps.tokenizer.count(content)
    tokenCount += tokens
    return {
      position,
      role: message.role ?? null,
      content,
      tokenCount: tokens,
      createdAt: message.createdAt === undefined ? null : utc(message.createdAt),
      truncated: message.truncated ?? false,
    }
  })
  const trace: NewTrace = {
    id,
    source: sent.source ?? 'unknown',
    sourceId: keptName(sent.sourceId, name, ownerId, deps),
    segmentIndex: sent.segmentIndex ?? null,
    title: titleOf(stored),
    model: sent.model === undefined ? null : model,
    createdAt: utc(sent.createdAt),
    parentTraceId: sent.parentTraceId === undefined ? null : keptName(sent.parentTraceId, parent, ownerId, deps),
    contentHash,
    tokenCount,
    estimatedUsd: estimate(tokenCount, deps.usdPerMillionTokens),
    scrubVersion: deps.scrubVersion,
    identityRevision: deps.context.identityRevision,
    redactions: JSON.stringify(done.counts),
    messages: JSON.stringify(stored),
  }
  return { trace, redactions: done.total }
}

function inOrder(messages: readonly MessageSent[]): { message: MessageSent; position: number }[] {
  const placed = messages.map((message, i) => ({ message, position: message.position ?? i }))
  return placed.sort((a, b) => a.position - b.position)
}
