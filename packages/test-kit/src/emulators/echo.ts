import {
  BodyReadError,
  securityEvents,
  type PlainReply,
  type PlainRequest,
  type SecurityEvent,
  type Service,
} from '@tributary/core'
import {
  createDispatcher,
  createMeasurements,
  createMatcher,
  fail,
  mount,
  Reply,
  redirect,
  route,
} from '@tributary/core/adapter'
import * as z from 'zod'

/** The request as `/echo/:word` received it. */
export interface Echo {
  readonly method: string
  readonly path: string
  readonly word: string
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly address: string | null
  /** The body's bytes, or null without a body. */
  readonly bytes: readonly number[] | null
}

const any = z.any()
const open = { auth: 'none', envelope: 'ok', failures: {} } as const
/** The maximum number of decoded bytes that `POST /json` accepts. */
export const jsonLimit = 1024
/** All 256 byte values. A conversion to text would change some of them. */
export const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)

const contract = {
  echo: route({ ...open, summary: 'Says what came.', method: 'GET', path: '/echo/:word', reply: any }),
  echoBody: route({
    ...open,
    summary: 'Says what came.',
    method: 'POST',
    path: '/echo/:word',
    raw: 'bytes',
    reply: any,
  }),
  json: route({
    ...open,
    summary: 'Takes JSON.',
    method: 'POST',
    path: '/json',
    body: z.object({ text: z.string() }),
    bodyLimit: jsonLimit,
    reply: any,
  }),
  count: route({ ...open, summary: 'Counts bytes.', method: 'PUT', path: '/count', raw: 'bytes', reply: any }),
  unread: route({
    ...open,
    summary: 'Answers without reading.',
    method: 'POST',
    path: '/unread',
    raw: 'bytes',
    reply: any,
  }),
  cookies: route({ ...open, summary: 'Sets two cookies.', method: 'GET', path: '/cookies', reply: any }),
  stream: route({ ...open, summary: 'Streams.', method: 'GET', path: '/stream', reply: 'stream' }),
  bytes: route({ ...open, summary: 'Sends bytes.', method: 'GET', path: '/bytes', reply: 'stream' }),
  empty: route({ ...open, summary: 'Sends nothing.', method: 'DELETE', path: '/empty', reply: 'none', success: [204] }),
  away: route({ ...open, summary: 'Sends away.', method: 'GET', path: '/away', reply: 'page' }),
  healthz: route({ ...open, summary: 'Is alive.', method: 'GET', path: '/healthz', reply: any }),
  readyz: route({ ...open, summary: 'Is ready.', method: 'GET', path: '/readyz', reply: any }),
  bug: route({ ...open, summary: 'Fails.', method: 'GET', path: '/bug', reply: any }),
}

async function gatherBytes(request: PlainRequest): Promise<number[] | null> {
  if (!request.body) return null
  const bytes: number[] = []
  for await (const chunk of request.body()) for (const byte of chunk) bytes.push(byte)
  return bytes
}

async function* yieldPieces(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < 256; at += 64) yield allBytes.subarray(at, at + 64)
}

/**
 * Creates a service whose replies show the request as the host passed it, and contain every kind of reply that a host
 * must be able to send. It has no store and no capability, so every failure is caused by the host.
 */
export function echoService({ prefix = '' }: { prefix?: string } = {}): Service {
  const echoRequest = async ({ request, params }: { request: PlainRequest; params: unknown }): Promise<Echo> => ({
    method: request.method,
    path: request.path,
    word: (params as { word: string }).word,
    query: request.query,
    headers: { ...request.headers } as Record<string, string>,
    address: request.address,
    bytes: await gatherBytes(request),
  })
  let isDraining = false
  const word = z.object({ word: z.string() })
  const routes = mount(
    { ...contract, echo: { ...contract.echo, params: word }, echoBody: { ...contract.echoBody, params: word } },
    {
      echo: (input) => echoRequest(input),
      echoBody: (input) => echoRequest(input),
      json: ({ body }) => body,
      async count({ request }) {
        let size = 0
        if (request.body) for await (const chunk of request.body()) size += chunk.length
        return { size }
      },
      unread: () => ({ ok: true }),
      cookies: () =>
        new Reply(200, { ok: true }, [
          ['set-cookie', 'a=1; Path=/'],
          ['set-cookie', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'],
        ]),
      stream: () => new Reply(200, yieldPieces(), [['content-type', 'application/octet-stream']]),
      bytes: () => new Reply(200, allBytes, [['content-type', 'application/octet-stream']]),
      empty: () => new Reply(204, null),
      away: () => redirect('/echo/there?a=b'),
      healthz: () => ({ ok: true }),
      readyz: () => (isDraining ? fail('unavailable', { reason: 'draining' }) : { ok: true }),
      bug() {
        throw new TypeError('the secret detail')
      },
    },
    {},
  )
  let made = 0
  const measurements = createMeasurements()
  const { handle, refuseUnlessOperator } = createDispatcher(createMatcher(routes), {
    measurements,
    bodyLimits: { personBodyBytes: null, processBodyBytes: null },
    clock: () => 1_700_000_000_000,
    random: (length) => new Uint8Array(length).fill(++made % 256),
    logger: { info() {}, warn() {}, error() {} },
    authenticator: { person: async () => null, operator: () => 'off', buyer: async () => null },
    hmacCode: async () => [''],
    consumeRate: async () => null,
    version: { minVersion: null, upgradeCommand: '', requireClientVersion: false },
    prefix,
    requestPrefix: prefix,
    origins: [],
    trustedProxies: 0,
    failureHeaders: [],
    challenge: 'Bearer',
    corsOrigins: [],
    secure: false,
  })
  const missing = (): PlainReply => ({
    status: 404,
    headers: [
      ['content-type', 'application/json'],
      ['x-request-id', 'missing'],
    ],
    body: '{"ok":false,"error":"not_found"}',
  })
  return {
    handle,
    refuseUnlessOperator,
    measure: measurements.addMeter,
    fetch: () => Promise.reject(new BodyReadError('aborted')),
    missing,
    linkInteractiveReference() {},
    finishPage: async (_, page) => ({ body: page, headers: [] }),
    answerMissing: async () => missing(),
    getRescrubProgress: async () => ({ people: 0, traces: 0 }),
    getCounts: async () => ({ queues: [], redactions: {} }),
    securityEvents: Object.fromEntries(Object.keys(securityEvents).map((name) => [name, 0])) as Record<
      SecurityEvent,
      number
    >,
    ready: () => Promise.resolve(),
    load: () => Promise.resolve(),
    work: async () => ({ done: 0, failed: 0, later: 0 }),
    startWorker: () => ({ wake: () => undefined, stop: () => Promise.resolve() }),
    erase: async () => false,
    revoke: async () => 0,
    signOutUrl: `http://127.0.0.1${prefix}/sign-out`,
    drain: () => void (isDraining = true),
    baseUrl: `http://127.0.0.1${prefix}`,
    prefix,
    trustedProxies: 0,
    routes: async () => [],
  }
}
