import type { Lazy } from '../../lazy.ts'
import { mostWindow, wordsPerShingle, wordsPerStep, type ShingleSet } from './fingerprints.ts'
import { wordKinds, type TraceWords } from './words.ts'

/** The minimum number of words of a copied run. Shorter runs are not copies. */
const leastRun = 30
/** The maximum number of edited words between two copied runs that count as one run. */
const mostEdited = 7
/**
 * If common runs make up this share of one of the traces, all common runs count as copies, even text that occurs in
 * many traces. Otherwise a contributor would be paid for the system prompt of a copied short conversation.
 */
const leastShare = 0.7
/**
 * Below `leastShare`, a run is a copy if it contains `leastProse` words of prose, with `leastElsewhere` of them outside
 * its longest message or `leastInMessage` inside it. Sessions about one repository read the same files, show the same
 * output and begin with the same instructions, but do not have the same consecutive messages.
 */
const [leastProse, leastElsewhere, leastInMessage] = [200, 50, 600]
/** The number of words around a common fingerprint that also count as common text. */
const mostBesideCommon = mostWindow

/** Ranges of words of a trace, in order. Each pair is the first word and the word after the last word. */
export type WordRanges = readonly (readonly [from: number, to: number])[]

/** A trace to compare. */
export interface ComparedTrace {
  readonly words: TraceWords
  /**
   * The shingles from `hashShingles`. They are computed on first use, because only few traces of a batch are compared.
   */
  readonly shingles: Lazy<Float64Array>
  /** The same shingles as a set, for lookups. */
  readonly shingleSet: Lazy<ShingleSet>
  /** The stored fingerprints. */
  readonly fingerprints: ReadonlySet<number>
}

/**
 * Returns the words that count as copied between two traces, as ranges in each trace. A copied run has at least 30
 * common words, with a few edited words in between. Runs count only if they make up most of one of the traces, or are a
 * part of a conversation. @param isCommon returns whether a shingle is from text that many traces share, which is not a
 * copy. Default: never.
 */
export async function compareTraces(
  one: ComparedTrace,
  other: ComparedTrace,
  {
    isCommon,
    yieldToEventLoop,
  }: {
    readonly isCommon?: ((shingle: number) => boolean) | undefined
    readonly yieldToEventLoop: () => Promise<void>
  },
): Promise<{ one: WordRanges; other: WordRanges }> {
  const [oneShingles, otherShingles] = [await one.shingles(), await other.shingles()]
  const shared = await (await other.shingleSet()).findShared(oneShingles, yieldToEventLoop)
  const mine = cutCommon(await findRuns(shared.given, yieldToEventLoop), { ...one, shingles: oneShingles }, isCommon)
  const theirs = cutCommon(
    await findRuns(shared.own, yieldToEventLoop),
    { ...other, shingles: otherShingles },
    isCommon,
  )
  const isMost = isMostOf(one, mine) || isMostOf(other, theirs)
  const toRanges = ({ all, copied }: Runs, { words }: ComparedTrace): WordRanges =>
    (isMost ? all : copied.filter((run) => isConversation(words, run))).map(({ from, to }) => [from, to])
  return { one: toRanges(mine, one), other: toRanges(theirs, other) }
}

/** Words of a trace that another trace has in the same order, including the edited words between them. */
interface Run {
  readonly from: number
  readonly to: number
}

/**
 * `all` contains the long runs of a trace, `copied` these runs without the text that many traces share, and `common`
 * the text that many traces share.
 */
interface Runs {
  readonly all: readonly Run[]
  readonly copied: readonly Run[]
  readonly common: readonly Run[]
}

/** Finds the runs in which two traces agree. `isShared` has 1 for each shingle that the other trace also has. */
async function findRuns(isShared: Uint8Array, yieldToEventLoop: () => Promise<void>): Promise<Run[]> {
  const runs: { from: number; to: number; matched: number }[] = []
  let last: (typeof runs)[number] | undefined
  for (let at = 0; at < isShared.length; at++) {
    if (at % wordsPerStep === wordsPerStep - 1) await yieldToEventLoop()
    if (isShared[at] === 0) continue
    const to = at + wordsPerShingle
    if (last && at - last.to <= mostEdited) {
      last.matched += to - Math.max(at, last.to)
      last.to = to
    } else runs.push((last = { from: at, to, matched: wordsPerShingle }))
  }
  return runs.filter(({ matched }) => matched >= leastRun)
}

