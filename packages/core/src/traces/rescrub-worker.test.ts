import type { Fixture, Signed } from '@tributary/test-kit'
import { fixedClock, madeId, madeTrace, saleItems, saleShares, byOperator } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contributor, open, places, type Place } from '../ingest/contributor.fixture.ts'
import { createScrubber, type ScrubContext, type Scrubber, type ScrubResult } from '../scrubber/index.ts'
import type { ServiceOptions } from '../service/options.ts'
import { memoryStores } from '../stores/memory/index.ts'
import { Unavailable } from '../unavailable.ts'
import type { NewTrace } from './store.ts'

const token = `gh${'p_'}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8`
const id = (n: number): string => madeId('old', n)
const holding = (content: string, changes: Partial<NewTrace> = {}): Partial<NewTrace> => ({
  title: content,
  messages: JSON.stringify([{ position: 0, role: 'user', content, tokenCount: 1, createdAt: null, truncated: false }]),
  ...changes,
})

/** Creates a scrubber of the current rules under another version, with the effect that a test has on each call. */
function scrubberOf(version: string, onScrub: (texts: readonly string[]) => void = () => undefined): Scrubber {
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
    made = open(place.stores, { clock })
    ann = await contributor(made)
    await made.service.work()
  })
  afterEach(() => place.close())

  /** Stores traces past the scrubber, as an older version left them. */
  async function put(...traces: readonly Partial<NewTrace>[]): Promise<void> {
    const { ingest } = place.stores
    const jobId = madeId('job', ++next)
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
      const trace = madeTrace('old', index, { scrubVersion: '2020-01-01.1', ...changes })
      const { sourceId, contentHash } = trace
      return { kind: 'scrubbed', index, sourceId, contentHash, isRepeated: false, trace, redactions: 0 } as const
    })
    await ingest.writeBatch({ claim, traces: prepared, now: clock(), leaseUntil: clock() + 30_000 })
    await ingest.completeJob({ claim, usdPerMillionTokens: 1, now: clock() })
  }
  const stored = (n: number) => place.others.traces.readTrace({ ownerId: ann.userId, id: id(n) })
  const serviceWith = (options: Partial<ServiceOptions>) => open(place.stores, { clock, ...options }).service
  const pending = (scrubVersion: string) => place.stores.rescrub.countStaleTraces({ ownerId: ann.userId, scrubVersion })

  test('stores the replacements that an older version missed, names and title included, and reads each trace once', async () => {
    await put(
      holding(`use ${token}`, { sourceId: `run of ${token}`, model: 'jane@acme.io', parentTraceId: 'jane@acme.io' }),
      holding('nothing to replace'),
    )
    let calls = 0
    const service = serviceWith({
      scrubber: scrubberOf('2026-12-01.1', (texts) => (calls += texts.length > 1 ? 1 : 0)),
    })
    await service.work()
    expect(await stored(0)).toMatchObject({
      title: 'use [GITHUB_TOKEN_1]',
      sourceId: expect.stringMatching(/^run of \[GITHUB_TOKEN_1\]~[0-9a-f]{12}$/),
      model: '[EMAIL_1]',
      parentTraceId: expect.stringMatching(/^\[EMAIL_1\]~[0-9a-f]{12}$/),
      scrubVersion: '2026-12-01.1',
      redactions: '{"token":2,"email":2}',
      withheld: null,
    })
    expect(await stored(1)).toMatchObject({ ...holding('nothing to replace'), scrubVersion: '2026-12-01.1' })
    expect([calls, await pending('2026-12-01.1')]).toEqual([2, 0])
    await service.work()
    await serviceWith({ scrubber: scrubberOf('2026-12-01.1') }).work()
    expect(calls).toBe(2)
  })

  test('gives a parent and its child the same name, and keeps the suffix of a name that was scrubbed before', async () => {
    const tailed = 'of [EMAIL_1]~0123456789ab with hortense'
    await put(
      holding('parent', { sourceId: 'log of hortense' }),
      holding('child', { parentTraceId: 'log of hortense' }),
      holding('tailed', { sourceId: `hortense [EMAIL_1]~0123456789ab` }),
      holding('no tail', { sourceId: tailed }),
    )
    const contact = { name: 'Hortense Delacroix', email: 'h@delacroix.fr' }
    await made.ask('POST', '/api/account/contact', { headers: ann.bearer, json: contact })
    await made.service.work()
    const [parent, child, third, fourth] = await Promise.all([0, 1, 2, 3].map(stored))
    expect(parent!.sourceId).toMatch(/^log of \[PERSON_1\]~[0-9a-f]{12}$/)
    expect(child!.parentTraceId).toBe(parent!.sourceId)
    expect(third!.sourceId).toBe('[PERSON_1] [EMAIL_1]~0123456789ab')
    expect(fourth!.sourceId).toMatch(/^of \[EMAIL_1\]~0123456789ab with \[PERSON_1\]~[0-9a-f]{12}$/)
  })

  test('gives a new value a placeholder that the trace does not have yet', async () => {
    await put(holding('[PERSON_1] met Hortense'))
    const contact = { name: 'Hortense Delacroix', email: 'h@delacroix.fr' }
    await made.ask('POST', '/api/account/contact', { headers: ann.bearer, json: contact })
    await made.service.work()
    expect((await stored(0))!.messages).toContain('[PERSON_1] met [PERSON_2]')
  })

  test('does not change sold and deleted traces, also those that are sold or deleted meanwhile', async () => {
    await put(...[0, 1, 2, 3].map((n) => holding(`use ${token} ${n}`)))
    const sell = (n: number, at: number) =>
      place.others.dataset.recordSale({
        sale: { id: madeId('sale', at), buyer: 'b', usd: 1, soldAt: 0 },
        items: saleItems([id(n)]),
        shares: saleShares(),
        audit: byOperator(),
      })
    const remove = (n: number) => place.others.traces.deleteUnsoldTraces({ ownerId: ann.userId, ids: [id(n)] })
    await sell(0, 1)
    const scrubber = {
      ...scrubberOf('2026-12-01.1'),
      async scrubAsync(texts: readonly string[], _: unknown, context?: ScrubContext) {
        if (texts.some((text) => text.endsWith(' 1'))) await sell(1, 2)
        if (texts.some((text) => text.endsWith(' 2'))) await remove(2)
        return createScrubber().scrub(texts, context)
      },
    }
    await serviceWith({ scrubber }).work()
    for (const n of [0, 1]) expect((await stored(n))!.messages).toContain(token)
    expect(await stored(2)).toBeNull()
    expect(await stored(3)).toMatchObject({ scrubVersion: '2026-12-01.1', title: 'use [GITHUB_TOKEN_1] 3' })
  })

  test('withholds a trace that the scrubber refuses until a version accepts it', async () => {
    await put(holding(`use ${token}`))
    const refusing = createScrubber({ reject: ['token'] })
    const at = (version: string): Scrubber => ({ version, scrub: (...call) => refusing.scrub(...call) })
    await serviceWith({ scrubber: at('2026-12-01.1') }).work()
    expect(await stored(0)).toMatchObject({ withheld: 'refused', scrubVersion: '2026-12-01.1' })
    const host = open(place.stores, { clock, scrubber: at('2026-12-01.1') })
    const { status } = await host.ask('GET', `/api/traces/${id(0)}/download`, { headers: ann.bearer })
    expect(status).toBe(502)
    const { account } = (await host.ask('GET', '/api/account/export', { headers: ann.bearer })).json
    expect(account.traces[0]).toMatchObject({ sourceId: '[REFUSED]', title: null, messages: null, skipped: 'refused' })
    await serviceWith({ scrubber: scrubberOf('2026-12-01.2') }).work()
    expect(await stored(0)).toMatchObject({ withheld: null, title: 'use [GITHUB_TOKEN_1]' })
  })

  test('tries a failing trace five times, a minute apart, then withholds it and continues', async () => {
    await put(holding('poison'), holding(`use ${token}`))
    let attempts = 0
    const service = serviceWith({
      scrubber: scrubberOf('2026-12-01.1', (texts) => {
        if (!texts.includes('poison')) return
        attempts++
        throw new Error('the model does not answer')
      }),
    })
    for (let minute = 1; minute < 5; minute++) {
      await service.work()
      await service.work()
      expect([attempts, await stored(0)]).toMatchObject([minute, { withheld: null, scrubVersion: '2020-01-01.1' }])
      clock.advance(60_000)
    }
    await service.work()
    expect(await stored(0)).toMatchObject({ withheld: 'refused', scrubVersion: '2026-12-01.1' })
    expect(await stored(1)).toMatchObject({ title: 'use [GITHUB_TOKEN_1]' })
    expect(attempts).toBe(5)
  })

  test('leaves traces to a worker of a newer release, and starts no pass with an older version', async () => {
    await put(holding(`use ${token}`))
    await serviceWith({ scrubber: scrubberOf('2026-12-01.10') }).work()
    await serviceWith({ scrubber: scrubberOf('2026-12-01.9') }).work()
    expect(await stored(0)).toMatchObject({ scrubVersion: '2026-12-01.10' })
  })

  test('releases its lease when the host stops, and the next worker continues', async () => {
    await put(...Array.from({ length: 30 }, (_, n) => holding(`use ${token} ${n}`)))
    const stopping = new AbortController()
    let calls = 0
    const scrubber = scrubberOf('2026-12-01.1', () => {
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
    await serviceWith({ scrubber: stepped }).work({ signal: stopping.signal })
    const left = await pending('2026-12-01.1')
    expect(left).toBeGreaterThan(20)
    expect(left).toBeLessThan(30)
    await serviceWith({ scrubber: scrubberOf('2026-12-01.1') }).work()
    expect(await pending('2026-12-01.1')).toBe(0)
  })

  test('takes over from a worker that died when its lease ends', async () => {
    await put(holding(`use ${token}`))
    const scrubVersion = '2026-12-01.1'
    await place.stores.rescrub.claimPass({ lease: 'dead', scrubVersion, now: clock(), leaseUntil: clock() + 30_000 })
    const service = serviceWith({ scrubber: scrubberOf(scrubVersion) })
    await service.work()
    expect(await pending(scrubVersion)).toBe(1)
    clock.advance(30_000)
    await service.work()
    expect(await pending(scrubVersion)).toBe(0)
  })
})

test('work rejects and stores nothing while the store is unavailable', async () => {
  const stores = memoryStores()
  const down = { ...stores.rescrub, getProgress: async () => Promise.reject(new Unavailable('locked')) }
  await expect(open({ ...stores, rescrub: down }).service.work()).rejects.toThrow('locked')
})
