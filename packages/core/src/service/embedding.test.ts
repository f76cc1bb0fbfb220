import { createTestStores, fixture, makeSentTraces } from '@tributary/test-kit'
import { describe, expect, test, vi } from 'vitest'
import { storeKinds } from '../auth/stores.fixture.ts'
import type { Logger } from '../ports.ts'
import { createScrubber } from '../scrubber/index.ts'
import type { Stores } from '../stores.ts'
import { withBackend } from '../stores/backend.ts'
import { createService } from './create.ts'

const baseUrl = 'http://127.0.0.1:8787'
const open = { country: () => 'US', approval: 'automatic', secret: 'the secret of this test' } as const

type Fixture = ReturnType<typeof fixture>
type Signed = Awaited<ReturnType<Fixture['signIn']>>

/** Meets the conditions of the upload policy and submits one trace. Returns the job's id. */
async function upload({ ask }: Fixture, { bearer, email }: Signed): Promise<string> {
  const { json: policy } = await ask('GET', '/api/traces/upload-policy', { headers: bearer })
  await ask('POST', '/api/account/terms', {
    headers: bearer,
    json: { termsVersion: policy.termsVersion, residencyConfirmed: true },
  })
  const application = { companyName: 'Example', website: 'https://example.com', role: 'engineer', authorized: true }
  await ask('POST', '/api/account/application', { headers: bearer, json: { ...application, email } })
  const { json } = await ask('POST', '/api/ingest', { headers: bearer, json: { traces: makeSentTraces(1) } })
  return json.jobId
}

