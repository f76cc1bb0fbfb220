import { compareTraces, type ComparedTrace } from './compare.ts'
import { chooseFingerprints, chooseLookups, hashShingles, mayBeCopy } from './fingerprints.ts'
import { toTokenRanges } from './rules.ts'
import type { CopyStore, PreparedCopies, PreparedOverlap, SimilarTrace } from './store.ts'
import { readWords, wordKinds, type ComparedMessage } from './words.ts'

/** Traces that one trace is compared with. */
const mostCompared = 8

export interface RecognizeDeps {
  readonly copies: CopyStore
  /** Yields to the event loop; throws where the work must stop. */
  readonly yieldToEventLoop: () => Promise<void>
}

interface StoredMessage extends ComparedMessage {
  readonly tokenCount: number
}

interface ReadTrace extends ComparedTrace {
  readonly tokenCounts: readonly number[]
}

function read(messages: string): ReadTrace {
  const list = JSON.parse(messages) as StoredMessage[]
  const words = readWords(list)
  const shingles = hashShingles(words)
  return { words, shingles, shingleSet: new Set(shingles), tokenCounts: list.map(({ tokenCount }) => tokenCount) }
}

/** A trace of the batch whose words are read. */
interface BatchTrace {
  readonly index: number
  readonly trace: ReadTrace
  readonly fingerprints: readonly number[]
  readonly lookups: readonly number[]
  /** What was found with other traces, by their ids or indexes. */
  readonly compared: Map<string | number, PreparedOverlap | null>
}

/** Looks up what the traces of a batch have in common with others. */
export interface CopyRecognizer {
  /**
   * Returns by index what each trace has in common with stored ones and with earlier ones of the batch, and the version
   * of the fingerprints that were looked up. Called again, it compares with what was stored meanwhile only.
   */
  recognize(): Promise<{ copies: ReadonlyMap<number, PreparedCopies>; copyVersion: number | undefined }>
}

/** Reads the words of the traces of a batch, and returns what recognizes copies among them. */
export async function createCopyRecognizer(
  traces: readonly { readonly index: number; readonly messages: string }[],
  deps: RecognizeDeps,
): Promise<CopyRecognizer> {
  const batch: BatchTrace[] = []
  for (const { index, messages } of traces) {
    const trace = read(messages)
    const fingerprints = chooseFingerprints(trace.words, trace.shingles)
    const lookups = chooseLookups(trace.shingles)
    batch.push({ index, trace, fingerprints, lookups, compared: new Map() })
    await deps.yieldToEventLoop()
  }
  const lists = batch.map(({ lookups }) => lookups)
  const readOnce = readLastOnes(deps.copies)
  return {
    async recognize() {
      const copies = new Map<number, PreparedCopies>()
      if (batch.length === 0) return { copies, copyVersion: undefined }
      const { version, common, similar } = await deps.copies.findSimilarTraces({ lists, limit: mostCompared })
      const isCommon = new Set(common)
      for (const [at, one] of batch.entries()) {
        const stored = similar[at] ?? []
        const overlaps = await findOverlaps(one, { stored, batch: batch.slice(0, at), isCommon, readOnce }, deps)
        copies.set(one.index, { fingerprints: one.fingerprints, overlaps })
      }
      return { copies, copyVersion: version }
    },
  }
}

/** What a trace of the batch is compared with. */
interface Others {
  readonly stored: readonly SimilarTrace[]
  readonly batch: readonly BatchTrace[]
  readonly isCommon: ReadonlySet<number>
  readonly readOnce: (id: string) => Promise<ReadTrace | null>
}

async function findOverlaps(
  { trace, lookups, compared }: BatchTrace,
  { stored, batch, isCommon, readOnce }: Others,
  { yieldToEventLoop }: RecognizeDeps,
): Promise<PreparedOverlap[]> {
  const proseWords = trace.words.kinds.reduce((sum, kind) => sum + Number(kind === wordKinds.prose), 0)
  const overlaps: PreparedOverlap[] = []
  const compare = async (
    key: string | number,
    reference: PreparedOverlap['other'],
    readOther: () => Promise<ReadTrace | null> | ReadTrace,
  ): Promise<void> => {
    let overlap = compared.get(key)
    if (overlap === undefined) {
      const other = await readOther()
      overlap = other === null ? null : compareWith(trace, other, reference, isCommon)
      compared.set(key, overlap)
      await yieldToEventLoop()
    }
    if (overlap) overlaps.push(overlap)
  }
  for (const { num, id, ...hits } of stored) {
    if (!mayBeCopy(hits, proseWords)) continue
    await compare(id, { num }, () => readOnce(id))
  }
  const lookup = new Set(lookups)
  const similar = batch
    .map((other) => ({ other, hits: other.fingerprints.filter((fingerprint) => lookup.has(fingerprint)).length }))
    .filter(({ other, hits }) => hits > 0 && mayBeCopy({ hits, fingerprints: other.fingerprints.length }, proseWords))
    .sort((a, b) => b.hits - a.hits)
  for (const { other } of similar.slice(0, mostCompared))
    await compare(other.index, { index: other.index }, () => other.trace)
  return overlaps
}

function compareWith(
  trace: ReadTrace,
  other: ReadTrace,
  reference: PreparedOverlap['other'],
  isCommon: ReadonlySet<number>,
): PreparedOverlap | null {
  const found = compareTraces(trace, other, (shingle) => isCommon.has(shingle))
  if (found.one.length === 0) return null
  const ranges = toTokenRanges(found.one, trace.words, trace.tokenCounts)
  const otherRanges = toTokenRanges(found.other, other.words, other.tokenCounts)
  return { other: reference, ranges, otherRanges }
}

/** Returns a function that reads stored traces, and remembers the last ones: traces of a batch have the same originals. */
function readLastOnes(copies: CopyStore): (id: string) => Promise<ReadTrace | null> {
  const last = new Map<string, ReadTrace | null>()
  return async (id) => {
    const known = last.get(id)
    if (known !== undefined) return known
    const messages = await copies.readMessages({ id })
    const trace = messages === null ? null : readStored(messages)
    if (last.size === mostCompared) last.clear()
    last.set(id, trace)
    return trace
  }
}

/** Reads a stored trace; null for damaged messages. */
function readStored(messages: string): ReadTrace | null {
  try {
    return read(messages)
  } catch {
    return null
  }
}
