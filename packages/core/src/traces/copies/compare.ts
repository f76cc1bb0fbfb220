import { isFingerprint, shingleWords } from './fingerprints.ts'
import { wordKinds, type TraceWords } from './words.ts'

/** Shorter runs are not copies. */
const leastRun = 30
/** Words between two copied runs that count as edited words of one run. */
const mostEdited = 7
/** The share of either trace from which on all common runs are copies. */
const leastShare = 0.7
/**
 * Below that share, a run is a copy when it holds this many words of prose: sessions about one repository read the same
 * files and show the same output, but do not say the same.
 */
const leastProse = 200

/** Words of a trace: pairs of the first word and the one after the last, in order. */
export type WordRanges = readonly (readonly [from: number, to: number])[]

/** A trace to compare. */
export interface ComparedTrace {
  readonly words: TraceWords
  /** By `hashShingles`. */
  readonly shingles: Float64Array
  /** The same, to look one up. */
  readonly shingleSet: ReadonlySet<number>
}

/**
 * Returns the words that two traces have in common as copies, in each of them: runs of 30 words or more, up to a few
 * edited words, if they make up most of one of the traces or hold enough prose.
 * @param isCommon tells the fingerprints of text that many traces share, which is not a copy.
 */
export function compareTraces(
  one: ComparedTrace,
  other: ComparedTrace,
  isCommon: (shingle: number) => boolean = () => false,
): { one: WordRanges; other: WordRanges } {
  const [mine, theirs] = [findRuns(one, other, isCommon), findRuns(other, one, isCommon)]
  const isMost = isMostOf(one, mine) || isMostOf(other, theirs)
  const rangesOf = (runs: readonly Run[]): WordRanges =>
    runs.filter((run) => isMost || run.prose >= leastProse).map(({ from, to }) => [from, to])
  return { one: rangesOf(mine), other: rangesOf(theirs) }
}

/** Words that another trace has in the same order, with the edited ones between them. */
interface Run {
  from: number
  to: number
  /** Words of it that are not edited. */
  matched: number
  prose: number
}

function findRuns(
  { words, shingles }: ComparedTrace,
  other: ComparedTrace,
  isCommon: (shingle: number) => boolean,
): Run[] {
  const runs: Run[] = []
  let last: Run | undefined
  for (let at = 0; at < shingles.length; at++) {
    if (!other.shingleSet.has(shingles[at]!)) continue
    const to = at + shingleWords
    if (last && at - last.to <= mostEdited) {
      last.matched += to - Math.max(at, last.to)
      last.to = to
    } else runs.push((last = { from: at, to, matched: shingleWords, prose: 0 }))
  }
  const long = runs.flatMap((run) => cutCommon(run, shingles, isCommon)).filter(({ matched }) => matched >= leastRun)
  for (const run of long) run.prose = countKind(words, wordKinds.prose, run)
  return long
}

/** Cuts the text that many traces share out of a run: the words to which the nearest fingerprint is a common one. */
function cutCommon(run: Run, shingles: Float64Array, isCommon: (shingle: number) => boolean): Run[] {
  const marks: { at: number; isCommon: boolean }[] = []
  for (let at = run.from; at < run.to && at < shingles.length; at++)
    if (isFingerprint(shingles[at]!)) marks.push({ at, isCommon: isCommon(shingles[at]!) })
  if (!marks.some((mark) => mark.isCommon)) return [run]
  const kept: Run[] = []
  for (const [i, mark] of marks.entries()) {
    if (mark.isCommon) continue
    const from = i === 0 ? run.from : (marks[i - 1]!.at + mark.at) >> 1
    const to = i === marks.length - 1 ? run.to : (mark.at + marks[i + 1]!.at) >> 1
    const last = kept.at(-1)
    if (last?.to === from) last.to = to
    else kept.push({ from, to, matched: 0, prose: 0 })
  }
  return kept.map((part) => ({ ...part, matched: part.to - part.from }))
}

const countKind = ({ kinds }: TraceWords, kind: number, { from, to }: { from: number; to: number }): number =>
  kinds.subarray(from, to).reduce((sum, each) => sum + Number(each === kind), 0)

/** Returns whether runs make up most of the prose of a trace, and most of all but its system prompt. */
function isMostOf({ words }: ComparedTrace, runs: readonly Run[]): boolean {
  const whole = { from: 0, to: words.hashes.length }
  const [prose, system] = [countKind(words, wordKinds.prose, whole), countKind(words, wordKinds.system, whole)]
  const said = whole.to - system
  let [copied, copiedProse] = [0, 0]
  for (const run of runs) {
    copied += run.to - run.from - countKind(words, wordKinds.system, run)
    copiedProse += run.prose
  }
  return said > 0 && copied >= said * leastShare && copiedProse >= prose * leastShare
}
