import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { idempotencyStoreContract, startHrana } from '@tributary/test-kit'
import { openLocal } from '../../../../host-node/src/sqlite/local.ts'
import type { SqlClient } from './client.ts'
import { openDatabase, raw } from './database.ts'
import { libsqlIdempotency } from './idempotency.ts'
import { migrate } from './migrate.ts'

for (const [kind, name] of [
  ['file', 'a local file'],
  ['remote', 'a remote libSQL'],
] as const) {
  idempotencyStoreContract(name, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-idempotency-'))
    const path = join(folder, 'a.db')
    const remote = kind === 'remote' ? await startHrana({ path }) : null
    const clients = [0, 1].map((): SqlClient => (remote ? createClient({ url: remote.url }) : openLocal(path)))
    await migrate(clients[0]!)
    const [one, two] = clients.map((client) => openDatabase(client)) as [
      ReturnType<typeof openDatabase>,
      ReturnType<typeof openDatabase>,
    ]
    return {
      stores: [libsqlIdempotency(one), libsqlIdempotency(two)],
      async person(id) {
        await one.write([raw('insert into users (id, created_at) values (?, 0)', [id])])
      },
      async close() {
        for (const client of clients) client.close()
        await remote?.close()
        await rm(folder, { recursive: true })
      },
    }
  })
}
