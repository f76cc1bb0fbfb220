import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { createTestStores, fixture } from '@tributary/test-kit'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { routes } from './contracts.ts'
import { createClient, paginate, type ClientOptions } from './index.ts'

const base = 'http://127.0.0.1:8787'
const adminToken = 'operator-'.repeat(3)
const made = fixture({
  stores: createTestStores(),
  baseUrl: base,
  country: () => 'US',
  approval: 'automatic',
  adminToken,
})
const throughService = (async (url: string, init: RequestInit) =>
  (await made.service.fetch(new Request(url, init)))!) as typeof fetch

/** Returns a client of a service that sends `replies` in order. */
function createScriptedClient(replies: readonly (Response | Error)[], options: Partial<ClientOptions> = {}) {
  const requests: { readonly url: string; readonly init: RequestInit }[] = []
  const delays: number[] = []
  const answer = (async (url: string, init: RequestInit) => {
    requests.push({ url, init })
    const reply = replies[requests.length - 1] ?? new Error('no more replies')
    if (reply instanceof Error) throw reply
    return reply
  }) as typeof fetch
  const sleep = async (delayMs: number) => void delays.push(delayMs)
  const client = createClient({ baseUrl: 'https://x.example/t/', fetch: answer, sleep, ...options })
  return { client, requests, delays }
}
const makeJsonReply = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
const makeSessionReply = () => makeJsonReply(200, { ok: true, userId: 'u' })

