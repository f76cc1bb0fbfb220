import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  fixture,
  lambdaHost,
  makeSentTraces,
  startHrana,
  createTraveller,
  createMigratedFile,
  type Fixture,
  type Hrana,
  type Traveller,
} from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lambdaPlatform, toLambdaHandler } from './index.ts'
import { tursoClient, tursoStores } from './turso.ts'

const logger = { info() {}, warn() {}, error() {} }

describe('Lambda on a remote libSQL over HTTP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-turso-'))
  let database: Hrana
  let made: Fixture
  let traveller: Traveller
  beforeAll(async () => {
    await createMigratedFile(join(folder, 'a.db'))
    database = await startHrana({ path: join(folder, 'a.db'), token: 'secret' })
    const stores = tursoStores({ url: database.url, authToken: 'secret' })
    made = fixture({ stores, approval: 'automatic', country: () => 'US', ...lambdaPlatform(), logger })
    const handler = toLambdaHandler(made.service)
    const { request } = lambdaHost((event) => handler(event as never), { gateway: 'url' })
    traveller = await createTraveller({ request, email: 'turso@example.com', code: (email) => made.mailer.code(email) })
  })
  afterAll(async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('stores the traces that a contributor uploads, and returns them', async () => {
    const jobId = await traveller.send(makeSentTraces(120))
    expect(await made.service.work({ jobId })).toMatchObject({ done: 1 })
    expect(await traveller.traces()).toHaveLength(120)
    expect((await traveller.outcomes(jobId)).length).toBe(120)
  })

  test.each([
    ['GET', '/api/cli/session'],
    ['GET', '/api/traces?limit=10'],
    ['GET', '/api/traces/access'],
  ])('%s %s takes two round trips at most', async (method, path) => {
    made.clock.advance(6_000) // The session of a person who was authenticated just before is cached for some seconds.
    const before = database.requests
    expect((await traveller.call(method, path)).status).toBe(200)
    expect(database.requests - before).toBeLessThanOrEqual(2)
  })

  test('returns 503 without a message of the database when the database does not answer', async () => {
    made.clock.advance(6_000)
    database.fail(3, 503)
    const { status, json } = await traveller.call('GET', '/api/traces/access')
    expect([status, json]).toEqual([503, { ok: false, error: 'unavailable' }])
    database.fail(0, 500)
    expect((await traveller.call('GET', '/api/traces/access')).status).toBe(200)
  })

  test('tursoClient throws for an invalid address; a client closed before its first statement sends nothing', async () => {
    expect(() => tursoStores({ url: 'db.example.com' })).toThrow('must begin with libsql://')
    const before = database.requests
    const client = tursoClient({ url: database.url, authToken: 'secret' })
    client.close()
    await expect(client.execute({ sql: 'select 1', args: [] })).rejects.toThrow()
    expect(database.requests).toBe(before)
  })

  test('service.ready rejects when the database requires a different token', async () => {
    const { service } = fixture({ stores: tursoStores({ url: database.url, authToken: 'wrong' }), logger })
    await expect(service.ready()).rejects.toThrow()
  })
})
