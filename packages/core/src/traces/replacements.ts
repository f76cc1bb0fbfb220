import type { PlaceholderUse } from '../scrubber/index.ts'

/**
 * The reason why a placeholder is in a trace: its rule, its kind of evidence and its score, without the replaced value.
 */
export interface ReplacementReason extends Omit<PlaceholderUse, 'placeholder' | 'value'> {
  /** Whether the contributor reported that the replaced text is not personal. */
  readonly isReported?: boolean
}

/** The maximum number of placeholders of a trace whose reasons are stored. */
const maxKept = 1_000

/** Collects the reasons of placeholders while a trace is scrubbed. */
export class ReplacementCollector {
  readonly #reasons: Map<string, ReplacementReason>

  /** @param stored the reasons that the trace already has, as JSON text. */
  constructor(stored = '{}') {
    this.#reasons = parseReplacements(stored)
  }

  readonly onPlaceholder = ({ placeholder, value: _, ...reason }: PlaceholderUse): void => {
    const key = placeholder.slice(1, -1)
    if (this.#reasons.size < maxKept && !this.#reasons.has(key)) this.#reasons.set(key, reason)
  }

  /** Returns the reasons as JSON text, an object by placeholder: `{"EMAIL_1":{"category":"email","rule":"email","score":1}}`. */
  toJson(): string {
    return JSON.stringify(Object.fromEntries(this.#reasons))
  }
}

/**
 * Reads the reasons of a trace's placeholders by name, such as `EMAIL_1` for `[EMAIL_1]`. Returns no reasons when the
 * text is damaged.
 */
export function parseReplacements(stored: string): Map<string, ReplacementReason> {
  try {
    const reasons: unknown = JSON.parse(stored)
    if (typeof reasons !== 'object' || reasons === null) return new Map()
    return new Map(
      Object.entries(reasons as Record<string, ReplacementReason>).filter(([, reason]) => isReason(reason)),
    )
  } catch {
    return new Map()
  }
}

const isReason = (reason: Partial<ReplacementReason> | null): boolean =>
  typeof reason?.rule === 'string' && typeof reason.category === 'string' && typeof reason.score === 'number'