describe('createClient', () => {
  test('has a function for every JSON route (TRIBUTARY_WRITE=1 writes generated.ts)', async () => {
    const all = await made.service.routes()
    const expected = all.flatMap(({ name, route: { method, path } }) =>
      /^\/(?:api\/|\.well-known\/(?:agent|tributary))/.test(path) ? [[name, `${method} ${path}`]] : [],
    )
    if (process.env['TRIBUTARY_WRITE'] === '1') {
      const lines = expected.map(([name, route]) => `  ${name}: '${route}',\n`)
      const path = new URL('generated.ts', import.meta.url)
      writeFileSync(path, readFileSync(path, 'utf8').replace(/(?<=\{\n)[^]*(?=\} as const)/, lines.join('')))
    }
    expect(routes).toEqual(Object.fromEntries(expected))
  })

  test('returns the value of a success and the code of a failure', async () => {
    const { token, userId } = await made.signIn('jane@example.com')
    const client = createClient({ baseUrl: `${base}/`, token, fetch: throughService })
    expect(await client.session()).toMatchObject({ ok: true, status: 200, value: { ok: true, userId } })
    const known = await client.knownHashes({ body: { hashes: ['ab', 'cd'] } })
    expect(known.ok && known.value.known).toEqual([])
    const missing = await client.getTrace({ params: { id: '00000000-0000-0000-0000-000000000000' } })
    expect(missing).toMatchObject({ ok: false, status: 404, error: 'not_found' })
  })

  test('submits traces, waits for the job and downloads a trace, with types for all calls', async () => {
    const { token } = await made.signIn('ann@example.com')
    const client = createClient({ baseUrl: base, token, fetch: throughService })
    const policy = await client.uploadPolicy()
    const termsVersion = policy.ok ? policy.value.termsVersion : ''
    await client.acceptTerms({ body: { termsVersion, residencyConfirmed: true } })
    await client.apply({
      body: { companyName: 'A', website: 'https://a.example', email: 'a@a.example', role: 'cto', authorized: true },
    })
    const traces = [{ sourceId: 's', createdAt: '2026-11-20T12:00:00Z', messages: [{ content: 'hello' }] }]
    const submitted = await client.ingest({ body: { traces } })
    expect(submitted).toMatchObject({ ok: true, status: 202, value: { status: 'queued' } })
    await made.service.work()
    const jobId = submitted.ok ? submitted.value.jobId : ''
    const job = await client.ingestJob({ params: { jobId } })
    expect(job.ok && job.value.job.status).toBe('done')
    const list = await client.listTraces()
    const id = list.ok ? list.value.traces[0]!.id : ''
    const trace = await client.downloadTrace({ params: { id } })
    expect(trace.ok && trace.value.messages[0]!.content).toBe('hello')
    const packed = gzipSync(JSON.stringify({ traces }))
    expect(await client.ingest({ body: packed, headers: { 'content-encoding': 'gzip' } })).toMatchObject({ ok: true })
    const operator = createClient({ baseUrl: base, token: adminToken, fetch: throughService })
    const dataset = await operator.readDataset()
    const lines = []
    for await (const line of dataset.ok ? dataset.value : [])
      if ('messages' in line) lines.push(line.messages[0]!.content)
    expect(lines).toEqual(['hello'])
    const waitlist = await operator.exportWaitlist()
    expect(waitlist.ok && waitlist.value).toContain('email,country')
  })

  test('sends the idempotency key of a call', async () => {
    const { token } = await made.signIn('joe@example.com')
    const client = createClient({ baseUrl: base, token, fetch: throughService })
    const send = (message: string) => client.sendFeedback({ body: { message }, idempotencyKey: 'call 1' })
    const first = await send('m')
    const second = await send('m')
    expect(first.ok && second.ok && second.value).toEqual(first.ok && first.value)
    expect(await send('n')).toMatchObject({ ok: false, status: 422, error: 'idempotency_key_reused' })
  })

  test('requests the token at each call, and sends no token when it is null', async () => {
    const client = createClient({ baseUrl: base, token: () => null, fetch: throughService, clientVersion: '1.0.0' })
    expect(await client.session()).toMatchObject({ ok: false, status: 401, error: 'unauthorized' })
  })

  test('is at most 12 KB compressed and contains no zod', async () => {
    const { outputFiles } = await build({
      entryPoints: [new URL('index.ts', import.meta.url).pathname],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      external: ['zod'],
    })
    const { text } = outputFiles[0]!
    expect(text).not.toMatch(/from\s*["']zod/)
    expect(gzipSync(text).byteLength).toBeLessThanOrEqual(12 * 1024)
  })
})

describe('failures as values', () => {
  test.each([
    ['an HTML page of a proxy', () => new Response('<html>', { status: 502 }), 502, 'http_502'],
    [
      'HTML in place of JSON',
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      200,
      'unexpected_reply',
    ],
    ['a redirect', () => new Response(null, { status: 302, headers: { location: '/elsewhere' } }), 302, 'http_302'],
    ['no connection', () => new TypeError('fetch failed'), 0, 'network_error'],
    ['an ad call without a login', () => makeJsonReply(401, { ad: null, needsLogin: true }), 401, 'unauthorized'],
  ])('returns %s', async (_, reply, status, error) => {
    const { client } = createScriptedClient([reply()], { retries: 0 })
    expect(await client.session()).toMatchObject({ ok: false, status, error })
  })

  test('returns timeout when no reply comes in time, and aborted when the caller aborts', async () => {
    const never = ((_: string, { signal }: RequestInit) =>
      new Promise((_resolve, reject) =>
        signal!.addEventListener('abort', () => reject(signal!.reason)),
      )) as typeof fetch
    const client = createClient({ baseUrl: base, fetch: never, retries: 0, timeoutMs: 5 })
    expect(await client.session()).toMatchObject({ ok: false, status: 0, error: 'timeout' })
    const signal = AbortSignal.abort()
    expect(await client.session({ signal, timeoutMs: 1000 })).toMatchObject({ ok: false, error: 'aborted' })
  })
})

describe('retries', () => {
  test('repeats a GET after the delay of retry-after, or with doubled delays', async () => {
    const busy = makeJsonReply(429, { ok: false, error: 'rate_limited' }, { 'retry-after': '7' })
    const { client, delays } = createScriptedClient([busy, new TypeError('fetch failed'), makeSessionReply()])
    expect(await client.session()).toMatchObject({ ok: true })
    expect(delays).toEqual([7000, 1000])
    const times = { 'date': 'Fri, 20 Nov 2026 12:00:00 GMT', 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }
    const dated = createScriptedClient([
      makeJsonReply(503, { ok: false, error: 'unavailable' }, times),
      makeSessionReply(),
    ])
    expect(await dated.client.session()).toMatchObject({ ok: true })
    expect(dated.delays).toEqual([30_000])
  })

  test('repeats a POST only with an idempotency key or when the caller marks the call as repeatable', async () => {
    const body = { message: 'm' }
    const makeUnavailableReply = () => makeJsonReply(503, { ok: false, error: 'unavailable' }, { 'retry-after': '1' })
    const makeDoneReply = () => makeJsonReply(200, { ok: true, id: 'f' })
    const keyed = createScriptedClient([makeUnavailableReply(), makeDoneReply()])
    expect(await keyed.client.sendFeedback({ body, idempotencyKey: 'k' })).toMatchObject({ ok: true })
    const repeatable = createScriptedClient([makeUnavailableReply(), makeDoneReply()])
    expect(await repeatable.client.sendFeedback({ body, retry: true })).toMatchObject({ ok: true })
    const plain = createScriptedClient([makeUnavailableReply(), makeDoneReply()])
    expect(await plain.client.sendFeedback({ body })).toMatchObject({ ok: false, status: 503, retryAfterMs: 1000 })
    expect(plain.requests).toHaveLength(1)
  })

  test('returns a failure that is not retryable, or whose retry-after is too long', async () => {
    const missing = createScriptedClient([makeJsonReply(404, { ok: false, error: 'not_found' })])
    expect(await missing.client.session()).toMatchObject({ error: 'not_found' })
    const busy = createScriptedClient([
      makeJsonReply(429, { ok: false, error: 'rate_limited' }, { 'retry-after': '3600' }),
    ])
    expect(await busy.client.session()).toMatchObject({ error: 'rate_limited', retryAfterMs: 3_600_000 })
    expect([...missing.delays, ...busy.delays]).toEqual([])
  })
})

describe('paginate', () => {
  test('yields every page and passes the cursor on', async () => {
    const page = (cursor: string | null) => makeJsonReply(200, { ok: true, traces: [], nextCursor: cursor })
    const { client, requests } = createScriptedClient([page('a'), page('b'), page(null)])
    const pages = []
    for await (const one of paginate(client.listTraces, { query: { limit: 2 } })) pages.push(one.ok)
    expect(pages).toEqual([true, true, true])
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      '?limit=2',
      '?limit=2&cursor=a',
      '?limit=2&cursor=b',
    ])
  })

  test('ends after a page that failed', async () => {
    const { client } = createScriptedClient([makeJsonReply(401, { ok: false, error: 'unauthorized' })])
    const pages = []
    for await (const one of paginate(client.listTraces, {})) pages.push(one)
    expect(pages).toMatchObject([{ ok: false, error: 'unauthorized' }])
  })
})
