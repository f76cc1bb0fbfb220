import { lazy } from '../../lazy.ts'
import { parseMessages } from '../stored-json.ts'
import { compareTraces, type ComparedTrace } from './compare.ts'
import { chooseCompared, chooseFingerprints, hashShingles, ShingleSet, type Fingerprints } from './fingerprints.ts'
import { addHit, countTokens, toTokenRanges } from './rules.ts'
import type { CopyStore, PreparedCopies, PreparedOverlap, SimilarTrace } from './store.ts'
import { readWords, type ComparedMessage } from './words.ts'

/** The maximum number of similar traces that are looked up for one trace. */
const mostFound = 32
/** The number of stored traces whose words are cached. */
const mostRemembered = 8
/** The number of originals of other traces in the batch with which a trace is also compared. */
const mostOriginals = 4

export interface RecognizeDeps {
  readonly copies: CopyStore
  /** Yields to the event loop. Throws if the work must stop. */
  readonly yieldToEventLoop: () => Promise<void>
}

/** The parts of a stored message that the recognition of copies needs. */
export interface StoredMessage extends ComparedMessage {
  readonly tokenCount: number
}

interface ReadTrace extends ComparedTrace {
  readonly chosen: Fingerprints
  readonly tokenCounts: readonly number[]
  readonly tokens: number
  /** The number of tokens outside the system prompt. */
  readonly saidTokens: number
}

