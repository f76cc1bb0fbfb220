import {
  fixture,
  makeHash,
  makeTraces,
  seedTraces,
  temporaryDatabase,
  type Fixture,
  type Signed,
  type TemporaryDatabase,
} from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'
import { silentLogger } from '../system.ts'
import { Unavailable } from '../unavailable.ts'
import type { Stores } from '../stores.ts'
import { exportParts } from './export.ts'
import type { AccountPart } from './store.ts'

let database: TemporaryDatabase
let stores: Stores
let made: Fixture
let ann: Signed
let bob: Signed
const adminToken = 'operator-'.repeat(3)

beforeEach(async () => {
  database = await temporaryDatabase()
  stores = libsqlStores(database.client)
  made = fixture({ stores, adminToken, country: () => 'US' })
  ann = await made.signIn('ann@example.com')
  bob = await made.signIn('bob@example.com')
  for (const who of [ann, bob]) await fill(who)
})
afterEach(() => database.close())

const ask = (method: string, path: string, who: Signed, json?: unknown) =>
  made.ask(method, path, { headers: who.bearer, json })

/** Stores a row about a person in every table. */
async function fill(who: Signed): Promise<void> {
  const label = who.email.split('@')[0]!
  await ask('POST', '/api/account/terms', who, { termsVersion: '2026-12-01', residencyConfirmed: true })
  await ask('POST', '/api/account/application', who, {
    companyName: `${label} & co`,
    website: 'https://acme.example',
    email: who.email,
    role: 'founder',
    authorized: true,
  })
  await ask('POST', '/api/account/contact', who, { name: `Name ${label}`, email: who.email })
  await ask('PUT', '/api/account/consent', who, { attribution: true, pixel: true })
  await ask('PATCH', '/api/account', who, { paused: true })
  await ask('POST', '/api/waitlist', who, { email: who.email, country: 'DE' })
  await seedTraces(database.client, who.userId, makeTraces(3, label))
}

/** Returns the text of every row, in any table, that refers to this person. */
async function listRowsAbout(num: number, words: readonly string[]): Promise<string[]> {
  const { rows: tables } = await database.client.execute(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'tributary_%'",
  )
  const found: string[] = []
  for (const { name } of tables) {
    for (const row of (await database.client.execute(`select * from ${name as string}`)).rows) {
      const text = JSON.stringify(row)
      // Names of columns, such as `channel`, are not data of the person.
      const values = JSON.stringify(Object.values(row))
      if (row['owner'] === num || words.some((word) => values.includes(word))) found.push(`${name as string} ${text}`)
    }
  }
  return found
}

async function findUserNumber(who: Signed): Promise<number> {
  return Number(
    (await database.client.execute({ sql: 'select num from users where id = ?', args: [who.userId] })).rows[0]!['num'],
  )
}

// promise: json-document-everything-held
test('GET /api/account/export contains everything about the caller and nothing about others', async () => {
  const reply = await ask('GET', '/api/account/export', ann)
  expect(reply.status).toBe(200)
  expect(reply.headers.get('content-disposition')).toBe('attachment; filename="tributary-account.json"')
  expect(reply.json).toMatchObject({
    ok: true,
    userId: ann.userId,
    exportedAt: new Date(made.clock()).toISOString(),
    account: {
      // In the name `ann-0` of a trace, the first name of the contributor is replaced.
      traces: [0, 1, 2].map((n) => ({
        sourceId: expect.stringMatching(new RegExp(`^\\[PERSON_1\\]-${n}~`)) as unknown,
      })),
      contributor: {
        applications: [{ companyName: 'ann & co', status: 'pending' }],
        contact: { name: 'Name ann' },
        consent: { attribution: true, pixel: true },
      },
      policy: {
        terms: [{ termsVersion: '2026-12-01', residencyConfirmed: true }],
        pauses: [{ by: 'contributor', paused: true }],
        waitlist: { country: 'DE' },
      },
      sessions: { user: { email: 'ann@example.com' }, machines: [{ label: 'test machine' }] },
    },
  })
  expect(reply.text).not.toContain('bob')
  // All times are ISO 8601 timestamps, not numbers.
  expect(reply.text).not.toMatch(/"\w+At":\d/)
  expect((await made.ask('GET', '/api/account/export')).status).toBe(401)
})

