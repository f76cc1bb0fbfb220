/** Returns whether a value meets a condition. */
export type Check = (value: string) => boolean

/**
 * A condition for a value, as data: a regular expression that must match (without the flags `g` and `y`), the name of a
 * check, or a list of conditions that must all be met. Only rules of an app use a function.
 */
export type Condition =
  | RegExp
  | string
  | Check
  | { readonly not: Condition }
  | { readonly any: readonly Condition[] }
  | readonly Condition[]

/**
 * Compiles a condition. Throws for a name that is not in `checks`, and for a regular expression with the flag `g` or
 * `y`: it would start at the end of its last match, and so give different results for the same value.
 */
export function compileCondition(condition: Condition, checks: Readonly<Record<string, Check>>): Check {
  const compile = (one: Condition): Check => compileCondition(one, checks)
  if (typeof condition === 'function') return condition
  if (condition instanceof RegExp) {
    if (condition.global || condition.sticky) throw new Error(`valid: ${condition} must not have the flag g or y`)
    return (value) => condition.test(value)
  }
  if (typeof condition === 'string') {
    const check = Object.hasOwn(checks, condition) ? checks[condition] : undefined
    if (!check) throw new Error(`valid: there is no check "${condition}"`)
    return check
  }
  if ('not' in condition) {
    const holds = compile(condition.not)
    return (value) => !holds(value)
  }
  if ('any' in condition) {
    const some = condition.any.map(compile)
    return (value) => some.some((holds) => holds(value))
  }
  const all = condition.map(compile)
  return (value) => all.every((holds) => holds(value))
}

/**
 * The certainty of a finding, which decides where the value is replaced:
 *
 * - `known`: the caller knows the value, or the trace shows that the author pushed or published to this account. The
 *   value is replaced in every text.
 * - `proven`: a format proves the kind of the value. The value is replaced where it was found, and elsewhere if it is
 *   distinctive.
 * - `probable`: a label or the context suggests the kind of the value. The value is replaced only where it was found.
 */
export type EvidenceKind = 'known' | 'proven' | 'probable'

/**
 * A rule of the table. A rule is data: the scanner searches the keywords of all rules in one pass, and tries a rule's
 * pattern or finder only at its keywords.
 */
export interface Rule {
  /** Unique, in lower case with hyphens. The rule's examples in test-kit's fixtures have the same key. */
  readonly id: string
  /** The category under which findings are counted: `token`, `email`, ... */
  readonly category: string
  /** The word in the placeholder: `GITHUB_TOKEN` becomes `[GITHUB_TOKEN_1]`. */
  readonly placeholder: string
  /** Literals in lower case. The rule is tried only where the text contains a keyword, in upper or lower case. */
  readonly keywords: readonly string[]
  /**
   * A sticky regular expression, tried at the start of the keyword. The value is group 1 or 2, which must end the
   * match, or the whole match. The expression must be bounded: quantifiers must not be nested, and a quantifier needs
   * an upper limit unless a fixed character ends its repetition.
   */
  readonly pattern?: RegExp | undefined
  /**
   * The name of a function in `detectors/` that finds the value, for a rule without a pattern, or for a rule that needs
   * the text around the match of its pattern.
   */
  readonly finder?: string | undefined
  /** An additional condition for the value of the pattern: a checksum, randomness, or a list of excluded values. */
  readonly valid?: Condition | undefined
  /** The kind of character that must follow a short keyword before the rule is tried. */
  readonly next?: 'digit' | 'alnum' | 'address' | 'hex' | 'word' | 'number' | 'any' | undefined
  /** True if the keyword may be inside a word, as in `my_vault_token`. */
  readonly inside?: true | undefined
  /** Default: `proven`. */
  readonly kind?: EvidenceKind | undefined
  /**
   * True if the value is the author's own login or name. Such a value is not treated as code only because an import
   * statement contains it.
   */
  readonly own?: true | undefined
}

/** A rule whose condition is compiled. */
export interface CompiledRule extends Rule {
  readonly valid: Check | undefined
}

/** A form of a value that is searched in all texts of a trace, in any case, at word borders. */
export interface KnownForm {
  readonly text: string
  /**
   * Where a form is found that may also be an ordinary word or an identifier: with a capital first letter, or where the
   * text names an account of a code host.
   */
  readonly only?: 'capitalized' | 'account' | undefined
  /** True for a part of a known value that may be an ordinary word. It is searched only if it is distinctive. */
  readonly weak?: boolean
  /** True for one word of a person's name. */
  readonly isPart?: boolean
  /** The word of which this is another form, such as a grammatical case. The forms of a word are judged together. */
  readonly word?: string
  /** True for the label of a host, which may be the name of a company without spaces and diacritics. */
  readonly isLabel?: boolean
}

/**
 * A part of a text that must not be stored. Findings with the same `value` get the same placeholder. `also` contains
 * other spellings of the value.
 */
export interface Finding {
  start: number
  end: number
  rule: Pick<Rule, 'id' | 'category' | 'placeholder' | 'kind' | 'own'>
  value: string
  /** The probability that the rule is right: 0.5 to 0.99 if the model for contextual secrets decided. Default: 1. */
  score?: number | undefined
  /** True if the value is not searched elsewhere, because it is too short or too common without its context. */
  local?: true | undefined
  /**
   * Returns the forms of a name, an account or a host. The forms are searched in all texts, in upper and lower case.
   * Called once for each value.
   */
  forms?: (() => readonly KnownForm[]) | undefined
  also?: readonly string[] | undefined
  /** True if the value is a run of base64. Such a value is not searched in encoded form. */
  run?: true | undefined
}