/** Reads the messages of a stored trace. Returns null if they are deleted or damaged. */
export async function readStoredMessages(
  id: string,
  { copies, yieldToEventLoop }: RecognizeDeps,
): Promise<StoredMessage[] | null> {
  const messages = await copies.readMessages({ id })
  if (messages === null) return null
  const list: StoredMessage[] = []
  try {
    for await (const part of parseMessages(messages, yieldToEventLoop))
      for (const message of part as readonly StoredMessage[]) list.push(message)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  return list
}

/** Reads the words of messages. */
async function read(list: readonly StoredMessage[], yieldToEventLoop: () => Promise<void>): Promise<ReadTrace> {
  const words = await readWords(list, yieldToEventLoop)
  const chosen = chooseFingerprints(words, await hashShingles(words, yieldToEventLoop))
  const shingles = lazy(() => hashShingles(words, yieldToEventLoop))
  const tokenCounts = list.map(({ tokenCount }) => tokenCount)
  return {
    words,
    shingles,
    shingleSet: lazy(async () => ShingleSet.create(await shingles(), yieldToEventLoop)),
    chosen,
    fingerprints: new Set(chosen.stored),
    tokenCounts,
    tokens: sumTokens(list),
    saidTokens: sumTokens(list.filter(({ role }) => role !== 'system')),
  }
}

const sumTokens = (messages: readonly StoredMessage[]): number =>
  messages.reduce((sum, { tokenCount }) => sum + tokenCount, 0)

/** Returns whether more than half of a trace was found in other traces. */
const isMostlyCopied = ({ trace, compared }: BatchTrace): boolean =>
  countTokens([...compared.values()].flatMap((overlap) => (overlap ? [overlap.ranges] : []))) * 2 > trace.tokens

/** A trace of the batch whose words have been read. */
interface BatchTrace {
  readonly index: number
  readonly messages: readonly StoredMessage[]
  readonly trace: ReadTrace
  /** The earlier traces of the batch that may have the same text. */
  readonly similar: readonly BatchTrace[]
  /** The comparisons with other traces, by their ids or indexes. */
  readonly compared: Map<string | number, PreparedOverlap | null>
}

/** Looks up the text that the traces of a batch have in common with other traces. */
export interface CopyRecognizer {
  /**
   * Returns the overlaps of each trace with stored traces and with earlier traces of the batch, in the order of the
   * batch. Also returns the version of the fingerprints that were looked up, if any. A second call compares only with
   * traces that were stored meanwhile.
   */
  recognize(): Promise<{ copies: ReadonlyMap<number, PreparedCopies>; copyVersion: number | undefined }>
}

/** Reads the words of the traces of a batch, and returns a recognizer of copies among them. */
export async function createCopyRecognizer(
  traces: readonly { readonly index: number; readonly messages: readonly StoredMessage[] }[],
  deps: RecognizeDeps,
): Promise<CopyRecognizer> {
  const batch: BatchTrace[] = []
  const tracesOf = new Map<number, BatchTrace[]>()
  for (const { index, messages } of traces) {
    const trace = await read(messages, deps.yieldToEventLoop)
    const one = { index, messages, trace, similar: findSimilarOfBatch(trace, tracesOf), compared: new Map() }
    for (const fingerprint of trace.chosen.stored) {
      const others = tracesOf.get(fingerprint)
      if (others) others.push(one)
      else tracesOf.set(fingerprint, [one])
    }
    batch.push(one)
    await deps.yieldToEventLoop()
  }
  const lists = batch.map(({ trace }) => trace.chosen.lookups)
  const system = batch.flatMap(({ trace }) => trace.chosen.system)
  const readOnce = readLastOnes(deps)
  return {
    async recognize() {
      const copies = new Map<number, PreparedCopies>()
      if (batch.length === 0) return { copies, copyVersion: undefined }
      const { version, common, similar } = await deps.copies.findSimilarTraces({ lists, system, limit: mostFound })
      const isCommon = new Set(common)
      const compare = createComparison({ readOnce, isCommon, ...deps })
      for (const [at, one] of batch.entries()) {
        for (const found of chooseCompared(similar[at] ?? [], one.trace.saidTokens)) await compare(one, found)
        for (const other of one.similar) await compare(one, other)
        if (batch.length === 1 && one.compared.size === 0) await compareWithItself(one, deps)
      }
      const originals = listOriginals(batch, new Map(similar.flat().map((found) => [found.id, found])))
      for (const one of originals.length > 0 ? batch : [])
        if (!isMostlyCopied(one)) for (const original of originals) await compare(one, original)
      for (const { index, trace, compared } of batch) {
        const overlaps = [...compared.values()].filter((overlap) => overlap !== null)
        copies.set(index, { fingerprints: trace.chosen.stored, overlaps })
      }
      return { copies, copyVersion: version }
    },
  }
}

/**
 * Compares a trace with itself and discards the result. This is the same work as a comparison with a stored trace of
 * the same text. So the duration of a job of one trace does not reveal to its uploader whether somebody else has the
 * text. In larger batches this would cost too much.
 */
async function compareWithItself(
  { messages, trace }: BatchTrace,
  { yieldToEventLoop }: Pick<RecognizeDeps, 'yieldToEventLoop'>,
): Promise<void> {
  const again = await read(JSON.parse(JSON.stringify(messages)), yieldToEventLoop)
  const runs = await compareTraces(trace, again, { yieldToEventLoop })
  await yieldToEventLoop()
  for (const ranges of [runs.one, runs.other]) toTokenRanges(ranges, trace.words, trace.tokenCounts)
}

/**
 * Returns a function that compares a trace of the batch with another trace of the batch or with a stored trace, unless
 * the two were compared already.
 */
function createComparison({
  readOnce,
  isCommon,
  yieldToEventLoop,
}: {
  readonly readOnce: (id: string) => Promise<ReadTrace | null>
  readonly isCommon: ReadonlySet<number>
  readonly yieldToEventLoop: () => Promise<void>
}): (one: BatchTrace, other: BatchTrace | Pick<SimilarTrace, 'num' | 'id'>) => Promise<void> {
  const options = {
    isCommon: isCommon.size === 0 ? undefined : (shingle: number) => isCommon.has(shingle),
    yieldToEventLoop,
  }
  return async ({ trace, compared }, found) => {
    const key = 'id' in found ? found.id : found.index
    if (compared.has(key)) return
    const other = 'id' in found ? await readOnce(found.id) : found.trace
    const runs = other === null ? null : await compareTraces(trace, other, options)
    await yieldToEventLoop()
    if (other === null || runs === null || runs.one.length === 0) return void compared.set(key, null)
    const ranges = toTokenRanges(runs.one, trace.words, trace.tokenCounts)
    const otherRanges = toTokenRanges(runs.other, other.words, other.tokenCounts)
    const reference = 'id' in found ? { num: found.num } : { index: found.index }
    compared.set(key, { other: reference, ranges, otherRanges })
  }
}

/**
 * Returns the earlier traces of the batch that may have the same text. `tracesOf` contains the traces that store each
 * fingerprint.
 */
function findSimilarOfBatch(
  { chosen, saidTokens }: ReadTrace,
  tracesOf: ReadonlyMap<number, readonly BatchTrace[]>,
): BatchTrace[] {
  const totals = new Map<BatchTrace, { hits: number; weight: number }>()
  for (const fingerprint of chosen.lookups) {
    const others = tracesOf.get(fingerprint) ?? []
    for (const other of others) addHit(totals, other, others.length)
  }
  const similar = [...totals].map(([other, total]) => {
    const { chosen: theirs, tokens: tokenCount } = other.trace
    return { other, ...total, fingerprints: theirs.stored.length, tokenCount }
  })
  similar.sort((a, b) => a.other.index - b.other.index)
  return chooseCompared(similar, saidTokens).map(({ other }) => other)
}

/**
 * Returns the stored traces that share text with most traces of the batch. Other traces that were found may be short
 * pieces of these traces.
 */
function listOriginals(
  batch: readonly BatchTrace[],
  stored: ReadonlyMap<string, Pick<SimilarTrace, 'num' | 'id'>>,
): Pick<SimilarTrace, 'num' | 'id'>[] {
  const counts = new Map<string, number>()
  for (const { compared } of batch)
    for (const [id, overlap] of compared)
      if (overlap && typeof id === 'string') counts.set(id, (counts.get(id) ?? 0) + 1)
  const ids = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!).slice(0, mostOriginals)
  return ids.flatMap((id) => stored.get(id) ?? [])
}

/**
 * Returns a function that reads stored traces and caches the traces that were read last, because traces of a batch
 * often have the same originals.
 */
function readLastOnes(deps: RecognizeDeps): (id: string) => Promise<ReadTrace | null> {
  const last = new Map<string, ReadTrace | null>()
  return async (id) => {
    const known = last.get(id)
    if (known !== undefined) return known
    const messages = await readStoredMessages(id, deps)
    const trace = messages === null ? null : await read(messages, deps.yieldToEventLoop)
    if (last.size === mostRemembered) last.clear()
    last.set(id, trace)
    return trace
  }
}
