import { checkOptionNames } from '../../option-names.ts'
import { itemAt } from '../../lists.ts'
import { inChildSpan } from '../../tracing.ts'
import type { SqlRow, SqlValue } from '../libsql/client.ts'
import type { Database, Query, TableOptions, WriteOptions, Written } from '../libsql/database.ts'
import { describeStatements } from '../libsql/statement-span.ts'
import { createTableNaming } from '../libsql/tables/sqlite-table.ts'
import { isBrokenOff, outage } from './outage.ts'
import { openSession, transact, transactAll, type Bound, type Postgres, type Session } from './transaction.ts'
import { changedBefore, parameter, translate } from './translate.ts'

/** The place of the tables in a database. */
export interface PostgresOptions extends TableOptions {
  /** The schema of all tables; by default the first one of the connection's `search_path`. */
  readonly schema?: string
}

/** The result of a driver. */
interface DriverResult {
  readonly rows: readonly DriverRow[]
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly changed: number
}
type DriverRow = readonly unknown[] | Readonly<Record<string, unknown>>

/** The most attempts at a transaction that Postgres aborted because of another transaction. */
const maxAttempts = 10

/** OIDs of `int8` and `numeric`, which drivers read as texts: https://www.postgresql.org/docs/current/datatype-oid.html. */
const numbers = new Set([20, 1700])

/** Returns the `Database` of a drizzle database. Its maker closes it. */
export function openDatabase(db: Postgres, options: PostgresOptions = {}): Database {
  checkOptionNames(options, { tablePrefix: true, schema: true })
  const { schema, tablePrefix = '' } = options
  const nameTables = createTableNaming(tablePrefix, schema)
  const space = `tributary/${schema ?? ''}/${tablePrefix}`
  const single = openSession(db)
  const texts = new Map<string, readonly string[]>()

  /** Returns the parts of a translated text between its parameters. */
  function partsOf(text: string): readonly string[] {
    let parts = texts.get(text)
    if (parts === undefined) texts.set(text, (parts = translate(nameTables(text)).split(parameter)))
    return parts
  }

  /** Returns whether a statement contains the number of rows that the previous one changed. */
  const readsPrevious = ({ text }: Query): boolean => partsOf(text).some((part) => part.includes(changedBefore))

  const bound = ({ text, args }: Query, changed = 0): Bound => bind(partsOf(text), args, String(changed))

  async function run(session: Session, query: Query, changed = 0): Promise<DriverResult> {
    return readResult(await session.run(bound(query, changed)))
  }

  /**
   * Runs statements of one transaction in order. A session with a pipeline waits only before a statement that reads the
   * result of the previous one.
   */
  async function runInOrder(session: Session, queries: readonly Query[]): Promise<DriverResult[]> {
    const results: DriverResult[] = []
    const sent: Promise<DriverResult>[] = []
    for (const query of queries) {
      const isWaiting = !session.isPipelined || readsPrevious(query)
      if (isWaiting) results.push(...(await Promise.all(sent.splice(0))))
      sent.push(run(session, query, isWaiting ? changedBy(queries, results) : 0))
    }
    return [...results, ...(await Promise.all(sent))]
  }

  /** Runs statements in one transaction, together with its begin and its end if none reads the result of another. */
  async function runAll(
    mode: string,
    queries: readonly Query[],
    ...opening: readonly string[]
  ): Promise<DriverResult[]> {
    if (queries.some(readsPrevious)) return transact(db, mode, (session) => runInOrder(session, queries), ...opening)
    const all = queries.map((query) => bound(query))
    return (await transactAll(db, mode, all, ...opening)).map(readResult)
  }

  /** Runs a step, and repeats it when Postgres aborts it because of another transaction. */
  async function repeat<Result>(queries: readonly Query[], step: () => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inChildSpan(
          () =>
            describeStatements(
              queries.map(({ text }) => ({ sql: text })),
              'postgresql',
            ),
          step,
        )
      } catch (error) {
        if (attempt === maxAttempts || !isBrokenOff(error)) throw outage(error)
      }
    }
  }

  return {
    read: <Row>(query: Query<Row>) =>
      repeat([query], async () => rowsOf(await run(single, query), query)) as Promise<Row[]>,
    readAll: (queries: readonly Query[]) =>
      repeat(queries, async () =>
        (await runAll('isolation level repeatable read read only', queries)).map((result, at) =>
          rowsOf(result, itemAt(queries, at)),
        ),
      ) as never,
    write: ((queries: readonly Query[], { locks }: WriteOptions = {}) =>
      queries.length === 0
        ? Promise.resolve([])
        : repeat(queries, async () =>
            (await runAll('isolation level read committed read write', queries, lock(space, locks))).map(
              (result, at): Written<unknown> => ({
                rows: rowsOf(result, itemAt(queries, at)),
                changed: result.changed,
              }),
            ),
          )) as Database['write'],
  }
}

