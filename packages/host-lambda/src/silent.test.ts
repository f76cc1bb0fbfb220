import { S3Client } from '@aws-sdk/client-s3'
import { SQSClient } from '@aws-sdk/client-sqs'
import { Unavailable } from '@tributary/core'
import { startFaultyServer, type FaultyServer } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { s3Blobs } from './s3.ts'
import { sqsQueue } from './sqs.ts'

const credentials = { accessKeyId: 'k', secretAccessKey: ['not', 'secret'].join('-') }
let silent: FaultyServer
beforeEach(async () => {
  silent = await startFaultyServer('silent')
})
afterEach(() => silent.close())

describe('s3Blobs', () => {
  test('throws Unavailable when S3 accepts a connection and never answers', async () => {
    const client = new S3Client({ endpoint: silent.url, region: 'us-east-1', credentials, forcePathStyle: true })
    const blobs = s3Blobs({ bucket: 'b', client, deadlineMs: 300 })
    const calls = [
      blobs.put('upload/a/0', new Uint8Array(3)),
      blobs.get('upload/a/0'),
      blobs.delete('upload/a/0'),
      blobs.stale(1, 1, ''),
    ]
    const errors = await Promise.all(
      calls.map((call) =>
        call.then(
          () => null,
          (error: unknown) => error,
        ),
      ),
    )
    expect(errors.map((error) => Unavailable.is(error))).toEqual([true, true, true, true])
  })
})

describe('sqsQueue', () => {
  test('rejects when SQS accepts a connection and never answers', { tags: 'slow' }, async () => {
    const client = new SQSClient({ endpoint: silent.url, region: 'us-east-1', credentials })
    await expect(sqsQueue({ queueUrl: `${silent.url}/1/q`, client }).send('job')).rejects.toMatchObject({
      name: expect.stringMatching(/TimeoutError|AbortError/) as string,
    })
  })
})
