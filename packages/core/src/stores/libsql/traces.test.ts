import {
  makeAuditContext,
  readDatabaseBytes,
  makeHash,
  makeId,
  makeTrace,
  makeTraces,
  makeSaleItems,
  makeSaleShares,
  seedTraces,
  runTraceStoreContract,
  makeRemovalNotice,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import type { SqlClient } from './client.ts'
import { raw, type Database, type Query } from './database.ts'
import { libsqlDataset } from './dataset.ts'
import { libsqlTraces } from './traces.ts'
import { databaseKinds, openLocalFile, openRemote, openTwoClients, sampledKinds } from './two-clients.fixture.ts'

const openTraceStores = (db: Database) => ({ ...libsqlTraces(db), ...libsqlDataset(db) })

for (const kind of databaseKinds) {
  runTraceStoreContract(kind, async () => {
    const {
      clients: [client],
      databases: [db, other],
      close,
    } = await openTwoClients(kind)
    return {
      stores: [openTraceStores(db), openTraceStores(other)],
      put: (ownerId, traces) => seedTraces(client, ownerId, traces),
      async loseContent(id) {
        await db.write([raw('delete from contents where trace = (select num from traces where id = ?)', [id])])
      },
      close,
    }
  })
}

test.each(sampledKinds)(
  'listTraces and getTraceStats show a withdrawn trace that is stored as included as excluded, on %s',
  async (kind) => {
    const { clients, databases, close } = await openTwoClients(kind)
    await seedTraces(clients[0], 'ann', [makeTrace('ann', 1), makeTrace('ann', 2)])
    await databases[0].write([raw('update traces set withdrawn_at = 1 where id = ?', [makeId('ann', 1)])])
    const store = openTraceStores(databases[0])
    const listIds = async (state: 'for_sale' | 'excluded') =>
      (await store.listTraces({ ownerId: 'ann', cursor: null, limit: 9, filter: { state } })).items.map(({ id }) => id)
    expect(await Promise.all([listIds('for_sale'), listIds('excluded')])).toEqual([
      [makeId('ann', 2)],
      [makeId('ann', 1)],
    ])
    expect(await store.getTraceStats({ ownerId: 'ann' })).toMatchObject({ traces: 2, forSale: 1, excluded: 1 })
    await close()
  },
)

test(
  'deleteUnsoldTraces and eraseTraces leave no byte of the content in the file after a checkpoint',
  { tags: 'long' },
  async () => {
    const {
      clients: [client],
      databases: [db],
      path,
      close,
    } = await openLocalFile()
    const store = openTraceStores(db)
    const makeSecret = (name: string): string => `${name}-${'kumquat'.repeat(3)}`
    const makeSecretTrace = (label: string, n: number) =>
      makeTrace(label, n, {
        messages: JSON.stringify([{ content: makeSecret(`${label}${n}`).repeat(n === 1 ? 1 : 4000) }]),
      })
    await seedTraces(client, 'ann', [makeSecretTrace('ann', 1), makeSecretTrace('ann', 2), makeSecretTrace('ann', 3)])
    await seedTraces(client, 'bob', [makeSecretTrace('bob', 1), makeSecretTrace('bob', 2)])
    await client.checkpoint()
    const isInFile = async (name: string): Promise<boolean> =>
      (await readDatabaseBytes(path)).includes(makeSecret(name))
    expect(
      (await isInFile('ann1')) && (await isInFile('ann2')) && (await isInFile('bob1')) && (await isInFile('bob2')),
    ).toBe(true)
    await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 1), makeId('ann', 2)] })
    while (await store.eraseTraces({ ownerId: 'bob', notice: makeRemovalNotice() }));
    await client.checkpoint()
    for (const name of ['ann1', 'ann2', 'bob1', 'bob2']) expect([name, await isInFile(name)]).toEqual([name, false])
    expect(await isInFile('ann3')).toBe(true)
    await close()
  },
)

