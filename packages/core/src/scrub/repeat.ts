import { beginsWord, isAlnum } from './character.ts'

/** A value that must go wherever it stands, and what it becomes. */
export interface Known {
  readonly literal: string
  readonly value: string
}

const FEW = 12
const PREFIX = 4

/**
 * Looks for many literals at once. A handful are searched one by one, which the engine does faster than any index;
 * more of them by a hash of their first four characters, tried only where a word begins, so that time stays linear.
 */
export function findRepeats(text: string, known: readonly Known[], hit: (start: number, end: number, value: string) => void, tick?: () => void): void {
  if (known.length <= FEW) {
    for (const { literal, value } of known)
      for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length))
        if (stands(text, at, at + literal.length)) hit(at, at + literal.length, value)
    return
  }
  const index = indexOf(known)
  for (let i = 0; i + PREFIX <= text.length; i++) {
    if ((i & 0xffff) === 0) tick?.()
    // Deep inside a word nothing begins; what an escape hides from this is found in the plain view.
    if (isAlnum(text, i) && isAlnum(text, i - 1) && isAlnum(text, i - 2)) continue
    const bucket = index[hash(text, i)]
    if (!bucket) continue
    for (const [length, literals] of bucket) {
      const value = i + length <= text.length ? literals.get(text.slice(i, i + length)) : undefined
      if (value === undefined || !stands(text, i, i + length)) continue
      hit(i, i + length, value)
      i += length - 1
      break
    }
  }
}

const hash = (text: string, at: number): number =>
  ((text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2) * 961 + text.charCodeAt(at + 3) * 7919) & 0xffff

type Bucket = [length: number, literals: Map<string, string>][]
const built = new WeakMap<readonly Known[], (Bucket | undefined)[]>()

function indexOf(known: readonly Known[]): (Bucket | undefined)[] {
  const ready = built.get(known)
  if (ready) return ready
  const index: (Bucket | undefined)[] = new Array(65_536).fill(undefined)
  for (const { literal, value } of known) {
    const bucket = (index[hash(literal, 0)] ??= [])
    let group = bucket.find(([length]) => length === literal.length)
    if (!group) bucket.push((group = [literal.length, new Map()]))
    group[1].set(literal, value)
  }
  for (const bucket of index) bucket?.sort(([a], [b]) => b - a)
  built.set(known, index)
  return index
}

/** A word of its own on the left, and on the right too where it is short; never the inside of a placeholder. */
function stands(text: string, start: number, end: number): boolean {
  if (isAlnum(text, start) && !beginsWord(text, start)) return false
  if (end - start < 16 && isAlnum(text, end - 1) && isAlnum(text, end)) return false
  if (text[start - 1] === '[' && /^[A-Z0-9_]+$/.test(text.slice(start, end)) && /^[A-Z0-9_]*_\d+\]/.test(text.slice(start, end + 48))) return false
  return true
}

/** Too common a word to be taken out of every sentence of a conversation. */
export const isPlain = (literal: string): boolean => literal.length < 4 || (literal.length < 8 && /^(?:[a-z]+|[A-Z]?[a-z]+|[A-Z]+|\d+)$/.test(literal)) || /^[01.:]+$/.test(literal)
