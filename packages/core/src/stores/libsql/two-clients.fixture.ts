import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { createMigratedFile, isFullRun, startHrana, type Hrana } from '@tributary/test-kit'
import { openLocal, type LocalDatabase } from '../../../../host-node/src/sqlite/local.ts'
import type { SqlClient } from './client.ts'
import { openDatabase, raw, type Database } from './database.ts'

export type DatabaseKind = 'a local file' | 'a remote libSQL'

/** The databases that run every contract test: the remote one only in `npm run test:full`. */
export const databaseKinds: readonly DatabaseKind[] = isFullRun ? ['a local file', 'a remote libSQL'] : ['a local file']

/** One migrated database, empty, which two hosts have open. */
export interface TwoClients<Client extends SqlClient = SqlClient> {
  readonly clients: readonly [Client, Client]
  readonly databases: readonly [Database, Database]
  /** The database's file. */
  readonly path: string
  /** Inserts a user of this id, with the verified address if there is one. */
  addUser(id: string, email?: string): Promise<void>
  /** Closes the clients and deletes the file. */
  close(): Promise<void>
}

async function open<Client extends SqlClient>(
  connect: (path: string) => Client,
  { folder, path, stop }: { folder: string; path: string; stop?: () => Promise<void> },
): Promise<TwoClients<Client>> {
  const clients = [connect(path), connect(path)] as const
  const databases = [openDatabase(clients[0]), openDatabase(clients[1])] as const
  return {
    clients,
    databases,
    path,
    async addUser(id, email) {
      await databases[0].write([raw('insert into users (id, email, created_at) values (?, ?, 0)', [id, email ?? null])])
    },
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

/** Opens a local file. */
export async function openLocalFile(): Promise<TwoClients<LocalDatabase>> {
  return open((path) => openLocal(path), await createDatabaseFile())
}

/** Opens a remote database, whose server `remote` counts the requests. */
export async function openRemote(): Promise<TwoClients & { readonly remote: Hrana }> {
  const file = await createDatabaseFile()
  const remote = await startHrana({ path: file.path })
  const connect = (): SqlClient => createClient({ url: remote.url })
  return { ...(await open(connect, { ...file, stop: () => remote.close() })), remote }
}

/** Opens a database of this kind. */
export function openTwoClients(kind: DatabaseKind): Promise<TwoClients> {
  return kind === 'a local file' ? openLocalFile() : openRemote()
}
