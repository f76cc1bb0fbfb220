/** Returns the item at an index; a negative index counts from the end. Throws `RangeError`. */
export function itemAt<Item>(list: readonly Item[], index: number): Item {
  const item = list.at(index)
  if (item === undefined) throw new RangeError(`no item ${index} of ${list.length}`)
  return item
}

/** Returns the first item of a list that is never empty. Throws `RangeError`. */
export const firstOf = <Item>(list: readonly Item[]): Item => itemAt(list, 0)

/** Returns the last item of a list that is never empty. Throws `RangeError`. */
export const lastOf = <Item>(list: readonly Item[]): Item => itemAt(list, -1)

/**
 * Returns a page of at most `limit` rows, and the position of its last row if there are more rows. The caller must have
 * read one row more than the limit.
 */
export function pageOf<Row, Place>(
  rows: readonly Row[],
  limit: number,
  placeOf: (row: Row) => Place,
): { readonly page: Row[]; readonly next: Place | null } {
  const page = rows.slice(0, limit)
  return { page, next: rows.length > limit ? placeOf(lastOf(page)) : null }
}

/** Deletes the oldest entries of a map until at most `limit` entries are left. */
export function dropOldest<Key>(map: Map<Key, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return
    map.delete(key)
  }
}
