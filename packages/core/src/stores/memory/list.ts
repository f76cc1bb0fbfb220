import { cursorAfter, readCursor, readSearch, type ListPage, type ListParams } from '../../http/list.ts'

/** How items of an operators' list are searched and sorted, as `ListColumns` of the SQL stores. */
export interface MemoryList<Item, Sort extends string> {
  readonly num: (item: Item) => number
  readonly at: (item: Item) => number
  readonly sorts: Readonly<Record<Sort, (item: Item) => string | number>>
  /** IDs and addresses: of the row, and of its person. */
  readonly whole: (item: Item) => readonly (string | null | undefined)[]
  readonly text: (item: Item) => readonly (string | null | undefined)[]
}

function isFound<Item>(list: MemoryList<Item, never>, item: Item, text: string): boolean {
  const search = readSearch(text)
  if (search.kind !== 'words') {
    const values = search.kind === 'id' ? [search.value] : [search.value, search.entered]
    return list.whole(item).some((one) => one != null && values.includes(one))
  }
  const all = list
    .text(item)
    .filter((one) => one != null)
    .join('\n')
    .toLowerCase()
  return search.words.every((word) => all.includes(word))
}

/** Returns a page of a list. */
export function listPage<Item, Sort extends string>(
  items: Iterable<Item>,
  list: MemoryList<Item, Sort>,
  { search, from, to, sort, order = 'desc', cursor, limit }: ListParams<Sort>,
): ListPage<Item> {
  const valueOf = sort === undefined ? Object.values<(item: Item) => string | number>(list.sorts)[0]! : list.sorts[sort]
  const place = (item: Item) => ({ num: list.num(item), value: valueOf(item) })
  const compare = (one: ReturnType<typeof place>, other: ReturnType<typeof place>): number => {
    const first = one.value === other.value ? one.num - other.num : one.value < other.value ? -1 : 1
    return order === 'asc' ? first : -first
  }
  const after = cursor === null ? null : readCursor(cursor)
  const found = [...items]
    .filter(
      (item) =>
        (search === undefined || isFound(list, item, search)) &&
        (from === undefined || list.at(item) >= from) &&
        (to === undefined || list.at(item) <= to) &&
        (after === null || compare(place(item), after) > 0),
    )
    .sort((a, b) => compare(place(a), place(b)))
  const page = found.slice(0, limit)
  return { items: page, next: found.length > limit ? cursorAfter(place(page.at(-1)!)) : null }
}
