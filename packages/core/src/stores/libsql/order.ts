import { itemAt } from '../../lists.ts'
/** Returns the rows in the order of the requested ids. */
export function sortByIds<Row extends { id: string }>(ids: readonly string[], rows: readonly Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? [])
}

/**
 * Sorts hashes by their first five characters, so that the database reads its index of hashes in one direction; a
 * complete order is not needed. Numbers sort in half the time of texts. For fewer than 8,192 hashes, the five
 * characters and the position fit into one number.
 */
export function sortHashes(hashes: readonly string[]): string[] {
  if (hashes.length >= 8192) return [...hashes].sort()
  const keys = new Float64Array(hashes.length)
  for (const [at, hash] of hashes.entries()) {
    let start = 0
    for (let i = 0; i < 5; i++) start = start * 128 + (hash.charCodeAt(i) & 127)
    keys[at] = start * 8192 + at
  }
  return Array.from(keys.sort(), (key) => itemAt(hashes, key % 8192))
}
