/** A text in lower case and compatibility form (NFKC), for comparisons that ignore case and width. */
export interface Folded {
  readonly text: string
  /** Returns where the character at `index` of the folded text begins in the original text. */
  start(index: number): number
  /** Returns where the character before `index` ends in the original text. */
  end(index: number): number
}

const ASCII = /^[\x00-\x7f]*$/
const same = (index: number): number => index

/** For each character code: how NFKC normalization changes the character. 0 if not computed yet. */
const changes = new Uint8Array(65_536)
const KEPT = 1
const CHANGED = 2
/** The character is a combining mark of the previous character. */
const MARK = 3

function readChange(code: number): number {
  const char = String.fromCharCode(code)
  if (/\p{M}/u.test(char)) return (changes[code] = MARK)
  const isKept =
    char.toLowerCase().length === 1 && char.normalize('NFKC') === char && !/[\p{Cs}\u1100-\u11ff]/u.test(char)
  return (changes[code] = isKept ? KEPT : CHANGED)
}

const changeAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  if (code < 128) return KEPT
  const change = changes[code] || readChange(code)
  return change === CHANGED && isEmoji(code, text.charCodeAt(at + 1)) ? KEPT : change
}

/**
 * Returns whether a UTF-16 code unit is one half of an emoji. Folding does not change emoji, but it changes enclosed
 * letters and digits (U+1F100 to U+1F26F).
 */
const isEmoji = (code: number, next: number): boolean =>
  (code === 0xd83c && (next < 0xdd00 || next > 0xde6f)) ||
  code === 0xd83d ||
  code === 0xd83e ||
  (code >= 0xdc00 && code <= 0xdfff)

/** Returns the end of the unchanged characters from `from` on. A combining mark changes its letter too. */
function keptEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && changeAt(text, end) === KEPT) end++
  return end < text.length && end > from && changeAt(text, end) === MARK ? end - 1 : end
}

/** Returns whether folding a part of a text changes anything other than letter case. */
export function changedByFolding(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (changeAt(text, at) !== KEPT) return true
  return false
}

/** The maximum number of indexes of changed characters that are stored for one text. */
export const MOST_CHANGED = 65_536

/** Adds to `changed` each index at which folding changes the character. */
export function addChanged(text: string, places: readonly number[], changed: number[]): void {
  for (const at of places) if (changeAt(text, at) !== KEPT) changed.push(at)
}

/** Returns the parts of a text around changed characters, with `reach` more characters on either side. */
export function changedParts(text: string, places: readonly number[], reach: number): [from: number, to: number][] {
  const parts: [number, number][] = []
  for (const at of places) {
    if (changeAt(text, at) === KEPT) continue
    const last = parts.at(-1)
    if (last && at - reach <= last[1]) last[1] = Math.min(text.length, at + reach + 1)
    else parts.push([Math.max(0, at - reach), Math.min(text.length, at + reach + 1)])
  }
  return parts
}

/**
 * Folds a text. If folding changes only letter case, indexes are equal in both texts and no tables of positions are
 * needed.
 */
export function fold(text: string): Folded {
  let kept = ASCII.test(text) ? text.length : keptEnd(text, 0)
  if (kept === text.length) return { text: text.toLowerCase(), start: same, end: same }
  const parts: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (let at = 0; at < text.length; kept = keptEnd(text, at)) {
    if (kept > at) parts.push(text.slice(at, kept).toLowerCase())
    for (; at < kept; at++) {
      starts.push(at)
      ends.push(at + 1)
    }
    if (at === text.length) break
    let end = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)
    while (end < text.length && changeAt(text, end) === MARK) end++
    const cluster = text.slice(at, end).normalize('NFKC').toLowerCase()
    parts.push(cluster)
    for (let i = 0; i < cluster.length; i++) {
      starts.push(at)
      ends.push(end)
    }
    at = end
  }
  return {
    text: parts.join(''),
    start: (index) => starts[index] ?? text.length,
    end: (index) => ends[index - 1] ?? 0,
  }
}

/** Returns only the folded text. */
export const foldText = (text: string): string => (ASCII.test(text) ? text : text.normalize('NFKC')).toLowerCase()
