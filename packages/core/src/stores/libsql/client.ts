/**
 * A value that is written to SQLite or read from it. A blob is read as `ArrayBuffer`, and an integer as `number`
 * (within 2^53).
 */
export type SqlValue = null | string | number | bigint | ArrayBuffer | Uint8Array

export interface SqlStatement {
  /** One statement: libSQL runs the first of several statements and silently ignores the rest. */
  sql: string
  /** The values for the `?`s, in order. The list is mutable only because the client's own type is. */
  args: SqlValue[]
}

/** A row that can be read by position and by column name. */
export interface SqlRow {
  readonly length: number
  readonly [column: number | string]: SqlValue
}

export interface SqlResult {
  columns: string[]
  rows: SqlRow[]
  /** The number of changed rows. A local file returns 0 for a statement with `returning`; count its rows instead. */
  rowsAffected: number
}

/**
 * The part of a libSQL client that core uses. The clients of `createClient()` of `@libsql/client` 0.18 have it,
 * including the clients of its `/web` and `/http` builds. Open a local file with `openLocal` of host-node, because the
 * plain client loses acknowledged writes after one SQLITE_BUSY.
 */
export interface SqlClient {
  execute(statement: SqlStatement): Promise<SqlResult>
  /** Runs one transaction: all statements or none. The mode `write` acquires the write lock at the start. */
  batch(statements: SqlStatement[], mode: 'write' | 'read' | 'deferred'): Promise<SqlResult[]>
  close(): void
}
