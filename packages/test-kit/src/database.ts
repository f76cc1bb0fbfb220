import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, type Client } from '@libsql/client'
import { migrate } from '@tributary/core/libsql'

/** A migrated database in a file of its own, which `close` deletes. */
export interface TemporaryDatabase {
  readonly client: Client
  /** The file's address, for a second client on it. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Makes one. A real file in WAL mode, opened by the plain client: fine for one process, not for two that write. `connections` is
 * the most that the client opens; with 1 a pragma holds for every statement.
 */
export async function temporaryDatabase({ connections }: { readonly connections?: number } = {}): Promise<TemporaryDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'))
  const url = `file:${join(folder, 'test.db')}`
  const client = createClient({ url, ...(connections === undefined ? {} : { concurrency: connections }) })
  await client.execute('pragma journal_mode = wal')
  await migrate(client)
  return {
    client, url,
    async close() {
      client.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * The bytes of a database's file and of its write-ahead log, one after the other. Another process reads them, because a process
 * that has the database open must not open its files: closing a descriptor would drop SQLite's locks.
 */
export async function databaseBytes(path: string): Promise<Buffer> {
  const bytesOf = (file: string): Promise<Buffer> =>
    promisify(execFile)('cat', [file], { encoding: 'buffer', maxBuffer: 2 ** 31 - 1 }).then(({ stdout }) => stdout, (error: unknown) => {
      // SQLite deletes the log with the last connection, which may be while it is read.
      if (existsSync(file)) throw error
      return Buffer.alloc(0)
    })
  return Buffer.concat([await bytesOf(path), await bytesOf(`${path}-wal`)])
}
