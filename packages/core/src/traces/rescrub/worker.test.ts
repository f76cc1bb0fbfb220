import type { Fixture, Signed } from '@tributary/test-kit'
import {
  createTestStores,
  fixedClock,
  makeId,
  makeTrace,
  makeSaleItems,
  makeSaleShares,
  makeAuditContext,
  makeNames,
} from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signInContributor, openAutoApprovingService, places, type Place } from '../../ingest/contributor.fixture.ts'
import { createScrubber, type ScrubContext, type Scrubber, type ScrubResult } from '../../scrubber/index.ts'
import type { ServiceOptions } from '../../service/options.ts'
import { Unavailable } from '../../unavailable.ts'
import type { NewTrace } from '../store.ts'

const token = `gh${'p_'}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8`
const id = (n: number): string => makeId('old', n)
const withContent = (content: string, changes: Partial<NewTrace> = {}): Partial<NewTrace> => ({
  title: content,
  messages: JSON.stringify([{ position: 0, role: 'user', content, tokenCount: 1, createdAt: null, truncated: false }]),
  ...changes,
})

/** Creates a scrubber of the current rules under another version. The scrubber calls `onScrub` before each scrub. */
function createVersionedScrubber(
  version: string,
  onScrub: (texts: readonly string[]) => void = () => undefined,
): Scrubber {
  const inner = createScrubber()
  return {
    version,
    scrub(texts: readonly string[], context?: ScrubContext): ScrubResult {
      onScrub(texts)
      return inner.scrub(texts, context)
    },
  }
}

