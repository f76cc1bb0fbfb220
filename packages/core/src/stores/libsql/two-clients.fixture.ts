import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { createMigratedFile, isFullRun, isShortRun, startHrana, type Hrana } from '@tributary/test-kit'
import { openLocal, type LocalDatabase } from '../../../../host-node/src/sqlite/local.ts'
import { openDatabase as openPostgres } from '../postgres/database.ts'
import { borrowPglite, borrowServer } from '../postgres/borrowed.fixture.ts'
import { isServerInstalled } from '../postgres/server.fixture.ts'
import type { SqlClient, SqlResult, SqlRow, SqlStatement } from './client.ts'
import { openDatabase, raw, type Database } from './database.ts'

export type DatabaseKind = 'a local file' | 'a remote libSQL' | 'PGlite' | 'PostgreSQL'

/**
 * The databases that run every contract test; `npm run test:full` uses more of them. PGlite, which is about ten times
 * slower, is used if no PostgreSQL is installed.
 */
export const databaseKinds: readonly DatabaseKind[] = isFullRun
  ? ['a local file', 'a remote libSQL', isServerInstalled ? 'PostgreSQL' : 'PGlite']
  : ['a local file']

/** The databases for contracts with few calls. CI and the full run use PGlite too. */
export const sampledKinds: readonly DatabaseKind[] = isShortRun
  ? databaseKinds
  : [...new Set<DatabaseKind>([...databaseKinds, 'PGlite'])]

/** One migrated, empty database that two hosts have open. */
export interface TwoClients<Client extends SqlClient = SqlClient> {
  /** The clients that run a test's own statements. On Postgres, the SQL of the statements is translated. */
  readonly clients: readonly [Client, Client]
  readonly databases: readonly [Database, Database]
  /** Inserts a user with this id, and with the verified address if it is given. */
  addUser(id: string, email?: string): Promise<void>
  /** Closes the clients and deletes the file. */
  close(): Promise<void>
}

/** A database of libSQL and its file. */
type TwoLibsqlClients<Client extends SqlClient = SqlClient> = TwoClients<Client> & { readonly path: string }

const addUserTo =
  (db: Database) =>
  async (id: string, email?: string): Promise<void> => {
    await db.write([raw('insert into users (id, email, created_at) values (?, ?, 0)', [id, email ?? null])])
  }

async function open<Client extends SqlClient>(
  connect: (path: string) => Client,
  { folder, path, stop }: { folder: string; path: string; stop?: () => Promise<void> },
): Promise<TwoLibsqlClients<Client>> {
  const clients = [connect(path), connect(path)] as const
  const databases = [openDatabase(clients[0]), openDatabase(clients[1])] as const
  return {
    clients,
    databases,
    path,
    addUser: addUserTo(databases[0]),
    async close() {
      for (const client of clients) client.close()
      await stop?.()
      await rm(folder, { recursive: true })
    },
  }
}

async function createDatabaseFile(): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-libsql-'))
  const path = join(folder, 'a.db')
  await createMigratedFile(path)
  return { folder, path }
}

/** Opens a local file. On a busy machine, sixty concurrent writes of one client may delay the other for seconds. */
export async function openLocalFile(): Promise<TwoLibsqlClients<LocalDatabase>> {
  return open((path) => openLocal(path, { busyMs: 20_000 }), await createDatabaseFile())
}

/** Opens a remote database. Its server `remote` counts the requests. */
export async function openRemote(): Promise<TwoLibsqlClients & { readonly remote: Hrana }> {
  const file = await createDatabaseFile()
  const remote = await startHrana({ path: file.path })
  const connect = (): SqlClient => createClient({ url: remote.url })
  return { ...(await open(connect, { ...file, stop: () => remote.close() })), remote }
}

/** Returns a client that runs statements of SQLite on Postgres. */
function clientOf(db: Database): SqlClient {
  const batch = async (statements: SqlStatement[]): Promise<SqlResult[]> => {
    const results = await db.write(statements.map(({ sql, args }) => raw(sql, args)))
    return results.map(({ rows, changed }) => ({
      columns: Object.keys(rows[0] ?? {}),
      rows: rows as SqlRow[],
      rowsAffected: changed,
    }))
  }
  return { execute: async (statement) => (await batch([statement]))[0]!, batch, close() {} }
}

async function openOnPostgres(borrow: typeof borrowServer): Promise<TwoClients> {
  const { pools, release } = await borrow()
  const databases = [openPostgres(pools[0]), openPostgres(pools[1])] as const
  return {
    clients: [clientOf(databases[0]), clientOf(databases[1])],
    databases,
    addUser: addUserTo(databases[0]),
    close: release,
  }
}

const openers: Readonly<Record<DatabaseKind, () => Promise<TwoClients>>> = {
  'a local file': openLocalFile,
  'a remote libSQL': openRemote,
  'PGlite': () => openOnPostgres(borrowPglite),
  'PostgreSQL': () => openOnPostgres(borrowServer),
}

/** Opens a database of this kind. */
export const openTwoClients = (kind: DatabaseKind): Promise<TwoClients> => openers[kind]()
