import { createService } from '@tributary/core'
import { createTestStores } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import {
  countryFrom,
  createMetrics,
  listen,
  listenMetrics,
  maxmindCountry,
  openLocal,
  outsideFetch,
  serve,
  toApp,
  toNodeListener,
  transformersDetector,
} from './index.ts'

const logger = { info() {}, warn() {}, error() {} }
const service = createService({ baseUrl: 'http://127.0.0.1', stores: createTestStores(), logger })

test.each<[string, (options: never) => unknown, object, string]>([
  ['toApp', (options) => toApp(service, options), { metric: true }, 'metrics'],
  ['toNodeListener', (options) => toNodeListener(service, options), { bodyTimeout: 1 }, 'bodyTimeoutMs'],
  ['toNodeListener', (options) => toNodeListener(service, options), { metrics: { accessed: true } }, 'metrics.access'],
  ['listen', (options) => listen(service, options), { ports: 0 }, 'port'],
  ['listenMetrics', (options) => listenMetrics(service, options), { port: 0, tokens: 'x' }, 'token'],
  ['createMetrics', (options) => createMetrics(service, undefined, options), { source: [] }, 'sources'],
  ['outsideFetch', outsideFetch, { allow: () => true }, 'allows'],
  ['openLocal', (options) => openLocal(':memory:', options), { busyMS: 1 }, 'busyMs'],
  ['countryFrom', countryFrom, { headers: 'x' }, 'header'],
  ['maxmindCountry', (options) => maxmindCountry('none.mmdb', options), { checkMS: 1 }, 'checkMs'],
  ['transformersDetector', transformersDetector, { models: 'x' }, 'model'],
  ['serve', serve, { mailBox: null }, 'mailbox'],
  ['serve', serve, { config: { blobFolders: 'x' } }, 'config.blobFolder'],
])('%s refuses an option that it does not know', async (_, make, options, name) => {
  await expect((async () => make(options as never))()).rejects.toThrow(`did you mean ${name}?`)
})
