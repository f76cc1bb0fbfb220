import { getTableColumns } from 'drizzle-orm'
import type { Page } from '../../contributors/store.ts'
import { applications } from './tables/contributors.ts'

const { num, owner: _owner, ...columns } = getTableColumns(applications)
/** The number by which pages of applications are ordered. */
export const applicationNum = num
/** The columns of an application that stores return. */
export const applicationColumns = columns

/** The number before which a page begins, and how many rows to read: one more than the page holds. */
export interface PageArgs {
  readonly before: number
  readonly limit: number
}

/** Returns a page of rows that were selected with one more than the limit. */
export function pageOf<Row extends { readonly num: number }, Item>(
  rows: readonly Row[],
  limit: number,
  itemOf: (row: Row) => Item,
): Page<Item> {
  const kept = rows.slice(0, limit)
  return { items: kept.map(itemOf), next: rows.length > limit ? kept.at(-1)!.num : null }
}
