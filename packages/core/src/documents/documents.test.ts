import { createTestStores, fixture } from '@tributary/test-kit'
import { describe, expect, test, vi } from 'vitest'
import { buildRequest, json } from '../http/fixture.ts'
import { replyHeader, type PlainReply } from '../http/message.ts'
import { createService, type Service } from '../service/create.ts'
import type { ServiceOptions } from '../service/options.ts'

const baseUrl = 'https://example.com/tributary'
const open = (options: Partial<ServiceOptions> = {}): Service =>
  createService({ baseUrl, stores: createTestStores(), ...options })

async function get(service: Service, path: string): Promise<PlainReply> {
  const reply = await service.handle(buildRequest('GET', service.prefix + path))
  if (!reply) throw new Error(`nothing answers ${path}`)
  return reply
}

describe('GET /privacy', () => {
  const read = async (options: Partial<ServiceOptions> = {}): Promise<string> =>
    String((await get(open(options), '/privacy')).body)

  test('shows by default which data is stored and for how long, with the configured times', async () => {
    const text = await read({ jobDays: 31, feedbackDays: 32, reportDays: 33, auditDays: 94, telemetryDays: 35 })
    for (const days of [31, 32, 33, 94, 35]) expect(text).toContain(`For ${days} days`)
    for (const heading of ['What is kept, and for how long', 'Who gets it', 'Export and delete'])
      expect(text.split(`>${heading}<`)).toHaveLength(3)
    expect(text).toContain('This service uses no ad network now.')
    const network = { serve: async () => null, reportImpression: async () => undefined } as never
    expect(await read({ ads: { network } })).toContain('This service gets sponsor lines from an ad network.')
    expect(text).toContain('Your <a href="/tributary/account">account page</a> exports')
    expect(text).not.toContain('write to')
    expect(await read({ contactEmail: 'help@example.com' })).toContain(
      'write to <a href="mailto:help@example.com">help@example.com</a>.',
    )
  })

  test('says nothing about a capability that is off', async () => {
    const text = await read({ capabilities: { ads: false, reports: false, telemetry: false } })
    expect(text).toContain('<h2 id="recipients">Who gets it</h2>')
    expect(text).not.toMatch(/sponsor|feedback|agent/i)
  })
})

describe('GET /readyz', () => {
  test('returns 503 with the reason and logs a warning while the store does not answer', async () => {
    const warn = vi.fn()
    const ready = vi.fn().mockRejectedValueOnce(new Error('gone')).mockResolvedValue(undefined)
    const service = open({ stores: { ...createTestStores(), ready }, logger: { info() {}, warn, error() {} } })
    const refused = await get(service, '/readyz')
    expect([refused.status, json(refused), replyHeader(refused, 'retry-after')]).toEqual([
      503,
      { ok: false, error: 'unavailable', reason: 'store' },
      '1',
    ])
    expect(warn).toHaveBeenCalledWith({ err: expect.objectContaining({ message: 'gone' }) }, 'service.not_ready')
    expect(json(await get(service, '/readyz'))).toEqual({ ok: true })
  })

  test('returns 503 while the service drains, and /healthz still returns 200', async () => {
    const service = open()
    service.drain()
    expect(json(await get(service, '/readyz'))).toEqual({ ok: false, error: 'unavailable', reason: 'draining' })
    expect((await get(service, '/healthz')).status).toBe(200)
  })
})

describe('GET /openapi.json', () => {
  test('names baseUrl as the only server, even when an outer router strips the path of baseUrl', async () => {
    for (const prefix of [undefined, ''])
      expect(
        JSON.parse((await get(open(prefix === undefined ? {} : { prefix }), '/openapi.json')).body as string).servers,
      ).toEqual([{ url: baseUrl }])
  })
})

describe('documents for operators', () => {
  const adminToken = 'operator-of-the-test'
  const ofOperators = ['/api/admin/jobs', '/admin/sign-in']

  test.each(['/openapi.json', '/llms.txt', '/docs'])(
    '%s lists the routes of operators only for operators',
    async (path) => {
      const { ask, signIn } = fixture({ stores: createTestStores(), adminToken })
      const { cookies } = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
      const cookie = Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; ')
      const read = async (headers: Record<string, string>) => (await ask('GET', path, { headers })).text
      const { bearer } = await signIn()
      for (const headers of path === '/docs' ? [{}] : [{}, bearer]) {
        const text = await read(headers)
        for (const own of ofOperators) expect(text).not.toContain(own)
        expect(text).toContain('/api/ingest')
      }
      const credentials = path === '/docs' ? [{ cookie }] : [{ cookie }, { authorization: `Bearer ${adminToken}` }]
      for (const headers of credentials) for (const own of ofOperators) expect(await read(headers)).toContain(own)
    },
  )

  test.each(['/openapi.json', '/llms.txt'])('%s refuses an unknown token', async (path) => {
    const { ask } = fixture({ stores: createTestStores(), adminToken })
    expect((await ask('GET', path, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
  })
})

describe('GET /docs', () => {
  test("returns a page whose policy allows only the service's style sheet, with links below the path of baseUrl", async () => {
    const reply = await get(open({ prefix: '' }), '/docs')
    expect(reply.headers.filter(([name]) => name === 'content-security-policy')).toHaveLength(1)
    expect(replyHeader(reply, 'content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/)
    expect(reply.body).toContain('href="/tributary/openapi.json"')
  })

  test('links to the interactive reference of a host that has one', async () => {
    const service = open()
    expect((await get(open(), '/docs')).body).not.toContain('interactive page')
    service.linkInteractiveReference('/docs/interactive')
    expect((await get(service, '/docs')).body).toContain('<a href="/tributary/docs/interactive">interactive page</a>')
  })

  test('uses each id only once', async () => {
    const body = (await get(open({ brand: { name: 'X', supportEmail: 'help@example.com' } }), '/docs')).body as string
    const ids = [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toContain('contents')
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })

  test('lists pages and forms after the routes of clients, without the ids of endpoints', async () => {
    const body = (await get(open(), '/docs')).body as string
    expect(body.indexOf('Show the device page')).toBeGreaterThan(body.indexOf('id="site"'))
    expect(body).not.toMatch(/<b>E\d+<\/b>/)
  })
})

describe('GET /llms.txt', () => {
  test('returns Markdown with the public address', async () => {
    const reply = await get(open(), '/llms.txt')
    expect(replyHeader(reply, 'content-type')).toBe('text/plain; charset=utf-8')
    expect(reply.body).toContain(`(${baseUrl}/openapi.json)`)
  })
})

describe('ServiceOptions.prefix', () => {
  test.each(['tributary', 'https://example.com/t', '/t?x'])('throws when the prefix is %s', (prefix) => {
    expect(() => open({ prefix })).toThrow(`prefix must be empty or start with a slash, not ${prefix}`)
  })

  test('may end with a slash', () => {
    expect(open({ prefix: '/t/' }).prefix).toBe('/t')
  })

  test('keeps the path of baseUrl in the links and redirects of pages when the prefix is ""', async () => {
    const service = open({ prefix: '' })
    expect((await get(service, '/sign-in')).body).toContain('href="/tributary/assets/tributary.css"')
    expect(replyHeader(await get(service, '/traces'), 'location')).toBe('/tributary/sign-in?next=%2Ftraces')
    expect((await service.answerMissing(buildRequest('GET', '/'))).body).toContain('href="/tributary/terms"')
  })
})