test('GET /api/account/export contains the properties of telemetry as the client sent them', async () => {
  const properties = { launchedAt: 5, endedAt: 1e300, count: 20_777 }
  const diagnostics = { adapter: 'cursor', totalEntries: 1 }
  const report = { schema: 1, deviceId: 'a-device', diagnostics: [diagnostics], events: [{ name: 'run', properties }] }
  expect((await ask('POST', '/api/cli/telemetry', ann, report)).json).toMatchObject({ accepted: 2 })
  const exported = await ask('GET', '/api/account/export', ann)
  expect(exported.json.account.telemetry.reports).toMatchObject([
    { receivedAt: new Date(made.clock()).toISOString(), diagnostics: [diagnostics], events: [{ properties }] },
  ])
})

test('GET /api/account/export contains the sale state, value and sales of each trace, and the hashes of deleted traces', async () => {
  const [third, second, first] = (await ask('GET', '/api/traces', ann)).json.traces as { id: string }[]
  const sale = await made.ask('POST', '/api/admin/sales', {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { buyer: 'Lab', traceIds: [first!.id], usd: 1 },
  })
  await ask('PATCH', `/api/traces/${second!.id}`, ann, { sellExcluded: true })
  await ask('DELETE', '/api/traces/bulk', ann, { ids: [third!.id] })
  const { account } = (await ask('GET', '/api/account/export', ann)).json
  const soldAt = new Date(made.clock()).toISOString()
  expect(account.traces).toMatchObject([
    {
      id: first!.id,
      tokenCount: 2,
      estimatedUsd: 0.000002,
      saleCount: 1,
      locked: true,
      sales: [{ saleId: sale.json.saleId, buyer: 'Lab', soldAt }],
    },
    {
      id: second!.id,
      sellExcluded: true,
      saleCount: 0,
      locked: false,
      sales: [],
      storedAt: '1970-01-01T00:00:00.000Z',
    },
  ])
  expect(account.deletedHashes).toEqual([makeHash('ann', 2)])
})

test('GET /api/account/export aborts and logs when the store fails in the middle', { tags: 'long' }, async () => {
  const errors: unknown[] = []
  const logger = { info() {}, warn() {}, error: (_: unknown, message: string) => void errors.push(message) }
  const traces = Object.assign(Object.create(stores.traces), {
    async *exportTraces(params: { ownerId: string }) {
      for await (const trace of stores.traces.exportTraces(params)) {
        if (trace.sourceId === 'many-900') throw new Unavailable('locked')
        yield trace
      }
    },
  })
  await seedTraces(database.client, ann.userId, makeTraces(1_000, 'many'))
  const flaky = fixture({ stores: { ...stores, traces }, clock: made.clock, mailer: made.mailer, logger })
  await expect(flaky.ask('GET', '/api/account/export', { headers: ann.bearer })).rejects.toThrow()
  expect(errors).toEqual(['account.export.failed'])
})

// promise: signed-out-everywhere-everything
test('DELETE /api/account ends every credential immediately, and work deletes all rows of the user and no rows of others', async () => {
  const [num, bobs] = [await findUserNumber(ann), await findUserNumber(bob)]
  // The other user's traces are scrubbed again first, because the contact was added after the traces.
  await made.service.work()
  const before = await listRowsAbout(bobs, [bob.userId, 'bob'])
  expect((await listRowsAbout(num, [ann.userId, 'ann'])).length).toBeGreaterThan(12)
  const erased = await made.ask('DELETE', '/api/account', { headers: ann.cookie })
  expect([erased.status, erased.json]).toEqual([200, { ok: true }])
  expect((await ask('GET', '/api/cli/session', ann)).status).toBe(401)
  expect((await made.ask('GET', '/api/traces/access', { headers: ann.cookie })).status).toBe(401)
  // Another host has no cached data.
  const other = fixture({ stores, clock: made.clock, mailer: made.mailer })
  expect((await other.ask('GET', '/api/cli/session', { headers: ann.bearer })).status).toBe(401)
  expect((await database.client.execute({ sql: 'select 1 from users where id = ?', args: [ann.userId] })).rows).toEqual(
    [],
  )
  await made.service.work()
  expect(await listRowsAbout(num, [ann.userId, 'ann'])).toEqual([])
  expect(await listRowsAbout(bobs, [bob.userId, 'bob'])).toEqual(before)
  expect((await ask('GET', '/api/cli/session', bob)).status).toBe(200)
})

test('DELETE /api/account removes the traces from the dataset and from sale immediately, before a worker deletes them', async () => {
  const admin = { authorization: `Bearer ${adminToken}` }
  const { id } = (await ask('GET', '/api/traces', ann)).json.traces[0]
  await made.ask('DELETE', '/api/account', { headers: ann.cookie })
  const sale = await made.ask('POST', '/api/admin/sales', {
    headers: admin,
    json: { buyer: 'Lab', traceIds: [id], usd: 1 },
  })
  expect([sale.json.soldIds, sale.json.skippedIds]).toEqual([[], [id]])
  expect((await made.ask('GET', '/api/admin/dataset', { headers: admin })).text).not.toContain('ann-')
})