/**
 * Takes locks until the end of the transaction. Every statement after it sees the changes that the earlier holders
 * committed. A write without named locks runs alone, as every write does in SQLite. Writes with different locks run in
 * parallel.
 */
function lock(space: string, names: readonly string[] | undefined): string {
  const all = hashName(space)
  if (!names) return `select pg_advisory_xact_lock(${all})`
  // The locks are taken in a fixed order, so that two transactions do not wait for each other.
  const keys = [...new Set(names.map((name) => hashName(`${space}/${name}`)))].sort((a, b) => a - b)
  return `select ${[`pg_advisory_xact_lock_shared(${all})`, ...keys.map((key) => `pg_advisory_xact_lock(${key})`)].join(', ')}`
}

/**
 * Returns a hash of 52 bits of a name, because a name may contain a client's text. Two names with the same hash only
 * wait for each other.
 */
function hashName(name: string): number {
  let [high, low] = [0x811c9dc5, 0x9e3779b9]
  for (let i = 0; i < name.length; i++) {
    high = Math.imul(high ^ name.charCodeAt(i), 0x01000193)
    low = Math.imul(low ^ name.charCodeAt(i), 0x85ebca6b)
    low ^= low >>> 13
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0)
}

/** Returns the number of rows that the last statement that can change rows changed. */
function changedBy(queries: readonly Query[], results: readonly DriverResult[]): number {
  const last = results.findLastIndex((_, at) => /^\s*(?:insert|update|delete|with)\b/i.test(itemAt(queries, at).text))
  return last === -1 ? 0 : itemAt(results, last).changed
}

/** Puts the values into a text, each with its type: Postgres would take a number for 32 bits. */
function bind(parts: readonly string[], args: readonly SqlValue[], changed: string): Bound {
  const [first = '', ...others] = parts.map((text) => withChanged(text, changed))
  let start = first
  const values: { value: unknown; type: string; after: string }[] = []
  for (const [at, given] of args.entries()) {
    const after = itemAt(others, at)
    const last = values.at(-1)
    if (given !== null) values.push({ ...typed(given), after })
    else if (last) last.after += `null${after}`
    else start += `null${after}`
  }
  return { start, values }
}

const withChanged = (text: string, changed: string): string =>
  text.includes(changedBefore) ? text.replaceAll(changedBefore, changed) : text

function typed(given: string | number | bigint | ArrayBuffer | Uint8Array): {
  readonly value: unknown
  readonly type: string
} {
  if (typeof given === 'string') return { value: given.replaceAll('\0', '\uFFFD'), type: 'text' }
  if (typeof given === 'bigint') return { value: String(given), type: 'bigint' }
  if (typeof given === 'number')
    return { value: given, type: Number.isSafeInteger(given) ? 'bigint' : 'double precision' }
  return { value: given instanceof Uint8Array ? given : new Uint8Array(given), type: 'bytea' }
}

/** Reads a result: postgres.js returns the rows themselves, other drivers an object. */
function readResult(result: unknown): DriverResult {
  const { rows, fields, rowCount, affectedRows } = result as DriverResult & { rowCount?: number; affectedRows?: number }
  if (!Array.isArray(result))
    return { rows, fields, changed: rows.length > 0 ? rows.length : (rowCount ?? affectedRows ?? 0) }
  const { count, columns } = result as unknown as { count: number; columns?: { name: string; type: number }[] }
  return { rows: result, fields: (columns ?? []).map(({ name, type }) => ({ name, dataTypeID: type })), changed: count }
}

/** Returns the rows as SQLite's driver would: booleans as 0 and 1, and numbers as numbers. */
function rowsOf({ rows, fields }: DriverResult, { decode }: Query): unknown[] {
  return rows.map((row) => {
    const values = fields.map(({ name, dataTypeID }, at) =>
      convert(Array.isArray(row) ? row[at] : (row as Readonly<Record<string, unknown>>)[name], dataTypeID),
    )
    if (decode) return decode(values as unknown as SqlRow)
    return Object.fromEntries(fields.map(({ name }, at) => [name, values[at]]))
  })
}

function convert(value: unknown, type: number): SqlValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'bigint' || (typeof value === 'string' && numbers.has(type))) return Number(value)
  return value as SqlValue
}
