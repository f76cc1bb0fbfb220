import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GetObjectCommand, UploadPartCommand, type S3Client } from '@aws-sdk/client-s3'
import type { Emulator } from './aws.fixture.ts'

/** A proxy in front of an S3 emulator. */
export interface PartCopies {
  readonly url: string
  readonly server: Server
  /** Method and path of every request, oldest first. */
  readonly requests: readonly string[]
}

/**
 * Starts a proxy in front of s3rver, because s3rver stores the empty body of UploadPartCopy as the part. The proxy
 * reads the source and uploads it as the part, as S3 does. It forwards every other request unchanged.
 */
export async function startPartCopies({ url, client }: Emulator<S3Client>): Promise<PartCopies> {
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
