import type { Fixture, Signed } from '@tributary/test-kit'
import { createTestStores } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  signInContributor,
  openAutoApprovingService,
  listOutcomes,
  places,
  makeTraceInput,
  type Place,
} from '../ingest/contributor.fixture.ts'
import { createScrubber, type AsyncDetector } from '../scrubber/index.ts'
import { VERSION, versionOf } from '../scrubber/version.ts'
import type { ServiceOptions } from '../service/options.ts'

/** Finds the name "Ada Byron", which the rules of the scrubber do not find within a sentence. */
const nameDetector: AsyncDetector = {
  id: 'names',
  version: '1',
  detect: async (texts) =>
    texts.map((text) =>
      [...text.matchAll(/Ada Byron/g)].map(({ index }) => ({ start: index, end: index + 9, category: 'person' })),
    ),
}
const failingDetector: AsyncDetector = { ...nameDetector, detect: () => Promise.reject(new Error('out of memory')) }
const letter = makeTraceInput('letter', { messages: [{ content: 'so Ada Byron wrote' }] })
const badge = { id: 'badge', category: 'badge', placeholder: 'BADGE', keywords: ['badge-'], pattern: /badge-\d{4}/y }

describe.each(Object.keys(places))('ServiceOptions.detectors in %s', (name) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  beforeEach(async () => {
    place = await places[name]!()
    made = openAutoApprovingService(place.stores)
    ann = await signInContributor(made)
    await made.service.work()
  })
  afterEach(() => place.close())

  const openService = (options: Partial<ServiceOptions>) =>
    openAutoApprovingService(place.stores, { clock: made.clock, ...options })
  const submit = async (...traces: object[]): Promise<string> =>
    (await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces } })).json.jobId
  const readJob = async (id: string) =>
    (await made.ask('GET', `/api/ingest/jobs/${id}`, { headers: ann.bearer })).json.job
  const listTraces = async (): Promise<{ id: string }[]> =>
    (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json.traces
  const readStored = async () => {
    const [{ id }] = (await listTraces()) as [{ id: string }]
    return place.stores.traces.readTrace({ ownerId: ann.userId, id })
  }
  const download = async (host: Fixture) => {
    const [{ id }] = (await listTraces()) as [{ id: string }]
    return host.ask('GET', `/api/traces/${id}/download`, { headers: ann.bearer })
  }

  test('replace findings in messages, names and the title of an uploaded trace', async () => {
    const messages = [{ role: 'user', content: 'Ada Byron wrote' }, { content: 'to ada.byron' }]
    await submit(makeTraceInput('notes of Ada Byron', { messages, model: 'Ada Byron 2' }))
    const { service } = openService({ detectors: [nameDetector] })
    await service.work()
    const stored = await readStored()
    expect(stored).toMatchObject({
      scrubVersion: versionOf([], [nameDetector]),
      title: '[PERSON_1] wrote',
      model: '[PERSON_1] 2',
      sourceId: expect.stringMatching(/^notes of \[PERSON_1\]~[0-9a-f]{12}$/),
      redactions: '{"person":4}',
    })
    expect(JSON.stringify(stored)).not.toMatch(/byron/i)
  })

  test('replace findings in the name of a trace that was stored before', async () => {
    const { service } = openService({ detectors: [nameDetector] })
    await submit(letter)
    await service.work()
    const id = await submit({ ...letter, sourceId: 'letter of Ada Byron' })
    await service.work()
    const { text } = await made.ask('GET', `/api/ingest/jobs/${id}/outcomes`, { headers: ann.bearer })
    expect(text).toContain('[PERSON_1]')
    expect(text).not.toContain('Byron')
  })

  test('store nothing while a detector fails: the job is retried, and fails after five attempts', async () => {
    const id = await submit(letter, makeTraceInput('other'))
    const failing = openService({ detectors: [failingDetector] }).service
    for (let attempt = 1; attempt < 5; attempt++) {
      expect(await failing.work()).toEqual({ done: 0, failed: 0, later: 1 })
      made.clock.advance(60 * 60_000)
    }
    expect([await listTraces(), await listOutcomes(made, ann, id)]).toEqual([[], []])
    expect(await failing.work()).toEqual({ done: 0, failed: 1, later: 0 })
    expect(await readJob(id)).toMatchObject({ status: 'failed', traceCount: 0 })
  })

  test('let a job complete after a detector failed once', async () => {
    const id = await submit(letter)
    await openService({ detectors: [failingDetector] }).service.work()
    made.clock.advance(60 * 60_000)
    await openService({ detectors: [nameDetector] }).service.work()
    expect(await listOutcomes(made, ann, id)).toEqual(['stored'])
    expect((await readStored())!.messages).toContain('so [PERSON_1] wrote')
  })

  test.each<[string, Partial<ServiceOptions>, RegExp]>([
    ['a detector', { detectors: [nameDetector] }, /so \[PERSON_1\] wrote badge-1234/],
    ['a rule', { scrubber: createScrubber({ rules: [badge] }) }, /so Ada Byron wrote \[BADGE_1\]/],
  ])(
    'make stored traces stale when %s is added: reads are scrubbed with it immediately, and the worker stores the result',
    async (_, options, text) => {
      await submit(makeTraceInput('old', { messages: [{ content: 'so Ada Byron wrote badge-1234' }] }))
      await made.service.work()
      expect(await readStored()).toMatchObject({ scrubVersion: VERSION })
      const changed = openService(options)
      expect((await download(changed)).json.messages[0].content).toMatch(text)
      expect(await readStored()).toMatchObject({ scrubVersion: VERSION })
      await changed.service.work()
      const stored = await readStored()
      expect(stored!.scrubVersion).not.toBe(VERSION)
      expect(stored!.messages).toMatch(text)
      // Replaced text stays replaced when the detector or the rule is removed again.
      await made.service.work()
      expect(await readStored()).toMatchObject({ scrubVersion: VERSION, messages: expect.stringMatching(text) })
    },
  )

  test('do not change sold traces when a detector is added', async () => {
    await submit(letter)
    await made.service.work()
    const [{ id }] = (await listTraces()) as [{ id: string }]
    const sale = { buyer: 'b', usd: 1, traceIds: [id] }
    const operator = { authorization: 'Bearer operator-token-of-tests' }
    const host = openService({ adminToken: 'operator-token-of-tests', detectors: [] })
    expect((await host.ask('POST', '/api/admin/sales', { headers: operator, json: sale })).status).toBe(200)
    await openService({ detectors: [nameDetector] }).service.work()
    expect(await readStored()).toMatchObject({ scrubVersion: VERSION, messages: expect.stringContaining('Ada Byron') })
  })

  test('hide every stored trace while a detector fails, and withhold it after five attempts', async () => {
    await submit(letter)
    await made.service.work()
    const failing = openService({ detectors: [failingDetector] })
    for (let attempt = 1; attempt < 5; attempt++) {
      expect((await download(failing)).status).toBe(502)
      await failing.service.work()
      expect(await readStored()).toMatchObject({ scrubVersion: VERSION, withheld: null })
      made.clock.advance(60_000)
    }
    await failing.service.work()
    expect(await readStored()).toMatchObject({ withheld: 'refused' })
  })

  test('are not applied to feedback, because its sender waits for the reply', async () => {
    const host = openService({ detectors: [failingDetector], contactEmail: 'desk@example.com' })
    const json = { message: 'call jane@corp.io', deviceId: 'd' }
    const { status } = await host.ask('POST', '/api/cli/feedback', { headers: ann.bearer, json })
    expect(status).toBeLessThan(300)
  })
})

test('createService throws for detectors together with a scrubber of the app', () => {
  const options = { scrubber: createScrubber(), detectors: [nameDetector] }
  expect(() => openAutoApprovingService(createTestStores(), options)).toThrow(
    'detectors: pass them to the createScrubber call that makes your `scrubber`',
  )
})
