/**
 * All keywords of all rules in one pass: an Aho-Corasick automaton over dense tables.
 * A regular expression of several hundred alternatives tries each first letter at every position; this reads each
 * character once, whatever the number of keywords. Source: Aho and Corasick, "Efficient string matching", 1975.
 */
/** The bit of a table's entry that says: a keyword ends here. */
export const ENDS = 0x8000

/**
 * A row has this power of two columns: a fixed shift is quicker than a product, and the loop waits for it at every
 * character.
 */
export const SHIFT = 6

export interface Automaton {
  /**
   * Character code to column; upper and lower case share one. Every code has an entry, which saves the scan a branch;
   * all above 127 are 0.
   */
  readonly columns: Uint8Array
  /** `(state << SHIFT) + column` to the next state; the highest bit is set where that state ends a keyword. */
  readonly table: Uint16Array
  /** For each state, the indexes of the keywords that end there, the longest first. */
  readonly ends: readonly (readonly number[])[]
}

/** The characters of prose and code, the most frequent first: their columns share a line of the processor's cache. */
const FREQUENT = ' etaoinsrldcu"hp_m.f,:0-g1/y2bv'

/**
 * Builds the automaton that finds keywords in one pass over a text.
 * @param words in lower case, ASCII.
 * @param runs characters that follow one another by the dozen: a word that is one of them ends only where none of them
 * stands before it, so that a number is looked at where it begins.
 */
export function buildAutomaton(words: readonly string[], runs = ''): Automaton {
  const columns = new Uint8Array(65_536)
  let width = 1
  const used = new Set(words.flatMap((word) => [...word]))
  for (const char of new Set([...[...FREQUENT].filter((one) => used.has(one)), ...used])) {
    const code = char.charCodeAt(0)
    columns[code] = width
    const upper = char.toUpperCase().charCodeAt(0)
    if (upper !== code) columns[upper] = width
    width++
  }

  const total = words.reduce((sum, word) => sum + word.length, 1)
  const next = new Int32Array((total + runs.length) * width).fill(-1)
  const ends: number[][] = [[]]
  /** The column by which each state is entered. */
  const entered = [0]
  for (const [index, word] of words.entries()) {
    let state = 0
    for (let i = 0; i < word.length; i++) {
      const at = state * width + columns[word.charCodeAt(i)]!
      if (next[at]! < 0) {
        next[at] = ends.length
        ends.push([])
        entered.push(columns[word.charCodeAt(i)]!)
      }
      state = next[at]!
    }
    ends[state]!.push(index)
  }

  const fail = new Int32Array(ends.length)
  const queue: number[] = []
  for (let column = 0; column < width; column++) {
    const child = next[column]!
    if (child < 0) next[column] = 0
    else queue.push(child)
  }
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head]!
    ends[state] = ends[state]!.concat(ends[fail[state]!]!)
    for (let column = 0; column < width; column++) {
      const at = state * width + column
      const detour = next[fail[state]! * width + column]!
      if (next[at]! < 0) next[at] = detour
      else {
        fail[next[at]!] = detour
        queue.push(next[at]!)
      }
    }
  }

  quieten(
    runs.split('').map((char) => columns[char.charCodeAt(0)]!),
    words,
  )
  const states = ends.length
  if (states > ENDS) throw new Error('too many keywords for 15 bits of state')
  if (width > 1 << SHIFT) throw new Error('too many different characters in keywords')
  // Rows in the order of their depth, so that those which most text stays in are neighbours.
  const order = [0, ...queue]
  for (let state = order.length; state < states; state++) order.push(state)
  const rows = new Uint16Array(states)
  for (const [row, old] of order.entries()) rows[old] = row
  const table = new Uint16Array(states << SHIFT)
  for (const [row, old] of order.entries())
    for (let column = 0; column < width; column++) {
      const target = next[old * width + column]!
      table[(row << SHIFT) + column] = rows[target]! | (ends[target]!.length > 0 ? ENDS : 0)
    }
  return { columns, table, ends: order.map((old) => ends[old]!) }

  /**
   * Gives each of these columns a second first state, without the word that is it alone, for where one of them stands
   * before.
   */
  function quieten(among: readonly number[], all: readonly string[]): void {
    const loud = among.map((column) => next[column]!)
    const quiet = loud.map((state, i) => {
      next.copyWithin(ends.length * width, state * width, (state + 1) * width)
      entered.push(among[i]!)
      return ends.push(ends[state]!.filter((word) => all[word]!.length > 1)) - 1
    })
    for (let state = 1; state < ends.length; state++)
      if (among.includes(entered[state]!))
        for (const column of among) {
          const which = loud.indexOf(next[state * width + column]!)
          if (which >= 0) next[state * width + column] = quiet[which]!
        }
  }
}
