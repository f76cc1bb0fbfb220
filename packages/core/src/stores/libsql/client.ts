/** A value on its way into or out of SQLite. Out: blobs are `ArrayBuffer`, integers are `number` (within 2^53). */
export type SqlValue = null | string | number | bigint | ArrayBuffer | Uint8Array

export interface SqlStatement {
  /** One statement: libSQL runs the first of several and silently drops the rest. */
  sql: string
  /** Positional, one for each `?`. Mutable only because the client's own type is. */
  args: SqlValue[]
}

/** A row read both ways: by position and by column name. */
export interface SqlRow {
  readonly length: number
  readonly [column: number | string]: SqlValue
}

export interface SqlResult {
  columns: string[]
  rows: SqlRow[]
  /** Rows changed. A local file says 0 for a statement with `returning`; count its rows instead. */
  rowsAffected: number
}

/**
 * All that core wants of a libSQL client. What `createClient()` of `@libsql/client` 0.18 returns fits, so do
 * its `/web` and `/http` builds; a local file should be opened by `openLocal` of host-node, because the plain
 * client loses acknowledged writes after one SQLITE_BUSY.
 */
export interface SqlClient {
  execute(statement: SqlStatement): Promise<SqlResult>
  /** One transaction: all or nothing. `write` takes the lock at its start. */
  batch(statements: SqlStatement[], mode: 'write' | 'read' | 'deferred'): Promise<SqlResult[]>
  close(): void
}