describe.each(Object.keys(places))('rescrubWorker in %s', (name) => {
  const clock = fixedClock()
  let place: Place
  let made: Fixture
  let ann: Signed
  let next = 0
  beforeEach(async () => {
    place = await places[name]!()
    made = openAutoApprovingService(place.stores, { clock })
    ann = await signInContributor(made)
    await made.service.work()
  })
  afterEach(() => place.close())

  /** Stores traces without scrubbing, as an older version left them. */
  async function put(...traces: readonly Partial<NewTrace>[]): Promise<void> {
    const { ingest } = place.stores
    const jobId = makeId('job', ++next)
    await ingest.enqueueJob({
      ownerId: ann.userId,
      id: jobId,
      source: 'mixed',
      total: traces.length,
      parts: 0,
      bytes: 0,
      enqueuedAt: clock(),
    })
    const claim = (await ingest.claimJob({ lease: 'test', now: clock(), leaseUntil: clock() + 30_000, jobId }))!
    const prepared = traces.map((changes, index) => {
      const trace = makeTrace('old', index, { scrubVersion: '2020-01-01.1', ...changes })
      const { sourceId, contentHash } = trace
      const names = makeNames(trace)
      return {
        kind: 'scrubbed',
        index,
        sourceId,
        contentHash,
        isRepeated: false,
        trace,
        redactions: 0,
        ...names,
      } as const
    })
    await ingest.writeBatch({ claim, traces: prepared, now: clock(), leaseUntil: clock() + 30_000 })
    await ingest.completeJob({ claim, usdPerMillionTokens: 1, now: clock() })
  }
  const readStored = (n: number) => place.others.traces.readTrace({ ownerId: ann.userId, id: id(n) })
  const openService = (options: Partial<ServiceOptions>) =>
    openAutoApprovingService(place.stores, { clock, ...options }).service
  const countPending = (scrubVersion: string) =>
    place.stores.rescrub.countStaleTraces({ ownerId: ann.userId, scrubVersion })

  test('stores the replacements that an older version missed, names and title included, and reads each trace once', async () => {
    await put(
      withContent(`use ${token}`, {
        sourceId: `run of ${token}`,
        model: 'jane@acme.io',
        parentTraceId: 'jane@acme.io',
      }),
      withContent('nothing to replace'),
    )
    let calls = 0
    const service = openService({
      scrubber: createVersionedScrubber('2099-12-01.1', (texts) => (calls += texts.length > 1 ? 1 : 0)),
    })
    await service.work()
    expect(await readStored(0)).toMatchObject({
      title: 'use [GITHUB_TOKEN_1]',
      sourceId: expect.stringMatching(/^run of \[GITHUB_TOKEN_1\]~[0-9a-f]{12}$/),
      model: '[EMAIL_1]',
      parentTraceId: expect.stringMatching(/^\[EMAIL_1\]~[0-9a-f]{12}$/),
      scrubVersion: '2099-12-01.1',
      redactions: '{"token":2,"email":2}',
      withheld: null,
    })
    expect(await readStored(1)).toMatchObject({ ...withContent('nothing to replace'), scrubVersion: '2099-12-01.1' })
    expect([calls, await countPending('2099-12-01.1')]).toEqual([2, 0])
    await service.work()
    await openService({ scrubber: createVersionedScrubber('2099-12-01.1') }).work()
    expect(calls).toBe(2)
  })

  test('gives a parent and its child the same name, and keeps the suffix of a name that was scrubbed before', async () => {
    const tailed = 'of [EMAIL_1]~0123456789ab with hortense'
    await put(
      withContent('parent', { sourceId: 'log of hortense' }),
      withContent('child', { parentTraceId: 'log of hortense' }),
      withContent('tailed', { sourceId: `hortense [EMAIL_1]~0123456789ab` }),
      withContent('no tail', { sourceId: tailed }),
    )
    const contact = { name: 'Hortense Delacroix', email: 'h@delacroix.fr' }
    await made.ask('POST', '/api/account/contact', { headers: ann.bearer, json: contact })
    await made.service.work()
    const [parent, child, third, fourth] = await Promise.all([0, 1, 2, 3].map(readStored))
    expect(parent!.sourceId).toMatch(/^log of \[PERSON_1\]~[0-9a-f]{12}$/)
    expect(child!.parentTraceId).toBe(parent!.sourceId)
    expect(third!.sourceId).toBe('[PERSON_1] [EMAIL_1]~0123456789ab')
    expect(fourth!.sourceId).toMatch(/^of \[EMAIL_1\]~0123456789ab with \[PERSON_1\]~[0-9a-f]{12}$/)
  })

  test('replaces a newly found value with a placeholder that the trace does not have yet', async () => {
    await put(withContent('[PERSON_1] met Hortense'))
    const contact = { name: 'Hortense Delacroix', email: 'h@delacroix.fr' }
    await made.ask('POST', '/api/account/contact', { headers: ann.bearer, json: contact })
    await made.service.work()
    expect((await readStored(0))!.messages).toContain('[PERSON_1] met [PERSON_2]')
  })

  test('does not change sold or deleted traces, including traces that are sold or deleted meanwhile', async () => {
    await put(...[0, 1, 2, 3].map((n) => withContent(`use ${token} ${n}`)))
    const sell = (n: number, at: number) =>
      place.others.dataset.recordSale({
        sale: { id: makeId('sale', at), buyer: 'b', usd: 1, soldAt: 0 },
        items: makeSaleItems([id(n)]),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
    const remove = (n: number) => place.others.traces.deleteUnsoldTraces({ ownerId: ann.userId, ids: [id(n)] })
    await sell(0, 1)
    const scrubber = {
      ...createVersionedScrubber('2099-12-01.1'),
      async scrubAsync(texts: readonly string[], _: unknown, context?: ScrubContext) {
        if (texts.some((text) => text.endsWith(' 1'))) await sell(1, 2)
        if (texts.some((text) => text.endsWith(' 2'))) await remove(2)
        return createScrubber().scrub(texts, context)
      },
    }
    await openService({ scrubber }).work()
    for (const n of [0, 1]) expect((await readStored(n))!.messages).toContain(token)
    expect(await readStored(2)).toBeNull()
    expect(await readStored(3)).toMatchObject({ scrubVersion: '2099-12-01.1', title: 'use [GITHUB_TOKEN_1] 3' })
  })

  test('withholds a trace that the scrubber refuses until a version accepts it', async () => {
    await put(withContent(`use ${token}`))
    const refusing = createScrubber({ reject: ['token'] })
    const withVersion = (version: string): Scrubber => ({ version, scrub: (...call) => refusing.scrub(...call) })
    await openService({ scrubber: withVersion('2099-12-01.1') }).work()
    expect(await readStored(0)).toMatchObject({ withheld: 'refused', scrubVersion: '2099-12-01.1' })
    const host = openAutoApprovingService(place.stores, { clock, scrubber: withVersion('2099-12-01.1') })
    const { status } = await host.ask('GET', `/api/traces/${id(0)}/download`, { headers: ann.bearer })
    expect(status).toBe(502)
    const { account } = (await host.ask('GET', '/api/account/export', { headers: ann.bearer })).json
    expect(account.traces[0]).toMatchObject({ sourceId: '[REFUSED]', title: null, messages: null, skipped: 'refused' })
    await openService({ scrubber: createVersionedScrubber('2099-12-01.2') }).work()
    expect(await readStored(0)).toMatchObject({ withheld: null, title: 'use [GITHUB_TOKEN_1]' })
  })

  test('tries a failing trace five times, a minute apart, then withholds it and continues', async () => {
    await put(withContent('poison'), withContent(`use ${token}`))
    let attempts = 0
    const service = openService({
      scrubber: createVersionedScrubber('2099-12-01.1', (texts) => {
        if (!texts.includes('poison')) return
        attempts++
        throw new Error('the model does not answer')
      }),
    })
    for (let minute = 1; minute < 5; minute++) {
      await service.work()
      await service.work()
      expect([attempts, await readStored(0)]).toMatchObject([minute, { withheld: null, scrubVersion: '2020-01-01.1' }])
      clock.advance(60_000)
    }
    await service.work()
    expect(await readStored(0)).toMatchObject({ withheld: 'refused', scrubVersion: '2099-12-01.1' })
    expect(await readStored(1)).toMatchObject({ title: 'use [GITHUB_TOKEN_1]' })
    expect(attempts).toBe(5)
  })

  test('leaves traces to a worker of a newer release, and does not start a pass with an older version', async () => {
    await put(withContent(`use ${token}`))
    await openService({ scrubber: createVersionedScrubber('2099-12-01.10') }).work()
    await openService({ scrubber: createVersionedScrubber('2099-12-01.9') }).work()
    expect(await readStored(0)).toMatchObject({ scrubVersion: '2099-12-01.10' })
  })

  test('releases its lease when the host stops, and the next worker continues', async () => {
    await put(...Array.from({ length: 30 }, (_, n) => withContent(`use ${token} ${n}`)))
    const stopping = new AbortController()
    let calls = 0
    const scrubber = createVersionedScrubber('2099-12-01.1', () => {
      clock.advance(10)
      if (++calls === 5) stopping.abort()
    })
    const stepped = {
      ...scrubber,
      async scrubAsync(texts: readonly string[], pause: () => Promise<void>, context?: ScrubContext) {
        await pause()
        return scrubber.scrub(texts, context)
      },
    }
    await openService({ scrubber: stepped }).work({ signal: stopping.signal })
    const left = await countPending('2099-12-01.1')
    expect(left).toBeGreaterThan(20)
    expect(left).toBeLessThan(30)
    await openService({ scrubber: createVersionedScrubber('2099-12-01.1') }).work()
    expect(await countPending('2099-12-01.1')).toBe(0)
  })

  test('takes over from a worker that died, when the lease of that worker ends', async () => {
    await put(withContent(`use ${token}`))
    const scrubVersion = '2099-12-01.1'
    await place.stores.rescrub.claimPass({ lease: 'dead', scrubVersion, now: clock(), leaseUntil: clock() + 30_000 })
    const service = openService({ scrubber: createVersionedScrubber(scrubVersion) })
    await service.work()
    expect(await countPending(scrubVersion)).toBe(1)
    clock.advance(30_000)
    await service.work()
    expect(await countPending(scrubVersion)).toBe(0)
  })
})

test('work rejects and stores nothing while the store is unavailable', async () => {
  const stores = createTestStores()
  const down = { ...stores.rescrub, getProgress: async () => Promise.reject(new Unavailable('locked')) }
  await expect(openAutoApprovingService({ ...stores, rescrub: down }).service.work()).rejects.toThrow('locked')
})
