import { runAuditStoreContract, temporaryDatabase } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { libsqlAudit, recordAudit } from './audit.ts'
import { openDatabase, raw } from './database.ts'
import { createStores } from './stores.ts'
import { sampledKinds, openTwoClients } from './two-clients.fixture.ts'

for (const kind of sampledKinds) {
  runAuditStoreContract(kind, async () => {
    const { clients, databases, addUser, close } = await openTwoClients(kind)
    const run = (sql: string) => (id: string) => clients[0].execute({ sql, args: [id] })
    return {
      stores: [createStores(databases[0]), createStores(databases[1])],
      close,
      person: addUser,
      tamper: [
        run("update audit set actor = 'nobody' where id = ?"),
        run('update audit set at = 0 where id <> ?'),
        run("update audit set target = 'erased-somebody' where id = ?"),
        run('delete from audit where id = ?'),
        run('delete from audit where id = ? or num = (select max(num) from audit)'),
      ],
    }
  })
}

describe('forget', () => {
  test('deletes a thousand entries at a time, in any order of their times', async () => {
    const { client, close } = await temporaryDatabase()
    const db = openDatabase(client)
    const makeAuditContext = (n: number) => ({
      id: `entry-${n}`,
      actor: 'jane',
      requestId: 'r',
      address: null,
      at: n % 2,
    })
    for (let n = 0; n < 2500; n += 500) {
      await db.write(
        Array.from({ length: 500 }, (_, i) =>
          recordAudit(makeAuditContext(n + i), 'job.retry', raw("select 'job', null, null")),
        ),
      )
    }
    const audit = libsqlAudit(db)
    expect([
      await audit.deleteEntries({ before: 2 }),
      await audit.deleteEntries({ before: 2 }),
      await audit.deleteEntries({ before: 2 }),
    ]).toEqual([true, true, false])
    expect(await db.read(raw('select 1 from audit'))).toEqual([])
    await close()
  })
})
