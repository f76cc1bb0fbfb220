import { makeId, runLedgerStoreContract, seedTraces } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { createStores } from './stores.ts'
import { databaseKinds, openTwoClients, sampledKinds } from './two-clients.fixture.ts'

for (const kind of databaseKinds) {
  runLedgerStoreContract(kind, async () => {
    const { clients, databases, close } = await openTwoClients(kind)
    const stores = [createStores(databases[0]), createStores(databases[1])] as const
    const run = (sql: string) => () => clients[0].execute({ sql, args: [] })
    return {
      stores,
      person: (id) => stores[0].auth.upsertUser({ id, email: `${id}@example.com`, now: 0 }),
      put: (ownerId, traces) => seedTraces(clients[0], ownerId, traces),
      tamper: [
        run('update ledger set micros = micros + 1'),
        run('update ledger set owner = null, micros = 0'),
        run("update ledger set owner = null, kind = 'sale'"),
        run('update ledger set owner = 2'),
        run('delete from ledger'),
      ],
      close,
    }
  })
}

test.each(sampledKinds)(
  'postImpressions adds each of 501 late days of a device once, with at most 500 days in one call, on %s',
  async (kind) => {
    const { clients, databases, addUser, close } = await openTwoClients(kind)
    await addUser('ann')
    const { ledger } = createStores(databases[0])
    const read = async (sql: string) => (await clients[0].execute({ sql, args: [] })).rows[0]
    let made = 0
    const post = (today: number) =>
      ledger.postImpressions({ today, now: today, share: 1, entryId: `${makeId('entry', ++made).slice(0, -5)}00000` })
    const postAll = async (today: number): Promise<number> => {
      for (let calls = 1; ; calls++) if (!(await post(today))) return calls
    }
    // The amounts differ, so that a sum of other days than those that were cleared differs.
    await read(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 501)
      insert into ad_days (owner, device, day, outcome, count, micros, unposted)
      select users.num, 'device-1', i, 'counted', 1, i, i from n cross join users`)
    expect(await postAll(600)).toBe(2)
    await read('update ad_days set unposted = micros')
    expect(await post(600)).toBe(true)
    expect(await read('select unposted from ad_days where day = 600')).toMatchObject({ unposted: (500 * 501) / 2 })
    expect(await read('select sum(unposted) as late from ad_days where day < 600')).toMatchObject({ late: 501 })
    expect(await post(600)).toBe(false)
    expect(await postAll(601)).toBe(1)
    const sum = (501 * 502) / 2
    expect(await read('select count(*) as entries, sum(micros) as micros from ledger')).toMatchObject({
      entries: 502,
      micros: 2 * sum,
    })
    expect(await read('select micros from ledger where day = 600')).toMatchObject({ micros: sum })
    expect(await read('select unpaid, lifetime from users')).toMatchObject({ unpaid: 2 * sum, lifetime: 2 * sum })
    await close()
  },
)
