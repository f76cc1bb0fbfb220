import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { reportStoreLaws, startHrana } from '@tributary/test-kit'
import { openLocal } from '../../../../host-node/src/sqlite/local.ts'
import type { SqlClient } from './client.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'
import { libsqlOutbox } from './outbox.ts'
import { libsqlReports } from './reports.ts'

for (const [kind, name] of [
  ['file', 'a local file'],
  ['remote', 'a remote libSQL'],
] as const) {
  reportStoreLaws(name, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-reports-'))
    const path = join(folder, 'a.db')
    const remote = kind === 'remote' ? await startHrana({ path }) : null
    const clients = [0, 1].map((): SqlClient => (remote ? createClient({ url: remote.url }) : openLocal(path)))
    await migrate(clients[0]!)
    const [one, two] = clients.map((client) => openDatabase(client))
    const host = (db: typeof one) => ({ reports: libsqlReports(db!), outbox: libsqlOutbox(db!) })
    return {
      stores: [host(one), host(two)],
      async close() {
        for (const client of clients) client.close()
        await remote?.close()
        await rm(folder, { recursive: true })
      },
    }
  })
}
