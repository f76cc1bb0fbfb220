/**
 * How sure a finding is, and how far it reaches:
 *
 * - `known`: the caller knows the value, or the trace pushes to it. It is replaced in every text.
 * - `proven`: a format says what the value is. It is replaced at its place, and elsewhere where it is distinctive.
 * - `probable`: a label or the context says so. It is replaced at its place alone.
 */
export type EvidenceKind = 'known' | 'proven' | 'probable'

/**
 * One rule of the table. A rule is data: the scanner searches the keywords of all rules in one pass, and tries a rule's
 * pattern or finder only where one of its keywords is.
 */
export interface Rule {
  /** Unique, lower-case with hyphens; the key of its examples in test-kit's fixtures. */
  readonly id: string
  /** The category that is counted: `token`, `email`, ... */
  readonly category: string
  /** The word in the placeholder: `GITHUB_TOKEN` gives `[GITHUB_TOKEN_1]`. */
  readonly placeholder: string
  /** Literals of which one must be in the text, in lower case; compared without regard to case. */
  readonly keywords: readonly string[]
  /**
   * Sticky, tried at the start of the keyword. The value is group 1 or 2, which must end the match, or the whole match.
   * Bounded: no quantifier over another one, none without an upper limit unless a fixed character ends it.
   */
  readonly pattern?: RegExp
  /** Names a function of `detectors/` that finds the value; where there is no pattern, or to look around its match. */
  readonly finder?: string
  /** A check beyond the pattern: a checksum, randomness, a list of known non-values. */
  readonly valid?: (value: string) => boolean
  /** The kind of character that must follow a short keyword before the rule is tried. */
  readonly next?: 'digit' | 'alnum' | 'address' | 'hex' | 'word' | 'number' | 'any'
  /** The keyword may be inside a word, as in `my_vault_token`. */
  readonly inside?: true
  /** Default: `proven`. */
  readonly kind?: EvidenceKind
  /** The value is the author's own login or name: the paths of imports may hold it. */
  readonly own?: true
}

/** A form of a value that is searched in all texts of a trace, whatever its case, at the borders of words. */
export interface KnownForm {
  readonly text: string
  /** Found only with a capital letter at the beginning: a name that is an everyday word in small letters. */
  readonly capitalized?: boolean
  /** A part of a known value that may be a word of its own: searched where it is distinctive. */
  readonly weak?: boolean
  /** One word of a person's name. */
  readonly isPart?: boolean
}

/** A part of a text that must not leave. `value` is what is compared and numbered; `also` are other spellings of it. */
export interface Finding {
  start: number
  end: number
  rule: Pick<Rule, 'id' | 'category' | 'placeholder' | 'kind' | 'own'>
  value: string
  /** How likely it is what its rule says, where the evidence was weighed: 0.5 to 0.99. Default: 1. */
  score?: number
  /** Not searched elsewhere: too short or too common to be replaced out of its context. */
  local?: true
  /**
   * Makes the forms to search in all texts without regard to case: of a name, an account, a host. Called once for a
   * value.
   */
  forms?: () => readonly KnownForm[]
  also?: readonly string[]
  /** The value is a run of base64: it is not searched in base64 once more. */
  run?: true
}

/** Returns the kind of evidence of a finding: where evidence was weighed, a value is probable. */
export const kindOf = ({ rule, score = 1 }: Finding): EvidenceKind => rule.kind ?? (score < 1 ? 'probable' : 'proven')

/**
 * A part of a text that an asynchronous detector found. Offsets are UTF-16 code units; `end` is after the last one.
 */
export interface DetectedSpan {
  readonly start: number
  readonly end: number
  /** The counted category: `person`, `address`, ... Lower-case letters, digits and `_`, at most 40 characters. */
  readonly category: string
  /** The word in the placeholder. Default: the category in capital letters, `person` gives `[PERSON_1]`. */
  readonly placeholder?: string
}

/**
 * A port for what takes time to find, such as names of people in prose by a model or another service. Only `scrubAsync`
 * asks it. One that throws, does not answer in time or answers nonsense makes `scrubAsync` reject with `DetectorError`:
 * nothing is kept then.
 */
export interface AsyncDetector {
  /** Unique among the rules and detectors of a scrubber, lower-case with hyphens. */
  readonly id: string
  /** Changes with what the detector finds, so that traces which an older one read are scrubbed again. */
  readonly version?: string
  /**
   * The longest text that it reads at once, in characters, 64 or more. A longer one comes in parts that overlap.
   * Default: 8,192.
   */
  readonly maxChars?: number
  /** The number of texts of one call, 1 or more. Default: 16. */
  readonly batchSize?: number
  /** The time limit of one call in milliseconds, 1 to 20,000: less than the lease of a worker. Default: 20,000. */
  readonly limitMs?: number
  /**
   * Makes the detector ready, such as by loading a model. Awaited before the first call, for up to ten minutes; may be
   * called again.
   */
  load?(): Promise<void>
  /**
   * Returns what it found in each text, one list for each, in the order of the texts. Reads texts as they were sent,
   * before anything is replaced; equal texts of a trace are read once. The signal is aborted when the time limit
   * passes.
   */
  detect(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly DetectedSpan[])[]>
}

/** A port for what rules cannot say and a program finds at once. Must return; a throw rejects the trace. */
export interface Detector {
  readonly id: string
  /** Changes with what the detector finds, so that traces which an older one read are scrubbed again. */
  readonly version?: string
  readonly category: string
  readonly placeholder: string
  find(text: string): Iterable<{ readonly start: number; readonly end: number }>
}
