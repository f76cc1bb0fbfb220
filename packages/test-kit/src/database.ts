import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '@libsql/client'
import { migrate } from '@tributary/core/libsql'

/** A migrated database in a file of its own, which `close` deletes. */
export interface TemporaryDatabase {
  readonly client: Client
  /** The file's address, for a second client on it. */
  readonly url: string
  close(): Promise<void>
}

/** Makes one. A real file in WAL mode, opened by the plain client: fine for one process, not for two that write. */
export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'))
  const url = `file:${join(folder, 'test.db')}`
  const client = createClient({ url })
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
