import { sanitizeText } from '../http/text.ts'
import { toHex } from '../ids.ts'
import type { Digest, Tokenizer } from '../ports.ts'
import type { NewTrace } from '../traces/store.ts'
import type { MessageSent, TraceSent } from './contract.ts'
import { estimate } from './rules.ts'

/** What the worker needs of the scrubber. */
export interface Scrub {
  readonly version: string
  scrub(texts: readonly string[]):
    | {
        readonly ok: true
        readonly texts: readonly string[]
        readonly counts: Readonly<Record<string, number>>
        readonly total: number
      }
    | { readonly ok: false }
  /** The same with pauses in between, if it can; see `SteppedScrubber`. */
  scrubAsync?(texts: readonly string[], yieldToEventLoop: () => Promise<void>): Promise<ReturnType<Scrub['scrub']>>
}

/** Characters of a trace above which it is scrubbed with pauses: below, a yieldToEventLoop costs more than it gives. */
const long = 64 * 1024

export interface PrepareDeps {
  readonly scrubber: Scrub
  readonly tokenizer: Tokenizer
  readonly digest: Digest
  readonly usdPerMillionTokens: number
}

/** What stands in an outcome for the name of a trace whose very name was refused. */
export const refusedName = '[REFUSED]'

/** ISO 8601 in UTC with milliseconds. Nearly every time comes in one of two forms of that already, and a Date is slow. */
function utc(text: string): string {
  if (text.endsWith('Z') && text.length === 24) return text
  return text.endsWith('Z') && text.length === 20 ? `${text.slice(0, 19)}.000Z` : new Date(text).toISOString()
}

/**
 * The name as it is kept. Two names that scrub to the same placeholder must stay two, so a name that the scrubber changed
 * gets a tail of 48 bits that only the same owner's same name has: the owner's id is in it, so that a reader of the tail
 * cannot try e-mail addresses on it.
 */
function kept(sent: string, scrubbed: string, ownerId: string, digest: Digest): string {
  return scrubbed === sanitizeText(sent)
    ? scrubbed
    : `${scrubbed}~${toHex(digest(JSON.stringify([ownerId, sent]))).slice(0, 12)}`
}

/** The name alone through the scrubber, for what is told of a trace that is not stored. */
export function cleanName(
  sent: string,
  ownerId: string,
  { scrubber, digest }: Pick<PrepareDeps, 'scrubber' | 'digest'>,
): string {
  const done = scrubber.scrub([sanitizeText(sent)])
  return done.ok ? kept(sent, done.texts[0]!, ownerId, digest) : refusedName
}

/**
 * The trace as it will be stored: made keepable, then every text of it through the scrubber in one call, so that the same
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
  const { scrubber } = deps
  const fit = texts.map(sanitizeText)
  const done =
    chars > long && scrubber.scrubAsync ? await scrubber.scrubAsync(fit, yieldToEventLoop) : scrubber.scrub(fit)
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
    sourceId: kept(sent.sourceId, name, ownerId, deps.digest),
    segmentIndex: sent.segmentIndex ?? null,
    model: sent.model === undefined ? null : model,
    createdAt: utc(sent.createdAt),
    parentTraceId: sent.parentTraceId === undefined ? null : parentName(sent.parentTraceId, parent, ownerId, deps),
    contentHash,
    tokenCount,
    estimatedUsd: estimate(tokenCount, deps.usdPerMillionTokens),
    scrubVersion: deps.scrubber.version,
    redactions: JSON.stringify(done.counts),
    messages: JSON.stringify(stored),
  }
  return { trace, redactions: done.total }
}

/** A parent is named as it names itself, so that the two still meet: its placeholders numbered as when it is scrubbed alone. */
function parentName(sent: string, scrubbedHere: string, ownerId: string, deps: PrepareDeps): string {
  return scrubbedHere === sanitizeText(sent) ? scrubbedHere : cleanName(sent, ownerId, deps)
}

function inOrder(messages: readonly MessageSent[]): { message: MessageSent; position: number }[] {
  const placed = messages.map((message, i) => ({ message, position: message.position ?? i }))
  return placed.sort((a, b) => a.position - b.position)
}
