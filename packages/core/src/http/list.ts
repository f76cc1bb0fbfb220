import * as z from 'zod'
import { Count, RangeEnd, RangeStart, Text } from './fields.ts'

/** The last row of a page of a list: the value by which the list is sorted, and the row's number. */
export interface ListPlace {
  readonly num: number
  readonly value: string | number
}

/** The column by which a list is sorted, and the order. A cursor belongs to one sort and order. */
export interface ListOrder {
  readonly sort: string
  readonly order: 'asc' | 'desc'
}

/** The parameters of a port's method for an operators' list. */
export interface ListParams<Sort extends string> {
  /** An ID, a verified address, or words that all occur in a row. Absent: all rows are listed. */
  readonly search?: string | undefined
  /** The range of the rows' times in milliseconds. Both ends are included. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** The column to sort by. Default: the time of the rows. */
  readonly sort?: Sort | undefined
  /** The order. Absent means descending, so that the newest or largest item comes first. */
  readonly order?: 'asc' | 'desc' | undefined
  /** The `next` of the previous page, or null for the first page. */
  readonly cursor: string | null
  readonly limit: number
}

/** A page of a list; `next` is null after the last page. */
export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
}

/** Returns the cursor of the page that begins after a row, in a list with this sort and order. */
export const cursorAfter = ({ num, value }: ListPlace, { sort, order }: ListOrder): string =>
  `${sort}.${order}~${num}~${typeof value === 'number' ? `n${value}` : `s${value}`}`

/** Returns the row that a cursor names, with the sort and order. Returns null for a text that is not a cursor. */
export function readCursor(cursor: string): (ListPlace & ListOrder) | null {
  const [, sort = '', order, num, kind, value = ''] =
    /^(\w{1,64})\.(asc|desc)~(\d{1,15})~([ns])(.*)$/s.exec(cursor) ?? []
  if (num === undefined || (kind === 'n' && !Number.isFinite(Number(value)))) return null
  return { sort, order: order as 'asc' | 'desc', num: Number(num), value: kind === 'n' ? Number(value) : value }
}

/** Returns whether a query has no cursor, or a cursor of a page with the same sort and order. */
function isCursorOfOrder({ cursor, sort, order }: ListOrder & { readonly cursor?: string | undefined }): boolean {
  const found = cursor === undefined ? null : readCursor(cursor)
  return found === null || (found.sort === sort && found.order === order)
}

const otherOrder = 'a cursor of another sort or order'

/** A cursor of an operators' list in a query. The example has this sort and order. */
const ListCursor = (order: ListOrder) =>
  z
    .string()
    .max(1024)
    .refine((text) => readCursor(text) !== null, 'not a cursor of this list')
    .meta({ examples: [cursorAfter({ num: 42, value: 42 }, order)] })

/** A cursor in the query of a list that has only one sort and order. */
export const CursorOf = (order: ListOrder) =>
  ListCursor(order).refine((cursor) => isCursorOfOrder({ ...order, cursor }), otherOrder)

/**
 * Returns the query of an operators' list: search, days, sort and page. `sorts` names the columns to sort by; the first
 * is the default. `order` is the default order. A cursor of another sort or order is refused, because the page would
 * begin anywhere in the list.
 */
export function ListQuery<const Sort extends string>(
  sorts: readonly [Sort, ...Sort[]],
  order: 'desc' | 'asc' = 'desc',
) {
  return z
    .object({
      q: Text(1, 200).describe('an ID, a verified address, or words that all occur').optional(),
      from: RangeStart.optional(),
      to: RangeEnd.optional(),
      sort: z.enum(sorts).default(sorts[0]),
      order: z
        .enum(['desc', 'asc'])
        .default(order)
        .meta({ examples: [order] }),
      cursor: ListCursor({ sort: sorts[0], order }).optional(),
      limit: Count(1, 200, 50),
    })
    .refine(isCursorOfOrder, { path: ['cursor'], error: otherOrder })
}

/** Returns the parameters of a port's method for the query of its route. */
export function listParams<Sort extends string>(query: {
  readonly q?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly sort: Sort
  readonly order: 'asc' | 'desc'
  readonly cursor?: string | undefined
  readonly limit: number
}): ListParams<Sort> {
  const { q, from, to, sort, order, cursor, limit } = query
  return {
    search: q?.trim() || undefined,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    sort,
    order,
    cursor: cursor ?? null,
    limit,
  }
}

/** The way in which a search is run. An ID or an address is compared as a whole, so that an index can be used. */
export type Search =
  | { readonly kind: 'id'; readonly value: string }
  /**
   * `value` is the address in lower case, because verified addresses are stored in lower case. `entered` is the
   * unchanged address.
   */
  | { readonly kind: 'address'; readonly value: string; readonly entered: string }
  | { readonly kind: 'words'; readonly words: readonly string[] }

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const address = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Parses a search. At most eight words are returned. */
export function readSearch(text: string): Search {
  const value = text.trim()
  if (uuid.test(value)) return { kind: 'id', value: value.toLowerCase() }
  if (address.test(value)) return { kind: 'address', value: value.toLowerCase(), entered: value }
  return { kind: 'words', words: value.split(/\s+/).slice(0, 8) }
}