test('DELETE /api/account keeps sold traces without the identity of the user', async () => {
  const { id } = (await ask('GET', '/api/traces', ann)).json.traces[0]
  const sale = await made.ask('POST', '/api/admin/sales', {
    headers: { authorization: `Bearer ${adminToken}` },
    json: { buyer: 'Lab', traceIds: [id], usd: 1 },
  })
  expect(sale.json.soldIds).toEqual([id])
  const num = await findUserNumber(ann)
  await made.ask('DELETE', '/api/account', { headers: ann.cookie })
  await made.service.work()
  expect(await listRowsAbout(num, [ann.userId])).toEqual([])
  const { rows } = await database.client.execute({
    sql: 'select owner, sale_count from traces where id = ?',
    args: [id],
  })
  expect(rows).toMatchObject([{ owner: null, sale_count: 1 }])
})

test('work completes an erasure during which the store failed', async () => {
  let broken = true
  const policy = {
    ...stores.policy,
    erase: async (params: { readonly ownerId: string }) => {
      if (broken) throw new Unavailable('locked')
      return stores.policy.erase(params)
    },
  }
  const flaky = fixture({ stores: { ...stores, policy }, clock: made.clock, mailer: made.mailer })
  const num = await findUserNumber(ann)
  expect((await flaky.ask('DELETE', '/api/account', { headers: ann.cookie })).status).toBe(200)
  await flaky.service.work()
  expect((await listRowsAbout(num, ['ann'])).length).toBeGreaterThan(0)
  broken = false
  made.clock.advance(60_000)
  await made.service.work()
  expect(await listRowsAbout(num, [ann.userId, 'ann'])).toEqual([])
})

test('DELETE /api/account called twenty times concurrently deletes everything', async () => {
  const num = await findUserNumber(ann)
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => made.ask('DELETE', '/api/account', { headers: ann.cookie })),
  )
  // A call that is sent after the erasure began gets 401, because its credential is no longer valid.
  expect(replies.filter(({ status }) => status !== 200 && status !== 401)).toEqual([])
  expect(replies[0]!.status).toBe(200)
  await made.service.work()
  expect(await listRowsAbout(num, [ann.userId, 'ann'])).toEqual([])
})

test('a user who erased the account can sign in again as a new user', async () => {
  await made.ask('DELETE', '/api/account', { headers: ann.cookie })
  const again = await made.signIn('ann@example.com')
  expect(again.userId).not.toBe(ann.userId)
  expect((await ask('GET', '/api/traces/access', again)).json).toMatchObject({
    status: 'not_applied',
    application: null,
  })
  await made.service.work()
  expect((await ask('GET', '/api/cli/session', again)).status).toBe(200)
})

test('exportParts yields to the event loop before each part, and throws before the first part when a store does not answer', async () => {
  let pauses = 0
  const yieldToEventLoop = async (): Promise<void> => void pauses++
  const yieldPieces = async function* () {
    for (let i = 0; i < 40; i++) yield { text: 'x'.repeat(10_000), keptAt: 0 }
  }
  const makePart = (name: string, value: () => Promise<unknown> | AsyncIterable<unknown>): AccountPart => ({
    name,
    export: value,
    erase: async () => false,
  })
  const makeDeps = (parts: AccountPart[]) => ({ parts, yieldToEventLoop, logger: silentLogger })
  const chunks: Uint8Array[] = []
  const yieldNothing = async function* () {}
  for await (const chunk of await exportParts(
    makeDeps([
      makePart('a', yieldPieces),
      makePart('b', async () => null),
      makePart('c', yieldNothing),
      makePart('d', async () => undefined),
    ]),
    'ann',
    0,
  ))
    chunks.push(chunk)
  expect(chunks.length).toBeGreaterThan(4)
  expect(pauses).toBeGreaterThanOrEqual(chunks.length)
  const { account } = JSON.parse(Buffer.concat(chunks).toString())
  expect([account.a.length, account.a[39].keptAt, account.b, account.c, account.d]).toEqual([
    40,
    '1970-01-01T00:00:00.000Z',
    null,
    [],
    null,
  ])
  await expect(
    exportParts(
      makeDeps([
        makePart('a', async () => {
          throw new Unavailable('locked')
        }),
      ]),
      'ann',
      0,
    ),
  ).rejects.toThrow(Unavailable)
})
