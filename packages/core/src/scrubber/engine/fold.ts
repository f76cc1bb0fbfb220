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

/** Folds a text. Most texts keep their length, so most folds need no table of places. */
export function fold(text: string): Folded {
  if (ASCII.test(text)) return { text: text.toLowerCase(), start: same, end: same }
  const simple = text.toLowerCase()
  if (simple.length === text.length && simple.normalize('NFKC') === simple)
    return { text: simple, start: same, end: same }
  let folded = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const match of text.matchAll(CLUSTER)) {
    const cluster = match[0].normalize('NFKC').toLowerCase()
    for (let i = 0; i < cluster.length; i++) {
      starts.push(match.index)
      ends.push(match.index + match[0].length)
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