describe('createService', () => {
  test('refuses stores of different databases and names them', () => {
    const stores = createTestStores()
    expect(() => createService({ baseUrl, stores: { ...stores, traces: createTestStores().traces } })).toThrow(
      'stores of different databases are mixed: account is of libsqlStores, traces is of libsqlStores too, but a different one',
    )
    const { limiter, blobs } = createTestStores()
    createService({ baseUrl, stores: { ...stores, limiter, blobs } })
  })

  test("refuses a mix of an app's stores and the package's stores, and accepts a complete set of own stores", () => {
    const ours = createTestStores()
    const copyOf = (store: object): never =>
      new Proxy({}, { get: (_, name) => (typeof name === 'symbol' ? undefined : Reflect.get(store, name)) }) as never
    const foreign = { auth: copyOf(ours.auth), policy: copyOf(ours.policy) }
    expect(() => createService({ baseUrl, stores: { ...ours, ...foreign } })).toThrow(
      'stores of different databases are mixed: account is of libsqlStores, auth is of a database that it does not name; ' +
        'take all stores of one database, such as libsqlStores(client), ' +
        'and mark your own stores with withBackend of @tributary/core/stores',
    )
    const marked = withBackend('postgresStores', {}, { auth: { ...ours.auth }, policy: { ...ours.policy } })
    expect(() => createService({ baseUrl, stores: { ...ours, ...marked } })).toThrow(
      'account is of libsqlStores, auth is of postgresStores',
    )
    createService({ baseUrl, stores: { ...ours, auth: { ...ours.auth } } })
    const unmarked = Object.entries(ours).map(([port, store]) => [port, port === 'ready' ? store : copyOf(store)])
    createService({ baseUrl, stores: Object.fromEntries(unmarked) })
  })

  test('refuses stores without a port or a method, and names everything that is missing', () => {
    const stores: Stores = createTestStores()
    for (const port of Object.keys(stores).filter((name) => name !== 'ready')) {
      const { [port as keyof Stores]: _, ...others } = stores
      expect(() => createService({ baseUrl, stores: others as Stores })).toThrow(
        `stores lacks ${port}; take all of one`,
      )
    }
    const auth = { ...stores.auth, findUser: undefined as never }
    const { audit: _, ...others } = stores
    expect(() => createService({ baseUrl, stores: { ...others, auth } as never })).toThrow(
      'stores lacks audit, auth.findUser(); take all of one',
    )
  })

  test.each([
    [{}, 'detectors[1] needs an `id`'],
    [{ id: 'Badge' }, 'detectors[1] (Badge) needs an `id`'],
    [{ id: 'one' }, 'detectors[1] (one) has the `id` of another detector'],
    [{ id: 'two' }, 'detectors[1] (two) needs a `category`'],
    [{ id: 'two', category: 'badge' }, 'detectors[1] (two) needs a `placeholder`'],
    [{ id: 'two', category: 'badge', placeholder: 'badge' }, 'detectors[1] (two) needs a `placeholder`'],
    [{ id: 'two', category: 'badge', placeholder: 'BADGE' }, 'detectors[1] (two) needs a method `find`'],
  ])('refuses the detector %j: %s', (detector, error) => {
    const first = { id: 'one', category: 'badge', placeholder: 'BADGE', find: () => [] }
    const detectors = [first, detector] as never
    expect(() => createService({ baseUrl, stores: createTestStores(), detectors })).toThrow(error)
    expect(() => createScrubber({ detectors })).toThrow(error)
  })

  test('logs that no mailer is set when a person signs in by e-mail', async () => {
    const warn = vi.fn()
    const logger: Logger = { info() {}, warn, error() {} }
    const service = createService({ baseUrl, stores: createTestStores(), logger })
    const reply = await service.fetch(
      new Request(`${baseUrl}/api/auth/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"email":"jane@example.com"}',
      }),
    )
    expect(reply?.status).toBe(503)
    expect(warn).toHaveBeenCalledWith({ fix: expect.stringContaining('mailer') }, 'auth.mailer.missing')
  })

  test('logs that nobody can approve contributors, if no operator has a token', () => {
    const warn = vi.fn()
    const options = { baseUrl, stores: createTestStores(), logger: { info() {}, warn, error() {} } }
    createService({ ...options, approval: 'automatic' })
    createService({ ...options, adminToken: 'the-operator-of-this-test' })
    expect(warn).not.toHaveBeenCalledWith(expect.anything(), 'service.operator.missing')
    createService(options)
    expect(warn).toHaveBeenCalledWith({ fix: expect.stringContaining('approval') }, 'service.operator.missing')
  })

  test('logs that nobody can upload, if the country of callers is never known', () => {
    const warn = vi.fn()
    const options = { baseUrl, stores: createTestStores(), logger: { info() {}, warn, error() {} } }
    createService({ ...options, country: () => 'US' })
    expect(warn).not.toHaveBeenCalledWith(expect.anything(), 'service.country.missing')
    createService(options)
    expect(warn).toHaveBeenCalledWith({ fix: expect.stringContaining('country') }, 'service.country.missing')
  })

  test('logs once a minute that a job waits when no worker has claimed it for a minute', async () => {
    const warn = vi.fn()
    const made = fixture({ ...open, stores: createTestStores(), logger: { info() {}, warn, error() {} } })
    const jane = await made.signIn()
    const jobId = await upload(made, jane)
    const requestJob = (): Promise<unknown> => made.ask('GET', `/api/ingest/jobs/${jobId}`, { headers: jane.bearer })
    await requestJob()
    expect(warn).not.toHaveBeenCalled()
    made.clock.advance(60_000)
    await requestJob()
    await requestJob()
    const logged = { jobId, waitedMs: 60_000, fix: 'run a worker: service.startWorker()' }
    expect(warn.mock.calls).toEqual([[logged, 'ingest.job.waiting']])
    await made.service.work()
    made.clock.advance(60_000)
    await requestJob()
    expect(warn).toHaveBeenCalledOnce()
  })
})

describe('startWorker', () => {
  test('processes a job as soon as it is queued, until the worker is stopped', async () => {
    const made = fixture({ ...open, stores: createTestStores() })
    const jane = await made.signIn()
    const worker = made.service.startWorker({ pollMs: 60_000 })
    const readStatus = async (jobId: string): Promise<string> =>
      (await made.ask('GET', `/api/ingest/jobs/${jobId}`, { headers: jane.bearer })).json.job.status
    const jobId = await upload(made, jane)
    await vi.waitFor(async () => expect(await readStatus(jobId)).toBe('done'))
    await worker.stop()
    const { json } = await made.ask('POST', '/api/ingest', {
      headers: jane.bearer,
      json: { traces: makeSentTraces(1, 60, 'second') },
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await readStatus(json.jobId)).toBe('queued')
  })
})

describe.each(storeKinds)('Service over %s', (_, openStores) => {
  test('erase ends every token and session immediately, and a worker deletes the data of the user', async () => {
    const made = fixture({ ...open, stores: await openStores() })
    const [jane, joe] = [await made.signIn(), await made.signIn()]
    await upload(made, jane)
    await made.service.work()
    expect((await made.ask('GET', '/api/traces', { headers: jane.bearer })).json.traces).toHaveLength(1)
    expect(await made.service.erase(jane.userId)).toBe(true)
    for (const headers of [jane.bearer, jane.cookie])
      expect((await made.ask('GET', '/api/traces/upload-policy', { headers })).status).toBe(401)
    expect((await made.ask('GET', '/api/cli/session', { headers: joe.bearer })).status).toBe(200)
    await made.service.work()
    expect(await made.service.erase(jane.userId)).toBe(false)
    const again = await made.signIn(jane.email)
    expect(again.userId).not.toBe(jane.userId)
    expect((await made.ask('GET', '/api/traces', { headers: again.bearer })).json.traces).toEqual([])
  })

  test('revoke ends every token and session of a user and keeps the account', async () => {
    const made = fixture({ ...open, stores: await openStores() })
    const [jane, joe] = [await made.signIn(), await made.signIn()]
    expect((await made.ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(200)
    expect(await made.service.revoke(jane.userId)).toBe(2)
    expect((await made.ask('GET', '/api/cli/session', { headers: jane.bearer })).status).toBe(401)
    expect((await made.ask('GET', '/api/cli/session', { headers: joe.bearer })).status).toBe(200)
    expect((await made.signIn(jane.email)).userId).toBe(jane.userId)
    expect(await made.service.revoke('nobody')).toBe(0)
  })

  test('signOutUrl ends the session of the browser that posts a form to it', async () => {
    const made = fixture({ ...open, stores: await openStores() })
    const { cookie } = await made.signIn()
    const { pathname } = new URL(made.service.signOutUrl)
    expect((await made.ask('POST', pathname, { headers: cookie, form: {} })).status).toBe(303)
    expect((await made.ask('GET', '/api/traces/upload-policy', { headers: cookie })).status).toBe(401)
  })
})
