import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GetObjectCommand, UploadPartCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3Blobs } from '../aws.ts'
import { createS3Client, startS3, type Emulator } from './aws.fixture.ts'

interface PartCopies {
  readonly url: string
  readonly server: Server
  /** Method and path of every request, oldest first. */
  readonly requests: readonly string[]
}

/**
 * Starts a proxy before s3rver, which stores the empty body of UploadPartCopy as the part. The proxy reads the source
 * and uploads it as the part, as S3 does, and passes every other request on.
 */
async function startPartCopies({ url, client }: Emulator<S3Client>): Promise<PartCopies> {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const { pathname, searchParams } = new URL(request.url!, 'http://s3.example')
    const source = request.headers['x-amz-copy-source']
    if (typeof source !== 'string') {
      const { port, hostname, host } = new URL(url)
      const headers = { ...request.headers, host }
      const onward = httpRequest({ port, hostname, method: request.method, path: request.url, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
      request.pipe(onward)
      return
    }
    const [, Bucket, ...key] = pathname.split('/')
    const from = source.replace(/^\//, '').split('/')
    const found = await client
      .send(new GetObjectCommand({ Bucket: from[0]!, Key: from.slice(1).join('/') }))
      .catch(() => null)
    if (!found) {
      response.writeHead(404, { 'content-type': 'application/xml' }).end('<Error><Code>NoSuchKey</Code></Error>')
      return
    }
    const { ETag } = await client.send(
      new UploadPartCommand({
        Bucket,
        Key: key.join('/'),
        UploadId: searchParams.get('uploadId')!,
        PartNumber: Number(searchParams.get('partNumber')),
        Body: await found.Body!.transformToByteArray(),
      }),
    )
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(`<CopyPartResult><ETag>${ETag!.replaceAll('"', '&quot;')}</ETag></CopyPartResult>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, requests }
}

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
    // s3rver keeps no list of unfinished uploads, so the request that aborts this one must do.
    expect(front.requests.at(-1)).toMatch(/^DELETE \/uploads\/export\/other\?.*uploadId=/)
  })
})
