import { createTestStores, fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import type { Messages } from '../messages/index.ts'
import { pseudoMessages } from '../messages/pseudo.fixture.ts'
import { createService } from './create.ts'
import type { ServiceOptions } from './options.ts'

const adminToken = 'the-operator-of-this-test'
const open = (options: Partial<ServiceOptions> = {}) => fixture({ stores: createTestStores(), adminToken, ...options })
const create = (options: Partial<ServiceOptions>) => () =>
  createService({ baseUrl: 'http://127.0.0.1', stores: createTestStores(), ...options })

describe('ServiceOptions.brand', () => {
  const brand = {
    name: 'Acme & Co',
    logoUrl: 'https://cdn.example.com/logo.svg',
    accentColor: '#7a1fa2',
    supportEmail: 'help@example.com',
    termsText: '## Our terms\n\nBe kind.',
    privacyText: '## What we keep\n\nLittle <b>.',
  }

  test('replaces the name of the software in pages, their security policy, the style sheet and mails', async () => {
    const { ask, mailer, signIn } = open({ brand })
    const { cookie, email } = await signIn('jane@example.com')
    for (const path of ['/sign-in', '/traces', '/account', '/terms', '/privacy']) {
      const { status, text, headers } = await ask('GET', path, { headers: path === '/sign-in' ? {} : cookie })
      expect([path, status]).toEqual([path, 200])
      expect(text).toContain('· Acme &amp; Co</title>')
      expect(text).toContain('<img src="https://cdn.example.com/logo.svg" alt="" height="22" />Acme &amp; Co</a')
      expect(text).toContain('<a href="mailto:help@example.com">Contact</a>')
      expect(text).toContain('<a href="/terms">Terms</a> <a href="/privacy">Privacy</a>')
      expect(text).not.toContain('\0')
      expect(text.replace(/<pre>[^]*?<\/pre>/g, '')).not.toContain('Tributary')
      expect(headers.get('content-security-policy')).toContain("img-src 'self' data: https://cdn.example.com;")
    }
    expect((await ask('GET', '/privacy')).text).toContain('<p>Little &lt;b&gt;.</p>')
    expect((await ask('GET', '/terms')).text).toContain('<h2>Our terms</h2>')
    expect((await ask('GET', '/openapi.json')).text).toContain('"title":"Acme & Co API"')
    expect((await ask('GET', '/llms.txt')).text).toMatch(/^# Acme & Co\n/)
    expect((await ask('GET', '/docs')).text).toContain('API reference · Acme &amp; Co')
    expect((await ask('GET', '/assets/tributary.css')).text).toContain('--accent: #7a1fa2')
    const mail = mailer.mails.find(({ to }) => to === email)!
    expect(mail.subject).toContain('your Acme & Co sign-in code')
    expect(mail.text).toContain('help@example.com')
    expect(mail.subject + mail.text).not.toContain('Tributary')
  })

  test('a mail ends with the support address if one is configured, and otherwise contains no address', async () => {
    const readMail = async (options: Partial<ServiceOptions>): Promise<string> => {
      const { mailer, signIn } = open(options)
      await signIn('jane@example.com')
      return mailer.mails[0]!.text
    }
    expect(await readMail({ brand })).toMatch(/\n\nQuestions\? Write to help@example\.com\.\n$/)
    expect(await readMail({})).not.toMatch(/Questions|undefined/)
  })

  test.each([
    [{ name: '' }, 'brand.name'],
    [{ name: 'a\nb' }, 'brand.name'],
    [{ name: 'x', accentColor: 'red' }, 'brand.accentColor must be #rrggbb, not red'],
    [{ name: 'x', accentColor: '#ffee00' }, 'has a contrast of 1.2 to 1'],
    [{ name: 'x', logoUrl: 'http://x.example/a.png' }, 'brand.logoUrl'],
    [{ name: 'x', logoUrl: "https://x.example'; script-src *" }, 'brand.logoUrl'],
    [{ name: 'x', logoUrl: '//x.example/a.png' }, 'brand.logoUrl'],
    [{ name: 'x', supportEmail: 'nobody' }, 'brand.supportEmail'],
  ])('throws for %j', (given, problem) => {
    expect(create({ brand: given })).toThrow(problem)
  })
})

describe('ServiceOptions.messages', () => {
  test('translates every text of the layout, the navigation and the sign-in mail', async () => {
    const { ask, mailer, signIn } = open({
      messages: { qps: pseudoMessages },
      brand: { name: 'X', supportEmail: 'a@b.example', privacyText: 'p' },
    })
    const { cookie } = await signIn('jane@example.com')
    const { text, headers } = await ask('GET', '/traces', { headers: { ...cookie, 'accept-language': 'qps' } })
    expect(text).toContain('<html lang="qps">')
    expect(headers.get('content-language')).toBe('qps')
    expect(headers.get('vary')).toContain('accept-language')
    const layout = text.replace(/<main[^]*<\/main>/, '').replace(/<head>[^]*<\/head>/, '')
    const words = layout
      .replace(/<[^>]+>/g, '\n')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    expect(words.filter((line) => !/^⟦.*⟧$/.test(line))).toEqual(['X'])
    await ask('POST', '/api/auth/email', { json: { email: 'joe@example.com' }, headers: { 'accept-language': 'qps' } })
    const mail = mailer.mails.at(-1)!
    expect([mail.subject.startsWith('⟦'), mail.text.startsWith('⟦'), mail.text.trim().endsWith('⟧')]).toEqual([
      true,
      true,
      true,
    ])
  })

  test.each([
    ['de', 'de: Sign in'],
    ['fr;q=0.9, de-AT;q=0.8, en;q=0.1', 'de: Sign in'],
    ['en, de;q=0.5', 'Log in'],
    ['de;q=0', 'Log in'],
    ['fr', 'Log in'],
    [';;,q=,', 'Log in'],
  ])('accept-language %s selects %s', async (language, text) => {
    const de: Messages = { 'nav.signIn': 'de: Sign in' }
    const { ask } = open({ messages: { de, en: { 'nav.signIn': 'Log in' } } })
    const page = (await ask('GET', '/sign-in', { headers: { 'accept-language': language } })).text
    expect(page).toContain(`>${text}</a>`)
    expect(page).toContain('Skip to the content')
  })

  test('throws for an invalid language tag', () => {
    expect(create({ messages: { 'no tag': {} } })).toThrow('no tag is not a language tag')
  })

  test('load rejects for an unknown key, and without load every page returns 500', async () => {
    const { ask, service } = open({ messages: { de: { 'nav.singIn': 'x' } as Messages } })
    await expect(service.load()).rejects.toThrow('messages.de: there is no message nav.singIn')
    expect((await ask('GET', '/sign-in')).status).toBe(500)
    expect((await ask('GET', '/api/cli/session')).status).toBe(401)
  })
})

describe('ServiceOptions.capabilities', () => {
  const off = { ads: false, reports: false, telemetry: false }

  test('removes the routes, pages, links and documents of a capability that is off', async () => {
    const { ask, service, signIn } = open({ capabilities: off })
    const { cookie } = await signIn()
    const gone = [
      '/api/ad/',
      '/earn/',
      '/go/',
      '/api/program',
      '/api/v1/',
      '/.well-known/agent',
      '/api/cli/telemetry',
      '/api/cli/feedback',
      '/api/account/consent',
      '/assets/campaign-preview.js',
    ]
    const paths = (await service.routes()).map(({ route }) => route.path)
    expect(paths.filter((path) => gone.some((one) => path.startsWith(one)) && !path.startsWith('/api/admin'))).toEqual(
      [],
    )
    const makeRequest = (path: string) => new Request(`http://127.0.0.1:8787${path}`, { method: 'POST' })
    for (const path of ['/api/ad/feedback', '/api/v1/feedback', '/api/cli/telemetry', ...gone.slice(-2)])
      expect(await service.fetch(makeRequest(path))).toBeNull()
    const refused = await ask('GET', '/api/cli/session')
    expect([refused.status, refused.headers.get('link')]).toEqual([401, null])
    const document = (await ask('GET', '/openapi.json')).text + (await ask('GET', '/llms.txt')).text
    expect(gone.filter((one) => document.includes(`"${one}`) || document.includes(` ${one}`))).toEqual([])
    const device = await ask('POST', '/api/cli/device/start', { json: { machine: 'm' } })
    const approval = `/device?code=${String(device.json['userCode'])}`
    for (const path of ['/account', '/terms', '/earnings', '/traces', approval])
      expect((await ask('GET', path, { headers: cookie })).text).not.toMatch(/sponsor/i)
    expect(document).not.toMatch(/sponsor/i)
    const signedIn = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
    const operator = Object.entries(signedIn.cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
    const admin = await ask('GET', '/admin', { headers: { cookie: operator } })
    expect(admin.status).toBe(200)
    for (const section of ['campaigns', 'reports', 'feedback'])
      expect(admin.text).not.toContain(`href="/admin/${section}"`)
    expect(admin.text).toContain('href="/admin/jobs"')
    expect(admin.text).not.toMatch(/campaign|impression|agent report/i)
    expect(paths.filter((path) => /^\/admin\/(?:campaigns|reports|feedback)/.test(path))).toEqual([])
    expect((await ask('POST', '/admin/campaigns/create', { form: { name: 'x' } })).status).toBe(405)
  })

  test('keeps capabilities that are not named', async () => {
    const { ask } = open({ capabilities: { ads: false } })
    expect((await ask('GET', '/api/v1/policy')).status).toBe(200)
  })
})
