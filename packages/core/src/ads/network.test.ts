import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AdNetwork, AdQuestion, Fetch, NetworkAd } from '../ports.ts'
import { gravity } from './gravity.ts'
import { createImpressionDelivery } from './impression-delivery.ts'
import { createNetworkClient, circuitBreaker, sanitizeNetworkAd } from './network.ts'

const good = {
  adText: 'Ship faster with Acme',
  clickUrl: 'https://click.network.example/c?1',
  impUrl: 'https://imp.network.example/i?1',
  brandName: 'Acme',
  title: 'Acme',
  url: 'https://acme.example/',
  favicon: 'https://acme.example/f.ico',
  cta: 'Try',
}
const question: AdQuestion = { topic: 'ai', session: 's', sessionEvents: null, device: {}, ids: null }
const quiet = { info() {}, warn() {}, error() {} }

/** A fake Gravity server. Each test sets its answers, and the server records the requests that it receives. */
let server: Server
let asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
let answer: (response: ServerResponse, request: IncomingMessage) => void
const replyWith =
  (status: number, body = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body)
const replyWithAds = (...ads: object[]) => replyWith(200, JSON.stringify(ads), { 'content-type': 'application/json' })

// The first use of `fetch` loads its code, which on a busy machine takes longer than the time limit of an ad network.
beforeAll(() => fetch('data:,'))
beforeEach(async () => {
  asked = []
  answer = replyWithAds(good)
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += String(chunk)))
    request.on('end', () => {
      asked.push({ method: request.method!, url: request.url!, headers: request.headers, body })
      answer(response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** Sends requests for every https address to the fake server, as a proxy would. */
const fetchFromServer: Fetch = (url, init) =>
  fetch(url.replace(/^https:\/\/[^/]+/, `http://127.0.0.1:${(server.address() as AddressInfo).port}`), init)
const key = ['not', 'a', 'key'].join('-')
const createNetwork = (more: object = {}): AdNetwork => gravity({ apiKey: key, fetch: fetchFromServer, ...more })
const ask = (one: AdNetwork = createNetwork()) => createNetworkClient(one, quiet)(question, 0)

describe('gravity', () => {
  test("sends the request of Gravity's API and converts its fields", async () => {
    expect(await ask()).toEqual({
      text: good.adText,
      clickUrl: good.clickUrl,
      networkUrl: good.impUrl,
      brandName: 'Acme',
      title: 'Acme',
      url: good.url,
      favicon: good.favicon,
      test: false,
    })
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/ad',
      headers: { 'authorization': `Bearer ${key}`, 'content-type': 'application/json' },
    })
    const sent = JSON.parse(asked[0]!.body)
    expect(sent).toMatchObject({
      sessionId: 's',
      placements: [{ placement: 'bottom_page', placement_id: 'tributary-statusline' }],
      device: { browser: 'cli' },
    })
    expect(sent.messages[0].content).toContain('ai')
    expect(sent).not.toHaveProperty('user')
    expect(sent).not.toHaveProperty('testAd')
  })

  test.each([
    ['204', replyWith(204)],
    ['an empty list', replyWithAds()],
    ['a list within an object', replyWith(200, '{"ads":[]}')],
  ])('returns no ad for %s', async (_, given) => {
    answer = given
    expect(await createNetwork().ask(question, new AbortController().signal)).toBeNull()
  })

  test('accepts a single ad or an ad within an object', async () => {
    for (const body of [good, { ads: [good] }]) {
      answer = replyWith(200, JSON.stringify(body))
      expect((await ask())!.text).toBe(good.adText)
    }
  })

  test.each<[string, (response: ServerResponse) => void]>([
    ['an error', replyWith(500, 'oops')],
    ['a refusal', replyWith(403, '{"error":"publisher_not_approved"}')],
    ['a reply that is not JSON', replyWith(200, '<html>')],
    ['a reply that is not an ad', replyWith(200, '[7]')],
    ['broken UTF-8', (response) => void response.writeHead(200).end(Buffer.from([0x22, 0xff, 0x22]))],
    ['a redirect', replyWith(302, '', { location: '/api/v1/other' })],
    [
      'an answer that breaks off',
      (response) => void response.writeHead(200, { 'content-length': '1000' }).write('[{', () => response.destroy()),
    ],
    ['a closed connection', (response) => void response.destroy()],
  ])('returns a failure and follows no redirect for %s', async (_, given) => {
    answer = given
    await expect(createNetwork().ask(question, new AbortController().signal)).rejects.toThrow()
    expect(asked).toHaveLength(1)
    expect(await ask()).toBeNull()
  })

  test('stops reading a response after 64 KiB', async () => {
    let closed = false
    answer = (response) => {
      response.writeHead(200).on('close', () => (closed = true))
      const writeUntilFull = (): void => {
        while (!response.destroyed && response.write(' '.repeat(16 * 1024))) {
          /* This loop writes until the buffer is full. */
        }
        response.once('drain', writeUntilFull)
      }
      writeUntilFull()
    }
    await expect(createNetwork().ask(question, new AbortController().signal)).rejects.toThrow('65536')
    await vi.waitFor(() => expect(closed).toBe(true))
  })

  test('gives up after the timeout', async () => {
    let left = false
    answer = (response) => void response.on('close', () => (left = true))
    expect(await ask()).toBeNull()
    await vi.waitFor(() => expect(left).toBe(true))
  })

  test('reports an impression once, to public addresses only, and returns whether a refusal can be retried', async () => {
    const signal = new AbortController().signal
    answer = replyWith(302, '', { location: 'https://elsewhere.example/' })
    await createNetwork().report(good.impUrl, signal)
    expect(asked.map(({ method, url }) => [method, url])).toEqual([['GET', '/i?1']])
    for (const [status, permanent] of [
      [404, true],
      [429, false],
      [503, false],
    ] as const) {
      answer = replyWith(status)
      await expect(createNetwork().report(good.impUrl, signal)).rejects.toMatchObject({ permanent })
    }
    const elsewhere: string[] = []
    await createNetwork({ outside: async (url: string) => (elsewhere.push(url), { status: 204, body: null }) }).report(
      good.impUrl,
      signal,
    )
    expect(elsewhere).toEqual([good.impUrl])
    await expect(createNetwork().report('https://169.254.169.254/latest', signal)).rejects.toMatchObject({
      permanent: true,
    })
    expect(asked).toHaveLength(4)
    answer = (response, { url }) => replyWith(url === '/bad' ? 500 : 200)(response)
    const errors = await createImpressionDelivery(createNetwork())([
      { id: 'a', payload: good.impUrl },
      { id: 'b', payload: 'https://imp.network.example/bad' },
    ])
    expect([...errors.keys()]).toEqual(['b'])
  })
})

describe('sanitizeNetworkAd with a hostile ad', () => {
  const fill = (changes: Partial<NetworkAd>) =>
    sanitizeNetworkAd({ text: 'hi', clickUrl: good.clickUrl, impUrl: good.impUrl, ...changes })

  test.each<Partial<NetworkAd>>([
    { clickUrl: 'javascript:alert(1)' },
    { clickUrl: 'http://click.example/' },
    { clickUrl: 'https://10.0.0.1/' },
    { clickUrl: 7 },
    { clickUrl: undefined },
    { impUrl: 'https://169.254.169.254/latest' },
    { impUrl: 'http://imp.example/' },
    { impUrl: 'https://localhost/' },
    { impUrl: {} },
    { text: '' },
    { text: '\u001b[2J\u200b\n' },
    { text: 7 },
    { text: undefined },
  ])('refuses an ad with %j', (changes) => expect(fill(changes)).toBeNull())

  test('sanitizes the fields of the ad', () => {
    expect(
      fill({
        text: `\u001b]8;;https://evil.example\u0007${'a'.repeat(300)}`,
        brandName: '\u202eAcme\n',
        title: {},
        favicon: 'http://a.example/f',
        url: 'javascript:1',
        impUrl: '',
      }),
    ).toEqual({
      text: 'a'.repeat(200),
      brandName: 'Acme',
      title: '',
      favicon: null,
      url: good.clickUrl,
      clickUrl: good.clickUrl,
      networkUrl: null,
      test: false,
    })
  })
})

describe('createNetworkClient', () => {
  test('pauses calls to a failing network, then tries one call, also when the clock is set back', async () => {
    let calls = 0
    let works = false
    const flaky: AdNetwork = {
      name: 'flaky',
      report: async () => {},
      ask: async () => (calls++, works ? null : Promise.reject(new Error('down'))),
    }
    const one = createNetworkClient(flaky, quiet)
    for (let n = 0; n < 20; n++) await one(question, n)
    expect(calls).toBe(circuitBreaker.failures)
    await Promise.all([one(question, circuitBreaker.restMs + 4), one(question, circuitBreaker.restMs + 4)])
    expect(calls).toBe(circuitBreaker.failures + 1)
    await one(question, circuitBreaker.restMs + 100)
    expect(calls).toBe(circuitBreaker.failures + 1)
    works = true
    await one(question, 0)
    await one(question, 1)
    expect(calls).toBe(circuitBreaker.failures + 3)
  })
})
