import type { Blobs } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FixedClock } from '../fixtures/clock.ts'

export interface BlobsPlace {
  /** Two stores over the same blobs, as two hosts have them. A store inside one process is passed twice. */
  readonly blobs: readonly [Blobs, Blobs]
  /** The clock that sets the times of the blobs. Absent if the file system or a service sets the times. */
  readonly clock?: FixedClock
  close(): Promise<void>
}

const MiB = 1024 * 1024

function makePattern(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + (i >> 10) + seed) & 0xff
  return bytes
}

/**
 * Runs the contract tests of the `Blobs` port in a test file: pass a function that opens an empty store. `races` is
 * false for an emulator that may mix the bytes of two writers of one key.
 */
export function runBlobsContract(
  name: string,
  open: () => Promise<BlobsPlace>,
  { races = true }: { readonly races?: boolean } = {},
): void {
  describe(`blobs in ${name}`, () => {
    let place: BlobsPlace
    beforeEach(async () => {
      place = await open()
    })
    afterEach(() => place.close())

    test.each([0, 1, MiB - 1, MiB, MiB + 1, 3 * MiB + 7])(
      'get returns the %i bytes that put was given, also on another client',
      async (length) => {
        const [here, there] = place.blobs
        await here.put('upload/a/0', makePattern(length, 1))
        for (const blobs of [here, there])
          expect(Buffer.compare((await blobs.get('upload/a/0'))!, makePattern(length, 1))).toBe(0)
      },
    )

    test('get returns null for a key that was never put, even if similar keys exist', async () => {
      const [blobs] = place.blobs
      await blobs.put('upload/a/1', makePattern(3, 1))
      expect(await blobs.get('upload/a/10')).toBeNull()
      expect(await blobs.get('upload/a')).toBeNull()
    })

    test.each([
      [2 * MiB + 1, 5],
      [5, 2 * MiB + 1],
      [3 * MiB, 2 * MiB],
    ])('put replaces %i bytes with %i bytes under the same key', async (first, second) => {
      const [blobs, there] = place.blobs
      await blobs.put('k', makePattern(first, 1))
      await blobs.put('k', makePattern(second, 2))
      expect(Buffer.compare((await there.get('k'))!, makePattern(second, 2))).toBe(0)
    })

    test.runIf(races)(
      'put stores one of the two values completely when two clients write one key concurrently',
      async () => {
        const [here, there] = place.blobs
        await Promise.all([here.put('k', makePattern(2 * MiB + 9, 1)), there.put('k', makePattern(3 * MiB + 9, 2))])
        const got = (await here.get('k'))!
        expect(
          [makePattern(2 * MiB + 9, 1), makePattern(3 * MiB + 9, 2)].some((one) => Buffer.compare(got, one) === 0),
        ).toBe(true)
      },
    )

    test('put stores only the bytes of a view, and not later changes of its buffer', async () => {
      const [blobs] = place.blobs
      const around = makePattern(MiB * 2, 3)
      const view = around.subarray(100, 100 + MiB + 5)
      const before = view.slice()
      await blobs.put('k', view)
      await blobs.put('small', around.subarray(7, 9))
      around.fill(0)
      expect(Buffer.compare((await blobs.get('k'))!, before)).toBe(0)
      expect([...(await blobs.get('small'))!]).toEqual([...makePattern(MiB * 2, 3).subarray(7, 9)])
    })

    test('delete removes only the named blob, and can be repeated', async () => {
      const [here, there] = place.blobs
      await here.put('a', makePattern(MiB + 1, 1))
      await here.put('b', makePattern(1, 1))
      await there.delete('a')
      await there.delete('a')
      expect(await here.get('a')).toBeNull()
      expect(await here.get('b')).not.toBeNull()
    })

    test('stale lists keys in order, page by page, and omits keys that are newer than the bound', async () => {
      const [blobs] = place.blobs
      const keys = ['put/1', 'upload/a/0', 'upload/a/1', 'upload/b/0']
      for (const key of keys.toReversed()) await blobs.put(key, makePattern(2, 1))
      const future = (place.clock?.() ?? Date.now()) + 60_000
      expect(await blobs.stale(future, 100, '')).toEqual(keys)
      expect(await blobs.stale(future, 2, '')).toEqual(keys.slice(0, 2))
      expect(await blobs.stale(future, 2, 'upload/a/0')).toEqual(keys.slice(2))
      expect(await blobs.stale(future, 2, 'upload/b/0')).toEqual([])
      expect(await blobs.stale(future - 120_000, 100, '')).toEqual([])
    })
  })
}