test("deleteUnsoldTraces leaves no byte of a name in the file, and reads only the trace's own outcomes", async () => {
  const {
    clients: [client],
    databases: [db],
    path,
    close,
  } = await openLocalFile()
  const makeName = (n: number): string => ['quince', 'pomelo', n].join('~')
  await seedTraces(
    client,
    'ann',
    [0, 1].map((n) => makeTrace('ann', n, { sourceId: makeName(n) })),
  )
  await db.write(
    [0, 1].map((n) =>
      raw(
        "insert into outcomes (job, idx, source_id, outcome, trace_id, redactions, tokens) values (1, ?, ?, 'stored', ?, 0, 0)",
        [n, makeName(n), makeId('ann', n)],
      ),
    ),
  )
  await client.checkpoint()
  const isInFile = async (n: number): Promise<boolean> => (await readDatabaseBytes(path)).includes(makeName(n))
  expect([await isInFile(0), await isInFile(1)]).toEqual([true, true])
  await libsqlTraces(db).deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 0)] })
  await client.checkpoint()
  expect([await isInFile(0), await isInFile(1)]).toEqual([false, true])
  const plan = await db.read<{ detail: string }>(
    raw(
      "explain query plan update outcomes set source_id = '' where trace_id in (select id from traces " +
        'where id in (select value from json_each(?)))',
      ['[]'],
    ),
  )
  expect(plan.map(({ detail }) => detail).join('\n')).toMatch(/SEARCH outcomes USING .*INDEX outcomes_trace/)
  await close()
})

test('a read or a change of one trace takes one round trip, and a page of small documents takes two round trips', async () => {
  const {
    clients: [client],
    databases: [db],
    remote,
    close,
  } = await openRemote()
  await seedTraces(client, 'ann', makeTraces(100, 'ann'))
  const store = openTraceStores(db)
  const countRequests = async (step: () => Promise<unknown>): Promise<number> => {
    const before = remote.requests
    await step()
    return remote.requests - before
  }
  const id = makeId('ann', 1)
  expect(await countRequests(() => store.findTrace({ ownerId: 'ann', id }))).toBe(1)
  expect(await countRequests(() => store.setSellExcluded({ ownerId: 'ann', ids: [id], sellExcluded: false }))).toBe(1)
  expect(await countRequests(() => store.findKnownHashes({ ownerId: 'ann', hashes: [makeHash('ann', 1)] }))).toBe(1)
  expect(await countRequests(() => store.readTrace({ ownerId: 'ann', id }))).toBe(1)
  expect(
    await countRequests(() =>
      store.recordSale({
        sale: { id: makeId('sale', 1), buyer: 'b', usd: 1, soldAt: 0 },
        items: makeSaleItems([id]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      }),
    ),
  ).toBe(1)
  expect(await countRequests(() => store.deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 2)] }))).toBe(1)
  const most = Array.from({ length: 500 }, (_, i) => makeId('ann', i))
  expect(await countRequests(() => store.deleteUnsoldTraces({ ownerId: 'ann', ids: most }))).toBe(2)
  expect(
    await countRequests(async () => {
      for await (const _ of (await store.readSellableTraces({ cursor: null, limit: 50 })).documents) void _
    }),
  ).toBe(2)
  await close()
})

async function withLocalDatabase(work: (client: SqlClient, db: Database) => Promise<void>): Promise<void> {
  const { clients, databases, close } = await openLocalFile()
  await work(clients[0], databases[0])
  await close()
}

test('findKnownHashes finds the trace of a hash until the unsold trace is deleted', () =>
  withLocalDatabase(async (client, db) => {
    await seedTraces(client, 'ann', makeTraces(2, 'ann'))
    const store = openTraceStores(db)
    await store.recordSale({
      sale: { id: makeId('sale', 1), buyer: 'b', usd: 1, soldAt: 0 },
      items: makeSaleItems([makeId('ann', 0)]),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 0), makeId('ann', 1)] })
    const rows = await db.read<{ hash: string; id: string | null }>(
      raw('select lower(hex(s.hash)) as hash, t.id from seen s left join traces t on t.num = s.trace'),
    )
    expect(new Map(rows.map(({ hash, id }) => [hash, id]))).toEqual(
      new Map([
        [makeHash('ann', 0), makeId('ann', 0)],
        [makeHash('ann', 1), null],
      ]),
    )
  }))

