import { DrizzleQueryError } from 'drizzle-orm/errors'
import { itemAt } from '../../lists.ts'
import { checkOptionNames } from '../../option-names.ts'
import { inChildSpan } from '../../tracing.ts'
import { Unavailable } from '../../unavailable.ts'
import type { SqlRow, SqlValue } from '../libsql/client.ts'
import {
  createTableNaming,
  type Database,
  type Query,
  type TableOptions,
  type WriteOptions,
  type Written,
} from '../libsql/database.ts'
import { describeStatements } from '../libsql/statement-span.ts'
import {
  openSession,
  transact,
  transactAll,
  type BoundStatement,
  type Postgres,
  type Session,
  type Shape,
} from './transaction.ts'
import { previousRowCount, parameter, translate } from './translate.ts'

/** The schema and the prefix of the tables in a database. */
export interface PostgresOptions extends TableOptions {
  /** The schema of all tables. By default, it is the first schema of the connection's `search_path`. */
  readonly schema?: string
}

/** Options for the tables, and for how statements are sent. */
export interface PostgresStoreOptions extends PostgresOptions {
  /**
   * Whether node-postgres prepares statements, by default true: Postgres then plans a statement once for each
   * connection, which saves most of the time of a short statement. A pooler in transaction mode that does not support
   * prepared statements refuses the first prepared statement; after that, statements are not prepared. RDS Proxy keeps
   * a connection for each client that prepares statements, so set this option to false there.
   */
  readonly preparedStatements?: boolean
}

/** The result of a query, as the PostgreSQL driver returns it. */
interface DriverResult {
  readonly rows: readonly DriverRow[]
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly changed: number
}
type DriverRow = readonly unknown[] | Readonly<Record<string, unknown>>

/** The maximum number of prepared statements of a connection. Each uses about 60 KB of the server's memory. */
const maxPrepared = 500

/** The maximum number of attempts at a transaction that Postgres aborts because of another transaction. */
const maxAttempts = 10

/** OIDs of `int8` and `numeric`, which drivers read as texts: https://www.postgresql.org/docs/current/datatype-oid.html. */
const numbers = new Set([20, 1700])

/** Returns the `Database` of a drizzle database. The creator of the drizzle database closes it. */
export function openDatabase(db: Postgres, options: PostgresStoreOptions = {}): Database {
  checkOptionNames(options, { tablePrefix: true, schema: true, preparedStatements: true })
  const { schema, tablePrefix = '' } = options
  let { preparedStatements: isPrepared = true } = options
  const nameTables = createTableNaming(tablePrefix, schema)
  const space = `tributary/${schema ?? ''}/${tablePrefix}`
  const single = openSession(db)
  const statements = new Map<string, Translated>()
  let shapeCount = 0

  function translated({ text }: Query): Translated {
    let statement = statements.get(text)
    if (statement === undefined) statements.set(text, (statement = divide(translate(nameTables(text)))))
    return statement
  }

  /** Returns whether a statement contains the number of rows that the previous statement changed. */
  const readsPrevious = (query: Query): boolean => translated(query).marks.includes(previousRowCount)

  function bound(query: Query, changed = 0): BoundStatement {
    const args = query.args.values()
    const { parts, marks, shapes } = translated(query)
    const given = marks.map((mark) => (mark === previousRowCount ? changed : (args.next().value ?? null)))
    const types = given.map(chooseType)
    const key = types.join()
    let shape = shapes.get(key)
    const isKept = shape !== undefined || ++shapeCount <= maxPrepared
    shape ??= createShape(parts, types)
    if (isKept) shapes.set(key, shape)
    return { shape, values: given.filter((one) => one !== null).map(encode), isPrepared: isPrepared && isKept }
  }

  async function run(session: Session, query: Query, changed = 0): Promise<DriverResult> {
    return readResult(await session.run(bound(query, changed)))
  }

  /**
   * Runs statements of one transaction in order. A session with a pipeline waits only before a statement that reads the
   * result of the previous statement.
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

  /**
   * Runs statements in one transaction. If no statement reads the result of another, they are sent together with the
   * begin and the commit.
   */
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
        const isRefused = isWithoutStatement(error)
        if (isRefused) isPrepared = false
        if (attempt === maxAttempts || !(isRefused || isBrokenOff(error))) throw toUnavailable(error)
      }
    }
  }

  return {
    read: <Row>(query: Query<Row>) =>
      repeat([query], async () => decodeRows(await run(single, query), query)) as Promise<Row[]>,
    readAll: (queries: readonly Query[]) =>
      repeat(queries, async () =>
        (await runAll('isolation level repeatable read read only', queries)).map((result, at) =>
          decodeRows(result, itemAt(queries, at)),
        ),
      ) as never,
    write: ((queries: readonly Query[], { locks }: WriteOptions = {}) =>
      queries.length === 0
        ? Promise.resolve([])
        : repeat(queries, async () =>
            (await runAll('isolation level read committed read write', queries, lock(space, locks))).map(
              (result, at): Written<unknown> => ({
                rows: decodeRows(result, itemAt(queries, at)),
                changed: result.changed,
              }),
            ),
          )) as Database['write'],
  }
}

/**
 * Returns the statement that acquires locks until the end of the transaction. Every later statement sees the changes
 * that earlier holders of the locks committed. A write without named locks runs alone, as every write does in SQLite.
 * Writes with different locks run in parallel.
 */
