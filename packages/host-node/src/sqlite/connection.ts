import { pathToFileURL } from 'node:url'
import type { SqlResult, SqlStatement, SqlValue } from '@tributary/core/libsql'
import Database from 'libsql'
import { createRowFactory } from './row.ts'
import { encodeColumns, isOutdated, tablesDeletedFrom } from './sql-text.ts'

/**
 * An error of SQLite in the shape of `@libsql/client`: `code` is the primary result code, `extendedCode` the full code.
 */
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

/**
 * The error if the lock was not available at the start of a transaction. Nothing ran, and the connection can be used
 * again.
 */
export class DatabaseLockedError extends SqlError {}

function toSqlError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof SqlError) return error
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && code !== '') return new SqlError(error.message, code, error)
  // If opening failed, only the message contains the result code: "...: 14".
  return error.message.startsWith('ConnectionFailed') ? new SqlError(error.message, 'SQLITE_CANTOPEN', error) : error
}

function toArgument(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw new RangeError('NaN and infinities are not valid SQL values')
    case 'bigint':
      if (BigInt.asIntN(64, value) === value) return value
      throw new RangeError('an SQL integer has at most 64 bits')
    case 'boolean':
      // A boolean would make the driver abort the whole process.
      return value ? 1 : 0
    case 'undefined':
      throw new TypeError('undefined is not a valid SQL value')
    default:
      return value instanceof ArrayBuffer ? Buffer.from(value) : value
  }
}

/**
 * Estimates: a statement writes at least a page; a changed row writes its own page, or shares one with its neighbour.
 */
const pageBytes = 4096
const rowBytes = 2048

const countChanges = ({ columns, rows, rowsAffected }: SqlResult): number =>
  columns.length > 0 ? rows.length : rowsAffected

function addSize(sum: number, value: unknown): number {
  if (typeof value === 'string') return sum + value.length
  return value instanceof Uint8Array || value instanceof ArrayBuffer ? sum + value.byteLength : sum
}

interface PreparedStatement {
  statement: Database.Statement
  /** The names of the columns. Empty for a statement that returns nothing. */
  columns: string[]
  createRow: ReturnType<typeof createRowFactory>
  deletesFrom: readonly string[]
}

// The limit is higher than the number of different statements of a service. The texts of statements are fixed, because
// a list is passed as one parameter.
const maxStatements = 256

/**
 * A synchronous connection of the `libsql` package that caches its statements: a reused statement takes about 7 µs. A
 * statement that is prepared for each call, as in `@libsql/client`, takes about 40 µs.
 *
 * The driver never resets a statement that failed with SQLITE_BUSY, and from then on the connection acknowledges writes
 * that it does not commit. So transactions begin and end by `exec`, which keeps no statement after the call. A
 * connection that failed with BUSY anywhere else must be closed (`DatabaseLockedError` is the harmless case).
 */
export class Connection {
  readonly #db: Database.Database
  readonly #statements = new Map<string, PreparedStatement>()
  readonly #deletedFrom = new Set<string>()
  #written = 0

  constructor(path: string, timeout: number, setup: string) {
    try {
      // Only an existing file is opened, so that a deleted database is not replaced by an empty file.
      const existing = path === ':memory:' ? path : `${pathToFileURL(path).href}?mode=rw`
      this.#db = new Database(existing, { timeout } as Database.Options)
    } catch (error) {
      throw toSqlError(error)
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
      throw toSqlError(error)
    }
  }

  run(statement: SqlStatement): SqlResult {
    try {
      return this.#run(statement)
    } catch (error) {
      const known = toSqlError(error)
      // The cached statement of a `select *` lacks a column that another host's migration has added since.
      if (!(known instanceof SqlError && isOutdated(known) && this.#statements.delete(statement.sql))) throw known
    }
    return this.run(statement)
  }

  #run({ sql, args }: SqlStatement): SqlResult {
    const { statement, columns, createRow } = this.#statements.get(sql) ?? this.#prepare(sql)
    const bound = args.map(toArgument)
    if (columns.length === 0) return { columns: [], rows: [], rowsAffected: statement.run(bound).changes }
    return { columns: [...columns], rows: (statement.all(bound) as SqlValue[][]).map(createRow), rowsAffected: 0 }
  }

  /**
   * Runs all statements or none of them. If the source is a function, it creates the statements inside the transaction.
   * Throws `DatabaseLockedError` if the lock is not available.
   */
  transaction(source: SqlStatement[] | (() => SqlStatement[]), begin: 'begin' | 'begin immediate'): SqlResult[] {
    try {
      this.exec(begin)
    } catch (error) {
      if (isBusy(error))
        throw new DatabaseLockedError((error as SqlError).message, (error as SqlError).extendedCode, error)
      throw error
    }
    try {
      const statements = typeof source === 'function' ? source() : source
      const results = statements.map((statement) => this.run(statement))
      this.exec('commit')
      for (const [index, { sql, args }] of statements.entries()) {
        const rows = countChanges(results[index]!)
        this.#written += pageBytes + args.reduce(addSize, 0) + rows * rowBytes
        if (rows > 0)
          for (const table of this.#statements.get(sql)?.deletesFrom ?? tablesDeletedFrom(sql))
            this.#deletedFrom.add(table)
      }
      return results
    } catch (error) {
      // Some errors, such as a full disk, have already rolled the transaction back.
      if (this.#db.inTransaction) this.exec('rollback')
      throw error
    }
  }

  /** Returns and resets the estimated number of bytes written to the log. */
  takeWrittenBytes(): number {
    const bytes = this.#written
    this.#written = 0
    return bytes
  }

  /** Returns and resets the tables from which rows were deleted. */
  takeDeletedFrom(): string[] {
    const tables = [...this.#deletedFrom]
    this.#deletedFrom.clear()
    return tables
  }

  /**
   * Closes the connection. The driver keeps the file open, without locks, until its last statement is garbage
   * collected.
   */
  close(): void {
    this.#statements.clear()
    if (!this.#db.open) return
    // An open read transaction would prevent others from truncating the log until the last statement is garbage
    // collected.
    if (this.#db.inTransaction) this.#db.exec('rollback')
    this.#db.close()
  }

  #prepare(sql: string): PreparedStatement {
    const unencoded = this.#db.prepare(sql)
    // `reader`, which is missing in the types, tells whether the statement returns rows.
    const isReader = (unencoded as unknown as { reader: boolean }).reader
    const columns = isReader ? (unencoded.columns() as { name: string }[]).map(({ name }) => name) : []
    const encoded = isReader ? encodeColumns(sql, columns) : null
    const statement = encoded === null ? unencoded : this.#db.prepare(encoded)
    statement.safeIntegers(true)
    const prepared = {
      statement: isReader ? statement.raw(true) : statement,
      columns,
      createRow: createRowFactory(columns),
      deletesFrom: tablesDeletedFrom(sql),
    }
    const oldest = this.#statements.size < maxStatements ? undefined : this.#statements.keys().next().value
    if (oldest !== undefined) this.#statements.delete(oldest)
    this.#statements.set(sql, prepared)
    return prepared
  }
}

/** Returns whether another connection holds the lock of the file, or the lock of its log while it opens the log. */
export const isBusy = (error: unknown): boolean =>
  error instanceof SqlError && ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL'].includes(error.code)

/** Returns whether a connection can be used again after an error. */
export const isHarmless = (error: unknown): boolean =>
  error instanceof DatabaseLockedError ||
  !(error instanceof SqlError) ||
  ['SQLITE_ERROR', 'SQLITE_CONSTRAINT', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG', 'SQLITE_RANGE'].includes(error.code)
