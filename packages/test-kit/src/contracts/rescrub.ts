import type { ChangedPerson, NewTrace, RescrubStore, StaleTrace, StoreRescrubbedParams } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeHash, makeId, makeTrace, makeTraces, makeSaleItems, makeSaleShares } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { prepareTrace, until } from './ingest-fixture.ts'
import type { ScrubPlace } from './scrub-place.ts'
import { useRealTimes } from './real-times.ts'

const lease = 'one'
const old = { scrubVersion: '1' }

/** Registers the contract tests of background re-scrubbing. The store holds traces of Bob and of Ann. */
export function runRescrubStoreContract(name: string, open: () => Promise<ScrubPlace>): void {
  describe(`rescrub store: ${name}`, () => {
    let place: ScrubPlace
    let store: RescrubStore
    let otherHost: RescrubStore
    let jobs = 0

    /**
     * Stores traces of a person as a worker does. The job stays open if `isOpen`. Returns a function that ends the job.
     */
    const put = async (ownerId: string, traces: readonly NewTrace[], isOpen = false): Promise<() => Promise<void>> => {
      const { ingest } = place.stores[0]
      const job = { id: makeId('job', ++jobs), source: 'mixed', total: traces.length, parts: 1, bytes: 1 }
      await ingest.enqueueJob({ ownerId, ...job, enqueuedAt: 1 })
      const claim = (await ingest.claimJob({ lease: `job-${jobs}`, now: 1, leaseUntil: 1 + until, jobId: job.id }))!
      const prepared = traces.map((trace, index) => prepareTrace(index, trace))
      await ingest.writeBatch({ claim, traces: prepared, now: 1, leaseUntil: 1 + until })
      const completeJob = async () => void (await ingest.completeJob({ claim, usdPerMillionTokens: 1, now: 2 }))
      if (!isOpen) await completeJob()
      return completeJob
    }
    const change = (ownerId: string, ...terms: string[]) =>
      place.stores[0].blockedTerms.saveTerms({ ownerId, terms, now: 1 })
    const sell = (...ids: string[]) =>
      place.stores[0].dataset.recordSale({
        sale: { id: makeId('sale', 1), buyer: 'buyer', usd: 1, soldAt: 3 },
        items: makeSaleItems(ids),
        shares: makeSaleShares(),
        audit: makeAuditContext(),
      })
    const claim = (by = lease, now = 0, scrubVersion = '1', host = store) =>
      host.claimPass({ lease: by, scrubVersion, now, leaseUntil: now + 30_000 })
    const listStale = (ownerId: string | null, cursor = 0, limit = 100, scrubVersion = '9') =>
      otherHost.listStaleTraces({ ownerId, scrubVersion, cursor, limit })
    const listAll = async (ownerId: string | null = null): Promise<readonly StaleTrace[]> =>
      (await listStale(ownerId)).traces
    const read = (id: string, ownerId = 'ann') => place.stores[1].traces.readTrace({ ownerId, id })
    const countStale = (ownerId: string, scrubVersion = '1') => store.countStaleTraces({ ownerId, scrubVersion })

    const ids = [0, 1, 2].map((n) => makeId('ann', n))
    const [first, second] = ids as [string, string, string]
    const expected = { scrubVersion: '1', identityRevision: 0, contentHash: makeHash('ann', 0) }
    const rescrubbed = {
      sourceId: '[BLOCKED_1]~0123456789ab',
      title: 'the [BLOCKED_1] plan',
      model: null,
      parentTraceId: 'parent~0123456789ab',
      scrubVersion: '2',
      identityRevision: 1,
      redactions: '{"blocked_term":3}',
      details: '{"agent":{"name":"[BLOCKED_1]"}}',
      tools: '[{"name":"[BLOCKED_1]"}]',
      replacements: '{"BLOCKED_1":{"category":"blocked_term","rule":"blocked-term","score":1}}',
      messages: JSON.stringify([{ position: 0, role: 'user', content: 'about [BLOCKED_1] 😀' }]),
    }
    const write = (changes: Partial<StoreRescrubbedParams> = {}, host = store) =>
      host.storeRescrubbed({
        ownerId: 'ann',
        id: first,
        expected,
        result: { kind: 'scrubbed', trace: rescrubbed },
        ...changes,
      })

    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores.map(({ rescrub }) => rescrub) as [RescrubStore, RescrubStore]
      for (const id of ['ann', 'bob']) await place.stores[0].auth.upsertUser({ id, email: null, now: 0 })
      await put('ann', [...makeTraces(3, 'ann', 0, old)])
      await put('bob', [...makeTraces(2, 'bob', 0, old)])
    })
    afterEach(() => place.close())

    describe('getProgress', () => {
      test('returns no version before the first pass, and afterwards the position after the last stored trace', async () => {
        const all = await listAll()
        expect(await store.getProgress()).toEqual({ version: null, cursor: 0, last: all.at(-1)!.num, people: 0 })
        expect(all.map(({ id }) => id)).toEqual([...ids, makeId('bob', 0), makeId('bob', 1)])
      })

      test('counts the users with a changed identity or changed terms', async () => {
        await change('ann', 'Kumquat')
        await change('bob', 'Bluebird')
        await change('bob', 'Bluebird', 'Quince')
        expect(await otherHost.getProgress()).toMatchObject({ people: 2 })
      })
    })

    describe('claimPass', () => {
      test('returns the lease to only one of twenty workers', async () => {
        const claims = await Promise.all(
          Array.from({ length: 20 }, (_, i) => claim(`worker-${i}`, 0, '1', i % 2 ? otherHost : store)),
        )
        expect(claims.filter(Boolean)).toHaveLength(1)
      })

      test('returns the lease again to its holder, and to others after its end, its release, or a clock that was set back', async () => {
        expect(await claim('one', 100_000)).toBe(true)
        expect(await claim('one', 100_001)).toBe(true)
        expect(await claim('two', 130_000)).toBe(false)
        expect(await claim('two', 130_001)).toBe(true)
        await store.releasePass({ lease: 'one' })
        expect(await claim('three', 130_002)).toBe(false)
        await store.releasePass({ lease: 'two' })
        expect(await claim('three', 130_002)).toBe(true)
        expect(await claim('four', 100_002)).toBe(false)
        expect(await claim('four', 100_001)).toBe(true)
      })

      test('starts at the first trace for a new version, and continues for the same version', async () => {
        await claim('one', 0, '1')
        await store.saveCursor({ lease: 'one', person: null, cursor: 4, leaseUntil: 30_000 })
        await store.releasePass({ lease: 'one' })
        await claim('two', 1, '1')
        expect(await store.getProgress()).toMatchObject({ version: '1', cursor: 4 })
        await store.releasePass({ lease: 'two' })
        await claim('three', 2, '2')
        expect(await store.getProgress()).toMatchObject({ version: '2', cursor: 0 })
      })
    })

    describe('saveCursor', () => {
      test('moves the cursor and extends the lease', async () => {
        await claim()
        expect(await store.saveCursor({ lease, person: null, cursor: 3, leaseUntil: 90_000 })).toBe(true)
        expect(await otherHost.getProgress()).toMatchObject({ cursor: 3 })
        expect(await claim('two', 60_001)).toBe(false)
      })

      test('returns false and changes nothing with a lease that another worker has', async () => {
        await change('ann', 'Kumquat')
        const person = (await store.findChangedPerson())!
        await claim('one', 0)
        await claim('two', 30_000)
        for (const of of [null, person])
          expect(await store.saveCursor({ lease: 'one', person: of, cursor: 3, leaseUntil: 90_000 })).toBe(false)
        await store.completePerson({ lease: 'one', person })
        expect(await store.getProgress()).toMatchObject({ cursor: 0, people: 1 })
        expect(await store.findChangedPerson()).toEqual(person)
      })
    })

    describe('findChangedPerson and completePerson', () => {
      test('returns a user until their traces are done', async () => {
        expect(await store.findChangedPerson()).toBeNull()
        await change('ann', 'Kumquat')
        const person: ChangedPerson = { ownerId: 'ann', identityRevision: 1, cursor: 0 }
        expect(await store.findChangedPerson()).toEqual(person)
        await claim()
        await store.saveCursor({ lease, person, cursor: 2, leaseUntil: 30_000 })
        expect(await otherHost.findChangedPerson()).toEqual({ ...person, cursor: 2 })
        await store.completePerson({ lease, person })
        expect(await otherHost.findChangedPerson()).toBeNull()
      })

      test('starts again if the user changes meanwhile', async () => {
        await change('ann', 'Kumquat')
        const person = (await store.findChangedPerson())!
        await claim()
        await store.saveCursor({ lease, person, cursor: 2, leaseUntil: 30_000 })
        await change('ann', 'Kumquat', 'Quince')
        await store.saveCursor({ lease, person, cursor: 3, leaseUntil: 30_000 })
        await store.completePerson({ lease, person })
        expect(await store.findChangedPerson()).toEqual({ ownerId: 'ann', identityRevision: 2, cursor: 0 })
      })

      test('waits for the open jobs of the user', async () => {
        const end = await put('ann', [makeTrace('ann', 7)], true)
        await change('ann', 'Kumquat')
        expect(await store.findChangedPerson()).toBeNull()
        expect(await store.getProgress()).toMatchObject({ people: 1 })
        await end()
        expect(await store.findChangedPerson()).toMatchObject({ ownerId: 'ann' })
      })

      test('omits a user after the erasure has started', async () => {
        await change('ann', 'Kumquat')
        await place.stores[0].account.startErasure({ ownerId: 'ann', id: makeId('erasure', 1), now: 1 })
        expect(await store.findChangedPerson()).toBeNull()
      })
    })

    describe('listStaleTraces', () => {
      test('returns a limited number of traces of one owner or of all owners, in their order', async () => {
        const all = await listAll()
        const last = all.at(-1)!.num
        expect(all.map(({ id, ownerId }) => [id, ownerId])).toEqual([
          ...ids.map((id) => [id, 'ann']),
          ...[0, 1].map((n) => [makeId('bob', n), 'bob']),
        ])
        expect(await listStale('bob')).toEqual({ traces: all.slice(3), next: last })
        expect(await listStale(null, all[1]!.num, 2)).toEqual({ traces: all.slice(2, 4), next: all[3]!.num })
        expect(await listStale('ann', all[0]!.num, 1)).toEqual({ traces: [all[1]], next: all[1]!.num })
        expect(await listStale('nobody')).toEqual({ traces: [], next: last })
        expect(await listStale(null, last)).toEqual({ traces: [], next: null })
      })

      test('leaves out sold traces, and traces of the current version and revision', async () => {
        const listIds = async (owner: string | null, version = '1') =>
          (await listStale(owner, 0, 100, version)).traces.map(({ id }) => id)
        expect([await listIds(null), await listIds('ann')]).toEqual([[], []])
        await change('ann', 'Kumquat')
        await sell(first)
        expect([await listIds(null), await listIds('ann'), await listIds('bob')]).toEqual([
          ids.slice(1),
          ids.slice(1),
          [],
        ])
        expect(await listIds('ann', '2')).toEqual(ids.slice(1))
      })

      test('reads a limited number of positions per call', async () => {
        const { num } = (await listAll()).at(-1)!
        expect(await listStale(null, num - 1_000_000)).toEqual({ traces: [], next: expect.any(Number) })
      })
    })

    describe('countStaleTraces', () => {
      test("counts the owner's unsold traces of another version or revision", async () => {
        expect([await countStale('ann'), await countStale('ann', '2'), await countStale('nobody', '2')]).toEqual([
          0, 3, 0,
        ])
        await change('ann', 'Kumquat')
        expect([await countStale('ann'), await countStale('bob')]).toEqual([3, 0])
        await sell(second)
        expect(await countStale('ann')).toBe(2)
        await write({ result: { kind: 'scrubbed', trace: { ...rescrubbed, scrubVersion: '1' } } })
        expect(await countStale('ann')).toBe(1)
      })
    })

    describe('storeRescrubbed', () => {
      test('stores the changes and keeps all other data, including the position in the order', async () => {
        const before = (await read(first))!
        const order = (await listAll('ann')).map(({ id }) => id)
        await change('ann', 'Kumquat')
        expect(await write()).toBe(true)
        expect(await read(first)).toEqual({ ...before, ...rescrubbed, ownerRevision: 1, withheld: null })
        expect((await listAll('ann')).map(({ id }) => id)).toEqual(order)
        expect(await read(first, 'bob')).toBeNull()
        expect(await read(second)).toMatchObject({ scrubVersion: '1', identityRevision: 0 })
      })

      test('renames the trace in the outcomes of its job, and an upload of the same conversation updates it', async () => {
        await write()
        const outcomes = await place.stores[1].ingest.listOutcomes({ ownerId: 'ann', jobId: makeId('job', jobs - 1) })
        expect(outcomes!.map(({ sourceId }) => sourceId)).toEqual([rescrubbed.sourceId, 'ann-1', 'ann-2'])
        await put('ann', [makeTrace('ann', 9, { ...old, sourceId: 'ann-0' })])
        expect(await read(first)).toMatchObject({ contentHash: makeHash('ann', 9), scrubVersion: '1' })
      })

      test.each([
        ['version', { scrubVersion: '0' }],
        ['identity revision', { identityRevision: 5 }],
        ['content', { contentHash: makeHash('ann', 8) }],
      ])('returns false and writes nothing when the %s differs', async (_, differing) => {
        const before = await read(first)
        expect(await write({ expected: { ...expected, ...differing } })).toBe(false)
        expect(await read(first)).toEqual(before)
      })

      test('returns false and writes nothing for a trace that is sold, deleted or of another owner', async () => {
        await sell(first)
        const sold = await read(first)
        expect(await write()).toBe(false)
        expect(await read(first)).toEqual(sold)
        await place.stores[0].traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [second] })
        const ofSecond = { id: second, expected: { ...expected, contentHash: makeHash('ann', 1) } }
        expect(await write(ofSecond)).toBe(false)
        expect(await read(second)).toBeNull()
        const ofBob = { id: makeId('bob', 0), expected: { ...expected, contentHash: makeHash('bob', 0) } }
        expect(await write(ofBob)).toBe(false)
        expect(await read(makeId('bob', 0), 'bob')).toMatchObject({ sourceId: 'bob-0' })
      })

      test('stores only one of two results of the same trace', async () => {
        const written = await Promise.all([write({}, store), write({}, otherHost)])
        expect(written.filter(Boolean)).toHaveLength(1)
      })

      test('withholds a trace from sale but keeps its content, until it is scrubbed or uploaded again', async () => {
        const withheld = { kind: 'withheld', reason: 'refused', scrubVersion: '2', identityRevision: 0 } as const
        const before = (await read(first))!
        expect(await write({ result: withheld })).toBe(true)
        expect(await read(first)).toEqual({ ...before, scrubVersion: '2', withheld: 'refused' })
        expect(await countStale('ann', '2')).toBe(2)
        expect(await sell(first)).toEqual([])
        expect(await write({ expected: { ...expected, scrubVersion: '2' } })).toBe(true)
        expect(await read(first)).toMatchObject({ withheld: null })
        await write({ id: second, expected: { ...expected, contentHash: makeHash('ann', 1) }, result: withheld })
        await put('ann', [makeTrace('ann', 9, { sourceId: 'ann-1' })])
        expect(await read(second)).toMatchObject({ withheld: null, contentHash: makeHash('ann', 9) })
      })
    })
  })
}
