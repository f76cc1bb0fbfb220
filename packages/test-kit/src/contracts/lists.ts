import type { ListPage, ListParams } from '@tributary/core/stores'
import { expect } from 'vitest'

/** The number of rows that are newer than the row that a search must find. It is larger than every page. */
export const newerRows = 300

/**
 * Checks that an operators' list of more than `newerRows` rows is exact: every sort and direction visits each row once
 * in order, and each search finds exactly its rows, however many newer rows there are.
 */
export async function expectExactList<Item, Sort extends string>(check: {
  readonly list: (params: ListParams<Sort>) => Promise<ListPage<Item>>
  readonly idOf: (item: Item) => string
  /** The IDs of all rows, the oldest first. */
  readonly ids: readonly string[]
  /** The sorts of the list by name. Null means the order in which the rows were added. */
  readonly sorts: Readonly<Record<Sort, ((item: Item) => string | number) | null>>
  /** The IDs that each search finds, the newest first. */
  readonly found: readonly (readonly [search: string, ids: readonly string[]])[]
}): Promise<void> {
  const { list, idOf, ids, sorts, found } = check
  const readAll = async (params: Partial<ListParams<Sort>>): Promise<Item[]> => {
    const items: Item[] = []
    for (let cursor: string | null = null; ;) {
      const page: ListPage<Item> = await list({ ...params, cursor, limit: 120 })
      items.push(...page.items)
      if (page.next === null) return items
      cursor = page.next
    }
  }
  for (const [sort, valueOf] of Object.entries(sorts) as [Sort, ((item: Item) => string | number) | null][]) {
    for (const order of ['asc', 'desc'] as const) {
      const items = await readAll({ sort, order })
      const visited = items.map(idOf)
      if (valueOf === null) {
        expect(visited, `${sort} ${order}`).toEqual(order === 'asc' ? ids : ids.toReversed())
        continue
      }
      expect(visited.toSorted(), `${sort} ${order}`).toEqual(ids.toSorted())
      const values = items.map(valueOf)
      const sorted = values.toSorted((a, b) => (a === b ? 0 : a < b === (order === 'asc') ? -1 : 1))
      expect(values, `${sort} ${order}`).toEqual(sorted)
    }
  }
  for (const [search, expected] of found) expect((await readAll({ search })).map(idOf), search).toEqual(expected)
}
