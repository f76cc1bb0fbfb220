import type { Blobs, Logger, Queue, Service } from '@tributary/core'

type Aws = typeof import('@tributary/host-lambda/aws')

/** The error for missing packages of SQS and S3. The message names these packages. */
export class MissingPackagesError extends Error {}

/** Loads the AWS adapters, whose packages are optional. Throws `MissingPackagesError`. */
export async function loadAws(): Promise<Aws> {
  try {
    return await import('@tributary/host-lambda/aws')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new MissingPackagesError(
      'SQS and S3 need optional packages: npm install @tributary/host-lambda @aws-sdk/client-sqs ' +
        '@aws-sdk/client-s3 @aws-sdk/s3-request-presigner',
      { cause: error },
    )
  }
}

/**
 * Stores raw uploads in a bucket. `location` is `bucket` or `bucket/prefix`. Credentials and region are read from AWS's
 * environment variables.
 */
export function bucketBlobs(location: string): Required<Blobs> {
  const slash = location.indexOf('/')
  const bucket = slash < 0 ? location : location.slice(0, slash)
  const folder = slash < 0 ? '' : location.slice(slash + 1).replace(/\/+$/, '')
  let opened: Promise<Blobs> | null = null
  const open = (): Promise<Blobs> =>
    (opened ??= loadAws().then(({ s3Blobs }) => s3Blobs({ bucket, prefix: folder === '' ? '' : `${folder}/` })))
  return {
    put: async (...args) => (await open()).put(...args),
    get: async (...args) => (await open()).get(...args),
    delete: async (...args) => (await open()).delete(...args),
    stale: async (...args) => (await open()).stale(...args),
    presign: async (...args) => (await open()).presign!(...args),
    publish: async (...args) => (await open()).publish!(...args),
  }
}

/** Wakes workers on other machines through SQS. */
export function remoteQueue(queueUrl: string): Queue {
  let opened: Promise<Queue> | null = null
  return {
    async send(...args) {
      opened ??= loadAws().then(({ sqsQueue }) => sqsQueue({ queueUrl }))
      return (await opened).send(...args)
    },
  }
}

/** Runs the jobs that a queue announces, until it is stopped. */
export async function startQueueWorker(
  worker: Pick<Service, 'work'>,
  queueUrl: string,
  logger: Logger,
): Promise<{ stop(): Promise<void> }> {
  return (await loadAws()).sqsWorker(worker, { queueUrl, logger })
}
