/**
 * A token or a group of tokens from a token-classification pipeline of transformers.js. A token has `entity`, such as
 * `B-PER` or `O`; a group has `entity_group`.
 */
export interface ClassifiedToken {
  readonly entity?: string | undefined
  readonly entity_group?: string | undefined
  /** The score of the label, 0 to 1. */
  readonly score: number
  /** The token's own text: ` Jane`, `##vid`, or `jane` from a lower-case model. */
  readonly word?: string
  readonly start?: number | null | undefined
  readonly end?: number | null | undefined
}

/** A part of a text with one label. */
export interface LabelledSpan {
  readonly start: number
  readonly end: number
  /** The label without its prefix, such as `PER` for `B-PER`. */
  readonly label: string
  readonly score: number
}

interface PlacedToken {
  readonly start: number
  readonly end: number
  readonly prefix: string
  readonly label: string
  readonly score: number
}

/** The largest gap between two tokens, in characters. A gap contains characters that the model does not know. */
const maxGap = 64
const WORD = /[\p{L}\p{M}\p{N}]/u

/** Returns the labelled parts of a text. Each part consists of whole words, and has the mean score of its tokens. */
export function joinTokens(text: string, tokens: readonly ClassifiedToken[]): LabelledSpan[] {
  const spans: (LabelledSpan & { readonly scores: readonly number[]; readonly isOpen: boolean })[] = []
  for (const { start, end, prefix, label, score } of placeTokens(text, tokens)) {
    const last = spans.at(-1)
    if (last && last.label === label && joins(text, last, start, prefix)) {
      const scores = [...last.scores, score]
      spans[spans.length - 1] = { ...last, end, score: mean(scores), scores, isOpen: !isLast(prefix) }
    } else if (label !== 'O') spans.push({ start, end, label, score, scores: [score], isOpen: !isLast(prefix) })
  }
  return spans.map(({ start, end, label, score }) => ({ ...wholeWords(text, start, end), label, score }))
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
const isLast = (prefix: string): boolean => prefix === 'E' || prefix === 'L' || prefix === 'S' || prefix === 'U'

/**
 * Returns whether a token belongs to the previous span: the token continues a name, or a word that the model tagged
 * with two beginnings.
 */
function joins(text: string, span: { readonly end: number; readonly isOpen: boolean }, start: number, prefix: string) {
  const between = text.slice(span.end, start)
  if (between === '') return true
  return span.isOpen && /^[\s'’.,/&-]*$/.test(between) && !/[BSU]/.test(prefix)
}

/**
 * Returns the position of each token. Offsets of the pipeline may be missing, or wrong after a character that the
 * tokenizer changes, so an offset is used only if the text contains the token there. A token without a position gets
 * the text between its neighbors.
 */
function placeTokens(text: string, tokens: readonly ClassifiedToken[]): PlacedToken[] {
  const folded = foldCase(text)
  const placed: PlacedToken[] = []
  let unplaced: ClassifiedToken[] = []
  let from = 0
  const placeBetween = (to: number): void => {
    const between = text.slice(from, to)
    const start = from + (between.length - between.trimStart().length)
    const end = start + between.trim().length
    if (end > start) for (const token of unplaced) placed.push({ start, end, ...labelOf(token), score: token.score })
    unplaced = []
  }
  for (const token of tokens) {
    const place = placeOf(token, folded, from)
    if (!place) {
      unplaced.push(token)
      continue
    }
    placeBetween(place.start)
    placed.push({ ...place, ...labelOf(token), score: token.score })
    from = place.end
  }
  // No token follows here, so only `maxGap` limits the text of the last tokens.
  placeBetween(Math.min(text.length, from + maxGap))
  return placed
}

function placeOf({ word = '', start, end }: ClassifiedToken, folded: string, from: number) {
  const token = foldCase(word.replace(/^##/, '').trim())
  if (typeof start === 'number' && typeof end === 'number') {
    const there = folded.slice(start, end)
    const isThere = token === '' ? there.trim() !== '' : there.trim() === token
    const first = start + (there.length - there.trimStart().length)
    if (isThere && first >= from) return { start: first, end: first + there.trim().length }
  }
  if (token === '') return null
  const at = folded.indexOf(token, from)
  return at < 0 || at - from > maxGap ? null : { start: at, end: at + token.length }
}

/** Returns a text in lower case, or unchanged if its length would change. */
function foldCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

function labelOf({ entity, entity_group }: ClassifiedToken): { readonly prefix: string; readonly label: string } {
  if (entity_group !== undefined) return { prefix: 'S', label: entity_group }
  const [, prefix = 'I', label = entity ?? 'O'] = /^([BIELSU])-(.+)$/.exec(entity ?? 'O') ?? []
  return { prefix, label }
}

/** Extends a range to whole words, because a model may label only the first half of a rare name. */
function wholeWords(text: string, start: number, end: number): { readonly start: number; readonly end: number } {
  let [first, last] = [start, end]
  if (WORD.test(text[first] ?? '')) while (first > 0 && WORD.test(text.charAt(first - 1))) first--
  if (WORD.test(text[last - 1] ?? '')) while (last < text.length && WORD.test(text.charAt(last))) last++
  return { start: first, end: last }
}

/**
 * Returns whether the model read only the beginning of a text because of its limit of tokens. If the pipeline returns
 * only tokens with an entity, this is unknown, and the result is false.
 */
export function isCutOff(text: string, tokens: readonly ClassifiedToken[]): boolean {
  if (!tokens.some(({ entity }) => entity === 'O')) return false
  const end = placeTokens(text, tokens).at(-1)?.end ?? 0
  return WORD.test(text.slice(end))
}