function lock(space: string, names: readonly string[] | undefined): string {
  const all = hashName(space)
  if (!names) return `select pg_advisory_xact_lock(${all})`
  // The locks are acquired in a fixed order, so that two transactions do not wait for each other.
  const keys = [...new Set(names.map((name) => hashName(`${space}/${name}`)))].sort((a, b) => a - b)
  return `select ${[`pg_advisory_xact_lock_shared(${all})`, ...keys.map((key) => `pg_advisory_xact_lock(${key})`)].join(', ')}`
}

/**
 * Returns a 52-bit hash of a name, because a name may contain a client's text. If two names have the same hash, their
 * transactions only wait for each other.
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

/** Returns the number of rows that were changed by the last statement that can change rows. */
function changedBy(queries: readonly Query[], results: readonly DriverResult[]): number {
  const last = results.findLastIndex((_, at) => /^\s*(?:insert|update|delete|with)\b/i.test(itemAt(queries, at).text))
  return last === -1 ? 0 : itemAt(results, last).changed
}

/**
 * A translated statement: its marks (each `parameter` or `previousRowCount`), the texts between the marks, and one shape
 * for each combination of types of the values.
 */
interface Translated {
  readonly parts: readonly string[]
  readonly marks: readonly string[]
  readonly shapes: Map<string, Shape>
}

const divide = (text: string): Translated => ({
  parts: text.split(eitherMark),
  marks: text.match(eitherMark) ?? [],
  shapes: new Map(),
})
const eitherMark = new RegExp(`[${parameter}${previousRowCount}]`, 'g')

/** Adds the type of each value, because Postgres would treat a number as 32 bits. Nulls are written into the text. */
function createShape(parts: readonly string[], types: readonly (string | null)[]): Shape {
  const around = ['']
  for (const [at, part] of parts.entries()) {
    const type = at === 0 ? '' : types[at - 1]
    if (type === null || at === 0) around.push(`${around.pop()}${type === null ? 'null' : ''}${part}`)
    else around.push(`::${type}${part}`)
  }
  const text = around.reduce((all, part, at) => `${all}$${at}${part}`)
  return { around, text, name: `tributary_${hashName(text).toString(36)}` }
}

type Given = SqlValue | Uint8Array

function chooseType(given: Given): string | null {
  if (given === null) return null
  if (typeof given === 'string') return 'text'
  if (typeof given === 'bigint') return 'bigint'
  if (typeof given === 'number') return Number.isSafeInteger(given) ? 'bigint' : 'double precision'
  return 'bytea'
}

function encode(given: NonNullable<Given>): unknown {
  if (typeof given === 'string') return given.replaceAll('\0', '\uFFFD')
  if (typeof given === 'bigint') return String(given)
  return given instanceof ArrayBuffer ? new Uint8Array(given) : given
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
function decodeRows({ rows, fields }: DriverResult, { decode }: Query): unknown[] {
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

/** The connection error codes of Node and of postgres.js. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
])
/**
 * SQLSTATE codes of a connection, of resources (too many connections, disk full), of an operator (shutdown, statement
 * timeout), of the system, of a read-only transaction, of a write on a replica (0A000) and of a lock timeout:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const outages = /^(?:08|53|57|58)\w{3}$|^(?:0A000|25006|55P03|XX001|XX002)$/
/** Data or an index is corrupted. */
const damage = /^XX00[12]$/
/** The messages of errors that the drivers throw without a code. */
const brokenConnection =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|PGlite is closed)/
/** The codes of a serialization failure and of a deadlock. */
const brokenOff = new Set(['40001', '40P01'])

/** Returns the first code of an error or of its causes for which a condition is true. */
function findCode(
  error: unknown,
  isMeant: (code: string, error: Error & { readonly routine?: string }) => boolean,
): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code } = at as { code?: unknown }
    const text = typeof code === 'string' ? code : ''
    if (isMeant(text, at)) return text
  }
  return null
}

/** Returns whether Postgres aborted a transaction because of another transaction, so that it may be repeated. */
const isBrokenOff = (error: unknown): boolean => findCode(error, (code) => brokenOff.has(code)) !== null

/** The SQLSTATE codes for a prepared statement that is unknown to the connection, or that already exists. */
const statementCodes = new Set(['26000', '42P05'])
/**
 * Returns whether a prepared statement had no effect because of one of these codes, or because a table changed. The
 * error of a changed table has the code of many errors and a message in the locale of the server. It is recognized by
 * `routine`, the name of the function in Postgres's source.
 */
const isWithoutStatement = (error: unknown): boolean =>
  findCode(
    error,
    (code, { routine }) => statementCodes.has(code) || (code === '0A000' && routine === 'RevalidateCachedQuery'),
  ) !== null

/**
 * Returns the error to throw for a driver's error. An error that means "the database does not answer" is wrapped in
 * `Unavailable`; a constraint violation, bad SQL or a bug is returned unchanged.
 */
export function toUnavailable(error: unknown): unknown {
  if (Unavailable.is(error)) return error
  // drizzle's own message contains the values of the statement, which are personal data.
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  const code = findCode(
    cause,
    (one, { message }) =>
      connectionCodes.has(one) || outages.test(one) || brokenOff.has(one) || brokenConnection.test(message),
  )
  return code === null ? cause : new Unavailable(cause, { isDamaged: damage.test(code) })
}
