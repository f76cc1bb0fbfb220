import type { Steps } from './meter.ts'
import type { AsyncDetector, Detector, EvidenceKind, Rule } from './rule.ts'

export type ScrubResult =
  | { readonly ok: true; readonly texts: string[]; readonly counts: Record<string, number>; readonly total: number }
  | { readonly ok: false; readonly reason: string }

/**
 * The parts of the table beside its base, which finds secrets by their names, mail, cards, phone numbers, networks and
 * what the caller knows:
 *
 * - `services`: keys by their formats, and secrets in commands, sentences and files of certain programs
 * - `identity`: people, accounts, companies and hosts by output of tools, paths and fields, and cells of tables
 * - `countries`: numbers of persons, papers, births and addresses, by country and language
 */
export const packIds = ['services', 'identity', 'countries'] as const
export type PackId = (typeof packIds)[number]

export interface ScrubOptions {
  /** Only these packs, beside the base: finds less, and has another version. Default: all. */
  readonly packs?: readonly PackId[]
  /** Categories that may not be kept at all: a trace with one of them is refused. Default: none. */
  readonly reject?: readonly string[]
  /** Detectors beyond the table, such as names of people. `scrubAsync` alone calls asynchronous ones. */
  readonly detectors?: readonly (Detector | AsyncDetector)[]
  /** Rules of the embedding app, tried after those of the table. Their ids must not be in it. */
  readonly rules?: readonly Rule[]
  /**
   * Milliseconds of any monotonic clock; with `limitMs`, the time limit of one call, of its own work and not of the
   * pauses in it. Core reads no clock itself.
   */
  readonly now?: () => number
  readonly limitMs?: number
}

/** The author's identity, known before any text is read. All of it is replaced, whatever its case. */
export interface KnownIdentity {
  /** Whole names of persons: a name's words of three letters or more are replaced too. */
  readonly names?: readonly string[]
  readonly emails?: readonly string[]
  /** In any form; compared by their digits. */
  readonly phones?: readonly string[]
  /** Names of companies, with or without their legal form. */
  readonly organizations?: readonly string[]
  /** Hosts such as `acme.io`; their subdomains are replaced up to the name. */
  readonly hosts?: readonly string[]
}

/** The input of one call of the scrubber, apart from its texts. */
export interface ScrubContext {
  readonly identity?: KnownIdentity | undefined
  /**
   * Words and names that the contributor wants gone, 2 to 128 characters each. Category `blocked_term`, `[BLOCKED_1]`.
   */
  readonly blockedTerms?: readonly string[] | undefined
  /** Only so many texts of the beginning are counted; the others are there for what they give away. Default: all. */
  readonly counted?: number | undefined
  /**
   * True leaves the asynchronous detectors out: for a text that must be scrubbed at once. Without it `scrub` and
   * `steps` refuse every text where there are any, so that none is kept unread.
   */
  readonly skipAsyncDetectors?: boolean | undefined
  /** Called at the end with each value that got a placeholder, on the machine that has the texts: for a preview. */
  readonly onPlaceholder?: ((use: PlaceholderUse) => void) | undefined
}

/** A placeholder, and why a value became it. */
export interface PlaceholderUse {
  /** `[EMAIL_1]`. */
  readonly placeholder: string
  readonly category: string
  /** The id of the rule or detector. */
  readonly rule: string
  readonly kind: EvidenceKind
  /**
   * How likely the value is what its rule says: 1 by a format or a place, 0.5 to 0.99 where the model for contextual
   * secrets decided.
   */
  readonly score: number
  /** The replaced text, normalised for comparison (lower case for names and terms). */
  readonly value: string
}

export interface Scrubber {
  /**
   * The same rules and detectors, the same version. Changes whenever one of the table does, and with the `rules` and
   * `detectors` of the options: `2026-11-22.4` without, `2026-11-22.4+5d41402abc4b` with.
   */
  readonly version: string
  /**
   * Replaces secrets and personal data in all texts of one trace together, so that the same value gets the same
   * placeholder everywhere. Same length and order out. Never throws: what goes wrong refuses the trace, with a reason
   * that holds no value of it. `total` is the number of replacements, `counts` the same by category.
   * @example const done = createScrubber().scrub(['mail jane@corp.io']) // texts: ['mail [EMAIL_1]']
   */
  scrub(texts: readonly string[], context?: ScrubContext): ScrubResult
}

/**
 * A scrubber that can stop in the middle of a text and go on. What `createScrubber` makes; one of your own need not be.
 */
export interface SteppedScrubber extends Scrubber {
  /**
   * The packs that are not loaded yet, in a browser; none on a server. Until `load` or `scrubAsync` loaded them `scrub`
   * and `steps` refuse every text, so that none passes for clean that only a part of the table has read.
   */
  readonly missing: readonly PackId[]
  /** Loads what is missing. Rejects with the error of the import, and can be called again. */
  load(): Promise<void>

  /**
   * The same as `scrub` in steps of a millisecond or two, with the same result to the byte: a generator that yields
   * between them and returns the result. Never throws.
   * @example
   * for (;;) {
   *   const step = steps.next()
   *   if (step.done) return step.value
   *   if (mustDraw()) await nextFrame()
   * }
   */
  steps(texts: readonly string[], context?: ScrubContext): Steps<ScrubResult>

  /**
   * The same as `scrub` for a program that has one thread: waits for `pause` after each step, so that a message of ten
   * megabytes stops nothing else for longer than a few milliseconds. Loads missing packs first, as `load`. The texts
   * must not change meanwhile. Asynchronous detectors are asked first, with a pause after each call. Rejects with
   * `DetectorError` when one of them fails, and with what `pause` rejects with.
   * @param pause lets the program's other work go on: `() => new Promise((next) => setTimeout(next))` runs anywhere,
   * `() => new Promise((next) => setImmediate(next))` is quicker on Node.
   */
  scrubAsync(texts: readonly string[], pause: () => Promise<void>, context?: ScrubContext): Promise<ScrubResult>
}
