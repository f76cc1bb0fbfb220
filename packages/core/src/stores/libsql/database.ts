import { itemAt } from '../../lists.ts'
import { checkOptionNames } from '../../option-names.ts'
import { inChildSpan } from '../../tracing.ts'
import { Unavailable } from '../../unavailable.ts'
import type { SqlClient, SqlResult, SqlRow, SqlStatement, SqlValue } from './client.ts'
import { describeStatements } from './statement-span.ts'
import { tableNames } from './tables/sqlite-table.ts'

/** A statement with its values: made by `prepare` from a drizzle query, or by `raw` from text. */
export interface Query<Row = unknown> {
  readonly text: string
  readonly args: readonly SqlValue[]
  /**
   * Converts a row of the driver to a typed row. If absent, rows are objects with the column names of the SQL as keys.
   */
  readonly decode?: ((row: SqlRow) => Row) | undefined
}

/** A statement whose caller names the type of the rows. */
export type Raw = Query<never>

/** One query for each type of row. */
type Queries<Rows extends readonly unknown[]> = readonly [...{ [Position in keyof Rows]: Query<Rows[Position]> }]

export interface Written<Row = Record<string, unknown>> {
  /** The rows of `returning`, by column name. */
  rows: Row[]
  /**
   * The number of changed rows or, with `returning`, of returned rows. It is the same on a file and on a remote
   * database.
   */
  changed: number
}

/** Says how a transaction runs beside other transactions, on a database with more than one writer. */
export interface WriteOptions {
  /**
   * The names of what the transaction locks, such as a person. The transaction waits for other transactions that lock
   * one of the same names. A transaction without `locks` runs alone, which suits rare transactions. An empty list is
   * for a statement that is atomic by itself.
   */
  readonly locks?: readonly string[]
}

export interface Database {
  /** Runs one read. Throws `Unavailable`. */
  read<Row = Record<string, unknown>>(query: Query<Row>): Promise<Row[]>
  /** Runs several reads of the same state of the database, in one round trip. Throws `Unavailable`. */
  readAll<Rows extends readonly unknown[]>(
    queries: Queries<Rows>,
  ): Promise<{ [Position in keyof Rows]: Rows[Position][] }>
  readAll(queries: readonly Query[]): Promise<Record<string, unknown>[][]>
  /** Runs one atomic, immediate transaction in one round trip: all of the statements or none. Throws `Unavailable`. */
  write<Rows extends readonly unknown[]>(
    queries: Queries<Rows>,
    options?: WriteOptions,
  ): Promise<{ [Position in keyof Rows]: Written<Rows[Position]> }>
  write<Row = Record<string, unknown>>(queries: readonly Query[], options?: WriteOptions): Promise<Written<Row>[]>
}

/**
 * Runs statements as `Database.write` does, in the order of the object, and returns the result of each by its name.
 *
 * ```ts
 * const { found } = await writeNamed(db, { added: insertKey(params), found: selectKey(params) })
 * ```
 */
export async function writeNamed<Rows extends object>(
  db: Database,
  queries: { readonly [Name in keyof Rows]: Query<Rows[Name]> },
  options?: WriteOptions,
): Promise<{ readonly [Name in keyof Rows]: Written<Rows[Name]> }> {
  const results = await db.write(Object.values<Query>(queries), options)
  return Object.fromEntries(Object.keys(queries).map((name, position) => [name, results[position]])) as never
}

/**
 * Returns a statement from SQL text, for statements that run often. Text needs no time to build, while a drizzle
 * builder takes about 40 µs. A table that is written as `"main"."traces"` is found with any `tablePrefix`.
 *
 * ```ts
 * const rows = await db.read<{ id: string }>(raw('select id from "main"."traces" where owner = ?', [owner]))
 * ```
 */
export const raw = (text: string, args: readonly SqlValue[] = []): Raw => ({ text, args })

/** Converts a value to a value that SQLite accepts. Throws `TypeError` for a missing value. */
export function value(given: unknown): SqlValue {
  if (given === undefined) throw new TypeError('undefined is not a valid SQL value')
  if (typeof given === 'boolean') return given ? 1 : 0
  return replaceSurrogates(given as SqlValue)
}

const replaceSurrogates = (given: SqlValue): SqlValue =>
  typeof given === 'string' && !given.isWellFormed() ? given.toWellFormed() : given

/**
 * Makes the JSON text for a parameter of a statement. Lone surrogates become U+FFFD: `JSON.stringify` escapes them, and
 * SQLite's JSON functions would turn the escape into text that is not valid UTF-8.
 */
export function jsonArgument(given: unknown): string {
  const text = JSON.stringify(given)
  // An escaped backslash is matched together with the character after it, so that `\\\\ud800`, which is not a
  // surrogate, stays unchanged.
  return text.includes('\\ud')
    ? text.replace(/\\(?:ud[89a-f]..|.)/g, (escape) => (escape.length > 2 ? '\\ufffd' : escape))
    : text
}

