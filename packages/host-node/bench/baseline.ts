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
 * Opens the file that baselines write to, with the `libsql` driver. WAL and `synchronous = full` are set as in our
 * databases; other settings have SQLite's defaults. It does not use `openLocal`, because an improvement of `openLocal`
 * would then also change the baseline, and work that `openLocal` defers until after a write would count for the next
 * measurement in the same process.
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
