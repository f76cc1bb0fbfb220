import { Unavailable } from '@tributary/core'
import {
  createTestStores,
  runBlobsContract,
  fixture,
  lambdaHost,
  makeSentTraces,
  createTraveller,
} from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3Blobs } from '../aws.ts'
import { lambdaPlatform, toLambdaHandler } from '../index.ts'
import { createS3Client, startS3, startTrouble, type Emulator } from './aws.fixture.ts'
import type { S3Client } from '@aws-sdk/client-s3'

runBlobsContract(
  'S3',
  async () => {
    const s3 = await startS3()
    const again = createS3Client(s3.url)
    return {
      blobs: [
        s3Blobs({ bucket: 'uploads', client: s3.client, prefix: 'in/' }),
        s3Blobs({ bucket: 'uploads', client: again, prefix: 'in/' }),
      ],
      async close() {
        again.destroy()
        await s3.close()
      },
    }
    // s3rver writes two concurrent uploads of a key into one file. In S3 the later write replaces the whole object (its
    // data consistency model).
  },
  { races: false },
)

describe('s3Blobs on an S3 emulator', () => {
  let s3: Emulator<S3Client>
  beforeAll(async () => {
    s3 = await startS3()
  })
  afterAll(() => s3.close())

  test('encrypts each object and keeps it private', async () => {
    const trouble = await startTrouble(s3.url)
    const client = createS3Client(trouble.url)
    await s3Blobs({ bucket: 'uploads', client }).put('a', Buffer.from('x'))
    await s3Blobs({ bucket: 'uploads', client, kmsKeyId: 'key-1' }).put('b', Buffer.from('x'))
    const [plain, kms] = trouble.seen.map(({ headers }) => headers)
    expect(plain!['x-amz-server-side-encryption']).toBe('AES256')
    expect([kms!['x-amz-server-side-encryption'], kms!['x-amz-server-side-encryption-aws-kms-key-id']]).toEqual([
      'aws:kms',
      'key-1',
    ])
    for (const { headers } of trouble.seen)
      expect(Object.keys(headers).filter((name) => /acl|grant/.test(name))).toEqual([])
    await trouble.close()
  })

  test('rejects with Unavailable when S3 disconnects, throttles or does not answer, and never returns part of an object', async () => {
    const trouble = await startTrouble(s3.url)
    const bytes = Buffer.alloc(300_000, 7)
    const blobs = s3Blobs({ bucket: 'uploads', client: createS3Client(trouble.url, { maxAttempts: 1 }) })
    await blobs.put('c/0', bytes)
    trouble.troubles.push('cut')
    await expect(blobs.get('c/0')).rejects.toSatisfy(Unavailable.is)
    trouble.troubles.push(503, 503, 500)
    await expect(blobs.get('c/0')).rejects.toSatisfy(Unavailable.is)
    await expect(blobs.put('c/1', bytes)).rejects.toSatisfy(Unavailable.is)
    await expect(blobs.stale(Date.now() + 60_000, 1, '')).rejects.toSatisfy(Unavailable.is)
    trouble.troubles.push({ wait: 400 })
    expect(Buffer.compare((await blobs.get('c/0'))!, bytes)).toBe(0)
    await trouble.close()
    await expect(blobs.get('c/0')).rejects.toSatisfy(Unavailable.is)
  })

  test('rejects for a missing bucket with an error other than Unavailable', async () => {
    const blobs = s3Blobs({ bucket: 'nowhere', client: s3.client })
    await expect(blobs.get('a')).rejects.toMatchObject({ name: 'NoSuchBucket' })
    await expect(blobs.put('../a', Buffer.from('x'))).rejects.toThrow('invalid blob key')
  })

  test('stores a large batch that the client PUTs, and POST /api/ingest accepts it', async () => {
    const stores = createTestStores()
    const blobs = s3Blobs({ bucket: 'uploads', client: s3.client, prefix: 'big/' })
    const made = fixture({
      stores,
      blobs,
      approval: 'automatic',
      country: () => 'US',
      ...lambdaPlatform(),
      clock: Date.now,
    })
    const handler = toLambdaHandler(made.service)
    const { request } = lambdaHost((event) => handler(event as never), { gateway: 'http' })
    const traveller = await createTraveller({
      request,
      email: 's3@example.com',
      code: (email) => made.mailer.code(email),
    })
    const body = Buffer.from(JSON.stringify({ traces: makeSentTraces(90, 100_000) }))
    const { json } = await traveller.call('POST', '/api/ingest/uploads', { bytes: body.length })
    const address = new URL(String(json['url']))
    expect(address.origin).toBe(s3.url)
    expect(address.searchParams.get('X-Amz-SignedHeaders')!.split(';')).toEqual([
      'content-length',
      'content-type',
      'host',
      'x-amz-server-side-encryption',
    ])
    expect(Number(address.searchParams.get('X-Amz-Expires'))).toBeGreaterThan(3_500)
    const early = await traveller.call('POST', '/api/ingest', { uploadId: json['uploadId'] })
    expect([early.status, early.json['error']]).toEqual([404, 'upload_not_found'])
    const put = await fetch(address, { method: 'PUT', body, headers: json['headers'] as Record<string, string> })
    expect(put.status).toBe(200)
    const { status, json: accepted } = await traveller.call('POST', '/api/ingest', { uploadId: json['uploadId'] })
    expect(status).toBe(202)
    expect(await made.service.work({ jobId: String(accepted['jobId']) })).toMatchObject({ done: 1 })
    expect(await traveller.traces()).toHaveLength(90)
    expect(await blobs.stale(Date.now() + 60_000, 10, '')).toEqual([])
  })
})
