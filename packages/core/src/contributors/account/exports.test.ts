import {
  fixture,
  makeTraces,
  seedTraces,
  temporaryDatabase,
  type Fixture,
  type Signed,
  type TemporaryDatabase,
} from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { libsqlStores } from '../../stores/libsql/index.ts'
import type { Blobs } from '../../ports.ts'
import type { Stores } from '../../stores.ts'

const hour = 60 * 60 * 1000
let database: TemporaryDatabase
let stores: Stores
let made: Fixture
let ann: Signed
let bob: Signed

beforeEach(async () => {
  database = await temporaryDatabase()
  stores = libsqlStores(database.client)
  made = fixture({ stores, country: () => 'US' })
  ann = await made.signIn('ann@example.com')
  bob = await made.signIn('bob@example.com')
})
afterEach(() => database.close())

const start = async (who: Signed = ann) => made.ask('POST', '/api/account/exports', { headers: who.bearer })
const read = (id: string, who: Signed = ann) => made.ask('GET', `/api/account/exports/${id}`, { headers: who.bearer })
const readPath = (url: string): string => new URL(url).pathname
async function prepareExport(who: Signed = ann) {
  const { id } = (await start(who)).json.export as { id: string }
  await made.service.work()
  return (await read(id, who)).json.export as { id: string; url: string; bytes: number; expiresAt: string }
}
const listBlobs = () => stores.blobs.stale(Number.MAX_SAFE_INTEGER, 100, 'export/')

describe('the link of an export', () => {
  const readAll = async () => JSON.stringify((await database.client.execute('select * from account_jobs')).rows)

  test('is not stored in the database, and neither is its secret', async () => {
    const { url } = await prepareExport()
    expect(await readAll()).not.toContain(url.split('/').at(-1))
  })

  test('is shown after the secret of the service was rotated', async () => {
    const host = (...secret: string[]) => fixture({ stores, secret, clock: made.clock, mailer: made.mailer })
    const [before, after] = [host('the first secret'), host('the second secret', 'the first secret')]
    const { id } = (await before.ask('POST', '/api/account/exports', { headers: ann.bearer })).json.export
    await before.service.work()
    const { url } = (await after.ask('GET', `/api/account/exports/${id}`, { headers: ann.bearer })).json.export
    expect((await after.ask('GET', readPath(url))).json.userId).toBe(ann.userId)
  })

  test('expires when the token that requested it is signed out, and another export can be started', async () => {
    const { id, url } = await prepareExport()
    expect((await made.ask('GET', readPath(url))).status).toBe(200)
    await made.ask('POST', '/api/auth/sign-out', { headers: ann.bearer })
    expect((await made.ask('GET', readPath(url))).status).toBe(404)
    const again = await made.ask('POST', '/api/account/exports', { headers: ann.cookie })
    expect([again.status, again.json.export.id === id]).toEqual([202, false])
    made.clock.advance(2 * 60_000)
    await made.service.work()
    expect((await listBlobs()).filter((key) => key.includes(id))).toEqual([])
  })
})

describe('POST /api/account/exports', () => {
  test(
    'prepares the document of GET /api/account/export in several blobs, and returns its URL and length',
    { tags: 'long' },
    async () => {
      await seedTraces(database.client, ann.userId, makeTraces(5_000, 'many'))
      const started = await start()
      expect([started.status, started.json.export]).toMatchObject([
        202,
        { status: 'preparing', bytes: null, url: null, expiresAt: null },
      ])
      await made.service.work()
      expect((await listBlobs()).length).toBeGreaterThan(2)
      const { export: ready } = (await read(started.json.export.id)).json
      expect(ready).toMatchObject({ status: 'ready', expiresAt: new Date(made.clock() + hour).toISOString() })
      const file = await made.ask('GET', readPath(ready.url))
      expect([file.status, Buffer.byteLength(file.text), file.headers.get('content-length')]).toEqual([
        200,
        ready.bytes,
        String(ready.bytes),
      ])
      expect(file.json.account.traces).toHaveLength(5_000)
      expect(file.json.account).toMatchObject({
        sessions: { user: { email: 'ann@example.com' } },
        exports: [{ status: 'preparing' }],
      })
    },
  )

  test('returns the same export while it is prepared and until it expires, then prepares another export', async () => {
    const first = await prepareExport()
    expect((await start()).json.export).toMatchObject({ id: first.id, status: 'ready' })
    made.clock.advance(hour)
    expect((await start()).json.export).toMatchObject({ status: 'preparing' })
    expect((await start()).json.export.id).not.toBe(first.id)
  })

  test('publishes the joined parts of a document at a public URL of the blob store, and does not store that URL', async () => {
    const published: { key: string; parts: readonly string[]; text: string }[] = []
    const store = new Map<string, Uint8Array>()
    const blobs: Blobs = {
      put: async (key, bytes) => void store.set(key, bytes.slice()),
      get: async (key) => store.get(key) ?? null,
      delete: async (key) => void store.delete(key),
      stale: async () => [],
      async publish({ key, parts }) {
        const text = Buffer.concat(parts.map((part) => store.get(part)!)).toString()
        published.push({ key, parts, text })
        return `https://bucket.example/${key}`
      },
    }
    const host = fixture({
      stores,
      blobs,
      secret: 'sixteen characters or more',
      clock: made.clock,
      mailer: made.mailer,
    })
    await seedTraces(database.client, ann.userId, makeTraces(10, 'few'))
    const { id } = (await start()).json.export as { id: string }
    await host.service.work()
    const view = (await host.ask('GET', `/api/account/exports/${id}`, { headers: ann.bearer })).json.export
    expect(view).toMatchObject({ status: 'ready', url: expect.stringMatching(/^https:\/\/bucket/) })
    const rows = JSON.stringify((await database.client.execute('select * from account_jobs')).rows)
    expect(rows).not.toContain('bucket.example')
    expect(JSON.parse(published[0]!.text).account.traces).toHaveLength(10)
  })

  test('returns `failed` after five attempts', async () => {
    const broken = {
      ...stores.telemetry,
      export: async () => {
        throw new Error("not a store's outage")
      },
    }
    const host = fixture({ stores: { ...stores, telemetry: broken }, clock: made.clock, mailer: made.mailer })
    const { id } = (await start()).json.export as { id: string }
    for (let attempt = 0; attempt < 5; attempt++) {
      await host.service.work()
      made.clock.advance(10 * 60_000)
    }
    expect((await read(id)).json.export).toMatchObject({ status: 'failed', url: null })
    expect(await listBlobs()).toEqual([])
  })
})

