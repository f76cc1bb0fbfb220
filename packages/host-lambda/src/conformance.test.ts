import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type ServiceOptions } from '@tributary/core'
import {
  createTestStores,
  invokeWithEvent,
  runConformanceContract,
  gateways,
  makeHostileEvent,
  hostility,
  lambdaHost,
  createRecordingMailer,
  startHrana,
  createMigratedFile,
  toEvent,
  type Gateway,
  type HostUnderTest,
} from '@tributary/test-kit'
import type { Target } from '@tributary/test-kit/conformance'
import { describe } from 'vitest'
import { lambdaPlatform, toLambdaHandler, type LambdaHandler } from './index.ts'
import { tursoStores } from './turso.ts'

const adminToken = 'the-operator-of-this-test'
const logger = { info() {}, warn() {}, error() {} }
/** A function has no monitoring endpoints, because the platform monitors the process. */
const skips = [
  'this host has no ',
  'needs --country-header',
  'needs --min-version',
  'needs --rates',
  'needs --passkey-token',
]

function make(options: Partial<ServiceOptions> = {}): { handler: LambdaHandler; target: Omit<Target, 'request'> } {
  const mailer = createRecordingMailer()
  let ahead = 0
  const service = createService({
    clock: () => Date.now() + ahead,
    baseUrl: 'https://api.example.com',
    stores: createTestStores(),
    mailer,
    rates: 'off',
    adminToken,
    country: () => 'US',
    ingestLimit: 1024 * 1024,
    ...lambdaPlatform(),
    logger,
    ...options,
  })
  return {
    handler: toLambdaHandler(service),
    target: {
      adminToken,
      code: (email) => mailer.code(email),
      prefix: service.prefix,
      work: () => service.work(),
      wait: (ms) => void (ahead += ms),
    },
  }
}

const invoke =
  (handler: LambdaHandler) =>
  (event: unknown): Promise<unknown> =>
    handler(event as never)

type Loose = Record<string, unknown>
const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Puts a request into a recorded event. Fields around the request keep the values that a live gateway sent. */
function mergeEvents(recorded: Loose, event: Loose, own: ReadonlySet<string>): Loose {
  const both = new Set([...Object.keys(recorded), ...Object.keys(event)])
  return Object.fromEntries(
    [...both].map((key) => {
      if (!(key in event)) return [key, recorded[key]]
      return [
        key,
        isObject(recorded[key]) && isObject(event[key]) && !own.has(key)
          ? mergeEvents(recorded[key], event[key], own)
          : event[key],
      ]
    }),
  )
}

/** The fields of an event that describe the request itself and not the gateway or the invocation. */
const request: ReadonlySet<string> = new Set([
  'headers',
  'multiValueHeaders',
  'queryStringParameters',
  'multiValueQueryStringParameters',
  'pathParameters',
])
/** Names of headers of a live gateway that describe neither the request's body nor its caller. */
const surrounding = /^(?:x-amzn|x-forwarded-p|host|user-agent|accept$|via|x-amz-cf|cloudfront)/i

/** Each gateway with its recording. There is no recording of an HTTP API with payload 1.0. */
const recordings: Readonly<Record<Gateway, string | null>> = {
  'rest': 'rest',
  'http': 'http',
  'http-1': null,
  'url': 'url',
  'alb': 'alb',
  'alb-single': 'single',
}

/**
 * Creates a function that gets each request in the form of an event that was recorded behind a live gateway. The test's
 * request replaces the recorded request, and the event is made hostile.
 */
function createRecordedHost(gateway: Gateway, handler: LambdaHandler): HostUnderTest['request'] {
  const name = recordings[gateway]
  const recorded =
    name === null
      ? {}
      : (JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url), 'utf8')) as Loose)
  const keepSurrounding = (map: unknown): Loose =>
    Object.fromEntries(Object.entries(isObject(map) ? map : {}).filter(([header]) => surrounding.test(header)))
  return async (method, target, headers = [], body = []) => {
    const made = toEvent(
      { method, target, headers, body: body.length > 0 ? Buffer.concat(body) : null },
      { gateway },
    ) as Loose | null
    if (made === null) return { status: 400, headers: [], body: new Uint8Array(0) }
    const event = mergeEvents(recorded, made, request)
    // Cookies belong to the request. The cookies of the recording belong to another client.
    if (!('cookies' in made)) delete event['cookies']
    for (const map of ['headers', 'multiValueHeaders'])
      if (isObject(made[map])) event[map] = { ...keepSurrounding(recorded[map]), ...made[map] }
    return invokeWithEvent(invoke(handler), makeHostileEvent(event, hostility), { gateway }, method)
  }
}

// In every run, contracts.test.ts runs the host's own contract behind every gateway, and journey.test.ts runs the steps
// of a contributor.
for (const gateway of Object.keys(gateways) as Gateway[]) {
  const loses = gateways[gateway]
  // Every second gateway approves automatically, so that both kinds of approval are tested with every family of events.
  const approval = gateway.length % 2 === 0 ? 'automatic' : 'manual'
  describe(gateway, { tags: 'slow' }, () => {
    runConformanceContract({
      name: `Lambda, hostile events as recorded behind ${gateway}`,
      skips: [
        ...skips,
        ...(approval === 'automatic' ? ['this service approves by itself'] : []),
        ...(loses.includes('repeats') ? ['the platform before the host loses repeated names'] : []),
      ],
      async open() {
        const { handler, target } = make({ approval })
        return { ...target, loses, request: createRecordedHost(gateway, handler) }
      },
    })
  })
}

// turso.test.ts is the short form of this test.
describe('on a remote database', { tags: 'slow' }, () => {
  runConformanceContract({
    name: 'Lambda at a stage of a REST API, on a remote libSQL',
    skips,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'tributary-conformance-'))
      await createMigratedFile(join(folder, 'a.db'))
      const database = await startHrana({ path: join(folder, 'a.db'), token: 'secret' })
      const { handler, target } = make({
        baseUrl: 'https://api.example.com/prod',
        stores: tursoStores({ url: database.url, authToken: 'secret' }),
      })
      const { request: ask } = lambdaHost(
        invoke((event) => handler(event)),
        { gateway: 'http', stage: 'prod' },
      )
      return {
        ...target,
        loses: gateways.http,
        request: ask,
        async close() {
          await database.close()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
  })
})
