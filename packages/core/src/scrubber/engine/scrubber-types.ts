import type { Steps } from './meter.ts'
import type { AsyncDetector, Detector, EvidenceKind, Rule } from './rule.ts'

export type ScrubResult =
  | { readonly ok: true; readonly texts: string[]; readonly counts: Record<string, number>; readonly total: number }
  | { readonly ok: false; readonly reason: string }

/**
 * Packs of rules that are added to the base. The base finds secrets by their names, mail addresses, cards, phone
 * numbers, network addresses and the values that the caller knows.
 *
 * - `services`: keys by their formats, and secrets in commands, sentences and files of certain programs
 * - `identity`: people, accounts, companies and hosts, in the output of tools, in paths and fields, and in tables
 * - `countries`: numbers of persons and documents, dates of birth and addresses, by country and language
 */
export const packIds = ['services', 'identity', 'countries'] as const
export type PackId = (typeof packIds)[number]

export interface ScrubOptions {
  /**
   * The packs that are added to the base. With fewer packs, the scrubber finds less and has a different version.
   * Default: all.
   */
  readonly packs?: readonly PackId[]
  /** Categories that must not be stored at all. A trace with one of them is refused. Default: none. */
  readonly reject?: readonly string[]
  /**
   * Detectors in addition to the rules, for example for names of people. Only `scrubAsync` calls asynchronous
   * detectors.
   */
  readonly detectors?: readonly (Detector | AsyncDetector)[]
  /** Rules of the embedding app, tried after those of the table. Their ids must not be in the table. */
  readonly rules?: readonly Rule[]
  /**
   * Returns the milliseconds of any monotonic clock. It is an option, because core does not read a clock. Together with
   * `limitMs` it limits the time of one call; pauses in the call do not count.
   */
  readonly now?: () => number
  readonly limitMs?: number
}

/** The author's identity, which is known before any text is read. All of it is replaced, in upper and lower case. */
export interface KnownIdentity {
  /** Full names of persons. Each word of a name is replaced too if it has three letters or more. */
  readonly names?: readonly string[]
  readonly emails?: readonly string[]
  /** Phone numbers in any form, because only their digits are compared. */
  readonly phones?: readonly string[]
  /** Names of companies, with or without their legal form. */
  readonly organizations?: readonly string[]
  /**
   * Hosts such as `acme.io`, which is also replaced in `mail.acme.io`. A main label of more than three letters, such as
   * `acme`, is searched alone too, and one of six letters also with blanks and accents: `Thistle & Kiln`.
   */
  readonly hosts?: readonly string[]
}

/** The input of one call of the scrubber, apart from its texts. */
export interface ScrubContext {
  readonly identity?: KnownIdentity | undefined
  /**
   * Words and names that the contributor wants to remove, 2 to 128 characters each. Their category is `blocked_term`,
   * their placeholder `[BLOCKED_1]`.
   */
  readonly blockedTerms?: readonly string[] | undefined
  /**
   * The number of texts from the beginning whose replacements are counted. The other texts are only read to find values
   * that also occur in the counted texts. Default: all.
   */
  readonly counted?: number | undefined
  /**
   * If true, asynchronous detectors are skipped, for a text that must be scrubbed synchronously. Otherwise `scrub` and
   * `steps` of a scrubber with such detectors refuse every text, so that no text is stored that the detectors have not
   * read.
   */
  readonly skipAsyncDetectors?: boolean | undefined
  /**
   * Called at the end with each value that got a placeholder. It is for a preview on the machine that has the texts.
   */
  readonly onPlaceholder?: ((use: PlaceholderUse) => void) | undefined
}

/** A placeholder, and why it replaced a value. */
export interface PlaceholderUse {
  /** `[EMAIL_1]`. */
  readonly placeholder: string
  readonly category: string
  /** The id of the rule or detector. */
  readonly rule: string
  readonly kind: EvidenceKind
  /**
   * The probability that the value is of its rule's kind: 1 if the format or the position of the value shows it, 0.5 to
   * 0.99 if the model for contextual secrets decided.
   */
  readonly score: number
  /** The replaced text, normalised for comparison (lower case for names and terms). */
  readonly value: string
}

export interface Scrubber {
  /**
   * The version of the rules and detectors. Equal rules and detectors have an equal version. It changes with the table,
   * and with the options `rules` and `detectors`: `2026-11-22.4` without them, `2026-11-22.4+5d41402abc4b` with them.
   */
  readonly version: string
  /**
   * Replaces secrets and personal data in all texts of one trace together, so that the same value gets the same
   * placeholder everywhere. The result has the same length and order. Never throws: an error refuses the trace, with a
   * reason that contains no value from the texts. `total` is the number of replacements, `counts` is the number of
   * replacements by category. @example const done = createScrubber().scrub(['mail jane@corp.io']) // texts: ['mail
   * [EMAIL_1]']
   */
  scrub(texts: readonly string[], context?: ScrubContext): ScrubResult
}

/**
 * A scrubber that can stop in the middle of a text and continue. `createScrubber` returns such a scrubber; a custom
 * scrubber may implement only `Scrubber`.
 */
export interface SteppedScrubber extends Scrubber {
  /**
   * The packs that are not loaded yet, in a browser. On a server the list is empty. Until `load` or `scrubAsync` has
   * loaded all packs, `scrub` and `steps` refuse every text, so that a text which only some of the rules have read is
   * never treated as clean.
   */
  readonly missing: readonly PackId[]
  /** Loads the missing packs. Rejects with the error of the import, and can be called again. */
  load(): Promise<void>

  /**
   * Does the same as `scrub` in steps of a millisecond or two, with exactly the same result. The generator yields
   * between the steps and returns the result. Never throws.
   * @example
   * for (;;) {
   *   const step = steps.next()
   *   if (step.done) return step.value
   *   if (mustDraw()) await nextFrame()
   * }
   */
  steps(texts: readonly string[], context?: ScrubContext): Steps<ScrubResult>

  /**
   * Does the same as `scrub` for a program with one thread. It waits for `pause` after each step, so that a message of
   * ten megabytes stops other work for at most a few milliseconds. Loads missing packs first. The texts must not change
   * meanwhile. Asynchronous detectors run first, with a pause after each call. Rejects with `DetectorError` if one of
   * them fails, and with the error of `pause`.
   * @param pause lets the program's other work go on: `() => new Promise((next) => setTimeout(next))` runs anywhere,
   * `() => new Promise((next) => setImmediate(next))` is faster on Node.
   */
  scrubAsync(texts: readonly string[], pause: () => Promise<void>, context?: ScrubContext): Promise<ScrubResult>
}
