import type { S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3Blobs } from '../aws.ts'
import { createS3Client, startS3, type Emulator } from './aws.fixture.ts'
import { startPartCopies, type PartCopies } from './part-copies.fixture.ts'

describe('s3Blobs.publish', () => {
  let s3: Emulator<S3Client>
  let front: PartCopies
  let client: S3Client
  beforeAll(async () => {
    s3 = await startS3()
    front = await startPartCopies(s3)
    client = createS3Client(front.url)
  })
  afterAll(async () => {
    client.destroy()
    front.server.close()
    await s3.close()
  })
  const parts = ['export/p/0', 'export/p/1', 'export/p/2']
  const whole = Buffer.alloc(11 * 1024 * 1024, 'abc')
  const params = { key: 'export/whole', parts, type: 'application/json', filename: 'tributary-account.json' }

  test('joins the parts in their order, deletes them, and returns the URL of one file', async () => {
    const blobs = s3Blobs({ bucket: 'uploads', client })
    const size = 5 * 1024 * 1024
    for (const [index, key] of parts.entries()) await blobs.put(key, whole.subarray(index * size, (index + 1) * size))
    const url = await blobs.publish!({ ...params, expiresAt: Date.now() + 60 * 60 * 1000 })
    const answer = await fetch(url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="tributary-account.json"')
    expect(Buffer.from(await answer.arrayBuffer()).equals(whole)).toBe(true)
    for (const key of parts) expect(await blobs.get(key)).toBeNull()
    expect(Number(new URL(url).searchParams.get('X-Amz-Expires'))).toBeLessThanOrEqual(3_600)
  })

  test('rejects and aborts the upload when a part is missing', async () => {
    const blobs = s3Blobs({ bucket: 'uploads', client })
    await blobs.put(parts[0]!, whole.subarray(0, 10))
    await expect(blobs.publish!({ ...params, key: 'export/other', expiresAt: Date.now() + 1_000 })).rejects.toThrow()
    // s3rver keeps no list of unfinished uploads, so the test checks the request that aborts the upload.
    expect(front.requests.at(-1)).toMatch(/^DELETE \/uploads\/export\/other\?.*uploadId=/)
  })
})
