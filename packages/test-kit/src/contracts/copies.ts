import type { Claim, CopyStore, PreparedCopies, PreparedTrace } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isShortRun } from '../fixtures/full-run.ts'
import { makeId, makeRemovalNotice, makeTrace } from '../fixtures/seed.ts'
import { expectExactList } from './lists.ts'
import { createJobCalls, prepareTrace, until } from './ingest-fixture.ts'
import type { IngestPlace } from './ingest-place.ts'

export interface CopiesPlace extends IngestPlace {
  /** Two stores over the same data, as two hosts have them. */
  readonly copies: readonly [CopyStore, CopyStore]
}

type Overlaps = PreparedCopies['overlaps']

/** Runs the contract tests of `CopyStore`, and of the work that `writeBatch` and deletions do for this store. */
export function runCopyStoreContract(name: string, open: () => Promise<CopiesPlace>): void {
  describe(`CopyStore over ${name}`, () => {
    let place: CopiesPlace
    let jobs = 0
    const { enqueue, claimJob } = createJobCalls(() => place)
    beforeEach(async () => {
      place = await open()
      for (const person of ['ann', 'bob', 'cat']) await place.person(person)
    })
    afterEach(() => place.close())

    const prepare = (
      label: string,
      n: number,
      index: number,
      { fingerprints = [1, 2, 3], overlaps = [] }: Partial<PreparedCopies>,
    ): PreparedTrace => {
      const prepared = prepareTrace(index, makeTrace(label, n, { tokenCount: 100 }))
      return prepared.kind === 'scrubbed' ? { ...prepared, copies: { fingerprints, overlaps } } : prepared
    }
    const claimNew = async (owner: string, total: number): Promise<Claim> => {
      await enqueue(owner, ++jobs, total, 1)
      return claimJob(`lease ${jobs}`)
    }
    const write = (claim: Claim, traces: readonly PreparedTrace[], copyVersion?: number) =>
      place.stores[1].writeBatch({ claim, traces, copyVersion, now: 200, leaseUntil: 200 + until })
    /** Stores a trace of an owner, and returns its number in the store. */
    const store = async (owner: string, label: string, n: number, copies: Partial<PreparedCopies> = {}) => {
      expect(await write(await claimNew(owner, 1), [prepare(label, n, 0, copies)])).toBe('written')
      return place.traces.findLastPlace()
    }
    const find = (...shingles: number[]) =>
      place.copies[0].findSimilarTraces({ lists: [shingles], system: [], limit: 9 })
    const copyOf = (num: number, ranges: Overlaps[number]['ranges'] = [[0, 90]]): Overlaps => [
      { other: { num }, ranges, otherRanges: ranges },
    ]
    const stats = (ownerId: string) => place.copies[1].getCopyStats({ ownerId })
    const none = { copiedTraces: 0, copiedTokens: 0 }

    test('findSimilarTraces returns the traces with most of the fingerprints first, and readMessages returns their messages', async () => {
      const first = await store('ann', 'ann', 1, { fingerprints: [1, 2, 3, 4] })
      const second = await store('bob', 'bob', 1, { fingerprints: [3, 5] })
      const { similar, common } = await find(1, 3, 4, 9)
      expect([similar, common]).toEqual([
        [
          [
            {
              num: first,
              id: makeId('ann', 1),
              hits: 3,
              weight: expect.closeTo(2 + Math.SQRT1_2),
              fingerprints: 4,
              tokenCount: 100,
            },
            {
              num: second,
              id: makeId('bob', 1),
              hits: 1,
              weight: expect.closeTo(Math.SQRT1_2),
              fingerprints: 2,
              tokenCount: 100,
            },
          ],
        ],
        [],
      ])
      const limited = await place.copies[1].findSimilarTraces({ lists: [[], [3, 1]], system: [5], limit: 1 })
      expect(limited.similar.map((found) => found.map(({ num }) => num))).toEqual([[], [first]])
      const { messages } = makeTrace('ann', 1)
      expect(await place.copies[0].readMessages({ id: makeId('ann', 1) })).toBe(messages)
      expect(await place.copies[0].readMessages({ id: makeId('ann', 2) })).toBeNull()
    })

    test('findSimilarTraces returns a trace that shares rare fingerprints before traces that share common fingerprints', async () => {
      for (let n = 0; n < 9; n++) await store('ann', 'prompt', n, { fingerprints: [1, 2, 3, 10 + n] })
      const original = await store('bob', 'original', 1, { fingerprints: [4, 5] })
      const { similar } = await place.copies[0].findSimilarTraces({ lists: [[1, 2, 3, 4, 5]], system: [], limit: 1 })
      expect(similar[0]!.map(({ num, hits }) => [num, hits])).toEqual([[original, 2]])
    })

    test('findSimilarTraces leaves out text that 20 traces of 3 contributors share, and returns it as common', async () => {
      const shared = { fingerprints: [7, 8] }
      for (let n = 0; n < 19; n++) await store(n % 2 ? 'ann' : 'bob', 'shared', n, shared)
      expect([(await find(7)).common, (await find(7)).similar[0]!.length]).toEqual([[], 9])
      await store('ann', 'shared', 19, shared)
      expect((await find(7)).common).toEqual([])
      await store('cat', 'shared', 20, { fingerprints: [7] })
      const { common, similar } = await place.copies[0].findSimilarTraces({ lists: [[7], [8]], system: [7], limit: 1 })
      expect([common, similar.map(({ length }) => length)]).toEqual([[7], [0, 1]])
    })

    test('writeBatch does not write a batch that was compared before other batches were stored; the order decides copies', async () => {
      const [mine, theirs] = [await claimNew('ann', 1), await claimNew('bob', 1)]
      const { version } = await find(1)
      expect(await write(mine, [prepare('ann', 1, 0, {})], version)).toBe('written')
      expect(await write(theirs, [prepare('bob', 1, 0, {})], version)).toBe('stale')
      const again = await find(1)
      const overlaps = copyOf(again.similar[0]![0]!.num)
      expect(await write(theirs, [prepare('bob', 1, 0, { overlaps })], again.version)).toBe('written')
      expect([await stats('ann'), await stats('bob')]).toEqual([none, { copiedTraces: 1, copiedTokens: 90 }])
    })

    test('writeBatch of a stale batch does not make other batches stale', async () => {
      const claims = [await claimNew('ann', 1), await claimNew('bob', 1), await claimNew('cat', 1)]
      const { version: before } = await find(1)
      expect(await write(claims[0]!, [prepare('ann', 1, 0, {})], before)).toBe('written')
      const { version: after } = await find(1)
      expect(await write(claims[1]!, [prepare('bob', 1, 0, {})], before)).toBe('stale')
      expect(await write(claims[2]!, [prepare('cat', 1, 0, {})], after)).toBe('written')
    })

    test('writeBatch of a worker that lost its lease stores no fingerprints and does not make other batches stale', async () => {
      const former = await claimNew('ann', 1)
      const claim = (await place.stores[0].claimJob({ lease: 'new', now: 1e6, leaseUntil: 1e6 + until }))!
      const { version } = await find(1)
      expect(await write(former, [prepare('ann', 1, 0, {})], version)).toBe('lost')
      expect(await find(1)).toEqual({ version, common: [], similar: [[]] })
      expect(await write(claim, [prepare('ann', 1, 0, {})], version)).toBe('written')
      await expect(write(claim, [prepare('ann', 1, 0, {})])).rejects.toThrow()
      expect((await find(1)).similar[0]).toHaveLength(1)
    })

    test('writeBatch counts tokens once even if several earlier traces, also of the same batch, contain them', async () => {
      const first = await store('ann', 'ann', 1)
      const second = await store('ann', 'ann', 2)
      const overlaps = [
        ...copyOf(first, [[0, 50]]),
        ...copyOf(second, [
          [40, 60],
          [70, 80],
        ]),
      ]
      const own: Overlaps = [{ other: { index: 0 }, ranges: [[0, 81]], otherRanges: [[0, 81]] }]
      const claim = await claimNew('bob', 2)
      await write(claim, [prepare('bob', 1, 0, { overlaps }), prepare('bob', 2, 1, { overlaps: own })])
      expect(await stats('bob')).toEqual({ copiedTraces: 1, copiedTokens: 70 + 81 })
    })

    test('deleteUnsoldTraces and eraseTraces make the next copy the original after they delete the original', async () => {
      const first = await store('ann', 'ann', 1)
      const second = await store('bob', 'bob', 1, { overlaps: copyOf(first) })
      await store('cat', 'cat', 1, { overlaps: [...copyOf(first), ...copyOf(second, [[0, 85]])] })
      const all = async () => [await stats('bob'), await stats('cat')]
      expect(await all()).toEqual([
        { copiedTraces: 1, copiedTokens: 90 },
        { copiedTraces: 1, copiedTokens: 90 },
      ])
      await place.traces.deleteUnsoldTraces({ ownerId: 'ann', ids: [makeId('ann', 1)] })
      expect(await all()).toEqual([none, { copiedTraces: 1, copiedTokens: 85 }])
      expect((await find(1)).similar[0]!.map(({ num }) => num)).not.toContain(first)
      while (await place.traces.eraseTraces({ ownerId: 'bob', notice: makeRemovalNotice() }));
      expect(await all()).toEqual([none, none])
      expect((await find(1)).similar[0]).toHaveLength(1)
    })

    test('listCopiers pages through all contributors with at least 10 traces of which half or more are copies', async () => {
      const original = await store('ann', 'ann', 1)
      const people = isShortRun ? 60 : 300
      for (let n = 0; n < people; n++) {
        await place.person(`p${n}`)
        // Every third contributor has too few copies, and every fifth too few traces.
        const [total, copied] = [n % 5 === 4 ? 9 : 10, n % 3 === 2 ? 4 : 5 + (n % 2)]
        const traces = Array.from({ length: total }, (_, index) =>
          prepare(`p${n}`, index, index, { fingerprints: [], overlaps: index < copied ? copyOf(original) : [] }),
        )
        expect(await write(await claimNew(`p${n}`, total), traces)).toBe('written')
      }
      const expected = Array.from({ length: people }, (_, n) => people - 1 - n)
        .filter((n) => n % 5 !== 4 && n % 3 !== 2)
        .map((n) => ({ userId: `p${n}`, email: `p${n}@example.com`, traces: 10, copiedTraces: 5 + (n % 2) }))
      const list = (params: Parameters<CopyStore['listCopiers']>[0]) => place.copies[0].listCopiers(params)
      expect((await list({ cursor: null, limit: people })).items).toEqual(expected)
      await expectExactList({
        list,
        idOf: ({ userId }) => userId,
        ids: expected.map(({ userId }) => userId).toReversed(),
        sorts: { signedUpAt: null },
        found: [
          ['p4@example.com', []],
          ['p3@example.com', ['p3']],
          ['p1', expected.map(({ userId }) => userId).filter((id) => id.startsWith('p1'))],
          ['nobody', []],
        ],
      })
    }, 600_000)
  })
}
