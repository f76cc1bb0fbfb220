import { fixture, temporaryDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { adminToken, makeTraceInput, signInContributor } from '../../ingest/contributor.fixture.ts'
import { libsqlStores } from '../../stores/libsql/index.ts'

const options = {
  adminToken,
  approval: 'automatic',
  country: () => 'US',
  yieldToEventLoop: async () => undefined,
} as const
const content = Array.from({ length: 400 }, (_, n) => `word${(n * 7919) % 1013}`).join(' ')

/** Returns a service on a database with the nearly equal traces of two people. */
async function storeCopies() {
  const database = await temporaryDatabase()
  const stores = libsqlStores(database.client)
  const made = fixture({ stores, ...options })
  const [ann, bob] = [await signInContributor(made), await signInContributor(made)]
  const upload = async (person: typeof ann, n: number): Promise<void> => {
    const messages = [{ role: 'user', content: `${content}${'.'.repeat(n)}` }]
    const json = { traces: [makeTraceInput(`session-${n}`, { messages })] }
    await made.ask('POST', '/api/ingest', { headers: person.bearer, json })
    await made.service.work()
  }
  for (const [n, person] of [ann, bob, bob].entries()) await upload(person, n)
  return {
    database,
    stores,
    made,
    upload: (n: number) => upload(bob, n),
    readAll: async () => [
      await stores.copies.getCopyStats({ ownerId: ann.userId }),
      await stores.copies.getCopyStats({ ownerId: bob.userId }),
      (await database.client.execute('select trace, other, is_earlier, ranges from overlaps order by 1, 2')).rows,
      (await database.client.execute('select hash, trace from fingerprint_index order by 1, 2')).rows,
    ],
  }
}

test('work() compares each trace without fingerprints once, in order, even with two workers', async () => {
  const { database, stores, made, readAll } = await storeCopies()
  const before = await readAll()
  expect(before.slice(0, 2)).toMatchObject([{ copiedTraces: 0 }, { copiedTraces: 2 }])
  for (const sql of [
    'delete from overlaps',
    'delete from fingerprints',
    'update fingerprint_state set filled = 0, fill_until = (select max(num) from traces)',
  ])
    await database.client.execute(sql)
  expect((await readAll()).slice(2)).toEqual([[], []])
  await Promise.all([made.service.work(), fixture({ stores, ...options }).service.work()])
  expect(await readAll()).toEqual(before)
  expect((await stores.copies.listUnfilledTraces({ limit: 9 })).traces).toEqual([])
  await database.close()
})

test('work() compares traces again after a restore without the row of fingerprint_state', async () => {
  const { database, upload, made, readAll } = await storeCopies()
  const before = await readAll()
  for (const table of ['overlaps', 'fingerprints', 'fingerprint_state'])
    await database.client.execute(`delete from ${table}`)
  await made.service.work()
  expect(await readAll()).toEqual(before)
  await upload(3)
  expect((await readAll())[1]).toMatchObject({ copiedTraces: 3 })
  await database.close()
})
