import type { Fixture, Signed } from '@tributary/test-kit'
import { createTestStores } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  signInContributor,
  openAutoApprovingService,
  listOutcomes,
  places,
  makeTraceInput,
  type Place,
} from '../ingest/contributor.fixture.ts'
import type { Verifier } from '../ports.ts'
import { VERSION } from '../scrubber/version.ts'
import type { ServiceOptions } from '../service/options.ts'
import { silentLogger } from '../system.ts'
import { VerifierError, verifyTrace } from './verify.ts'

/** Finds the word "kumquat", which the rules of the scrubber do not find. */
const fruitVerifier: Verifier = {
  version: 'fruit-1.0',
  verify: async (texts) => (texts.some((text) => text.includes('kumquat')) ? ['fruit/kumquat'] : []),
}
const failingVerifier: Verifier = { ...fruitVerifier, verify: () => Promise.reject(new Error('out of memory')) }
const found = makeTraceInput('found', { messages: [{ content: 'a kumquat' }] })

describe.each(Object.keys(places))('ServiceOptions.verifier in %s', (name) => {
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
  const readStored = (id: string) => place.stores.traces.readTrace({ ownerId: ann.userId, id })
  const download = (host: Fixture, id: string) => host.ask('GET', `/api/traces/${id}/download`, { headers: ann.bearer })

  test('rejects an uploaded trace with findings, and logs the rule without the text', async () => {
    const warnings: object[] = []
    const logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) }
    const names = { model: 'kumquat-1', parentTraceId: 'kumquat' }
    const id = await submit(
      found,
      makeTraceInput('kept'),
      makeTraceInput('a kumquat'),
      ...Object.entries(names).map(([key, value]) => makeTraceInput(key, { [key]: value })),
    )
    await openService({ verifier: fruitVerifier, logger }).service.work()
    expect(await listOutcomes(made, ann, id)).toEqual(['rejected', 'stored', 'rejected', 'rejected', 'rejected'])
    expect(await readJob(id)).toMatchObject({ status: 'done', traceCount: 1, rejectedCount: 4 })
    const [kept, ...others] = await listTraces()
    expect(others).toEqual([])
    expect(await readStored(kept!.id)).toMatchObject({ scrubVersion: `${VERSION}+fruit-1.0` })
    const event = { jobId: id, reason: 'verification_failed', rules: ['fruit/kumquat'] }
    expect(warnings).toEqual([0, 2, 3, 4].map((index) => ({ ...event, index })))
  })

  test('reads texts after the scrubber replaced values', async () => {
    const texts: string[] = []
    const verifier = { ...fruitVerifier, verify: async (all: readonly string[]) => (texts.push(...all), []) }
    await submit(makeTraceInput('mail', { messages: [{ content: 'mail jane@acme.io' }] }))
    await openService({ verifier }).service.work()
    expect(texts).toEqual(['mail', '', '', 'mail [EMAIL_1]'])
  })

  test('the job stores nothing while the verifier fails; it is retried, and fails after five attempts', async () => {
    const id = await submit(found, makeTraceInput('kept'))
    const failing = openService({ verifier: failingVerifier }).service
    for (let attempt = 1; attempt < 5; attempt++) {
      expect(await failing.work()).toEqual({ done: 0, failed: 0, later: 1 })
      made.clock.advance(60 * 60_000)
    }
    expect([await listTraces(), await listOutcomes(made, ann, id)]).toEqual([[], []])
    expect(await failing.work()).toEqual({ done: 0, failed: 1, later: 0 })
    expect(await readJob(id)).toMatchObject({ status: 'failed', traceCount: 0 })
  })

  test('rejects a trace in the second attempt if the verifier fails only for that trace', async () => {
    const id = await submit(makeTraceInput('a'), makeTraceInput('b', { messages: [{ content: 'bad' }] }), found)
    const verify: Verifier['verify'] = async (texts, signal) => {
      if (texts.includes('bad')) throw new Error('a bug')
      return fruitVerifier.verify(texts, signal)
    }
    const host = openService({ verifier: { ...fruitVerifier, verify } }).service
    expect(await host.work()).toEqual({ done: 0, failed: 0, later: 1 })
    made.clock.advance(5_000)
    expect(await host.work()).toEqual({ done: 1, failed: 0, later: 0 })
    expect(await listOutcomes(made, ann, id)).toEqual(['stored', 'rejected', 'rejected'])
  })

  describe('when the verifier does not answer', () => {
    const late = new DOMException('no answer within 20000 ms', 'TimeoutError')
    const submitThree = async () => submit(makeTraceInput('a'), makeTraceInput('b'), makeTraceInput('c'))
    const openWith = (verify: Verifier['verify']) => openService({ verifier: { ...fruitVerifier, verify } }).service

    test('fails the job in the first attempt after two calls, with the reason in its error message', async () => {
      const id = await submitThree()
      let calls = 0
      const host = openWith(() => (calls++, Promise.reject(late)))
      expect(await host.work()).toEqual({ done: 0, failed: 1, later: 0 })
      expect(calls).toBe(2)
      expect((await readJob(id)).errorMessage).toBe(
        'The upload could not be checked, because a detector or verifier of the service does not answer.',
      )
      expect(await listTraces()).toEqual([])
    })

    test('rejects a trace in the first attempt if the verifier answers for all other traces', async () => {
      const id = await submitThree()
      const host = openWith(async (texts) => (texts.includes('b') ? Promise.reject(late) : []))
      expect(await host.work()).toEqual({ done: 1, failed: 0, later: 0 })
      expect(await listOutcomes(made, ann, id)).toEqual(['stored', 'rejected', 'stored'])
    })

    test.each([1, 2])(
      'does not reject a trace when the verifier stops answering, with %i traces left to verify',
      async (left) => {
        await submitThree()
        let calls = 0
        const host = openWith(async () => (++calls > 3 - left ? Promise.reject(late) : []))
        expect(await host.work()).toEqual({ done: 0, failed: 1, later: 0 })
        expect(calls).toBe(5)
      },
    )

    test('stores a trace for which the verifier answers the second call', async () => {
      const id = await submitThree()
      let calls = 0
      const host = openWith(async () => (++calls === 1 ? Promise.reject(late) : []))
      expect(await host.work()).toEqual({ done: 1, failed: 0, later: 0 })
      expect(await listOutcomes(made, ann, id)).toEqual(['stored', 'stored', 'stored'])
    })
  })

  test('lets a job complete after the verifier failed once', async () => {
    const id = await submit(found, makeTraceInput('kept'))
    await openService({ verifier: failingVerifier }).service.work()
    made.clock.advance(60 * 60_000)
    await openService({ verifier: fruitVerifier }).service.work()
    expect(await listOutcomes(made, ann, id)).toEqual(['rejected', 'stored'])
  })

  test('withholds stored traces with findings, from the first read after the verifier is turned on until it is turned off', async () => {
    await submit(found, makeTraceInput('kept'))
    await made.service.work()
    const all = await Promise.all((await listTraces()).map(({ id }) => readStored(id)))
    const findId = (sourceId: string): string => all.find((trace) => trace!.sourceId === sourceId)!.id
    const verified = openService({ verifier: fruitVerifier })
    const readStatuses = async (host: Fixture) =>
      Promise.all(['found', 'kept'].map(async (sourceId) => (await download(host, findId(sourceId))).status))
    expect(await readStatuses(verified)).toEqual([502, 200])
    expect(await readStored(findId('found'))).toMatchObject({ scrubVersion: VERSION, withheld: null })
    await verified.service.work()
    const scrubVersion = `${VERSION}+fruit-1.0`
    expect(await readStored(findId('found'))).toMatchObject({ scrubVersion, withheld: 'verification_failed' })
    expect(await readStored(findId('kept'))).toMatchObject({ scrubVersion, withheld: null })
    expect(await readStatuses(verified)).toEqual([502, 200])
    const exported = (await verified.ask('GET', '/api/account/export', { headers: ann.bearer })).json.account.traces
    expect(exported).toContainEqual(expect.objectContaining({ skipped: 'verification_failed', messages: null }))
    await made.service.work()
    expect(await readStatuses(made)).toEqual([200, 200])
  })

  test('hides every stored trace while the verifier fails, and withholds the trace after five attempts', async () => {
    await submit(makeTraceInput('kept'))
    await made.service.work()
    const [{ id }] = (await listTraces()) as [{ id: string }]
    const failing = openService({ verifier: failingVerifier })
    for (let attempt = 1; attempt < 5; attempt++) {
      expect((await download(failing, id)).status).toBe(502)
      await failing.service.work()
      expect(await readStored(id)).toMatchObject({ scrubVersion: VERSION, withheld: null })
      made.clock.advance(60_000)
    }
    await failing.service.work()
    expect(await readStored(id)).toMatchObject({ scrubVersion: `${VERSION}+fruit-1.0`, withheld: 'refused' })
  })
})

test('createService throws for a verifier whose version cannot be stored', () => {
  for (const version of ['', 'Fruit', 'a b', 'a'.repeat(65)])
    expect(() => openAutoApprovingService(createTestStores(), { verifier: { ...fruitVerifier, version } })).toThrow(
      'verifier.version must be',
    )
})

describe('verifyTrace', () => {
  afterEach(() => void vi.useRealTimers())
  const trace = { sourceId: 's', model: null, parentTraceId: null, messages: '[]', details: '{}', tools: null }

  test('throws VerifierError after 20 seconds and aborts the signal', async () => {
    vi.useFakeTimers()
    let given: AbortSignal | undefined
    const verifier: Verifier = {
      ...fruitVerifier,
      verify: (_, signal) => ((given = signal), new Promise(() => undefined)),
    }
    const result = verifyTrace(verifier, trace).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(19_999)
    expect(given!.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect([await result, given!.aborted]).toEqual([expect.any(VerifierError), true])
  })

  test('returns no rules without a verifier', async () => {
    expect(await verifyTrace(null, trace)).toEqual([])
  })
})