/**
 * Removes common text, which many traces share, from runs. A word is common if the nearest fingerprint in its message
 * is common and near. A system prompt has few fingerprints, so it is common as a whole.
 */
function cutCommon(
  runs: readonly Run[],
  {
    words,
    shingles,
    fingerprints,
  }: Pick<ComparedTrace, 'words' | 'fingerprints'> & { readonly shingles: Float64Array },
  isCommon: ((shingle: number) => boolean) | undefined,
): Runs {
  if (!isCommon) return { all: runs, copied: runs, common: [] }
  const [copied, common]: [Run[], Run[]] = [[], []]
  let message = 0
  for (const run of runs) {
    while (words.starts[message + 1]! <= run.from) message++
    for (let from = run.from; from < run.to;) {
      const to = Math.min(run.to, words.starts[message + 1]!)
      const marks: Mark[] = []
      const last = Math.min(to, shingles.length)
      let first = from
      while (first < last && !isCommon(shingles[first]!)) first++
      for (let at = first === last ? last : from; at < last; at++) {
        const isCommonHere = isCommon(shingles[at]!)
        if (isCommonHere || fingerprints.has(shingles[at]!)) marks.push({ at, isCommon: isCommonHere })
      }
      const reach = words.kinds[from] === wordKinds.system ? Infinity : mostBesideCommon
      for (const [n, { at }] of marks.entries()) {
        if (!marks[n]!.isCommon) continue
        const end = Math.min(at + reach, borderBetween(at, marks[n + 1]) ?? to)
        const start = Math.max(from, at - reach, borderBetween(at, marks[n - 1]) ?? from)
        add(copied, { from, to: start })
        add(common, { from: start, to: end })
        from = end
      }
      add(copied, { from, to })
      from = to
      if (to === words.starts[message + 1]) message++
    }
  }
  return { all: runs, copied: copied.filter(({ from, to }) => to - from >= leastRun), common }
}

/** A fingerprint and its position in a run of matching fingerprints. */
interface Mark {
  readonly at: number
  readonly isCommon: boolean
}

/**
 * Returns the position at which the common text around a fingerprint ends toward another fingerprint. Returns undefined
 * if there is no other fingerprint.
 */
const borderBetween = (at: number, other: Mark | undefined): number | undefined =>
  other && (other.isCommon ? other.at : (at + other.at) >> 1)

/** Adds a run. If the run starts where the last run ends, extends the last run. */
function add(runs: Run[], run: Run): void {
  if (run.from >= run.to) return
  const last = runs.at(-1)
  if (last?.to === run.from) runs[runs.length - 1] = { from: last.from, to: run.to }
  else runs.push(run)
}

function countProse({ kinds }: TraceWords, { from, to }: Run): number {
  let count = 0
  for (let at = from; at < to; at++) if (kinds[at] === wordKinds.prose) count++
  return count
}

/** Counts the words that are not in a system prompt. */
function countSaid({ kinds }: TraceWords, { from, to }: Run): number {
  let count = 0
  for (let at = from; at < to; at++) if (kinds[at] !== wordKinds.system) count++
  return count
}

/**
 * Returns the message that contains a word. It uses binary search, because a trace may have very many messages and many
 * runs.
 */
function messageAt({ starts }: TraceWords, word: number): number {
  let [low, high] = [0, starts.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= word) low = middle
    else high = middle
  }
  return low
}

/** Returns whether a run is a part of a conversation, and not text that both traces copied from another place. */
function isConversation(words: TraceWords, { from, to }: Run): boolean {
  let [sum, most] = [0, 0]
  for (let message = messageAt(words, from); words.starts[message]! < to; message++) {
    const part = { from: Math.max(from, words.starts[message]!), to: Math.min(to, words.starts[message + 1]!) }
    const count = countProse(words, part)
    sum += count
    most = Math.max(most, count)
  }
  return sum >= leastProse && (sum - most >= leastElsewhere || most >= leastInMessage)
}

/**
 * Returns whether runs make up most of a trace's prose, and most of its text without the system prompt and common text.
 */
function isMostOf({ words }: ComparedTrace, { copied, common }: Runs): boolean {
  const whole = [{ from: 0, to: words.hashes.length }]
  const sum = (runs: readonly Run[], count: typeof countSaid): number =>
    runs.reduce((total, run) => total + count(words, run), 0)
  const isMost = (count: typeof countSaid): boolean =>
    sum(copied, count) >= (sum(whole, count) - sum(common, count)) * leastShare
  return isMost(countSaid) && isMost(countProse) && sum(copied, countSaid) > 0
}
