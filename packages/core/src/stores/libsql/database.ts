import type { SqlClient, SqlResult, SqlStatement, SqlValue } from './client.ts'
import { guarded } from './outage.ts'

/** A statement with fixed text: nothing is built when it runs. Made by `raw`. */
export interface Raw {
  readonly text: string
  readonly args: readonly SqlValue[]
}

/** What the two doors take: `raw(...)`, or what can say its SQL, as drizzle's builders do. */
export type Query = Raw | { toSQL(): { sql: string; params: unknown[] } }

export interface Written<Row = Record<string, unknown>> {
  /** The rows of `returning`, by column name. */
  rows: Row[]
  /** Rows changed; with `returning`, the rows returned. The same on a file and on a remote. */
  changed: number
}

export interface Database {
  /** One read; rows are objects by the column names of the SQL. Throws `Unavailable`. */
  read<Row = Record<string, unknown>>(query: Query): Promise<Row[]>
  /** Several reads of one moment, in one round trip. */
  readAll(queries: readonly Query[]): Promise<Record<string, unknown>[][]>
  /** One atomic, immediate transaction in one round trip: all of the statements or none. Throws `Unavailable`. */
  write<Row = Record<string, unknown>>(queries: readonly Query[]): Promise<Written<Row>[]>
}

/**
 * A hot statement: the text is used as it stands, so it costs nothing to build (a drizzle builder: some 40 µs).
 *
 * ```ts
 * const rows = await db.read<{ id: string }>(raw('select id from traces where owner = ?', [owner]))
 * ```
 */
export const raw = (text: string, args: readonly SqlValue[] = []): Raw => ({ text, args })

/** What SQLite takes for a value. Throws `TypeError` for one that is missing. */
export function value(given: unknown): SqlValue {
  if (given === undefined) throw new TypeError('undefined is no SQL value')
  if (typeof given === 'boolean') return given ? 1 : 0
  return wellFormed(given as SqlValue)
}

const wellFormed = (given: SqlValue): SqlValue =>
  typeof given === 'string' && !given.isWellFormed() ? given.toWellFormed() : given

/**
 * Makes the JSON text for a parameter of a statement. Lone surrogates become U+FFFD: `JSON.stringify` escapes them, and
 * SQLite's JSON functions would turn the escape into text that is not valid UTF-8.
 */
export function jsonArgument(given: unknown): string {
  const text = JSON.stringify(given)
  // An escaped backslash is taken along, so that `\\\\ud800`, which names no surrogate, stays as it is.
  return text.includes('\\ud')
    ? text.replace(/\\(?:ud[89a-f]..|.)/g, (escape) => (escape.length > 2 ? '\\ufffd' : escape))
    : text
}

function statement(query: Query): SqlStatement {
  if ('text' in query) return { sql: query.text, args: query.args.map(wellFormed) }
  const { sql, params } = query.toSQL()
  return { sql, args: params.map(value) }
}

/**
 * True when the text only reads. A `with` that ends in a change counts as one; when in doubt the answer is no,
 * which costs a write lock and never correctness.
 */
export function isRead(text: string): boolean {
  const first = /^[\s(]*([a-z]+)/i.exec(text)?.[1]?.toLowerCase()
  if (first === 'select' || first === 'values' || first === 'explain') return true
  return first === 'with' && !/\b(?:insert|update|delete|replace)\b/i.test(text)
}

// A row of the driver is already an object by column name: its positions are there too, but not enumerable.
const written = <Row>({ columns, rows, rowsAffected }: SqlResult): Written<Row> => ({
  rows: rows as unknown as Row[],
  changed: columns.length > 0 ? rows.length : rowsAffected,
})

/** Two doors over a libSQL client. Opens nothing, owns nothing: the client's maker closes it. */
export function openDatabase(client: SqlClient): Database {
  const execute = (one: SqlStatement): Promise<SqlResult> => guarded(() => client.execute(one))
  const batch = (all: SqlStatement[], mode: 'read' | 'write'): Promise<SqlResult[]> =>
    all.length === 0 ? Promise.resolve([]) : guarded(() => client.batch(all, mode))

  return {
    async read<Row>(query: Query) {
      return (await execute(statement(query))).rows as unknown as Row[]
    },
    async readAll(queries) {
      return (await batch(queries.map(statement), 'read')).map((result) => result.rows as Record<string, unknown>[])
    },
    async write<Row>(queries: readonly Query[]) {
      return (await batch(queries.map(statement), 'write')).map((result) => written<Row>(result))
    },
  }
}