/**
 * Returns true when the statement only reads. A `with` that ends in a change counts as a change. If this is unclear,
 * the result is false, which only costs a write lock.
 */
export function isRead(text: string): boolean {
  const first = /^[\s(]*([a-z]+)/i.exec(text)?.[1]?.toLowerCase()
  if (first === 'select' || first === 'values' || first === 'explain') return true
  return first === 'with' && !/\b(?:insert|update|delete|replace)\b/i.test(text)
}

// A row of the driver is already an object by column name; its positions are not enumerable.
const decodeRows = ({ rows }: SqlResult, { decode }: Query): unknown[] => (decode ? rows.map(decode) : rows)

const toWritten = (result: SqlResult, query: Query): Written<unknown> => ({
  rows: decodeRows(result, query),
  changed: result.columns.length > 0 ? result.rows.length : result.rowsAffected,
})

/** The options for the names of the tables. */
export interface TableOptions {
  /**
   * The prefix of all tables, indexes and triggers, such as `tributary_`, for a database that also contains tables of
   * an app or of another service. It consists of letters, digits and `_`, and is empty by default. `migrate` and every
   * host must use the same prefix.
   */
  readonly tablePrefix?: string
}

/**
 * Returns a function that names the tables of a statement as they are in the database: `"main"."users"` becomes
 * `"users"`, `"app_users"` with the prefix `app_`, or `"other"."users"` in the schema `other`. Throws for a prefix that
 * is not a plain name.
 */
export function createTableNaming(prefix = '', schema?: string): (text: string) => string {
  checkTablePrefix(prefix)
  const before = schema === undefined ? '' : `"${schema.replaceAll('"', '""')}".`
  const named = new Map<string, string>()
  return (text) => {
    let result = named.get(text)
    if (result !== undefined) return result
    // Drizzle omits the schema where a join selects a column: `"users"."id"`.
    result = text.replace(/("main"\.)?"(\w+)"(?=(\.)?)/g, (found, main, name, dot) =>
      main !== undefined || (dot !== undefined && tableNames.has(name))
        ? `${main === undefined ? '' : before}"${prefix}${name}"`
        : found,
    )
    // Our statements are few, but an app may write any number through `openDrizzle`.
    if (named.size === 1_000) named.clear()
    named.set(text, result)
    return result
  }
}

/**
 * Throws for a prefix that is longer than 32 characters, has other characters than letters, digits and `_`, or begins
 * with a digit or `sqlite_`.
 */
export function checkTablePrefix(prefix: string): void {
  if (!/^(?:(?!sqlite_)[a-z_]\w{0,31})?$/i.test(prefix))
    throw new Error(
      `tablePrefix ${JSON.stringify(prefix)}: use at most 32 letters, digits and _, not beginning with a digit or sqlite_`,
    )
}

/** Rejects while the database does not answer or has no tables. */
export async function checkTables(db: Database): Promise<void> {
  // An app may have a table named users, but the table of the migrations is always ours.
  await db.read(raw('select 1 from "main"."users", "main"."tributary_migrations" limit 1'))
}

/** Returns the `Database` of a libSQL client. The creator of the client must close it. */
export function openDatabase(client: SqlClient, options: TableOptions = {}): Database {
  checkOptionNames(options, { tablePrefix: true })
  const nameTables = createTableNaming(options.tablePrefix)
  const statement = ({ text, args }: Query): SqlStatement => ({
    sql: nameTables(text),
    args: args.map(replaceSurrogates),
  })
  const execute = (one: SqlStatement): Promise<SqlResult> =>
    inChildSpan(
      () => describeStatements([one]),
      () => convertOutages(() => client.execute(one)),
    )
  const batch = (all: SqlStatement[], mode: 'read' | 'write'): Promise<SqlResult[]> =>
    all.length === 0
      ? Promise.resolve([])
      : inChildSpan(
          () => describeStatements(all),
          () => convertOutages(() => client.batch(all, mode)),
        )

  return {
    async read<Row>(query: Query<Row>) {
      return decodeRows(await execute(statement(query)), query) as Row[]
    },
    async readAll(queries: readonly Query[]) {
      const results = await batch(queries.map(statement), 'read')
      return queries.map((query, position) => decodeRows(itemAt(results, position), query)) as never
    },
    async write(queries: readonly Query[]) {
      const results = await batch(queries.map(statement), 'write')
      return queries.map((query, position) => toWritten(itemAt(results, position), query)) as never
    },
  }
}

// SQLite's primary result codes about the state of the file, not about the statement:
// https://www.sqlite.org/rescode.html. PROTOCOL means that a WAL lock was not available in time.
const outageCodes = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_READONLY',
  'SQLITE_CANTOPEN',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_PROTOCOL',
  'SQLITE_PERM',
  'CLIENT_CLOSED',
  'HRANA_CLOSED_ERROR',
  'HRANA_WEBSOCKET_ERROR',
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
// Extended codes start with the primary code: SQLITE_BUSY_SNAPSHOT, SQLITE_IOERR_WRITE.
const extendedOutageCodes = /^SQLITE_(?:BUSY|LOCKED|READONLY|CANTOPEN|IOERR|FULL|CORRUPT|NOTADB|PROTOCOL)_/
/** The codes for a file whose contents are damaged. */
const damageCodes = /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/
// Matches the messages of `fetch` errors without a response in Node, Bun, Deno, Chromium and Safari. These errors can
// be recognized only by their messages.
const networkErrors = /^(?:fetch failed|failed to fetch|load failed|network error|error sending request|terminated)/i

function isOutage(error: Error): boolean {
  const { code, status } = error as { code?: unknown; status?: unknown }
  if (typeof code === 'string' && (outageCodes.has(code) || extendedOutageCodes.test(code))) return true
  // hrana, the client's protocol, throws HttpServerError for a response without the protocol's JSON, such as a proxy's.
  // The excluded statuses mean that our request is wrong.
  if (typeof status === 'number' && ![400, 401, 413].includes(status)) return true
  // The body is a proxy's page with the status 200, an incomplete response, or JSON of another protocol.
  if (error instanceof SyntaxError || code === 'HRANA_PROTO_ERROR') return true
  // A ResponseError without a code has the JSON of an HTTP failure, but not its status. Errors of SQL have codes.
  if (error.name === 'ResponseError' && code === undefined) return true
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return true
  // libsql reports a file that cannot be opened by an error without a code.
  if (/^(?:ConnectionFailed\(|unable to open)/i.test(error.message)) return true
  return error instanceof TypeError && networkErrors.test(error.message)
}

/**
 * Returns the error to throw for a driver's error. An error that means "the store does not answer" is wrapped in
 * `Unavailable`; a constraint violation, bad SQL or a bug is returned unchanged. Drivers wrap errors, so causes are
 * checked too.
 */
export function toUnavailable(error: unknown): unknown {
  if (Unavailable.is(error)) return error
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (isOutage(at))
      return new Unavailable(error, { isDamaged: damageCodes.test(String((at as { code?: unknown }).code)) })
  }
  return error
}

/** Runs a driver call and throws `Unavailable` for its outages. */
export async function convertOutages<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw toUnavailable(error)
  }
}

