import { madeMail, outboxStoreLaws, temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { openDatabase, raw } from './database.ts'
import { enqueue, libsqlOutbox, unqueue } from './outbox.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  outboxStoreLaws(kind, async () => {
    const { databases, close } = await openTwoClients(kind)
    return { stores: [libsqlOutbox(databases[0]), libsqlOutbox(databases[1])], close }
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
