import { createService } from '@tributary/core'
import { createTestStores } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { s3Blobs, sqsQueue, sqsVisibility, sqsWorker } from './aws.ts'
import { emfMeter, toLambdaHandler, toQueueHandler, toScheduleHandler } from './index.ts'
import { tursoClient, tursoStores } from './turso.ts'

const logger = { info() {}, warn() {}, error() {} }
const service = createService({ baseUrl: 'http://127.0.0.1', stores: createTestStores(), logger })

test.each<[string, (options: never) => unknown, string]>([
  ['toLambdaHandler', (options) => toLambdaHandler(service, options), 'basePath'],
  ['toQueueHandler', (options) => toQueueHandler(service, options), 'marginMs'],
  ['toScheduleHandler', (options) => toScheduleHandler(service, options), 'marginMs'],
  ['emfMeter', emfMeter, 'namespace'],
  ['s3Blobs', s3Blobs, 'kmsKeyId'],
  ['sqsQueue', sqsQueue, 'queueUrl'],
  ['sqsVisibility', sqsVisibility, 'queueUrl'],
  ['sqsWorker', (options) => sqsWorker(service, options), 'waitSeconds'],
  ['tursoClient', tursoClient, 'authToken'],
  ['tursoStores', tursoStores, 'authToken'],
])('%s refuses an option that it does not know', (_, make, name) => {
  const wrong = { [name.toUpperCase()]: 'x' } as never
  expect(() => make(wrong)).toThrow(`unknown option '${name.toUpperCase()}'; did you mean ${name}?`)
})
