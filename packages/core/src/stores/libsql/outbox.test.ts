import { makeMail, runOutboxStoreContract, temporaryDatabase } from '@tributary/test-kit'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { openDatabase, raw } from './database.ts'
import { deleteOwnersEntries, enqueue, libsqlOutbox, prepareEnqueue } from './outbox.ts'
import { users } from './tables/sessions.ts'
import { databaseKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runOutboxStoreContract(kind, async () => {
    const { databases, close } = await openTwoClients(kind)
    return { stores: [libsqlOutbox(databases[0]), libsqlOutbox(databases[1])], close }
  })
}

describe('prepareEnqueue', () => {
  const enqueueForUser = prepareEnqueue<{ userId: string }>(
    ({ userId }) => sql`exists (select 1 from ${users} where ${users.id} = ${userId})`,
  )

  test('enqueues an entry only if the condition holds and the transaction commits, and deletes it with its owner', async () => {
    const { client, close } = await temporaryDatabase()
    const db = openDatabase(client)
    const store = libsqlOutbox(db)
    const list = async () => (await store.list({ cursor: null, limit: 10 })).items
    await db.write([raw("insert into users (id, created_at) values ('ann', 0)")])
    const [kept, unmet, rolledBack] = [makeMail(), makeMail(), makeMail()]
    await db.write([
      enqueueForUser({ ...kept, ownerId: 'ann', userId: 'ann' }),
      enqueueForUser({ ...unmet, ownerId: 'ann', userId: 'bob' }),
    ])
    await expect(
      db.write([
        enqueue({ ...rolledBack, ownerId: null }),
        raw('insert into users (id, created_at) values (null, null)'),
      ]),
    ).rejects.toThrow()
    expect((await list()).map(({ id }) => id)).toEqual([kept.id])
    await db.write([deleteOwnersEntries({ ownerId: 'bob' })])
    expect(await list()).toHaveLength(1)
    await db.write([deleteOwnersEntries({ ownerId: 'ann' })])
    expect(await list()).toEqual([])
    await close()
  })
})