describe('GET /api/account/exports/files/:secret', () => {
  test('returns 404 for an unknown secret, and after an hour, when the blobs are deleted', async () => {
    const { id, url } = await prepareExport()
    expect((await made.ask('GET', `/api/account/exports/files/${'0'.repeat(64)}`)).status).toBe(404)
    made.clock.advance(hour - 1)
    expect((await made.ask('GET', readPath(url))).status).toBe(200)
    made.clock.advance(1)
    expect((await made.ask('GET', readPath(url))).status).toBe(404)
    await made.service.work()
    expect([await listBlobs(), (await read(id)).status]).toEqual([[], 404])
  })

  test('returns 404 after the erasure of the account, and leaves no blob', async () => {
    const { url } = await prepareExport()
    await made.ask('DELETE', '/api/account', { headers: ann.cookie })
    await made.service.work()
    expect([(await made.ask('GET', readPath(url))).status, await listBlobs()]).toEqual([404, []])
  })

  test('aborts the reply when a part is missing', { tags: 'slow' }, async () => {
    await seedTraces(database.client, ann.userId, makeTraces(5_000, 'many'))
    const { url } = await prepareExport()
    await stores.blobs.delete((await listBlobs())[1]!)
    await expect(made.ask('GET', readPath(url))).rejects.toThrow()
  })
})

test('GET /api/account/exports/:id returns 404 to another user', async () => {
  const { id } = await prepareExport()
  expect([(await read(id)).status, (await read(id, bob)).status]).toEqual([200, 404])
})

test('GET /api/account/export returns 409 above the limit of a host that cannot stream, and the whole document below it', async () => {
  const host = fixture({ stores, clock: made.clock, mailer: made.mailer, exportLimit: 100_000 })
  const get = () => host.ask('GET', '/api/account/export', { headers: ann.bearer })
  expect((await get()).json.userId).toBe(ann.userId)
  await seedTraces(database.client, ann.userId, makeTraces(1_000, 'many'))
  const large = await get()
  expect([large.status, large.json]).toEqual([409, { ok: false, error: 'export_too_large' }])
  const page = await host.ask('GET', '/account', { headers: ann.cookie })
  expect(page.text).not.toContain('download everything')
})

test('/account prepares an export without a script, links it when it is ready, and offers another export after an hour', async () => {
  const page = async () => (await made.ask('GET', '/account', { headers: ann.cookie })).text
  expect(await page()).toContain('Prepare export')
  const asked = await made.ask('POST', '/account', { headers: ann.cookie, form: { action: 'export' } })
  expect([asked.status, asked.headers.get('location')]).toEqual([303, '/account#export'])
  const nextOf = (text: string) => /<a href="([^"]+)">Check again</.exec(text)?.[1]
  const first = nextOf(await page())
  expect(first).toMatch(/^\/account\?at=\d+#export$/)
  made.clock.advance(5_000)
  // The URL differs each time, because a browser only scrolls, and does not reload, when only the fragment changes.
  expect(nextOf(await page())).not.toBe(first)
  await made.service.work()
  const [, path] = /href="http:\/\/127.0.0.1:8787(\/api\/account\/exports\/files\/[0-9a-f]{64})"/.exec(await page())!
  expect(await page()).toContain('expires at')
  expect(await page()).not.toContain('Check again')
  expect(await page()).toMatch(/Download \(\d+ KB\)/)
  expect((await made.ask('GET', path!)).json.userId).toBe(ann.userId)
  made.clock.advance(hour)
  expect(await page()).toContain('Prepare export')
})

test('work continues an erasure that another worker stopped in the middle, without counting the stopped attempt', async () => {
  await seedTraces(database.client, ann.userId, makeTraces(2_000, 'many'))
  await made.ask('DELETE', '/api/account', { headers: ann.cookie })
  const stop = new AbortController()
  let slices = 0
  const stopping = fixture({
    stores,
    clock: made.clock,
    mailer: made.mailer,
    yieldToEventLoop: async () => {
      if (++slices === 4) stop.abort()
    },
  })
  await stopping.service.work({ signal: stop.signal })
  const countTraces = async () =>
    Number((await database.client.execute('select count(*) as n from traces')).rows[0]!['n'])
  const before = await countTraces()
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(2_000)
  expect((await database.client.execute('select attempts, lease from account_jobs')).rows).toMatchObject([
    { attempts: 0, lease: null },
  ])
  await made.service.work()
  expect([await countTraces(), (await database.client.execute('select 1 from account_jobs')).rows.length]).toEqual([
    0, 0,
  ])
})