/** Returns a finding with all properties in a fixed order, because V8 is slow with objects of many shapes. */
export const inOneShape = ({ start, end, rule, value, score, local, forms, also, run }: Finding): Finding => ({
  start,
  end,
  rule,
  value,
  score,
  local,
  forms,
  also,
  run,
})

/**
 * Returns the kind of evidence of a finding: the kind of its rule if the rule has one, `probable` if the score is below
 * 1, and `proven` otherwise.
 */
export const kindOf = ({ rule, score = 1 }: Finding): EvidenceKind => rule.kind ?? (score < 1 ? 'probable' : 'proven')

/**
 * A part of a text that an asynchronous detector found. Offsets are UTF-16 code units. `end` is the offset after the
 * last unit.
 */
export interface DetectedSpan {
  readonly start: number
  readonly end: number
  /**
   * The category under which the span is counted: `person`, `address`, ... Lower-case letters, digits and `_`, at most
   * 40 characters.
   */
  readonly category: string
  /** The word in the placeholder. Default: the category in capital letters, so that `person` becomes `[PERSON_1]`. */
  readonly placeholder?: string
}

/**
 * A port for slow detectors, such as a model or another service that finds names of people in prose. Only `scrubAsync`
 * calls such a detector. If the detector throws, exceeds its time limit or returns an invalid result, `scrubAsync`
 * rejects with `DetectorError` and no text is kept.
 */
export interface AsyncDetector {
  /** Unique among the rules and detectors of a scrubber, lower-case with hyphens. */
  readonly id: string
  /**
   * A value that changes when the results of the detector change, so that traces which were scrubbed with an older
   * version are scrubbed again.
   */
  readonly version?: string
  /**
   * The maximum length of each text in a call, in characters, at least 64. A longer text is passed in parts that
   * overlap. Default: 8,192.
   */
  readonly maxChars?: number
  /** The number of texts of one call, 1 or more. Default: 16. */
  readonly batchSize?: number
  /** The time limit of one call in milliseconds, 1 to 20,000, below the lease of a worker. Default: 20,000. */
  readonly limitMs?: number
  /**
   * Prepares the detector, for example by loading a model. Awaited before the first call, for up to ten minutes. May be
   * called again.
   */
  load?(): Promise<void>
  /**
   * Returns one list of spans for each text, in the order of the texts. The texts are the original texts, before any
   * replacement. Equal texts of a trace are passed only once. The signal is aborted after the time limit.
   */
  detect(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly DetectedSpan[])[]>
}

/**
 * A port for a synchronous detector of values that rules cannot describe. `find` has no time limit, so it must always
 * return. If it throws, the trace is rejected.
 */
export interface Detector {
  readonly id: string
  /**
   * A value that changes when the results of the detector change, so that traces which were scrubbed with an older
   * version are scrubbed again.
   */
  readonly version?: string
  readonly category: string
  readonly placeholder: string
  find(text: string): Iterable<{ readonly start: number; readonly end: number }>
}

/**
 * A rule with all properties. Each rule is merged into a copy of this object, so that all rules have the same hidden
 * class in V8.
 */
export const emptyRule: CompiledRule = {
  id: '',
  category: '',
  placeholder: '',
  keywords: [],
  pattern: undefined,
  finder: undefined,
  valid: undefined,
  next: undefined,
  inside: undefined,
  kind: undefined,
  own: undefined,
}

/**
 * Thrown when an asynchronous detector throws, exceeds its time limit or returns an invalid result. The texts must not
 * be stored then, because they may contain personal data.
 */
export class DetectorError extends Error {
  override readonly name = 'DetectorError'

  /** Compares the name, because an app may load two copies of this package, which have different classes. */
  static is(error: unknown): error is DetectorError {
    return error instanceof Error && error.name === 'DetectorError'
  }
}

/** The maximum and the default of `limitMs` of an asynchronous detector, in milliseconds. */
export const maxLimitMs = 20_000

/**
 * A rule in short form. `keywords` is a text with `|` between the keywords, and line breaks are allowed after `|`. If a
 * keyword contains `|`, `keywords` is a list. If the keywords are computed, `keywords` is empty. `reader` is the rule's
 * pattern, or the name of the rule's finder.
 */
export type RuleRow = readonly [keywords: string | readonly string[], reader: RegExp | string, more?: Partial<Rule>]

/** Rules by id, with the properties that most of these rules share. */
export interface RuleTable {
  /**
   * The default of the placeholder is the category in capital letters. In a placeholder, `*` is the first word of the
   * rule's id.
   */
  readonly defaults?: Partial<Rule>
  readonly rows: Readonly<Record<string, RuleRow>>
}

/**
 * Returns the rules of a table.
 * @param computed the keywords of rows without keywords, by the rule's id.
 */
export const expandRules = (
  { defaults, rows }: RuleTable,
  computed: Readonly<Record<string, readonly string[]>> = {},
): readonly Rule[] =>
  Object.entries(rows).map(([id, [keywords, reader, more]]) => {
    const rule = { category: '', ...defaults, ...more }
    return {
      ...rule,
      [typeof reader === 'string' ? 'finder' : 'pattern']: reader,
      id,
      placeholder: (rule.placeholder ?? rule.category.toUpperCase()).replace('*', id.replace(/-.*/, '').toUpperCase()),
      keywords: computed[id] ?? (typeof keywords === 'string' ? keywords.split(/\|(?:\n\s*)?/) : keywords),
    }
  })
