export { s3Blobs, type S3BlobsOptions } from './s3.ts'
export {
  sqsQueue,
  sqsVisibility,
  sqsWorker,
  type SqsQueueOptions,
  type SqsVisibilityOptions,
  type SqsWorker,
  type SqsWorkerOptions,
} from './sqs.ts'
