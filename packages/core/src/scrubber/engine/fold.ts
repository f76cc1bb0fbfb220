import { AROUND, blockAt, BLOCKS, bytes, COLUMNS, load, PART, placesBeyond, WIDTH } from './character.ts'
import type { Meter, Steps } from './meter.ts'

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

/** The sizes of the smallest and largest sketch, as powers of two. The largest has one bit for each block. */
const LEAST_BITS = 8
const MOST_BITS = 3 * WIDTH
/**
 * The number of characters before and after a changed character that are folded together with it: a block, and the
 * combining marks of its letters.
 */
const BESIDE = 8
/** The multiplier for the hash of a block. Only the upper bits of the product are used. */
export const HASH = 0x9e3779b1

/**
 * The blocks of three characters in a text, as bits of a table. Several blocks may share a bit. A sketch can show that
 * a text certainly does not contain a word, in any case and width. Therefore, most words need not be searched in most
 * texts.
 */
export interface Sketch {
  readonly bits: Int32Array
  /** The number of bits by which the hash of a block is shifted to become the index of its bit. */
  readonly shift: number
}

/** A text, with properties that are computed once. */
export interface Sketched {
  readonly text: string
  sketch?: Sketch | undefined
  /** The indexes at which folding changes more than the case of letters. Null if there are too many. */
  changed?: readonly number[] | null
}

/** Returns the sketch of a text. The sketch is computed on first use, in one pass over the text. */
export function* sketchOf(sketched: Sketched, meter: Meter): Steps<Sketch> {
  if (sketched.sketch) return sketched.sketch
  const { text } = sketched
  const size = Math.min(MOST_BITS, Math.max(LEAST_BITS, 34 - Math.clz32(text.length)))
  const sketch: Sketch = { bits: new Int32Array(1 << (size - 5)), shift: 32 - size }
  for (let from = 0; from < text.length; from += PART) {
    const to = Math.min(text.length, from + PART)
    const isAscii = load(text, from, to)
    addLoaded(sketch, to - from)
    if (!isAscii)
      for (const part of changedParts(text, placesBeyond(from, from, to), BESIDE))
        addWord(sketch, foldText(text.slice(...part)))
    if (meter.spend((to - from) >> 2)) yield
  }
  sketched.sketch = sketch
  return sketch
}

/** Creates `addLoaded` with constants that V8 compiles into its code. See `makeLoops` in `scanner.ts`. */
function makeAddLoaded() {
  const part = bytes
  const columns = COLUMNS
  const around = AROUND
  const width = WIDTH
  const most = BLOCKS - 1
  const hash = HASH
  return ({ bits, shift }: Sketch, length: number): void => {
    let block = (columns[part[around - 2]!]! << width) | columns[part[around - 1]!]!
    for (let i = 0; i < length; i++) {
      block = ((block << width) | columns[part[around + i]!]!) & most
      const place = Math.imul(block, hash) >>> shift
      bits[place >> 5]! |= 1 << place
    }
  }
}
/** Adds the blocks of the part in `bytes`. */
const addLoaded = makeAddLoaded()

function addWord({ bits, shift }: Sketch, word: string): void {
  for (const block of blocksOf(word)) {
    const place = block >>> shift
    bits[place >> 5]! |= 1 << place
  }
}

/** Returns the hash of the block that begins at an index of a text. */
export const hashAt = (text: string, at: number): number => Math.imul(blockAt(text, at), HASH)

/** Returns the hashes of the blocks of a word. A word with fewer than three characters does not have a block. */
export function blocksOf(word: string): Int32Array {
  const blocks = new Int32Array(Math.max(0, word.length - 2))
  for (let i = 0; i < blocks.length; i++) blocks[i] = hashAt(word, i)
  return blocks
}

/** Returns whether a text may contain a word with these blocks. */
export function mayHold({ bits, shift }: Sketch, blocks: Int32Array): boolean {
  for (let i = 0; i < blocks.length; i++) {
    const place = blocks[i]! >>> shift
    if (((bits[place >> 5]! >>> place) & 1) === 0) return false
  }
  return true
}

/**
 * Returns the indexes at which folding changes more than letter case, or null if there are too many. The indexes of a
 * text are computed only once.
 */
export function* changedPlaces(sketched: Sketched, meter: Meter): Steps<readonly number[] | null> {
  if (sketched.changed !== undefined) return sketched.changed
  const { text } = sketched
  const places: number[] = []
  for (let from = 0; from < text.length && places.length <= MOST_CHANGED; from += PART) {
    const to = Math.min(text.length, from + PART)
    if (!load(text, from, to)) addChanged(text, placesBeyond(from, from, to), places)
    if (meter.spend((to - from) >> 2)) yield
  }
  return (sketched.changed = places.length > MOST_CHANGED ? null : places)
}
