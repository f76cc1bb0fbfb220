import { isFullRun, type Fixture, type Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../service/options.ts'
import type { Stores } from '../stores.ts'
import { toUnavailable } from '../stores/libsql/database.ts'
import { systemClock } from '../system.ts'
import { Unavailable } from '../unavailable.ts'
import {
  signInContributor,
  makeTraceInputs,
  openAutoApprovingService,
  listOutcomes,
  places,
  makeTraceInput,
  listWaitingBlobs,
  type Place,
} from './contributor.fixture.ts'
import { refusedName } from '../traces/names.ts'

/**
 * Wraps stores so that `before` is called before each call of a store method by a worker, and `after` is called after
 * the call. Each gets the name of the method.
 */
function observeSteps(
  stores: Stores,
  before: (step: string) => void | Promise<void>,
  after: (step: string) => void = () => undefined,
): Stores {
  const wrap = <T extends object>(name: string, inner: T): T =>
    new Proxy(inner, {
      get(target, key) {
        const method = Reflect.get(target, key) as unknown
        if (typeof method !== 'function') return method
        return async (...args: unknown[]) => {
          await before(`${name}.${String(key)}`)
          const result = await (method as (...all: unknown[]) => unknown).apply(target, args)
          after(`${name}.${String(key)}`)
          return result
        }
      },
    })
  return {
    ...stores,
    ingest: wrap('ingest', stores.ingest),
    blobs: wrap('blobs', stores.blobs),
    traces: wrap('traces', stores.traces),
  }
}

/** A fast scrubber that replaces nothing. */
const plain = {
  version: '1',
  scrub: (texts: readonly string[]) => ({ ok: true as const, texts: texts as never[], counts: {}, total: 0 }),
}

describe.each(Object.keys(places))('work over %s', (name) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  beforeEach(async () => {
    place = await places[name]!()
    made = openAutoApprovingService(place.stores)
    ann = await signInContributor(made)
  })
  afterEach(() => place.close())

  const submit = async (traces: unknown): Promise<string> =>
    (await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces } })).json.jobId
  const openHost = (stores: Stores, options: Partial<ServiceOptions> = {}) =>
    openAutoApprovingService(stores, { clock: made.clock, ...options }).service
  const listStored = async (cursor = ''): Promise<{ id: string }[]> => {
    const { traces, nextCursor } = (
      await made.ask('GET', `/api/traces?limit=200&cursor=${cursor}`, { headers: ann.bearer })
    ).json
    return nextCursor ? [...traces, ...(await listStored(nextCursor))] : traces
  }
  const readJob = async (id: string) =>
    (await made.ask('GET', `/api/ingest/jobs/${id}`, { headers: ann.bearer })).json.job
  const downloadTrace = async (id: string) =>
    (await made.ask('GET', `/api/traces/${id}/download`, { headers: ann.bearer })).json
  const readOutcomes = async (id: string) =>
    (await made.ask('GET', `/api/ingest/jobs/${id}/outcomes`, { headers: ann.bearer })).json.outcomes

  test(
    'completes a job after a worker was killed before or after any step, with each trace stored once and no upload left',
    { tags: 'long' },
    async () => {
      // Two parts and three slices, with a duplicate and with a new version of a trace.
      const makeBatch = () => [
        ...makeTraceInputs(100),
        makeTraceInput('t-0'),
        makeTraceInput('t-1', { messages: [{ content: 'newer' }] }),
        ...makeTraceInputs(5, 'big').map((one) => ({
          ...one,
          messages: [{ content: `${one.sourceId} ${'lorem ipsum '.repeat(40_000)}` }],
        })),
      ]
      const wanted = [
        ...Array.from({ length: 100 }, () => 'stored'),
        'duplicate_in_batch',
        'updated',
        ...Array.from({ length: 5 }, () => 'stored'),
      ]
      let steps = Number.POSITIVE_INFINITY
      for (let kill = 1; kill <= steps; kill += isFullRun ? 1 : 8) {
        const fresh = await places[name]!()
        const outer = { place, made, ann }
        place = fresh
        made = openAutoApprovingService(place.stores)
        ann = await signInContributor(made)
        const id = await submit(makeBatch())
        let count = 0
        const dead = new Error('killed')
        // After the fatal step no call reaches the store, as after SIGKILL.
        const stores = observeSteps(place.others, () => {
          if (++count >= kill) throw dead
        })
        const error = await openHost(stores, { scrubber: plain })
          .work()
          .then(
            () => null,
            (reason: unknown) => reason,
          )
        expect([null, dead]).toContain(error)
        if (count < kill) steps = kill
        made.clock.advance(31_000)
        await openHost(place.stores, { scrubber: plain }).work()
        expect([kill, await listOutcomes(made, ann, id)]).toEqual([kill, wanted])
        expect(await readJob(id)).toMatchObject({ status: 'done', traceCount: 106, rejectedCount: 1 })
        expect(await listStored()).toHaveLength(105)
        expect(await listWaitingBlobs(place.stores)).toEqual([])
        await place.close()
        ;({ place, made, ann } = outer)
      }
      expect(steps).toBeGreaterThan(12)
    },
  )

  test('processes a job once when two workers claim it at the same time', async () => {
    const id = await submit(makeTraceInputs(50))
    const worked = await Promise.all([openHost(place.stores).work(), openHost(place.others).work()])
    expect(worked.map(({ done }) => done).sort()).toEqual([0, 1])
    expect(await listOutcomes(made, ann, id)).toEqual(Array.from({ length: 50 }, () => 'stored'))
  })

  test('writes nothing after its lease ran out', { tags: 'long' }, async () => {
    const id = await submit(makeTraceInputs(400))
    const wrote: string[] = []
    let taken = false
    const slow = observeSteps(place.stores, async (step) => {
      if (step !== 'ingest.writeBatch') return
      wrote.push(step)
      if (wrote.length !== 2 || taken) return
      // The worker hangs for longer than its lease. Another worker ends the job meanwhile.
      taken = true
      made.clock.advance(31_000)
      await openHost(place.others).work()
    })
    expect(await openHost(slow).work()).toMatchObject({ done: 0, later: 1 })
    expect(await listOutcomes(made, ann, id)).toEqual(Array.from({ length: 400 }, () => 'stored'))
    expect(await readJob(id)).toMatchObject({ status: 'done', traceCount: 400 })
    expect(await listStored()).toHaveLength(400)
  })

  test('renews the lease while a slice takes long', async () => {
    await submit(makeTraceInputs(3))
    let tries = 0
    const counting = { name: 'slow', count: (text: string) => (made.clock.advance(11_000), text.length) }
    const stores = observeSteps(place.stores, async (step) => {
      if (step === 'ingest.renewLease' || step === 'ingest.writeBatch')
        tries += (await openHost(place.others).work()).done
    })
    expect(await openHost(stores, { tokenizer: counting, scrubber: plain }).work()).toMatchObject({ done: 1 })
    expect(tries).toBe(0)
  })

  test('rejects a trace whose scrubbing takes too long, and continues with the batch', { tags: 'long' }, async () => {
    const id = await submit([
      makeTraceInput('quick'),
      makeTraceInput('slow', { messages: [{ content: 'lorem ipsum '.repeat(170_000) }] }),
      makeTraceInput('quick too'),
    ])
    // The scrubber reads the clock once in 65,536 characters: the slow trace takes 25 s by this clock.
    const clock = Object.assign(() => (made.clock.advance(800), made.clock()), made.clock)
    expect(await openHost(place.stores, { clock }).work()).toMatchObject({ done: 1 })
    expect(await listOutcomes(made, ann, id)).toEqual(['stored', 'rejected', 'stored'])
    expect(await readOutcomes(id)).toMatchObject([{}, { sourceId: 'slow', traceId: null }, {}])
    expect(await readJob(id)).toMatchObject({ status: 'done', traceCount: 2, rejectedCount: 1 })
  })

  test(
    'releases the job between two slices when aborted, and does not count the attempt',
    { tags: 'long' },
    async () => {
      const id = await submit(makeTraceInputs(400))
      const stop = new AbortController()
      const stores = observeSteps(place.stores, (step) => {
        if (step === 'ingest.writeBatch') stop.abort()
      })
      expect(
        await openHost(stores).work({
          signal: stop.signal,
          wait: () => new Promise((resolve) => setTimeout(resolve, 1)),
        }),
      ).toEqual({ done: 0, failed: 0, later: 1 })
      expect(await readJob(id)).toMatchObject({ status: 'queued' })
      expect(await listOutcomes(made, ann, id)).toHaveLength(334)
      expect((await place.stores.ingest.listAllJobs({ cursor: null, limit: 1 })).items[0]!.attempts).toBe(0)
      await made.service.work()
      expect(await listOutcomes(made, ann, id)).toHaveLength(400)
    },
  )

  test('continues with later jobs until it is aborted, if wait is given', async () => {
    const stop = new AbortController()
    let submitting = false
    const worked = await made.service.work({
      signal: stop.signal,
      // Several workers call `wait`; the worker of ingest jobs is one of them.
      async wait() {
        await new Promise((resolve) => setTimeout(resolve, 1))
        const jobs = (await place.stores.ingest.listAllJobs({ cursor: null, limit: 10 })).items
        if (submitting || jobs.some(({ status }) => status !== 'done')) return
        submitting = true
        if (jobs.length === 2) stop.abort()
        else await submit([makeTraceInput(`round-${jobs.length}`)])
        submitting = false
      },
    })
    expect(worked).toEqual({ done: 2, failed: 0, later: 0 })
  })

  describe('work with jobs of several owners', () => {
    const submitAs = async (who: Signed, traces: unknown): Promise<string> =>
      (await made.ask('POST', '/api/ingest', { headers: who.bearer, json: { traces } })).json.jobId
    const readStatus = async (who: Signed, id: string): Promise<string> =>
      (await made.ask('GET', `/api/ingest/jobs/${id}`, { headers: who.bearer })).json.job.status
    /** Yields to the event loop, as hosts do; without that, two jobs never run at the same time. */
    const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

    test('completes a short job while the first of ten jobs of another owner runs', { tags: 'long' }, async () => {
      const bob = await signInContributor(made)
      const long: string[] = []
      // Scrubbing the text of the first job takes longer than the whole short job. The other nine jobs wait.
      const first = makeTraceInputs(100, 'long-0').map((one, n) => ({
        ...one,
        messages: [{ content: `${n} ${'lorem ipsum '.repeat(400)}` }],
      }))
      long.push(await submitAs(ann, first))
      for (let i = 1; i < 10; i++) long.push(await submitAs(ann, makeTraceInputs(20, `long-${i}`)))
      const short = await submitAs(bob, [makeTraceInput('short')])
      let standing: string[] | undefined
      const stores = observeSteps(
        place.stores,
        () => undefined,
        async (step) => {
          if (step === 'ingest.completeJob')
            standing ??= [await readStatus(bob, short), ...(await Promise.all(long.map((id) => readStatus(ann, id))))]
        },
      )
      expect(await openHost(stores, { yieldToEventLoop: pause }).work()).toEqual({ done: 11, failed: 0, later: 0 })
      expect(standing!.slice(0, 2)).toEqual(['done', expect.stringMatching(/parsing|ingesting/)])
      expect(standing!.slice(2)).toEqual(long.slice(1).map(() => 'queued'))
    })

    test(
      'interrupts the job that has run longest when more owners wait than jobs can run at the same time',
      { tags: 'slow' },
      async () => {
        const owners = [ann]
        for (let i = 0; i < 5; i++) owners.push(await signInContributor(made))
        const jobs: string[] = []
        // Each batch is written in two parts. The test clock advances by one second for each slice.
        const makeLargeBatch = (i: number) => [
          ...makeTraceInputs(3, `a-${i}`),
          makeTraceInput(`b-${i}`, { messages: [{ content: `b-${i} ${'lorem ipsum '.repeat(180_000)}` }] }),
          ...makeTraceInputs(600, `c-${i}`),
        ]
        for (const [i, who] of owners.entries()) jobs.push(await submitAs(who, makeLargeBatch(i)))
        const counts: Record<string, number> = {}
        const parts: string[] = []
        const counting = observeSteps(place.stores, (step) => {
          counts[step] = (counts[step] ?? 0) + 1
          if (step === 'ingest.writeBatch') made.clock.advance(1_000)
        })
        const { blobs } = counting
        const stores = {
          ...counting,
          blobs: {
            ...blobs,
            get: (key: string) => (parts.push(key), blobs.get(key)),
            put: blobs.put,
            delete: blobs.delete,
            stale: blobs.stale,
          },
        }
        const stop = new AbortController()
        const worked = await openHost(stores, { yieldToEventLoop: pause, scrubber: plain }).work({
          signal: stop.signal,
          async wait(loop) {
            await pause()
            if (loop === 'jobs') stop.abort()
          },
        })
        expect(worked).toEqual({ done: 6, failed: 0, later: 0 })
        expect(counts['ingest.releaseJob']).toBeGreaterThan(0)
        for (const [i, who] of owners.entries())
          expect(await listOutcomes(made, who, jobs[i]!)).toEqual(Array.from({ length: 604 }, () => 'stored'))
        expect(
          (await place.stores.ingest.listAllJobs({ status: 'done', cursor: null, limit: 10 })).items.map(
            ({ attempts }) => attempts,
          ),
        ).toEqual([1, 1, 1, 1, 1, 1])
        // A job that continues later does not read its finished parts again.
        expect(parts.filter((key) => key.endsWith('/0')).length).toBeLessThan(6 + counts['ingest.releaseJob']!)
      },
    )
  })

  test('stores a trace with content that an update by an earlier trace of the same upload has just replaced', async () => {
    const messages = [{ content: 'the shorter conversation' }]
    const first = await submit([makeTraceInput('a', { messages })])
    await made.service.work()
    const id = await submit([
      makeTraceInput('a', { messages: [...messages, { content: 'and more' }] }),
      makeTraceInput('b', { messages }),
      makeTraceInput('c'),
    ])
    await made.service.work()
    expect([await listOutcomes(made, ann, first), await listOutcomes(made, ann, id)]).toEqual([
      ['stored'],
      ['updated', 'stored', 'stored'],
    ])
    const [a, b] = await readOutcomes(id)
    expect((await downloadTrace(a.traceId)).messages).toHaveLength(2)
    expect((await downloadTrace(b.traceId)).messages).toMatchObject(messages)
    expect(await readJob(id)).toMatchObject({ status: 'done', traceCount: 3, rejectedCount: 0 })
  })

  test('rejects only the invalid trace of a batch, for every kind of invalid trace', async () => {
    const scrubber = {
      version: '9',
      scrub(texts: readonly string[]) {
        if (texts.some((text) => text.includes('throws'))) throw new Error('a bug')
        if (texts.some((text) => text.includes('refused'))) return { ok: false as const, reason: 'no' }
        return { ok: true as const, texts: [...texts] as never[], counts: {}, total: 0 }
      },
    }
    const id = await submit([
      makeTraceInput('a'),
      makeTraceInput('b', { messages: [{ content: 'refused' }] }),
      makeTraceInput('c', { messages: [{ content: 'throws' }] }),
      makeTraceInput('name refused'),
      makeTraceInput('e'),
    ])
    await openHost(place.stores, { scrubber }).work()
    expect(
      (await readOutcomes(id)).map(({ outcome, sourceId }: { outcome: string; sourceId: string }) => [
        outcome,
        sourceId,
      ]),
    ).toEqual([
      ['stored', 'a'],
      ['rejected', 'b'],
      ['rejected', refusedName],
      ['rejected', refusedName],
      ['stored', 'e'],
    ])
    expect(await readJob(id)).toMatchObject({ status: 'done', traceCount: 2, rejectedCount: 3 })
  })

  test('rejects only the trace that the store cannot store', async () => {
    const id = await submit(makeTraceInputs(5))
    const base = place.stores.ingest
    const ingest = new Proxy(base, {
      get: (target, key) =>
        key !== 'writeBatch'
          ? (Reflect.get(target, key) as unknown)
          : async (params: Parameters<typeof base.writeBatch>[0]) => {
              if (params.traces.some((one) => one.kind === 'scrubbed' && one.sourceId === 't-2'))
                throw new Error('too strange')
              return target.writeBatch(params)
            },
    })
    await openHost({ ...place.stores, ingest }).work()
    expect(await listOutcomes(made, ann, id)).toEqual(['stored', 'stored', 'rejected', 'stored', 'stored'])
  })

  test('retries an error five times with growing delays, then fails the job and keeps its upload for a day', async () => {
    const id = await submit([makeTraceInput('a')])
    const broken = openHost({
      ...place.stores,
      traces: new Proxy(place.stores.traces, {
        get: (target, key) =>
          key === 'findKnownHashes'
            ? async () => Promise.reject(new Error('a bug at /home/x'))
            : (Reflect.get(target, key) as unknown),
      }),
    })
    const failure = { errorStage: 'redacting', errorClass: 'internal_error' }
    for (const wait of [5_000, 30_000, 120_000, 600_000]) {
      expect(await broken.work()).toEqual({ done: 0, failed: 0, later: 1 })
      expect(await readJob(id)).toMatchObject({ status: 'queued', errorMessage: null })
      expect(await place.stores.ingest.findAnyJob({ jobId: id })).toMatchObject(failure)
      made.clock.advance(wait - 1)
      expect(await broken.work({ jobId: id })).toEqual({ done: 0, failed: 0, later: 1, laterMs: 1 })
      made.clock.advance(1)
    }
    expect(await broken.work()).toEqual({ done: 0, failed: 1, later: 0 })
    expect(await readJob(id)).toMatchObject({
      status: 'failed',
      errorMessage: 'The upload could not be processed because of a server error.',
    })
    expect(await place.stores.ingest.findAnyJob({ jobId: id })).toMatchObject({ ...failure, attempts: 5 })
    made.clock.advance(100 * 24 * 3600 * 1000)
    expect(await listWaitingBlobs(place.stores)).toHaveLength(1)
  })

  test.each(['before', 'after'])(
    'does not count an attempt for an outage that begins %s any step took effect',
    { tags: 'long' },
    async (moment) => {
      let steps = Number.POSITIVE_INFINITY
      for (let first = 1; first <= steps; first++) {
        const id = await submit(makeTraceInputs(3, `outage-${first}`))
        const stop = new AbortController()
        let [count, looks] = [0, 0]
        const isAway = (): boolean => count >= first && looks < 5
        const throwUnavailable = (): never => {
          throw new Unavailable(new Error('no answer'))
        }
        const stores = observeSteps(
          place.others,
          () => {
            count++
            if (moment === 'before' && isAway()) throwUnavailable()
          },
          () => {
            if (moment === 'after' && isAway()) throwUnavailable()
          },
        )
        // The clock does not advance, so no lease expires and no postponed job becomes due.
        await openHost(stores, { scrubber: plain }).work({
          signal: stop.signal,
          async wait(loop) {
            await new Promise((resolve) => setTimeout(resolve, 1))
            if (loop === 'jobs' && (++looks > 50 || (!isAway() && (await readJob(id)).status === 'done'))) stop.abort()
          },
        })
        if (count < first) steps = first
        const record = (await place.stores.ingest.listAllJobs({ cursor: null, limit: 100 })).items.find(
          (one) => one.id === id,
        )
        expect([first, record]).toMatchObject([first, { id, status: 'done', attempts: 1, traceCount: 3 }])
        expect(await listWaitingBlobs(place.stores)).toEqual([])
      }
      expect(steps).toBeGreaterThan(5)
    },
  )

  test('does not count attempts that an outage interrupts for longer than a lease, without `wait`', async () => {
    const id = await submit([makeTraceInput('away')])
    const throwUnavailable = (step: string): void => {
      if (step === 'ingest.writeBatch' || step === 'ingest.releaseJob') throw new Unavailable(new Error('no answer'))
    }
    let isAway = true
    const stores = observeSteps(place.others, (step) => {
      if (isAway) throwUnavailable(step)
    })
    const host = openHost(stores, { scrubber: plain })
    for (let outages = 0; outages < 7; outages++) {
      await host.work().catch(() => undefined)
      made.clock.advance(30_001)
    }
    isAway = false
    expect(await host.work()).toEqual({ done: 1, failed: 0, later: 0 })
    expect(await place.stores.ingest.findAnyJob({ jobId: id })).toMatchObject({
      status: 'done',
      attempts: 1,
      attemptEnd: 'unavailable',
    })
  })

  test('does not count attempts whose leases expired while their workers were paused', async () => {
    const id = await submit([makeTraceInput('paused')])
    const pauses: (() => void)[] = []
    const stores = observeSteps(place.others, async (step) => {
      if (step === 'ingest.writeBatch') await new Promise<void>((resolve) => pauses.push(resolve))
    })
    const paused: Promise<unknown>[] = []
    for (let n = 1; n <= 2; n++) {
      paused.push(openHost(stores, { scrubber: plain }).work())
      while (pauses.length < n) await new Promise((resolve) => setTimeout(resolve, 1))
      made.clock.advance(30_001)
    }
    // Another worker has the job when the paused workers continue.
    const claim = (await place.stores.ingest.claimJob({
      lease: 'next',
      now: made.clock(),
      leaseUntil: made.clock() + 30_000,
      jobId: id,
    }))!
    for (const resume of pauses) resume()
    expect(await Promise.all(paused)).toEqual(paused.map(() => ({ done: 0, failed: 0, later: 1 })))
    expect(await place.stores.ingest.findAnyJob({ jobId: id })).toMatchObject({
      attempts: 1,
      attemptEnd: 'lease_lost',
    })
    await place.stores.ingest.releaseJob({ claim, dueAt: made.clock(), end: 'stopped' })
    expect(await made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
  })

  test('fails a job immediately when a part of the database that it needs is damaged, and completes it when it is retried', async () => {
    const id = await submit([makeTraceInput('damaged')])
    const stores = observeSteps(place.others, (step) => {
      const malformed = Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' })
      if (step === 'ingest.writeBatch') throw toUnavailable(malformed)
    })
    expect(await openHost(stores).work()).toEqual({ done: 0, failed: 1, later: 0 })
    expect(await readJob(id)).toEqual({
      id,
      source: 'unknown',
      status: 'failed',
      traceCount: 0,
      rejectedCount: 0,
      estimatedUsd: 0,
      errorMessage: 'The upload could not be stored, because the database of the service is damaged.',
      enqueuedAt: expect.any(String),
      startedAt: expect.any(String),
      finishedAt: expect.any(String),
    })
    const audit = { id: 'retry', at: made.clock(), actor: 'operator', address: null, requestId: 'request' }
    await place.stores.ingest.retryJob({ jobId: id, failedSince: 0, audit })
    expect(await made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
  })

  test('completes a job within two lease times after its worker died or stays paused', async () => {
    const id = await submit([makeTraceInput('a'), makeTraceInput('b')])
    const stores = observeSteps(place.others, async (step) => {
      // The promise of this step never resolves, as if the worker had stopped responding.
      if (step === 'ingest.writeBatch') await new Promise(() => undefined)
    })
    // The host may still read when the test closes the database.
    openHost(stores, { scrubber: plain })
      .work()
      .catch(() => undefined)
    for (let status = ''; status !== 'parsing'; await new Promise((resolve) => setTimeout(resolve, 1)))
      status = (await readJob(id)).status
    expect(await made.service.work()).toEqual({ done: 0, failed: 0, later: 0 })
    made.clock.advance(30_001)
    expect(await made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
    expect(await readJob(id)).toMatchObject({ status: 'done', traceCount: 2, rejectedCount: 0, errorMessage: null })
  })

  describe('a trace that stops its worker', () => {
    /** Runs a host that dies, as by SIGKILL, at the first of these traces: from then on no call reaches the store. */
    async function runUntilDead(poison: readonly string[]): Promise<unknown> {
      let isDead = false
      const dead = new Error('killed')
      const stores = observeSteps(place.others, () => {
        if (isDead) throw dead
      })
      const scrub: typeof plain.scrub = (texts) => {
        if (poison.some((name) => texts.some((text) => text.includes(name)))) isDead = true
        if (isDead) throw dead
        return plain.scrub(texts)
      }
      return openHost(stores, { scrubber: { ...plain, scrub } })
        .work()
        .catch((reason: unknown) => reason === dead && 'dead')
    }
    const readEnd = async (jobId: string) => (await place.stores.ingest.findAnyJob({ jobId }))!.attemptEnd

    test('is rejected within two lease times, and does not delay other traces or other jobs', async () => {
      const id = await submit(makeTraceInputs(7))
      const bob = await signInContributor(made)
      const other = (
        await made.ask('POST', '/api/ingest', { headers: bob.bearer, json: { traces: makeTraceInputs(3, 'bob') } })
      ).json.jobId
      const readOther = async () =>
        (await made.ask('GET', `/api/ingest/jobs/${other}`, { headers: bob.bearer })).json.job.status
      for (const wait of [30_001, 9_001, 9_001]) {
        expect(await runUntilDead(['t-3'])).toBe('dead')
        made.clock.advance(wait)
      }
      expect(await readEnd(id)).toBe('worker_lost')
      expect(await runUntilDead(['t-3'])).toMatchObject({ failed: 0, later: 0 })
      const wanted = Array.from({ length: 7 }, (_, n) => (n === 3 ? 'rejected' : 'stored'))
      expect(await listOutcomes(made, ann, id)).toEqual(wanted)
      expect([(await readJob(id)).status, await readOther()]).toEqual(['done', 'done'])
    })

    test.each([
      ['different traces', ['t-3', 't-1', 't-4', 't-6']],
      ['the same trace, once in a batch', ['t-3', 't-3']],
    ])('is stored when its worker stopped for another reason: at %s', async (_, ends) => {
      const id = await submit(makeTraceInputs(7))
      for (const end of ends) {
        expect(await runUntilDead([end])).toBe('dead')
        made.clock.advance(30_001)
      }
      expect(await runUntilDead([])).toMatchObject({ done: 1 })
      expect(await listOutcomes(made, ann, id)).toEqual(Array.from({ length: 7 }, () => 'stored'))
    })

    test('is rejected together with other such traces; if there are too many, the job fails with the cause', async () => {
      const id = await submit(makeTraceInputs(7))
      for (let n = 0; n < 7; n++) {
        expect(await runUntilDead(['t-1', 't-2', 't-5'])).toBe('dead')
        made.clock.advance(30_001)
      }
      expect(await runUntilDead(['t-1', 't-2', 't-5'])).toMatchObject({ done: 1 })
      expect((await listOutcomes(made, ann, id)).join()).toBe('stored,rejected,rejected,stored,stored,rejected,stored')
      const many = await submit(makeTraceInputs(7, 'm'))
      while ((await readJob(many)).status !== 'failed') {
        await runUntilDead(['m-0', 'm-1', 'm-2', 'm-3', 'm-4', 'm-5'])
        made.clock.advance(30_001)
      }
      expect((await readJob(many)).errorMessage).toContain('its worker stopped')
      expect(await readEnd(many)).toBe('worker_lost')
    })

    test(
      'is found by processing the slice of its lost worker trace by trace; the job then continues in slices',
      { tags: 'long' },
      async () => {
        const id = await submit(makeTraceInputs(1000))
        await place.others.ingest.claimJob({ lease: 'dead', now: made.clock(), leaseUntil: made.clock() + 30_000 })
        made.clock.advance(30_001)
        const calls: string[] = []
        const counting = observeSteps(place.stores, (step) => void calls.push(step))
        expect(await openHost(counting, { scrubber: plain }).work()).toEqual({ done: 1, failed: 0, later: 0 })
        expect(await listOutcomes(made, ann, id)).toEqual(Array.from({ length: 1000 }, () => 'stored'))
        // The 334 traces of a slice and the trace that ended the slice are written one by one, then two slices follow.
        expect(calls.filter((step) => step === 'ingest.writeBatch')).toHaveLength(334 + 1 + 2)
        expect((await place.stores.ingest.listAllJobs({ cursor: null, limit: 1 })).items[0]!.attempts).toBe(2)
      },
    )

    test(
      'is rejected after two attempts with only this trace, even when the lost worker had read it for the next slice',
      { tags: 'long' },
      async () => {
        const id = await submit(makeTraceInputs(400))
        await place.others.ingest.claimJob({ lease: 'dead', now: made.clock(), leaseUntil: made.clock() + 30_000 })
        made.clock.advance(30_001)
        for (let n = 0; n < 2; n++) {
          expect(await runUntilDead(['t-334'])).toBe('dead')
          made.clock.advance(9_001)
        }
        expect(await runUntilDead(['t-334'])).toMatchObject({ done: 1 })
        const wanted = Array.from({ length: 400 }, (_, n) => (n === 334 ? 'rejected' : 'stored'))
        expect(await listOutcomes(made, ann, id)).toEqual(wanted)
      },
    )

    test('is processed alone after its worker was lost', async () => {
      const id = await submit(makeTraceInputs(2))
      await place.others.ingest.claimJob({ lease: 'dead', now: made.clock(), leaseUntil: made.clock() + 30_000 })
      made.clock.advance(30_001)
      const bob = await signInContributor(made)
      await made.ask('POST', '/api/ingest', { headers: bob.bearer, json: { traces: makeTraceInputs(3, 'bob') } })
      const written: string[] = []
      const { ingest } = place.stores
      const writeBatch: typeof ingest.writeBatch = async (params) => {
        written.push(params.claim.jobId === id ? 'alone' : 'other')
        await new Promise((resolve) => setTimeout(resolve, 1))
        return ingest.writeBatch(params)
      }
      const watched = new Proxy(ingest, {
        get: (target, key) => (key === 'writeBatch' ? writeBatch : (Reflect.get(target, key) as unknown)),
      })
      expect(await openHost({ ...place.stores, ingest: watched }).work()).toMatchObject({ done: 2 })
      expect(written.join()).toMatch(/^(?:other,)?alone,alone(?:,other)?$/)
    })

    test('is processed even if the other jobs end while the lease of its job is being renewed', async () => {
      const id = await submit(makeTraceInputs(2))
      await place.others.ingest.claimJob({ lease: 'dead', now: made.clock(), leaseUntil: made.clock() + 30_000 })
      made.clock.advance(30_001)
      const bob = await signInContributor(made)
      await made.ask('POST', '/api/ingest', { headers: bob.bearer, json: { traces: makeTraceInputs(3, 'bob') } })
      let endOther: () => void = () => undefined
      const hasEnded = new Promise<void>((resolve) => (endOther = resolve))
      const { ingest } = place.stores
      const watched: typeof ingest = new Proxy(ingest, {
        get(target, key) {
          const method = Reflect.get(target, key) as unknown
          if (key === 'renewLease')
            return async (params: Parameters<typeof ingest.renewLease>[0]) => {
              if (params.claim.jobId === id) await hasEnded
              return ingest.renewLease(params)
            }
          if (key !== 'releaseJob' && key !== 'completeJob') return method
          return async (params: never) => {
            const result = await (method as (params: never) => Promise<unknown>).call(target, params)
            // The other run ends after this call has returned.
            setTimeout(endOther, 1)
            return result
          }
        },
      })
      expect(await openHost({ ...place.stores, ingest: watched }).work()).toMatchObject({ done: 2 })
    })
  })

  test.each([new Unavailable(new Error('no answer')), new Error('a bug')])(
    'does not reject a trace while the store does not return the secret that hashes names: %s',
    async (failure) => {
      const id = await submit(makeTraceInputs(2))
      let isAway = true
      const auth = new Proxy(place.others.auth, {
        get: (target, key) =>
          key === 'ensureSecret' && isAway
            ? async () => Promise.reject(failure)
            : (Reflect.get(target, key) as unknown),
      })
      const host = openHost({ ...place.others, auth })
      await host.work().catch(() => undefined)
      isAway = false
      made.clock.advance(5_000)
      expect(await host.work()).toEqual({ done: 1, failed: 0, later: 0 })
      expect(await listOutcomes(made, ann, id)).toEqual(['stored', 'stored'])
    },
  )

  test('waits before it tries again when the store reports a valid lease as lost', async () => {
    const id = await submit([makeTraceInput('a')])
    const { ingest } = place.stores
    let writes = 0
    const lost = new Proxy(ingest, {
      get: (target, key) =>
        key === 'writeBatch' ? async () => (writes++, 'lost') : (Reflect.get(target, key) as unknown),
    })
    const host = openHost({ ...place.stores, ingest: lost })
    for (let n = 1; n <= 7; n++) {
      expect(await host.work()).toEqual({ done: 0, failed: 0, later: 1 })
      expect(await host.work()).toEqual({ done: 0, failed: 0, later: 0 })
      expect(writes).toBe(n)
      made.clock.advance(5_000)
    }
    expect(await ingest.findAnyJob({ jobId: id })).toMatchObject({ attempts: 0, attemptEnd: 'lease_lost' })
    expect(await made.service.work()).toEqual({ done: 1, failed: 0, later: 0 })
  })

  test('claims a job again immediately, as the same attempt, when the claim took effect but its reply was lost', async () => {
    const id = await submit([makeTraceInput('a')])
    let isAway = true
    const stores = observeSteps(
      place.others,
      () => undefined,
      (step) => {
        if (isAway && step === 'ingest.claimJob') throw new Unavailable(new Error('no answer'))
      },
    )
    const host = openHost(stores)
    for (let n = 0; n < 7; n++) await expect(host.work()).rejects.toThrow('no answer')
    isAway = false
    expect(await host.work()).toEqual({ done: 1, failed: 0, later: 0 })
    expect(await place.stores.ingest.findAnyJob({ jobId: id })).toMatchObject({ attempts: 1, attemptEnd: null })
  })

  test(
    'begins at the first part again when a preempted job has not reached the remembered position',
    { tags: 'long' },
    async () => {
      const id = await submit([
        ...makeTraceInputs(3, 'a'),
        makeTraceInput('b', { messages: [{ content: `b ${'lorem ipsum '.repeat(180_000)}` }] }),
        ...makeTraceInputs(600, 'c'),
      ])
      const bob = await signInContributor(made)
      await made.ask('POST', '/api/ingest', { headers: bob.bearer, json: { traces: makeTraceInputs(1, 'bob') } })
      await place.others.ingest.claimJob({
        lease: 'dead',
        now: made.clock(),
        leaseUntil: made.clock() + 30_000,
        exceptOwnerIds: [ann.userId],
      })
      const { ingest, blobs } = place.stores
      let [claims, done] = [0, 0]
      const resumed: number[] = []
      const claimJob: typeof ingest.claimJob = async (params) => {
        const claim = await ingest.claimJob(params)
        if (claim?.jobId !== id || ++claims < 2) return claim
        done = claim.done
        return { ...claim, done: 0 }
      }
      const writeBatch: typeof ingest.writeBatch = async (params) => {
        if (claims < 2 || params.claim.jobId !== id) return ingest.writeBatch(params)
        resumed.push(params.traces[0]!.index)
        const traces = params.traces.filter(({ index }) => index >= done)
        return traces.length === 0 ? 'written' : ingest.writeBatch({ ...params, traces })
      }
      const older = new Proxy(ingest, {
        get: (target, key) => ({ claimJob, writeBatch })[key as 'claimJob'] ?? (Reflect.get(target, key) as unknown),
      })
      const stores = {
        ...place.stores,
        ingest: older,
        blobs: {
          ...blobs,
          put: blobs.put,
          delete: blobs.delete,
          stale: blobs.stale,
          // While the second part is read, the lease of the dead worker ends, and the job of that worker preempts this
          // job.
          get: async (key: string) => {
            if (claims === 1 && key.endsWith(`${id}/1`)) made.clock.advance(30_001)
            return blobs.get(key)
          },
        },
      }
      const stop = new AbortController()
      const worked = await openHost(stores, {
        scrubber: plain,
        yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
      }).work({
        signal: stop.signal,
        async wait(loop) {
          await new Promise((resolve) => setImmediate(resolve))
          if (loop === 'jobs') stop.abort()
        },
      })
      expect([worked.done, claims, done > 0, resumed[0]]).toEqual([2, 2, true, 0])
    },
  )

  test('fails a job that kills its worker every time', async () => {
    const id = await submit([makeTraceInput('a')])
    for (let i = 0; i < 4; i++) {
      await place.stores.ingest.claimJob({ lease: `dead-${i}`, now: made.clock(), leaseUntil: made.clock() + 30_000 })
      made.clock.advance(30_001)
    }
    expect(await made.service.work()).toEqual({ done: 0, failed: 1, later: 0 })
    expect(await readJob(id)).toMatchObject({
      status: 'failed',
      errorMessage:
        'The batch could not be processed in 4 attempts: in the last one, its worker stopped or was cut off from the database.',
    })
  })

  test('stores a trace whose known hash is deleted while its slice is prepared', async () => {
    await submit([makeTraceInput('a'), makeTraceInput('b')])
    await made.service.work()
    const id = await submit([
      makeTraceInput('a', { sourceId: 'other name' }),
      makeTraceInput('c'),
      makeTraceInput('b', { sourceId: 'b again' }),
    ])
    const [first] = (await listStored()).filter(({ id: one }) => one)
    expect(first).toBeDefined()
    let raced = false
    const stores = observeSteps(place.stores, async (step) => {
      if (step !== 'ingest.writeBatch' || raced) return
      raced = true
      // Another job refreshes the trace named `a`: its previous content is no longer known.
      await submit([makeTraceInput('a', { messages: [{ content: 'something new' }] })])
      await openHost(place.others).work()
    })
    await openHost(stores).work()
    const same = { role: 'user', content: 'hello from a' }
    expect((await readOutcomes(id)).map(({ outcome }: { outcome: string }) => outcome)).toEqual(
      ['stored', 'stored', 'duplicate'].map((one, i) => (i === 0 ? 'stored' : one)),
    )
    const [fresh] = await readOutcomes(id)
    expect((await downloadTrace(fresh.traceId)).messages[0]).toMatchObject(same)
  })

  test('distinguishes names that are scrubbed to the same placeholder, keeps equal names equal, and still finds a parent', async () => {
    const [jane, joe] = ['jana.dorn@corp.io', 'joe.roe@corp.io']
    const id = await submit([
      makeTraceInput(jane),
      makeTraceInput(joe),
      makeTraceInput(jane, { messages: [{ content: `to ${joe}` }] }),
      makeTraceInput('child', { parentTraceId: joe, messages: [{ content: `about ${jane}` }] }),
      makeTraceInput('plain', { parentTraceId: 'child' }),
    ])
    await made.service.work()
    const outcomes = await readOutcomes(id)
    expect(outcomes.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
      'stored',
      'stored',
      'updated',
      'stored',
      'stored',
    ])
    const names = outcomes.map(({ sourceId }: { sourceId: string }) => sourceId) as string[]
    expect(names[0]).toMatch(/^\[EMAIL_1\]~[0-9a-f]{12}$/)
    expect(names[1]).toMatch(/^\[EMAIL_1\]~[0-9a-f]{12}$/)
    expect(names[1]).not.toBe(names[0])
    expect(names[2]).toBe(names[0])
    expect(names[3]).toBe('child')
    expect((await downloadTrace(outcomes[3].traceId)).parentTraceId).toBe(names[1])
    expect((await downloadTrace(outcomes[4].traceId)).parentTraceId).toBe('child')
  })

  test('sanitizes text, sorts messages by position, and hashes what was sent', async () => {
    const messages = [
      { position: 7, content: 'last \u0000 \ud800' },
      { position: 2, role: 'assistant', content: 'first', tokenCount: 999, createdAt: '2026-01-01T01:00:00+01:00' },
    ]
    const id = await submit([
      makeTraceInput('a\u0000b', { messages, model: 'm', segmentIndex: 3, source: 'codex_jsonl' }),
    ])
    const hash = await made.ask('POST', '/api/traces/known', { headers: ann.bearer, json: { hashes: [] } })
    expect(hash.status).toBe(200)
    await made.service.work()
    const [{ traceId, sourceId }] = await readOutcomes(id)
    expect(sourceId).toBe('a\ufffdb')
    const got = await downloadTrace(traceId)
    expect(got).toMatchObject({
      source: 'codex_jsonl',
      sourceId: 'a\ufffdb',
      model: 'm',
      segmentIndex: 3,
      parentTraceId: null,
    })
    expect(got.messages).toEqual([
      {
        position: 2,
        role: 'assistant',
        content: 'first',
        tokenCount: 2,
        createdAt: '2026-01-01T00:00:00.000Z',
        truncated: false,
      },
      { position: 7, role: null, content: 'last \ufffd \ufffd', tokenCount: 2, createdAt: null, truncated: false },
    ])
    const { contentHash } = await import('../traces/hash.ts')
    expect(got.contentHash).toBe(contentHash(messages))
  })

  test('deletes only uploads that crashes and disconnected clients left', async () => {
    const { blobs } = place.stores
    const id = await submit([makeTraceInput('a')])
    await blobs.put('upload/0198a1b2-0000-7000-8000-000000000000/0', new Uint8Array(3))
    await blobs.put('put/0198a1b2-0000-7000-8000-000000000001', new Uint8Array(3))
    const now = systemClock()
    made.clock.set(now)
    const idle = openHost({
      ...place.stores,
      ingest: new Proxy(place.stores.ingest, {
        get: (target, key) => (key === 'claimJob' ? async () => null : (Reflect.get(target, key) as unknown)),
      }),
    })
    await idle.work()
    expect(await listWaitingBlobs(place.stores)).toHaveLength(3)
    made.clock.set(now + 3 * 3600 * 1000)
    await idle.work()
    expect(await listWaitingBlobs(place.stores)).toEqual([`upload/${id}/0`])
  })
})
