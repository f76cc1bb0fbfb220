import type { S3Client } from '@aws-sdk/client-s3'
import { Unavailable } from '@tributary/core'
import { describe, expect, test } from 'vitest'
import { s3Blobs } from './aws.ts'

/** Emulates S3's listing in pages of three: s3rver cannot truncate a listing. */
function createListingClient(keys: readonly string[], written: number): { client: S3Client; asked: object[] } {
  const asked: object[] = []
  const send = async ({ input }: { input: { Prefix: string; StartAfter?: string } }): Promise<object> => {
    asked.push(input)
    const rest = keys.filter((key) => key.startsWith(input.Prefix) && key > (input.StartAfter ?? ''))
    return {
      Contents: rest.slice(0, 3).map((Key) => ({ Key, LastModified: new Date(written) })),
      IsTruncated: rest.length > 3,
    }
  }
  return { client: { send } as unknown as S3Client, asked }
}

test('s3Blobs.stale lists the keys below the prefix, page by page, up to the limit of the call', async () => {
  const keys = Array.from({ length: 10 }, (_, n) => `in/k/${n}`)
  const { client, asked } = createListingClient(['in', ...keys, 'other/1'], 1_000)
  const blobs = s3Blobs({ bucket: 'b', prefix: 'in/', client })
  expect(await blobs.stale(2_000, 100, '')).toEqual(keys.map((key) => key.slice(3)))
  expect(asked).toHaveLength(4)
  expect(await blobs.stale(2_000, 4, 'k/3')).toEqual(['k/4', 'k/5', 'k/6', 'k/7'])
  expect(await blobs.stale(1_000, 100, '')).toEqual([])
})

describe('s3Blobs.put', () => {
  const failWith = (status: number): S3Client => {
    const error = Object.assign(new Error('no'), { $metadata: { httpStatusCode: status } })
    return { send: () => Promise.reject(error) } as unknown as S3Client
  }

  test.each([
    [500, true],
    [503, true],
    [429, true],
    [408, true],
    [501, false],
    [403, false],
    [404, false],
  ])('rejects a reply of %i with Unavailable: %s', async (status, isOutage) => {
    const put = s3Blobs({ bucket: 'b', client: failWith(status) }).put('k', new Uint8Array(1))
    const error = await put.catch((thrown: unknown) => thrown)
    expect(Unavailable.is(error)).toBe(isOutage)
  })
})
