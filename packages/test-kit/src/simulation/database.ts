import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock, Stores } from '@tributary/core'
import {
  libsqlBlobs,
  libsqlStores,
  openDatabase,
  type SqlClient,
  type SqlResult,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from '@tributary/core/libsql'
import Database from 'libsql'
import { createMigratedFile } from '../fixtures/database.ts'

/** The database that all instances of a simulation share. */
export interface SimulatedDatabase {
  /** Returns stores with empty memory, like the stores of a process that starts. */
  open(clock: Clock): Stores
  /**
   * Removes the deleted data from the store, and returns every stored byte: the bytes of a file, or the reply of a
   * server.
   */
  readBytes(): Promise<Buffer>
  /** Deletes everything, for the next seed. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Creates a libSQL database: a migrated file that a process uses for all its seeds. */
export async function openLibsqlDatabase(): Promise<SimulatedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-simulation-'))
  const path = join(folder, 'test.db')
  await createMigratedFile(path)
  const db = new Database(path)
  // The simulation has no power failures, so syncing each write is unnecessary and would take most of the time. The
  // trigger would refuse the statements of `clear`.
  db.exec('pragma synchronous = off; pragma secure_delete = on; pragma foreign_keys = on; drop trigger ledger_kept')
  const client = createClient(db)
  const { rows } = await client.execute({
    sql: `select name from sqlite_schema where type = 'table'
      and (name not like 'sqlite_%' or name = 'sqlite_sequence') and name <> 'tributary_migrations'`,
    args: [],
  })
  const clear = [
    ...rows.map(({ name }) => `delete from "${String(name)}"`),
    // The last statement restores the row that a migration inserts.
    'insert into fingerprint_state (num, version, filled, fill_until) values (1, 0, 0, 0)',
  ].map((sql) => ({ sql, args: [] }))
  return {
    open: (clock) => ({ ...libsqlStores(client), blobs: libsqlBlobs(openDatabase(client), clock) }),
    async readBytes() {
      db.exec('pragma wal_checkpoint(truncate)')
      return readFileSync(path)
    },
    clear: async () => void (await client.batch(clear)),
    async close() {
      db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Returns a client with one connection that keeps prepared statements, because preparing them again takes a quarter of
 * the time.
 */
function createClient(db: Database.Database): SqlClient & { batch(statements: SqlStatement[]): Promise<SqlResult[]> } {
  const prepared = new Map<string, { statement: Database.Statement; columns: string[] }>()
  const run = ({ sql, args }: SqlStatement): SqlResult => {
    let known = prepared.get(sql)
    if (!known) {
      const statement = db.prepare(sql)
      const columns = statement.columns().map(({ name }) => name)
      if (columns.length > 0) statement.raw()
      prepared.set(sql, (known = { statement, columns }))
    }
    const { statement, columns } = known
    const bound = args.map((value) => (value instanceof ArrayBuffer ? Buffer.from(value) : value))
    if (columns.length === 0) return { columns, rows: [], rowsAffected: statement.run(bound).changes }
    const rows = (statement.all(bound) as SqlValue[][]).map((values) => createRow(columns, values))
    return { columns, rows, rowsAffected: 0 }
  }
  return {
    execute: async (statement) => run(statement),
    async batch(statements) {
      db.exec('begin immediate')
      try {
        const results = statements.map(run)
        db.exec('commit')
        return results
      } catch (error) {
        db.exec('rollback')
        throw error
      }
    },
    close: () => undefined,
  }
}

/**
 * Returns a row like a row of `@libsql/client`: its values by name (the first of equal names), and by position in
 * properties that are not enumerable.
 */
function createRow(columns: readonly string[], values: readonly SqlValue[]): SqlRow {
  const row = Object.defineProperty({}, 'length', { value: values.length }) as Record<string, SqlValue>
  for (const [at, value] of values.entries()) {
    const field = value instanceof Uint8Array ? new Uint8Array(value).buffer : value
    if (!Object.hasOwn(row, columns[at]!)) row[columns[at]!] = field
    Object.defineProperty(row, at, { value: field })
  }
  return row as unknown as SqlRow
}
