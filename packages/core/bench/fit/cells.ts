/** What a word's three cells are, and what they add up to. */
export interface Entry {
  readonly places: readonly number[]
  readonly sum: number
}

/** Cells for each word: fewer, and there is no order in which all words find a cell of their own. */
const CELLS_FOR_A_WORD = 1.24

/** Returns how many cells each of the three parts of a table has. */
export const partFor = (words: number): number => Math.ceil((words * CELLS_FOR_A_WORD) / 3)

/**
 * Returns cells so that the three of each entry add up to its sum: takes entries away whose cell no other has, one
 * after the other, and fills the cells in the opposite order.
 */
export function fillCells(all: readonly Entry[], part: number, values: number): Uint8Array {
  // Of two words with the same places only one can be kept.
  const entries = [...new Map(all.map((entry) => [String(entry.places), entry])).values()]
  const counts = new Uint32Array(3 * part)
  const owners = new Uint32Array(3 * part)
  const change = ({ places }: Entry, by: number, index: number): void => {
    for (const place of places) {
      counts[place] = counts[place]! + by
      owners[place] = owners[place]! ^ index
    }
  }
  for (const [index, entry] of entries.entries()) change(entry, 1, index)
  const lone = [...counts.keys()].filter((place) => counts[place] === 1)
  const order: [index: number, place: number][] = []
  for (let place = lone.pop(); place !== undefined; place = lone.pop()) {
    if (counts[place] !== 1) continue
    const index = owners[place]!
    order.push([index, place])
    change(entries[index]!, -1, index)
    for (const other of entries[index]!.places) if (counts[other] === 1) lone.push(other)
  }
  if (order.length < entries.length) throw new Error('the words share their cells: change CELLS_FOR_A_WORD')
  const cells = new Uint8Array(3 * part)
  for (const [index, place] of order.toReversed()) {
    const { places, sum } = entries[index]!
    const others = places.reduce((total, other) => total + (other === place ? 0 : cells[other]!), 0)
    cells[place] = (((sum - others) % values) + values) % values
  }
  return cells
}

/** Returns the source of a module with the cells as one string. */
export function sourceOf(name: string, comment: string, cells: Uint8Array, firstCell: number): string {
  const text = [...cells].map((cell) => String.fromCharCode(cell + firstCell)).join('')
  const lines = text.match(/.{1,100}/g)!.map((line) => `  '${line.replace(/['\\]/g, String.raw`\$&`)}',`)
  return `/** ${comment} */\nexport const ${name} = [\n${lines.join('\n')}\n].join('')\n`
}
