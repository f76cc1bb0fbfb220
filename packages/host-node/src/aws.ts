import type { Blobs, Logger, Queue, Service } from '@tributary/core'

import { Problem } from './cli/commands/command.ts'

type Aws = typeof import('@tributary/host-lambda/aws')

const missing =
  'SQS and S3 need packages that are not installed: npm install @tributary/host-lambda @aws-sdk/client-sqs @aws-sdk/client-s3 @aws-sdk/s3-request-presigner'

/** The AWS ports, which nobody needs who does not name them. Throws in words for the operator when they are not installed. */
export async function awsPorts(): Promise<Aws> {
  try {
    return await import('@tributary/host-lambda/aws')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Problem(missing, { cause: error })
  }
}

/** Raw uploads in a bucket, `bucket` or `bucket/prefix`; credentials and region are AWS's own environment variables. */
export function bucketBlobs(place: string): Required<Blobs> {
  const at = place.indexOf('/')
  const [bucket, prefix] = at < 0 ? [place, ''] : [place.slice(0, at), `${place.slice(at + 1).replace(/\/+$/, '')}/`]
  let made: Promise<Blobs> | null = null
  const open = (): Promise<Blobs> =>
    (made ??= awsPorts().then(({ s3Blobs }) => s3Blobs({ bucket, prefix: prefix === '/' ? '' : prefix })))
  return {
    put: async (...given) => (await open()).put(...given),
    get: async (...given) => (await open()).get(...given),
    delete: async (...given) => (await open()).delete(...given),
    stale: async (...given) => (await open()).stale(...given),
    presign: async (...given) => (await open()).presign!(...given),
    publish: async (...given) => (await open()).publish!(...given),
  }
}

/** Tells workers elsewhere over SQS. */
export function remoteQueue(queueUrl: string): Queue {
  let made: Promise<Queue> | null = null
  return {
    async send(...given) {
      made ??= awsPorts().then(({ sqsQueue }) => sqsQueue({ queueUrl }))
      return (await made).send(...given)
    },
  }
}

/** Works on what a queue brings, until stopped. */
export async function startQueueWork(
  service: Pick<Service, 'work'>,
  queueUrl: string,
  logger: Logger,
): Promise<{ stop(): Promise<void> }> {
  return (await awsPorts()).sqsWorker(service, { queueUrl, logger })
}