test('deleteUnsoldTraces yields to the event loop during a long list, and counts a repeated id once', () =>
  withLocalDatabase(async (client, db) => {
    await seedTraces(client, 'ann', makeTraces(400, 'ann'))
    const store = openTraceStores(db)
    const every = Array.from({ length: 400 }, (_, n) => makeId('ann', n))
    await store.recordSale({
      sale: { id: makeId('sale', 1), buyer: 'b', usd: 1, soldAt: 0 },
      items: makeSaleItems([every[0]!, every[399]!]),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    let turns = 0
    const count = (): void => {
      turns++
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    const done = await store.deleteUnsoldTraces({ ownerId: 'ann', ids: [...every, ...every] })
    clearImmediate(next)
    expect(done).toEqual({ deleted: every.slice(1, 399), sold: [every[0], every[399]] })
    expect(turns).toBeGreaterThan(0)
    expect(await store.deleteUnsoldTraces({ ownerId: 'ann', ids: every })).toEqual({
      deleted: [],
      sold: [every[0], every[399]],
    })
  }))

test.each([
  ['is a blob', "x'5b00ff5d'"],
  ['has a byte that is not UTF-8', "cast(x'5b22ff225d' as text)"],
  ['has a character that lost its last byte', "cast(x'5b22f09f9841225d' as text)"],
])('readTrace and readSellableTraces return an empty text for messages whose text %s', (_, damaged) =>
  withLocalDatabase(async (client, db) => {
    await seedTraces(client, 'ann', makeTraces(2, 'ann'))
    const replaced = JSON.stringify([{ content: 'a replacement character of its own: \uFFFD' }])
    await db.write([
      raw(`update contents set messages = ${damaged} where trace = 1`),
      raw('update contents set messages = ? where trace = 2', [replaced]),
    ])
    const store = openTraceStores(db)
    expect(await store.readTrace({ ownerId: 'ann', id: makeId('ann', 0) })).toMatchObject({ messages: '' })
    const offered: (string | null)[] = []
    for await (const { messages } of (await store.readSellableTraces({ cursor: null, limit: 9 })).documents)
      offered.push(messages)
    expect(offered).toEqual(['', replaced])
  }),
)

test('exportTraces reads at most 16 documents at a time', () =>
  withLocalDatabase(async (client, db) => {
    await seedTraces(client, 'ann', makeTraces(50, 'ann'))
    const sizes: number[] = []
    const watched: Database = {
      ...db,
      async read<Row>(query: Query<Row>) {
        const rows = await db.read(query)
        if (query.text.includes('messages') && !query.text.includes('octet_length')) sizes.push(rows.length)
        return rows
      },
    }
    let exported = 0
    for await (const _ of libsqlTraces(watched).exportTraces({ ownerId: 'ann' })) exported++
    expect([exported, ...sizes]).toEqual([50, 16, 16, 16, 2])
  }))

test('eraseTraces deletes traces that arrive during the erasure', () =>
  withLocalDatabase(async (client, db) => {
    await seedTraces(client, 'ann', makeTraces(2, 'ann'))
    let late = 1
    const racing: Database = {
      ...db,
      async write<Row>(queries: readonly Query[]) {
        const done = await db.write<Row>(queries)
        if (late-- > 0) await seedTraces(client, 'ann', makeTraces(1, 'late'))
        return done
      },
    }
    while (await libsqlTraces(racing).eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }));
    expect(
      await db.read(
        raw('select num from traces union all select trace from contents union all select owner from seen'),
      ),
    ).toEqual([])
  }))

test('a known hash takes less than 125 bytes', () =>
  withLocalDatabase(async (client, db) => {
    // The hashes are inserted in the order of uploads, 200 at a time. For the key, this is a random order.
    for (let n = 0; n < 4000; n += 200) await seedTraces(client, 'ann', makeTraces(200, 'ann', n))
    const [row] = await db.read<{ size: number }>(raw("select sum(pgsize) as size from dbstat where name = 'seen'"))
    expect(row!.size / 4000).toBeLessThan(125)
  }))
