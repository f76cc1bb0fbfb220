import type { ContentStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeId, makeTrace, makeSaleItems, makeSaleShares, makeRemovalNotice } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { makeSale, type TracesPlace } from './dataset.ts'
import { useRealTimes } from './real-times.ts'

/** Stores of traces, with the content store of each of the two hosts. */
export interface ContentsPlace extends TracesPlace {
  readonly contents: readonly [ContentStore, ContentStore]
}

const makeKey = (number: number): string => `content/${makeId('ann', number)}/${number}`
const makeReference = (key: string): string => JSON.stringify({ blob: key })

/** Registers the contract tests of `ContentStore`. */
export function runContentStoreContract(name: string, open: () => Promise<ContentsPlace>): void {
  describe(`contents: ${name}`, () => {
    let place: ContentsPlace
    let contents: ContentStore
    let otherHost: ContentStore
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[contents, otherHost] = place.contents
    })
    afterEach(() => place.close())

    const reserve = (...numbers: number[]) => contents.reserveBlobs({ keys: numbers.map(makeKey), until: 1_000 })
    const put = (number: number, messages = makeReference(makeKey(number))) =>
      place.put('ann', [makeTrace('ann', number, { messages })])
    const claimReleased = async (now = 10): Promise<string[]> =>
      (await otherHost.claimReleasedBlobs({ now, limit: 100 })).sort()
    const traceId = makeId('ann', 0)

    describe('claimReleasedBlobs', () => {
      test('returns a blob after its reservation ended, until forgetBlobs is called for the blob', async () => {
        await reserve(0, 1)
        expect(await claimReleased(999)).toEqual([])
        expect(await claimReleased(1_000)).toEqual([makeKey(0), makeKey(1)])
        expect(await claimReleased(1_000)).toEqual([makeKey(0), makeKey(1)])
        await contents.forgetBlobs({ keys: [makeKey(0)] })
        expect(await claimReleased(1_000)).toEqual([makeKey(1)])
      })

      test('returns a reserved blob after its release, but not a blob to which a trace refers', async () => {
        await reserve(0, 1)
        await put(0)
        await contents.releaseBlobs({ keys: [makeKey(0), makeKey(1)] })
        expect(await claimReleased()).toEqual([makeKey(1)])
        expect(await contents.readContent({ traceId })).toBe(makeReference(makeKey(0)))
      })

      test('returns the blobs of traces that their owner deletes, a limited number at a time', async () => {
        await reserve(0, 1, 2)
        for (const number of [0, 1, 2]) await put(number)
        await place.stores[1].deleteUnsoldTraces({ ownerId: 'ann', ids: [traceId, makeId('ann', 1)] })
        const [first] = await contents.claimReleasedBlobs({ now: 10, limit: 1 })
        expect([makeKey(0), makeKey(1)]).toContain(first)
        expect(await claimReleased()).toEqual([makeKey(0), makeKey(1)])
      })

      test('returns the blobs of all traces of an erased user, including sold traces', async () => {
        await reserve(0, 1)
        for (const number of [0, 1]) await put(number)
        const recorded = {
          sale: makeSale(1),
          items: makeSaleItems([traceId]),
          shares: makeSaleShares(),
          audit: makeAuditContext(),
        }
        await place.stores[0].recordSale(recorded)
        while (await place.stores[1].eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }));
        expect(await claimReleased()).toEqual([makeKey(0), makeKey(1)])
        expect(await otherHost.readContent({ traceId })).toBeNull()
      })
    })

    describe('a put of a reference', () => {
      test('refuses a blob without a reservation, and a claimed blob', async () => {
        await expect(put(0)).rejects.toThrow()
        await reserve(0)
        await contents.releaseBlobs({ keys: [makeKey(0)] })
        expect(await claimReleased()).toEqual([makeKey(0)])
        await expect(put(0)).rejects.toThrow()
        expect(await contents.readContent({ traceId })).toBeNull()
      })

      test('leaves the blob either claimed or referenced if it runs during claims', async () => {
        const numbers = Array.from({ length: 20 }, (_, number) => number)
        await reserve(...numbers)
        await contents.releaseBlobs({ keys: numbers.map(makeKey) })
        const claims = numbers.map(() => otherHost.claimReleasedBlobs({ now: 10, limit: 3 }))
        const stored = numbers.map((number) =>
          put(number).then(
            () => true,
            () => false,
          ),
        )
        const claimed = new Set((await Promise.all(claims)).flat())
        for (const number of numbers) expect(claimed.has(makeKey(number))).toBe(!(await stored[number]!))
      })
    })

    describe('replaceContent', () => {
      test('replaces only the expected content, in both directions, and releases the blob of the old content', async () => {
        await put(0, '["messages"]')
        await reserve(0)
        const replace = (expected: string, content: string) => contents.replaceContent({ traceId, expected, content })
        expect(await replace('["other"]', makeReference(makeKey(0)))).toBe(false)
        expect(await replace('["messages"]', makeReference(makeKey(0)))).toBe(true)
        expect(await claimReleased()).toEqual([])
        expect(await replace('["messages"]', '[]')).toBe(false)
        expect(await replace(makeReference(makeKey(0)), '["messages"]')).toBe(true)
        expect(await claimReleased()).toEqual([makeKey(0)])
        expect(await otherHost.readContent({ traceId })).toBe('["messages"]')
        expect(await contents.replaceContent({ traceId: makeId('none', 1), expected: '', content: '[]' })).toBe(false)
      })
    })

    describe('listMovable', () => {
      test('returns messages with at least the given number of bytes, or references, page by page', async () => {
        await reserve(1)
        await put(0, '["äää"]')
        await put(1)
        await put(2, '["aaa"]')
        await put(3, '["aaaaaa"]')
        const list = async (to: 'blobs' | 'database', minBytes: number, after = 0, limit = 10) =>
          contents.listMovable({ to, minBytes, after, limit })
        const listNumbers = async (found: ReturnType<typeof list>) =>
          (await found).map((one) => [0, 1, 2, 3].find((number) => makeId('ann', number) === one.traceId))
        expect(await listNumbers(list('blobs', 10))).toEqual([0, 3])
        expect(await listNumbers(list('blobs', 0))).toEqual([0, 2, 3])
        expect(await listNumbers(list('database', 0))).toEqual([1])
        const [first] = await list('blobs', 0, 0, 1)
        expect(await listNumbers(list('blobs', 0, first!.num, 1))).toEqual([2])
      })
    })
  })
}
