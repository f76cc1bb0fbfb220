import { and, Column, eq, gte, is, lte, or, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf, pageOf } from '../../lists.ts'
import { cursorAfter, readCursor, readSearch, type ListPage, type ListParams, type ListPlace } from '../../http/list.ts'
import type { Database, Query } from './database.ts'
import { ownerNum, prepare } from './statement.ts'
import { users } from './tables/sessions.ts'
import { hasWords, wordsArgument } from './words.ts'

/** The columns by which an operators' list is searched and sorted. */
export interface ListColumns<Sort extends string> {
  /** The number of a row. Later rows have larger numbers. */
  readonly num: Column
  /** The time of a row in ms, which is compared with `from` and `to`. */
  readonly at: SQLWrapper
  /**
   * The columns by which the list can be sorted, by name. They are never null, and the first column is the default. In
   * a growing table each of these columns has an index.
   */
  readonly sorts: Readonly<Record<Sort, SQLWrapper>>
  /** The names of the expressions in `sorts` that are texts. Other expressions are numbers. */
  readonly textSorts?: readonly Sort[]
  /** The columns with which an ID is compared. */
  readonly ids: readonly SQLWrapper[]
  /**
   * The number of the person to whom a row belongs. A search also finds the row by the person's ID and verified
   * address.
   */
  readonly owner?: SQLWrapper
  /** Other addresses of a row, as they were entered. */
  readonly addresses?: readonly SQLWrapper[]
  /** The texts in which words are searched. */
  readonly text: readonly SQLWrapper[]
}

/** The columns of a list of accounts. */
export const accountList: ListColumns<'signedUpAt'> = {
  num: users.num,
  at: users.createdAt,
  sorts: { signedUpAt: users.num },
  ids: [users.id],
  addresses: [users.email],
  text: [users.id, users.email],
}

/** The clauses of the statement that reads a page of a list. */
export interface ListClauses {
  /** The columns that the statement selects besides the fields of an item. */
  readonly place: { readonly num: SQL<number>; readonly value: SQL<string | number> }
  readonly where: SQL | undefined
  readonly order: SQL[]
  /** The size of the page plus one, so that the reader knows whether there is another page. */
  readonly limit: number
}

/** Returns the condition that a row matches a search. */
function isFound<Sort extends string>(list: ListColumns<Sort>, text: string): SQL | undefined {
  const { ids, owner, addresses = [], text: texts } = list
  const search = readSearch(text)
  switch (search.kind) {
    case 'id':
      return or(...ids.map((id) => eq(id, search.value)), owner && sql`${owner} = ${ownerNum(sql`${search.value}`)}`)
    case 'address':
      return or(
        sql`1 = 0`,
        owner && sql`${owner} = (select ${users.num} from ${users} where ${users.email} = ${search.value})`,
        ...addresses.map((column) => sql`${column} in (${search.value}, ${search.entered})`),
      )
    case 'words': {
      const all = sql`concat_ws(char(10), ${sql.join([...texts], sql`, `)})`
      return hasWords(all, sql`${wordsArgument(search.words)}`)
    }
  }
}

/** Returns whether the values by which a list is sorted are texts. */
const isText = <Sort extends string>({ sorts, textSorts = [] }: ListColumns<Sort>, column: SQLWrapper): boolean =>
  is(column, Column) ? column.dataType === 'string' : textSorts.some((name) => sorts[name] === column)

/** Returns the clauses of a statement that reads a page. `conditions` are further conditions of the list. */
export function listClauses<Sort extends string>(
  list: ListColumns<Sort>,
  { search, from, to, sort, order = 'desc', cursor, limit }: ListParams<Sort>,
  ...conditions: readonly (SQL | undefined)[]
): ListClauses {
  const value = sort === undefined ? firstOf(Object.values<SQLWrapper>(list.sorts)) : list.sorts[sort]
  const isByNum = value === list.num
  const after = cursor === null ? null : readCursor(cursor)
  // PostgreSQL refuses a number where it expects a text, and a cursor that somebody made up may contain a number.
  const afterValue = after && (isText(list, value) ? String(after.value) : Number(after.value) || 0)
  const [sign, direction] = order === 'asc' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  const isAfter = isByNum
    ? sql`${list.num} ${sign} ${after?.num}`
    : sql`(${value}, ${list.num}) ${sign} (${afterValue}, ${after?.num})`
  return {
    place: { num: sql<number>`${list.num}`, value: sql<string | number>`${value}` },
    where: and(
      ...conditions,
      search === undefined ? undefined : isFound(list, search),
      from === undefined ? undefined : gte(sql`${list.at}`, from),
      to === undefined ? undefined : lte(sql`${list.at}`, to),
      after === null ? undefined : isAfter,
    ),
    order: (isByNum ? [list.num] : [value, list.num]).map((column) => sql`${column} ${direction}`),
    limit: limit + 1,
  }
}

/** Reads a page of a list. `query` is built from `listClauses` for these parameters. */
export async function readList<Sort extends string, Row extends ListPlace, Item>(
  db: Database,
  { sorts }: Pick<ListColumns<Sort>, 'sorts'>,
  { sort = firstOf(Object.keys(sorts)) as Sort, order = 'desc', limit }: ListParams<Sort>,
  query: SQLWrapper & { readonly _: { readonly result: readonly Row[] } },
  itemOf: (row: Omit<Row, 'num' | 'value'>, num: number) => Item,
): Promise<ListPage<Item>> {
  const rows: Row[] = await db.read(prepare()(() => query)({}) as Query<Row>)
  const { page, next } = pageOf(rows, limit, (row) => cursorAfter(row, { sort, order }))
  return { items: page.map(({ num, value: _, ...row }) => itemOf(row, num)), next }
}
