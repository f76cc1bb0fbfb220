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

/** The one database of all instances of a simulation. */
export interface SimulatedDatabase {
  /** Returns stores with nothing in memory, as a process that starts opens them. */
  open(clock: Clock): Stores
  /** Returns every byte that is stored, once what was deleted is gone: of a file, or of what a server returns. */
  readBytes(): Promise<Buffer>
  /** Deletes everything, for the next seed. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Makes one of libSQL: a migrated file, which a process uses for all of its seeds. */
export async function openLibsqlDatabase(): Promise<SimulatedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-simulation-'))
  const path = join(folder, 'test.db')
  await createMigratedFile(path)
  const db = new Database(path)
  // Nobody pulls the plug here, and a sync for each write would be most of the time. The trigger refuses what `clear`
  // does.
  db.exec('pragma synchronous = off; pragma secure_delete = on; pragma foreign_keys = on; drop trigger ledger_kept')
  const client = createClient(db)
  const { rows } = await client.execute({
    sql: `select name from sqlite_schema where type = 'table'
      and (name not like 'sqlite_%' or name = 'sqlite_sequence') and name <> 'tributary_migrations'`,
    args: [],
  })
  const clear = [
    ...rows.map(({ name }) => `delete from "${String(name)}"`),
    // The row that the migrations insert.
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

/** Returns a client on one connection that keeps its statements: preparing them anew takes a quarter of the time. */
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

/** Returns a row as `@libsql/client` does: by name, of equal names the first, and by position, which is not listed. */
function createRow(columns: readonly string[], values: readonly SqlValue[]): SqlRow {
  const row = Object.defineProperty({}, 'length', { value: values.length }) as Record<string, SqlValue>
  for (const [at, value] of values.entries()) {
    const field = value instanceof Uint8Array ? new Uint8Array(value).buffer : value
    if (!Object.hasOwn(row, columns[at]!)) row[columns[at]!] = field
    Object.defineProperty(row, at, { value: field })
  }
  return row as unknown as SqlRow
}
