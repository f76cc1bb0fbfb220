import Database from 'libsql'

/** A statement with its arguments. */
export interface BoundStatement {
  readonly sql: string
  readonly args: readonly unknown[]
}

/** A local file opened with the driver only. */
export interface PlainFile {
  /** Runs one durable transaction with cached statements. */
  write(statements: readonly BoundStatement[]): void
  close(): void
}

/**
 * What the baselines write to: the `libsql` driver as it comes, WAL and `synchronous = full` as ours, else SQLite's own settings. Not
 * our own `openLocal`, as it was until November 2026: whatever that learns would move the baseline along, and what it puts off
 * until after a write would be paid in the time of whoever runs next in the same process.
 */
export function plainFile(path: string, setup: string): PlainFile {
  const db = new Database(path)
  db.exec(`pragma journal_mode = wal; pragma synchronous = full; ${setup}`)
  const kept = new Map<string, Database.Statement>()
  const statement = (sql: string): Database.Statement => {
    const found = kept.get(sql) ?? db.prepare(sql)
    kept.set(sql, found)
    return found
  }
  return {
    write(statements) {
      db.exec('begin immediate')
      for (const { sql, args } of statements) statement(sql).run([...args])
      db.exec('commit')
    },
    close() {
      kept.clear()
      db.close()
    },
  }
}
