import type { PlaceholderUse, ScrubContext, Scrubber } from './engine/scrubber-types.ts'

/** One replacement in a text. Offsets are UTF-16 code units. */
export interface Replacement extends Omit<PlaceholderUse, 'value'> {
  /** The offset of the placeholder in the scrubbed text. */
  readonly offset: number
  /** The replaced range `[start, end)` in the original text. Null if a JSON document was rewritten. */
  readonly original: { readonly start: number; readonly end: number } | null
}

export type ScrubPreview =
  | {
      readonly ok: true
      readonly texts: string[]
      readonly counts: Record<string, number>
      readonly total: number
      /** The replacements of each text, in order. */
      readonly replacements: readonly (readonly Replacement[])[]
    }
  | { readonly ok: false; readonly reason: string }

/**
 * Scrubs texts and returns each replacement with its category, rule and score. A program can then show a person which
 * parts an upload leaves out. The result contains no values: `original` has offsets into the texts of the caller.
 * @example
 * const preview = previewScrub(createScrubber(), ['mail jane@corp.io'])
 * // replacements: [[{ placeholder: '[EMAIL_1]', category: 'email', rule: 'email', kind: 'proven', score: 1,
 * //   offset: 5, original: { start: 5, end: 17 } }]]
 */
export function previewScrub(scrubber: Scrubber, texts: readonly string[], context: ScrubContext = {}): ScrubPreview {
  const uses = new Map<string, PlaceholderUse>()
  const onPlaceholder = (use: PlaceholderUse): void => void uses.set(use.placeholder, use)
  const done = scrubber.scrub(texts, { ...context, onPlaceholder })
  if (!done.ok) return done
  const { texts: scrubbed, counts, total } = done
  return {
    ok: true,
    texts: scrubbed,
    counts,
    total,
    replacements: texts.map((original, index) => align(original, scrubbed[index] ?? '', uses)),
  }
}

const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{0,40}_\d{1,9}\]/g

/**
 * Returns the replacements of a text with their ranges in the original. The text between two placeholders is the same
 * in both texts.
 */
function align(original: string, scrubbed: string, uses: ReadonlyMap<string, PlaceholderUse>): Replacement[] {
  const found = [...scrubbed.matchAll(PLACEHOLDER)].flatMap(({ 0: placeholder, index: offset }) => {
    const use = uses.get(placeholder)
    return use ? [{ ...use, offset }] : []
  })
  let at: number | null = 0
  let from = 0
  return found.map(({ value, offset, ...use }, index) => {
    const behind = offset + use.placeholder.length
    const start: number | null = at === null ? null : startAfter(original, at, scrubbed.slice(from, offset))
    const rest = scrubbed.slice(behind, found[index + 1]?.offset ?? scrubbed.length)
    const end = start === null ? null : endOf({ original, start, value, rest, isLast: index + 1 === found.length })
    at = end
    from = behind
    return { ...use, offset, original: start === null || end === null ? null : { start, end } }
  })
}

/** Returns the index after `text` if the original contains this text at the index `at`. Otherwise, returns null. */
function startAfter(original: string, at: number, text: string): number | null {
  if (original.startsWith(text, at)) return at + text.length
  // A placeholder of a JSON number has quotes around it, which the original does not have.
  const bare = text.replace(/^"/, '').replace(/"$/, '')
  return original.startsWith(bare, at) ? at + bare.length : null
}

interface EndParams {
  readonly original: string
  readonly start: number
  readonly value: string
  /** The text after the placeholder, up to the next placeholder. */
  readonly rest: string
  readonly isLast: boolean
}

function endOf({ original, start, value, rest, isLast }: EndParams): number | null {
  const end = start + value.length
  const isValue = original.slice(start, end).toLowerCase() === value.toLowerCase()
  const isFollowed = isLast ? original.slice(end) === rest : startAfter(original, end, rest) !== null
  if (isValue && isFollowed) return end
  if (isLast) {
    const length = original.endsWith(rest) ? rest.length : rest.replace(/^"/, '').length
    return original.length - length > start ? original.length - length : null
  }
  // An encoded value and its plain form have different lengths.
  const next = rest === '' ? -1 : original.indexOf(rest, start + 1)
  return next > start ? next : null
}
