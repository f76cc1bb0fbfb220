import { pathToFileURL } from 'node:url'
import type { SqlResult, SqlStatement, SqlValue } from '@tributary/core/libsql'
import Database from 'libsql'
import { encodeColumns, isMiscounted } from './blob-columns.ts'
import { rowMaker } from './row.ts'
import { tablesDeletedFrom } from './unallocated.ts'

/** What SQLite said, in the shape of `@libsql/client`: `code` is the primary result code, `extendedCode` the full one. */
export class SqlError extends Error {
  override readonly name = 'SqlError'
  readonly code: string
  readonly extendedCode: string

  constructor(message: string, extendedCode: string, cause?: unknown) {
    super(message, { cause })
    this.extendedCode = extendedCode
    this.code = /^SQLITE_[A-Z]+/.exec(extendedCode)?.[0] ?? extendedCode
  }
}

/** The lock was not to be had at the start of a transaction; nothing ran and the connection is as good as before. */
export class DatabaseLockedError extends SqlError {}

function sqlError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SqlError) return error
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && code !== '') return new SqlError(error.message, code, error)
  // An open that failed has the result code in its words only: "...: 14".
  return error.message.startsWith('ConnectionFailed') ? new SqlError(error.message, 'SQLITE_CANTOPEN', error) : error
}

function argument(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw new RangeError('NaN and infinities are no SQL values')
    case 'bigint':
      if (BigInt.asIntN(64, value) === value) return value
      throw new RangeError('an integer in SQL has 64 bits')
    case 'boolean':
      // The driver aborts the whole process on a boolean.
      return value ? 1 : 0
    case 'undefined':
      throw new TypeError('undefined is no SQL value')
    default:
      return value instanceof ArrayBuffer ? Buffer.from(value) : value
  }
}

/** A statement touches a page at least; a changed row stands on one of its own when they are far apart, on a shared one when not. */
const [pageBytes, rowBytes] = [4096, 2048]

const changed = ({ columns, rows, rowsAffected }: SqlResult): number =>
  columns.length > 0 ? rows.length : rowsAffected

function sizes(sum: number, value: unknown): number {
  if (typeof value === 'string') return sum + value.length
  return value instanceof Uint8Array || value instanceof ArrayBuffer ? sum + value.byteLength : sum
}

interface Prepared {
  statement: Database.Statement
  /** Empty for a statement that returns nothing. */
  columns: string[]
  row: ReturnType<typeof rowMaker>
  deletesFrom: readonly string[]
}

// More texts than a service has; drizzle's and the stores' are fixed, lists go in as one parameter.
const kept = 256

/**
 * One synchronous connection of the `libsql` package with its statements kept: a reused one takes about 7 µs,
 * one made anew for each call, which is what `@libsql/client` does, about 40.
 *
 * A statement that met SQLITE_BUSY is never reset by the driver: from then on the connection acknowledges writes
 * that it does not commit. So transactions begin and end by `exec`, whose statements do not outlive the call,
 * and a connection that met BUSY anywhere else must be closed (`Locked` tells the two apart).
 */
export class Connection {
  readonly #db: Database.Database
  readonly #statements = new Map<string, Prepared>()
  readonly #deletedFrom = new Set<string>()
  #written = 0

  constructor(path: string, timeout: number, setup: string) {
    try {
      // Opens an existing file alone: a deleted one must not come back empty.
      const existing = path === ':memory:' ? path : `${pathToFileURL(path).href}?mode=rw`
      this.#db = new Database(existing, { timeout } as Database.Options)
    } catch (error) {
      throw sqlError(error)
    }
    try {
      this.exec(setup)
    } catch (error) {
      this.close()
      throw error
    }
  }

  exec(sql: string): void {
    try {
      this.#db.exec(sql)
    } catch (error) {
      throw sqlError(error)
    }
  }

  run(statement: SqlStatement): SqlResult {
    try {
      return this.#run(statement)
    } catch (error) {
      const known = sqlError(error)
      // The kept statement counted the columns of a `select *` before another host's migration added one.
      if (!(known instanceof SqlError && isMiscounted(known) && this.#statements.delete(statement.sql))) throw known
    }
    return this.run(statement)
  }

  #run({ sql, args }: SqlStatement): SqlResult {
    const { statement, columns, row } = this.#statements.get(sql) ?? this.#prepare(sql)
    const bound = args.map(argument)
    if (columns.length === 0) return { columns: [], rows: [], rowsAffected: statement.run(bound).changes }
    return { columns: [...columns], rows: (statement.all(bound) as SqlValue[][]).map(row), rowsAffected: 0 }
  }

  /** All of the statements or none; a function makes them inside the transaction. Throws `Locked` when the lock was not to be had. */
  transaction(given: SqlStatement[] | (() => SqlStatement[]), begin: 'begin' | 'begin immediate'): SqlResult[] {
    try {
      this.exec(begin)
    } catch (error) {
      if (isBusy(error))
        throw new DatabaseLockedError((error as SqlError).message, (error as SqlError).extendedCode, error)
      throw error
    }
    try {
      const statements = typeof given === 'function' ? given() : given
      const results = statements.map((statement) => this.run(statement))
      this.exec('commit')
      for (const [at, { sql, args }] of statements.entries()) {
        const rows = changed(results[at]!)
        this.#written += pageBytes + args.reduce(sizes, 0) + rows * rowBytes
        if (rows > 0)
          for (const table of this.#statements.get(sql)?.deletesFrom ?? tablesDeletedFrom(sql))
            this.#deletedFrom.add(table)
      }
      return results
    } catch (error) {
      // A full disk and some others have rolled back already.
      if (this.#db.inTransaction) this.exec('rollback')
      throw error
    }
  }

  /** About how many bytes were written to the log since this was last asked. */
  written(): number {
    const bytes = this.#written
    this.#written = 0
    return bytes
  }

  /** The tables that something was deleted from since this was last asked. */
  deletedFrom(): string[] {
    const tables = [...this.#deletedFrom]
    this.#deletedFrom.clear()
    return tables
  }

  /** The driver really closes when its last statement is collected; until then the file stays open, without locks. */
  close(): void {
    this.#statements.clear()
    if (!this.#db.open) return
    // Until it really closes, an open read transaction would keep others from emptying the log.
    if (this.#db.inTransaction) this.#db.exec('rollback')
    this.#db.close()
  }

  #prepare(sql: string): Prepared {
    const plain = this.#db.prepare(sql)
    // The types do not know `reader`, which says whether there will be rows.
    const reads = (plain as unknown as { reader: boolean }).reader
    const columns = reads ? (plain.columns() as { name: string }[]).map(({ name }) => name) : []
    const encoded = reads ? encodeColumns(sql, columns) : null
    const statement = encoded === null ? plain : this.#db.prepare(encoded)
    statement.safeIntegers(true)
    const made = {
      statement: reads ? statement.raw(true) : statement,
      columns,
      row: rowMaker(columns),
      deletesFrom: tablesDeletedFrom(sql),
    }
    const oldest = this.#statements.size < kept ? undefined : this.#statements.keys().next().value
    if (oldest !== undefined) this.#statements.delete(oldest)
    this.#statements.set(sql, made)
    return made
  }
}

/** The lock of the file, or of its WAL while another host opens it. */
export const isBusy = (error: unknown): boolean =>
  error instanceof SqlError && ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL'].includes(error.code)

/** Errors that say nothing bad about the connection they came over. */
export const isHarmless = (error: unknown): boolean =>
  error instanceof DatabaseLockedError ||
  !(error instanceof SqlError) ||
  ['SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG', 'SQLITE_RANGE'].includes(error.code)
