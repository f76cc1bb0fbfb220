/** A text in lower case and compatibility form (NFKC), for comparisons that ignore case and width. */
export interface Folded {
  readonly text: string
  /** Where the character at `index` of the folded text begins in the text it was made from. */
  start(index: number): number
  /** Where the character before `index` ends there. */
  end(index: number): number
}

const ASCII = /^[\x00-\x7f]*$/
/** A letter with the marks that combine with it: the unit that normalizing changes. */
const CLUSTER = /\P{M}\p{M}*/gu

const same = (index: number): number => index

/** By code: whether normalizing to NFKC may change a character or join it to others; 0 where it was not asked for yet. */
const changes = new Uint8Array(65_536)
const KEPT = 1
const CHANGED = 2

function readChange(code: number): number {
  const char = String.fromCharCode(code)
  const isKept =
    char.toLowerCase().length === 1 && char.normalize('NFKC') === char && !/[\p{M}\p{Cs}\u1100-\u11ff]/u.test(char)
  return (changes[code] = isKept ? KEPT : CHANGED)
}

/** Returns whether a text keeps the number and places of its characters. */
function keepsPlaces(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 127 && (changes[code] || readChange(code)) === CHANGED && !isEmoji(code, text.charCodeAt(i + 1)))
      return false
  }
  return true
}

/** Returns whether a code is one half of an emoji, which stays; letters and digits in frames do not. */
const isEmoji = (code: number, next: number): boolean =>
  (code === 0xd83c && (next < 0xdd00 || next > 0xde6f)) ||
  code === 0xd83d ||
  code === 0xd83e ||
  (code >= 0xdc00 && code <= 0xdfff)

/** Folds a text. Most texts keep their length, so most folds need no table of places. */
export function fold(text: string): Folded {
  if (ASCII.test(text) || keepsPlaces(text)) return { text: text.toLowerCase(), start: same, end: same }
  let folded = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const match of text.matchAll(CLUSTER)) {
    const [whole] = match
    const cluster =
      whole.length === 1 && whole.charCodeAt(0) < 128 ? whole.toLowerCase() : whole.normalize('NFKC').toLowerCase()
    for (let i = 0; i < cluster.length; i++) {
      starts.push(match.index)
      ends.push(match.index + whole.length)
    }
    folded += cluster
  }
  return {
    text: folded,
    start: (index) => starts[index] ?? text.length,
    end: (index) => ends[index - 1] ?? 0,
  }
}

/** Returns the folded text alone. */
export const foldText = (text: string): string => (ASCII.test(text) ? text : text.normalize('NFKC')).toLowerCase()
