import { createTestStores, fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../unavailable.ts'
import { replyHeader } from '../http/message.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const navigation = { 'accept': browser, 'sec-fetch-mode': 'navigate' }
const open = (changes: object = {}) =>
  fixture({ stores: createTestStores(), baseUrl: 'https://x.example/base', ...changes })

describe('failures of requests from a browser', () => {
  test('are a page with the status, a strict content security policy and the request id', async () => {
    const made = open()
    const { cookie } = await made.signIn('ann@example.com')
    const answer = await made.ask('GET', '/traces/018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', {
      headers: { ...cookie, 'accept': browser, 'x-request-id': 'my-request' },
    })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(answer.text).toContain('<h1>Page not found</h1>')
    expect(answer.text).toContain('<code>my-request</code>')
    expect(answer.text).toContain('href="/base/traces"')
    expect(answer.text).not.toContain('\0')
  })

  test.each([
    ['GET', '/sign-out', 405, 'This address works in another way'],
    ['GET', '/traces?cursor=%21', 400, 'This request is not valid'],
  ] as const)('are a page for %s %s, with the status %i', async (method, path, status, title) => {
    const made = open()
    const { cookie } = await made.signIn('ann@example.com')
    const { text, ...answer } = await made.ask(method, path, { headers: { ...cookie, accept: browser } })
    expect([answer.status, text.includes(`<h1>${title}</h1>`)]).toEqual([status, true])
  })

  test('are a page with 403 for a form of another website, 410 for an expired code, and 429 above a limit', async () => {
    const made = open({ rates: { person: { limit: 1, windowMs: 60_000 } } })
    const { cookie } = await made.signIn('ann@example.com')
    const ask = async (method: 'GET' | 'POST', path: string, options: object = {}) => {
      const { status, text, headers } = await made.ask(method, path, {
        ...options,
        headers: { ...cookie, ...('headers' in options ? (options.headers as object) : {}), ...navigation },
      })
      const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
      return { status, title: /<h1>(.*)<\/h1>/.exec(text)?.[1], words, headers }
    }
    const started = await made.ask('POST', '/api/cli/device/start', { json: { machine: 'laptop' } })
    const other = open()
    const signedIn = await other.signIn('bob@example.com')
    const refused = await other.ask('POST', '/api/cli/device/approve', {
      headers: { ...signedIn.cookie, ...navigation, 'sec-fetch-site': 'cross-site' },
      json: { userCode: 'BCDF-GHJK' },
    })
    expect([refused.status, refused.text.includes('<h1>You cannot do this</h1>')]).toEqual([403, true])
    // Signing in used up the only call that the limit allows.
    const limited = await ask('GET', '/traces')
    expect([limited.status, limited.title]).toEqual([429, 'Too many requests'])
    expect(limited.words).toContain('You can try again in 60 seconds.')
    made.clock.advance(16 * 60_000)
    const poll = await ask('GET', `/api/cli/device/poll?deviceCode=${started.json['deviceCode']}`)
    expect([poll.status, poll.title]).toEqual([410, 'No longer available'])
  })

  test('are a page with 503 when the store does not answer, and 500 after a bug', async () => {
    const stores = createTestStores()
    const made = open({ stores })
    const { cookie } = await made.signIn('ann@example.com')
    for (const [error, status, title] of [
      [new Unavailable('away'), 503, 'Temporarily unavailable'],
      [new Error('<b>bug</b>'), 500, 'Something went wrong on our side'],
    ] as const) {
      stores.ingest.listJobs = () => Promise.reject(error)
      const { text, ...answer } = await made.ask('GET', '/jobs', { headers: { ...cookie, accept: browser } })
      expect([answer.status, text.includes(`<h1>${title}</h1>`), text.includes('bug')]).toEqual([status, true, false])
    }
  })

  test('offer to try again if the service failed, and name the address to write to', async () => {
    const stores = createTestStores()
    const made = open({ stores, contactEmail: 'desk@example.com' })
    const { cookie } = await made.signIn('ann@example.com')
    stores.traces.listTraces = () => Promise.reject(new Error('bug'))
    const { text } = await made.ask('GET', '/traces?status=sold', { headers: { ...cookie, accept: browser } })
    const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
    const links = [...main.matchAll(/ href="([^"]*)"/g)].map(([, link]) => link)
    expect(links).toEqual(['mailto:desk@example.com', ''])
  })

  test('contain a link to the requested page for a form of another website, and do not offer to sign in', async () => {
    const made = open()
    const listLinks = async (path: string) => {
      const headers = { 'accept': browser, 'sec-fetch-site': 'cross-site' }
      const { status, text } = await made.ask('POST', path, { headers, form: {} })
      expect([status, text.includes('/sign-in')]).toEqual([403, false])
      return [...text.slice(text.indexOf('<main')).matchAll(/ href="([^"]*)"/g)].map(([, link]) => link)
    }
    expect(await listLinks('/terms')).toEqual(expect.arrayContaining(['', '/base/']))
    expect(await listLinks('/sign-out')).not.toContain('')
  })

  test('are JSON for every other client, and have no body for HEAD', async () => {
    const made = open()
    const { cookie } = await made.signIn('ann@example.com')
    for (const accept of [undefined, '*/*', 'application/json']) {
      const headers = { ...cookie, ...(accept ? { accept } : {}) }
      const { status, json } = await made.ask('GET', '/traces/none', { headers })
      expect([status, json]).toEqual([400, { ok: false, error: 'invalid_id', issues: expect.any(Array) }])
    }
    const head = await made.ask('HEAD', '/traces/none', { headers: { ...cookie, accept: browser } })
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([400, '', 'text/html; charset=utf-8'])
  })

  test.each(['/api/traces/none', '/api/ad?d=', '/oauth/token'])(
    'are JSON for %s to a program that accepts HTML, as clients of Java do, and a page to a browser that opens it',
    async (path) => {
      const made = open()
      const { bearer } = await made.signIn('ann@example.com')
      const readType = async (headers: object) =>
        (await made.ask('GET', path, { headers: { ...bearer, ...headers } })).headers.get('content-type')
      expect(await readType({ accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' })).toBe(
        'application/json',
      )
      expect(await readType({ 'accept': browser, 'sec-fetch-mode': 'cors' })).toBe('application/json')
      expect(await readType(navigation)).toBe('text/html; charset=utf-8')
    },
  )

  test.each(['/traces/none', '/jobs/x'])(
    'say that the page does not exist for the malformed id in %s, with the status of the JSON reply',
    async (path) => {
      const made = open()
      const { cookie } = await made.signIn('ann@example.com')
      const { status, text } = await made.ask('GET', path, { headers: { ...cookie, accept: browser } })
      expect([status, text.includes('<h1>Page not found</h1>')]).toEqual([400, true])
    },
  )

  test('have the navigation of a visitor, of a signed-in person, and of the operator', async () => {
    const made = open()
    const { cookie } = await made.signIn('ann@example.com')
    const listLinks = async (path: string, headers: object) => {
      const request = { method: 'GET', path: `/base${path}`, query: [], address: null, body: null }
      const page = await made.service.answerMissing({ ...request, headers: { ...headers, accept: browser } })
      return [...String(page.body).matchAll(/ href="(\/base[^"]*)"/g)].map(([, link]) => link).slice(2, -3)
    }
    const own = ['/base/traces', '/base/jobs', '/base/earnings', '/base/account', '/base/traces']
    expect(await listLinks('/nothing', {})).toEqual(['/base/sign-in', '/base/'])
    expect(await listLinks('/nothing', cookie)).toEqual(own)
    expect(await listLinks('/admin/a/b/c', cookie)).toEqual(['/base/admin'])
  })
})

describe('answerMissing', () => {
  const answerMissing = (path: string, accept: string, method = 'GET') =>
    open().service.answerMissing({ method, path, query: [], headers: { accept }, address: null, body: null })

  test('returns the 404 as a page for a browser and as JSON for others', async () => {
    const page = await answerMissing('/base/nothing', browser)
    expect([page.status, replyHeader(page, 'content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    for (const [path, accept] of [
      ['/nothing', '*/*'],
      ['/api/nothing', browser],
    ] as const)
      expect((await answerMissing(`/base${path}`, accept)).body).toBe('{"ok":false,"error":"not_found"}')
    expect((await answerMissing('/base/nothing', browser, 'HEAD')).body).toBeNull()
  })
})

describe('the address of a page with a trailing slash', () => {
  test('redirects GET and HEAD to the address without the slash, and keeps the query', async () => {
    const made = open()
    for (const [path, location] of [
      ['/traces/', '/base/traces'],
      ['/terms///?a=1&b=%26', '/base/terms?a=1&b=%26'],
    ] as const)
      for (const method of ['GET', 'HEAD'] as const) {
        const answer = await made.ask(method, path)
        expect([answer.status, answer.headers.get('location')]).toEqual([308, location])
      }
    const service = made.service
    const ask = (method: string, path: string) =>
      service.handle({ method, path: `/base${path}`, query: [], headers: {}, address: null, body: null })
    expect(await ask('POST', '/traces/')).toBeNull()
    expect(await ask('GET', '/api/traces/')).toBeNull()
    expect(await ask('GET', '//evil.example/')).toBeNull()
  })
})