interface PendingWrite {
  readonly queries: readonly Query[]
  resolve(written: Written<unknown>[]): void
  reject(error: unknown): void
}

// Browsers and some edge runtimes have no `setImmediate`. A timer replaces it there.
const { setImmediate: schedule = (callback: () => void): unknown => setTimeout(callback, 0) } = globalThis as {
  setImmediate?: (callback: () => void) => unknown
}

/** Yields to the event loop between two steps. Awaiting a local store does not yield to the event loop. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => void schedule(resolve))

/**
 * Returns a function that joins writes into one transaction, with one sync to the disk and one round trip. It joins the
 * writes that are requested in one pass of the event loop, or while the previous transaction runs. The promise of each
 * write resolves after the commit. If the commit fails, all its writes fail, so the function is only for statements
 * that cannot fail on their own. One transaction has at most `maxStatements`, so that no call waits for a long
 * transaction; the statements of one call are never divided.
 */
export function createWriteBatcher(
  db: Database,
  { maxStatements = 128, locks }: WriteOptions & { readonly maxStatements?: number } = {},
): <Row>(...queries: readonly Query[]) => Promise<Written<Row>[]> {
  const pending: PendingWrite[] = []
  let isScheduled = false

  function takeBatch(): PendingWrite[] {
    let size = 0
    const end = pending.findIndex(({ queries }, at) => (size += queries.length) > maxStatements && at > 0)
    return pending.splice(0, end === -1 ? pending.length : end)
  }

  async function runBatch(): Promise<void> {
    const batch = takeBatch()
    try {
      const results: Written<unknown>[] = await db.write<Record<string, unknown>>(
        batch.flatMap(({ queries }) => queries),
        locks && { locks },
      )
      let start = 0
      for (const { queries, resolve } of batch) resolve(results.slice(start, (start += queries.length)))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    isScheduled = pending.length > 0
    if (isScheduled) schedule(() => void runBatch())
  }

  return <Row>(...queries: readonly Query[]) =>
    new Promise<Written<Row>[]>((resolve, reject) => {
      pending.push({ queries, resolve: resolve as PendingWrite['resolve'], reject })
      if (isScheduled) return
      isScheduled = true
      schedule(() => void runBatch())
    })
}
