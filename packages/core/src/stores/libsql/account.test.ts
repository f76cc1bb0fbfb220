import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { runAccountStoreContract, startHrana } from '@tributary/test-kit'
import { openLocal } from '../../../../host-node/src/sqlite/local.ts'
import { libsqlAccount } from './account.ts'
import type { SqlClient } from './client.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { libsqlSessions } from './sessions.ts'

interface Opened {
  readonly account: ReturnType<typeof libsqlAccount>
  readonly sessions: ReturnType<typeof libsqlSessions>
}

for (const [kind, name] of [
  ['file', 'a local file'],
  ['remote', 'a remote libSQL'],
] as const) {
  runAccountStoreContract(name, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-account-'))
    const path = join(folder, 'a.db')
    const remote = kind === 'remote' ? await startHrana({ path }) : null
    const clients = [0, 1].map((): SqlClient => (remote ? createClient({ url: remote.url }) : openLocal(path)))
    await migrate(clients[0]!)
    const [one, two] = clients.map((client) => {
      const db = openDatabase(client)
      return { account: libsqlAccount(db), sessions: libsqlSessions(db) }
    }) as [Opened, Opened]
    return {
      stores: [one, two],
      async close() {
        for (const client of clients) client.close()
        await remote?.close()
        await rm(folder, { recursive: true })
      },
    }
  })
}
