import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { madeMail, outboxStoreLaws, startHrana, temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { openLocal } from '../../../../host-node/src/sqlite/local.ts'
import type { SqlClient } from './client.ts'
import { openDatabase, raw } from './database.ts'
import { migrate } from './migrate.ts'
import { enqueue, libsqlOutbox, unqueue } from './outbox.ts'

for (const [kind, name] of [
  ['file', 'a local file'],
  ['remote', 'a remote libSQL'],
] as const) {
  outboxStoreLaws(name, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-outbox-'))
    const path = join(folder, 'a.db')
    const remote = kind === 'remote' ? await startHrana({ path }) : null
    const clients = [0, 1].map((): SqlClient => (remote ? createClient({ url: remote.url }) : openLocal(path)))
    await migrate(clients[0]!)
    const [one, two] = clients.map((client) => libsqlOutbox(openDatabase(client)))
    return {
      stores: [one!, two!],
      async close() {
        for (const client of clients) client.close()
        await remote?.close()
        await rm(folder, { recursive: true })
      },
    }
  })
}

test('an entry is there exactly if the change of its batch is, and goes with its owner', async () => {
  const { client, close } = await temporaryDatabase()
  const db = openDatabase(client)
  const store = libsqlOutbox(db)
  await db.write([raw("insert into users (id, created_at) values ('ann', 0)")])
  const [kept, guarded, broken] = [madeMail(), madeMail(), madeMail()]
  const when = { owner: 'ann', when: 'exists (select 1 from users where id = ?)' }
  await db.write([enqueue(kept, { ...when, args: ['ann'] }), enqueue(guarded, { ...when, args: ['bob'] })])
  await expect(
    db.write([enqueue(broken), raw('insert into users (id, created_at) values (null, null)')]),
  ).rejects.toThrow()
  expect((await store.list(null, null, 10)).map(({ id }) => id)).toEqual([kept.id])
  await db.write([unqueue('bob')])
  expect(await store.list(null, null, 10)).toHaveLength(1)
  await db.write([unqueue('ann')])
  expect(await store.list(null, null, 10)).toEqual([])
  await close()
})
