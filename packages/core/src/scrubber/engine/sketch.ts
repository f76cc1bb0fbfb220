import { AROUND, blockAt, BLOCKS, bytes, COLUMNS, load, PART, placesBeyond, WIDTH } from './character.ts'
import { changedParts, foldText } from './fold.ts'
import type { Meter, Steps } from './meter.ts'

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
