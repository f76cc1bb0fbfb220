import { createService } from '@tributary/core'
import { createTestStores, fixture, makeSentTraces } from '@tributary/test-kit'
import { afterEach, expect, test, vi } from 'vitest'

// The table of the scrubber is loaded when the first text must be scrubbed. When the table does not load, no text may
// be stored.
const broken = vi.hoisted(() => ({ now: true }))
vi.mock('../scrubber/index.ts', async (actual) => {
  const real = await actual<typeof import('../scrubber/index.ts')>()
  return {
    ...real,
    createScrubber: (...given: Parameters<typeof real.createScrubber>) => {
      if (broken.now) throw new Error('a rule of the table is wrong')
      return real.createScrubber(...given)
    },
  }
})
afterEach(() => {
  broken.now = true
})

test('service.load rejects when the scrubber does not load, and resolves once it does', async () => {
  const service = createService({ baseUrl: 'http://127.0.0.1', stores: createTestStores() })
  await expect(service.load()).rejects.toThrow('a rule of the table is wrong')
  broken.now = false
  await service.load()
})

// promise: fail-closed
test('nothing is stored unscrubbed while the scrubber does not load: reports and logins are refused, and jobs wait', async () => {
  const open = { stores: createTestStores(), approval: 'automatic', country: () => 'US' } as const
  broken.now = false
  const before = fixture(open)
  const { bearer, email } = await before.signIn()
  await before.ask('POST', '/api/account/terms', {
    headers: bearer,
    json: { termsVersion: '2026-12-01', residencyConfirmed: true },
  })
  await before.ask('POST', '/api/account/application', {
    headers: bearer,
    json: { companyName: 'A', website: 'https://a.example', email, role: 'r', authorized: true },
  })
  broken.now = true
  const { ask, service } = fixture(open)
  const report = {
    reporter: { agent_vendor: 'v', agent_product: 'p' },
    subject: { surface: 's' },
    content: { title: 't' },
  }
  const jobId = (await ask('POST', '/api/ingest', { headers: bearer, json: { traces: makeSentTraces(1) } })).json
    .jobId as string
  const job = async () =>
    (await ask('GET', `/api/ingest/jobs/${jobId}`, { headers: bearer })).json.job as {
      status: string
      startedAt: string | null
    }
  for (const [path, json] of [
    ['/api/v1/feedback', report],
    ['/api/cli/device/start', { machine: 'm' }],
  ] as const)
    expect((await ask('POST', path, { json })).status).toBe(500)
  expect((await ask('POST', '/api/cli/feedback', { headers: bearer, json: { message: 'm' } })).status).toBe(500)
  await expect(service.work()).rejects.toThrow('a rule of the table is wrong')
  expect(await job()).toMatchObject({ status: 'queued', startedAt: null })
  broken.now = false
  expect(await service.work()).toMatchObject({ done: 1 })
  expect((await job()).status).toBe('done')
  expect((await ask('POST', '/api/v1/feedback', { json: report })).status).toBe(201)
})
