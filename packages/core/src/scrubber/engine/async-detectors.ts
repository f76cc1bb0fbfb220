import { within } from '../../deadline.ts'
import { DetectorError, maxLimitMs, type AsyncDetector, type DetectedSpan } from './rule.ts'

/** A span with the detector that found it. */
export interface FoundSpan extends DetectedSpan {
  readonly detector: string
}

const defaultMaxChars = 8_192
const defaultBatchSize = 16
/** The pause between two checks of a loading detector, in milliseconds, and the maximum number of checks. */
const pollMs = 1_000
const maxPolls = 600
/**
 * The maximum overlap of two parts of a long text. It is longer than an address, so that one part contains the whole
 * address.
 */
const maxOverlap = 512

/** A part of one text. */
interface Part {
  readonly text: string
  readonly start: number
}

/**
 * Returns the findings of the detectors in each text. The detectors run one after the other, and `pause` is awaited
 * after each call. Rejects with `DetectorError`, or with the error of `pause`.
 */
export async function detectSpans(
  detectors: readonly AsyncDetector[],
  texts: readonly string[],
  pause: () => Promise<void>,
): Promise<FoundSpan[][]> {
  const found = texts.map((): FoundSpan[] => [])
  for (const detector of detectors) {
    const { maxChars = defaultMaxChars, batchSize = defaultBatchSize } = detector
    const parts = texts.map((text) => partsOf(text, maxChars))
    const unread = [...new Set(parts.flatMap((list) => list.map(({ text }) => text)))]
    const read = new Map<string, readonly DetectedSpan[]>()
    if (unread.length > 0) await loadDetector(detector, pause)
    for (let from = 0; from < unread.length; from += batchSize) {
      const batch = unread.slice(from, from + batchSize)
      const lists = await ask(detector, batch)
      for (const [i, text] of batch.entries()) read.set(text, lists[i] ?? [])
      await pause()
    }
    for (const [i, list] of parts.entries())
      for (const { text, start } of list)
        for (const span of read.get(text) ?? [])
          found[i]?.push({ ...span, start: start + span.start, end: start + span.end, detector: detector.id })
  }
  return found
}

/** Returns overlapping parts of a text. Parts without a letter or digit are left out. */
function partsOf(text: string, maxChars: number): Part[] {
  const parts: Part[] = []
  const overlap = Math.min(maxOverlap, maxChars >> 2)
  for (let start = 0; start < text.length; start += maxChars - overlap) {
    const part = text.slice(start, start + maxChars)
    if (/[\p{L}\p{N}]/u.test(part)) parts.push({ text: part, start })
    if (start + maxChars >= text.length) break
  }
  return parts
}

/** Waits until a detector is ready, even for minutes. Calls `pause` every second, so that a worker renews its lease. */
async function loadDetector(detector: AsyncDetector, pause: () => Promise<void>): Promise<void> {
  if (!detector.load) return
  const loaded = detector.load().then(
    () => ({ error: null }),
    (error: unknown) => ({ error }),
  )
  for (let polls = 1; ; polls++) {
    const result = await within(pollMs, () => loaded).catch((error: unknown) => (polls === maxPolls ? { error } : null))
    if (result?.error) throw new DetectorError(`the detector ${detector.id} did not load`, { cause: result.error })
    if (result) return
    await pause()
  }
}

async function ask(detector: AsyncDetector, batch: readonly string[]): Promise<readonly (readonly DetectedSpan[])[]> {
  const { id, limitMs = maxLimitMs } = detector
  let lists: readonly (readonly DetectedSpan[])[]
  try {
    lists = await within(limitMs, async (signal) => detector.detect(batch, signal))
  } catch (error) {
    throw new DetectorError(`the detector ${id} failed`, { cause: error })
  }
  if (!Array.isArray(lists) || lists.length !== batch.length)
    throw new DetectorError(`the detector ${id} must return one list for each text`)
  for (const [i, text] of batch.entries())
    for (const span of lists[i] ?? [])
      if (!isSpan(span, text.length))
        throw new DetectorError(`the detector ${id} returned a span that is not one of its text`)
  return lists
}

const isSpan = ({ start, end, category, placeholder }: DetectedSpan, length: number): boolean =>
  Number.isInteger(start) &&
  Number.isInteger(end) &&
  start >= 0 &&
  start < end &&
  end <= length &&
  /^[a-z][a-z0-9_]{0,39}$/.test(category) &&
  (placeholder === undefined || /^[A-Z][A-Z0-9_]{0,39}$/.test(placeholder))
