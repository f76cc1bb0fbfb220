import type { Stores } from '@tributary/core'
import { postgresStores } from '@tributary/core/postgres'
import {
  createTestStores,
  fixture,
  gateways,
  hostility,
  isFullRun,
  lambdaHost,
  makeSentTraces,
  createTraveller,
  type Fixture,
  type Gateway,
  type HostUnderTest,
  type Traveller,
} from '@tributary/test-kit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { borrowPglite } from '../../core/src/stores/postgres/borrowed.fixture.ts'
import { lambdaPlatform, toLambdaHandler } from './index.ts'

let people = 0

async function signInTraveller(
  gateway: Gateway,
  stores: Stores = createTestStores(),
): Promise<{ made: Fixture; host: HostUnderTest; traveller: Traveller }> {
  const made = fixture({ stores, approval: 'automatic', country: () => 'US', ...lambdaPlatform() })
  const handler = toLambdaHandler(made.service)
  const host = lambdaHost((event) => handler(event as never), { gateway, hostile: hostility })
  const traveller = await createTraveller({
    request: host.request,
    email: `lambda-${++people}@example.com`,
    code: (email) => made.mailer.code(email),
  })
  return { made, host, traveller }
}

/** Opens the stores of a service on PGlite. */
async function openPostgres(): Promise<Stores> {
  const { pools, release } = await borrowPglite()
  onTestFinished(release)
  return postgresStores(pools[0])
}

describe.each([
  ...(Object.keys(gateways) as Gateway[]).map((gateway) => ({ gateway, database: 'libSQL', open: createTestStores })),
  ...(isFullRun ? [{ gateway: 'url', database: 'PostgreSQL', open: openPostgres } as const] : []),
])('a contributor through a misbehaving $gateway, on $database', ({ gateway, open }) => {
  test('a contributor signs in, uploads, reads the job, reads the traces, excludes and deletes them', async () => {
    const { made, host, traveller } = await signInTraveller(gateway, await open())
    const jobId = await traveller.send(makeSentTraces(3))
    expect(await made.service.work({ jobId })).toEqual({ done: 1, failed: 0, later: 0 })
    expect(await traveller.job(jobId)).toMatchObject({ status: 'done', traceCount: 3 })
    const ids = await traveller.traces()
    const document = await traveller.call('GET', `/api/traces/${ids[0]}/download`)
    expect(document.json['id']).toBe(ids[0])
    expect((await traveller.call('POST', '/api/traces/bulk', { ids, action: 'exclude' })).json).toMatchObject({
      updatedCount: 3,
    })
    expect((await traveller.call('DELETE', '/api/traces/bulk', { ids: ids.slice(1) })).json).toMatchObject({
      deletedIds: expect.arrayContaining(ids.slice(1)),
    })
    expect(await traveller.traces()).toEqual([ids[0]])
    const page = await host.request('GET', '/traces', [['cookie', traveller.cookie]])
    expect([page.status, Buffer.from(page.body).toString().includes('<!doctype html>')]).toEqual([200, true])
    expect((await host.request('GET', '/traces')).headers.find(([name]) => name === 'location')?.[1]).toContain(
      '/sign-in',
    )
  })
})

describe('POST /api/ingest: the body limit', () => {
  const limit = 4_500_000
  const post = (host: HostUnderTest, { token }: Traveller, body: Uint8Array, packed = false) =>
    host.request(
      'POST',
      '/api/ingest',
      [
        ['content-type', 'application/json'],
        ['authorization', `Bearer ${token}`],
        ...(packed ? [['content-encoding', 'gzip'] as const] : []),
      ],
      [body],
    )
  const makePaddedBody = (bytes: number): Buffer => {
    const body = Buffer.alloc(bytes, ' ')
    body.write(JSON.stringify({ traces: makeSentTraces(1) }))
    return body
  }

  test('accepts a decoded body of 4.5 MB, even if sent as base64, and returns 413 with this limit for one more byte', async () => {
    const { host, traveller } = await signInTraveller('url')
    expect((await post(host, traveller, makePaddedBody(limit))).status).toBe(202)
    const over = await post(host, traveller, makePaddedBody(limit + 1))
    expect([over.status, over.headers.find(([name]) => name === 'x-body-limit')?.[1]]).toEqual([413, String(limit)])
  })

  test('counts the decoded bytes of a gzip body', { tags: 'long' }, async () => {
    const { made, host, traveller } = await signInTraveller('url')
    const jobId = await traveller.send(makeSentTraces(60, 100_000), { gzip: true })
    expect(await made.service.work({ jobId })).toMatchObject({ done: 1 })
    expect(await traveller.traces()).toHaveLength(60)
    expect(
      (await host.request('GET', '/api/traces?limit=200', [['authorization', `Bearer ${traveller.token}`]])).status,
    ).toBe(200)
  })
})
