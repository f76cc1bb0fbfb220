import type { Steps } from './meter.ts'
import type { AsyncDetector, Detector, EvidenceKind, Rule } from './rule.ts'

export type ScrubResult =
  | { readonly ok: true; readonly texts: string[]; readonly counts: Record<string, number>; readonly total: number }
  | { readonly ok: false; readonly reason: string }

/**
 * Packs of rules that are added to the base. The base finds secrets after a name, mail addresses, cards, phone numbers,
 * network addresses, and values that the caller knows.
 *
 * - `services`: keys with a known format, and secrets in commands, sentences and files of certain programs
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
  /** Categories that must not be stored. A trace with a value of such a category is refused. Default: none. */
  readonly reject?: readonly string[]
  /**
   * Detectors in addition to the rules, for example for names of people. Only `scrubAsync` calls asynchronous
   * detectors.
   */
  readonly detectors?: readonly (Detector | AsyncDetector)[]
  /** Rules of the embedding app, tried after the rules of the table. Their ids must not be in the table. */
  readonly rules?: readonly Rule[]
  /**
   * Returns the time of a monotonic clock in milliseconds. This is an option, because core does not read a clock. `now`
   * and `limitMs` limit the time of one call. Pauses in the call do not count.
   */
  readonly now?: () => number
  readonly limitMs?: number
}

/** The identity of the author, which the caller knows. All these values are replaced, in upper and lower case. */
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
   * `acme`, is also searched alone. A label of at least six letters is also searched with spaces and accents: `Thistle
   * & Kiln`.
   */
  readonly hosts?: readonly string[]
}

/** The input of one call of the scrubber, apart from its texts. */
export interface ScrubContext {
  readonly identity?: KnownIdentity | undefined
  /**
   * Words and names that the contributor wants to remove, 2 to 128 characters each. The category is `blocked_term`, and
   * the placeholder is `[BLOCKED_1]`.
   */
  readonly blockedTerms?: readonly string[] | undefined
  /**
   * The number of texts at the beginning whose replacements are counted. The other texts are read only to find values
   * that also occur in the counted texts. Default: all.
   */
  readonly counted?: number | undefined
  /**
   * If true, asynchronous detectors are skipped. This is for texts that must be scrubbed synchronously. Otherwise, a
   * scrubber with such detectors refuses every text in `scrub` and `steps`, so that no text is stored before the
   * detectors read it.
   */
  readonly skipAsyncDetectors?: boolean | undefined
  /** Called at the end with each value that got a placeholder, for a preview on the machine with the texts. */
  readonly onPlaceholder?: ((use: PlaceholderUse) => void) | undefined
}

/** A placeholder, with the reason for the replacement of a value. */
export interface PlaceholderUse {
  /** The placeholder, such as `[EMAIL_1]`. */
  readonly placeholder: string
  readonly category: string
  /** The id of the rule or detector. */
  readonly rule: string
  readonly kind: EvidenceKind
  /**
   * The probability that the rule is right: 1 if the format or the position of the value decided, 0.5 to 0.99 if the
   * model for contextual secrets decided.
   */
  readonly score: number
  /** The replaced text, normalised for comparison (lower case for names and terms). */
  readonly value: string
}

export interface Scrubber {
  /**
   * The version of the rules and detectors. Equal rules and detectors have the same version. It changes with the table
   * and with the options `rules` and `detectors`: `2026-11-22.4` without these options, `2026-11-22.4+5d41402abc4b`
   * with them.
   */
  readonly version: string
  /**
   * Replaces secrets and personal data in all texts of one trace together, so that the same value gets the same
   * placeholder everywhere. The result has the same length and order. Never throws: after an error, the trace is
   * refused, with a reason that contains no value from the texts. `total` is the number of replacements, and `counts`
   * is the number of replacements by category.
   * @example
   * const done = createScrubber().scrub(['mail jane@corp.io']) // texts: ['mail [EMAIL_1]']
   */
  scrub(texts: readonly string[], context?: ScrubContext): ScrubResult
}

/**
 * A scrubber that can stop in the middle of a text and continue. `createScrubber` returns such a scrubber; a custom
 * scrubber may implement only `Scrubber`.
 */
export interface SteppedScrubber extends Scrubber {
  /**
   * The packs that are not loaded yet, in a browser. On a server, the list is empty. `scrub` and `steps` refuse every
   * text until `load` or `scrubAsync` has loaded all packs. Otherwise, a text could count as clean although only some
   * of the rules read it.
   */
  readonly missing: readonly PackId[]
  /** Loads the missing packs. Rejects with the error of the import, and can be called again. */
  load(): Promise<void>

  /**
   * Does the same as `scrub`, with the same result, in steps of one or two milliseconds. The generator yields between
   * the steps and returns the result. Never throws.
   * @example
   * for (;;) {
   *   const step = steps.next()
   *   if (step.done) return step.value
   *   if (mustDraw()) await nextFrame()
   * }
   */
  steps(texts: readonly string[], context?: ScrubContext): Steps<ScrubResult>

  /**
   * Does the same as `scrub`, and awaits `pause` after each step. In a program with one thread, even a message of ten
   * megabytes then stops other work for at most a few milliseconds. Loads missing packs first. The texts must not
   * change during the call. Asynchronous detectors run before the rules, with a pause after each call. Rejects with
   * `DetectorError` if a detector fails, and with the error of `pause`.
   * @param pause lets other work of the program run: `() => new Promise((next) => setTimeout(next))` runs anywhere, `()
   * => new Promise((next) => setImmediate(next))` is faster on Node.
   */
  scrubAsync(texts: readonly string[], pause: () => Promise<void>, context?: ScrubContext): Promise<ScrubResult>
}
