import { withFlash } from '../http/flash.fixture.ts'
import { createTestStores, fixture, seedTraces, type Answer, makeId, makeTraces } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { html, language, messagesOf, money, number, time } from '../ui/html.ts'
import { finishPage } from '../ui/layout.ts'
import { createLanguages } from '../ui/messages.ts'
import { resolveBrand } from '../ui/brand.ts'
import type { ServiceOptions } from '../service/options.ts'
import { checkTranslations, englishMessages, type Messages } from './index.ts'
import { pseudoMessages, findUntranslatedWords } from './pseudo.fixture.ts'

const group = {
  'test.plain': 'Say "{word}" & <go>',
  'test.link': 'Read the {link} of {brand}.',
  'test.count_one': '{count} trace of {total}',
  'test.count_other': '{count} traces of {total}',
} as const
const message = messagesOf(group)

/** Renders a part of a page in a language whose texts are given. */
async function render(body: { text: string }, tag = 'en', texts: Readonly<Record<string, string>> = {}) {
  const createTestLanguages = () => ({
    ...createLanguages({ [tag]: texts as Messages }, { brand: 'A & B' }),
    check: () => undefined,
  })
  return (
    await finishPage(body.text, tag, {
      languages: createTestLanguages,
      brand: resolveBrand({ name: 'A & B' }),
      prefix: '',
    })
  ).body
}

describe('messagesOf', () => {
  test('escapes the text and its values, and keeps values that are HTML', async () => {
    expect(await render(html`<p title="${message('test.plain', { word: '<b>"&' })}"></p>`)).toBe(
      '<p title="Say &quot;&lt;b&gt;&quot;&amp;&quot; &amp; &lt;go&gt;"></p>',
    )
    const link = html`<a href="/terms">${message('test.plain', { word: 'x' })}</a>`
    expect(await render(message('test.link', { link }))).toBe(
      'Read the <a href="/terms">Say &quot;x&quot; &amp; &lt;go&gt;</a> of A &amp; B.',
    )
  })

  test('does not interpret placeholders or markup inside a value', async () => {
    expect(await render(message('test.plain', { word: '{brand} \u0001brand\u0003' }))).toBe(
      'Say &quot;{brand} brand&quot; &amp; &lt;go&gt;',
    )
  })

  test('selects the plural form of the language, and the English form when there is no translation', async () => {
    const renderCount = (count: number, tag?: string, texts?: Record<string, string>) =>
      render(message('test.count', { count, total: 2500 }), tag, texts)
    expect(await Promise.all([1, 2, 1200].map((count) => renderCount(count)))).toEqual([
      '1 trace of 2,500',
      '2 traces of 2,500',
      '1,200 traces of 2,500',
    ])
    const polish = { 'test.count_one': '1 one', 'test.count_few': '{count} few', 'test.count_other': 'many' }
    expect(await Promise.all([1, 3, 5].map((count) => renderCount(count, 'pl', polish)))).toEqual([
      '1 one',
      '3 few',
      'many',
    ])
    expect(await renderCount(1, 'pl')).toBe('1 trace of 2500')
  })

  test('sets the language of each text, both of translated texts and of texts without a translation', async () => {
    const body = html`<html lang="${language}">
      <title>${message('test.plain', { word: 'a' })}</title>
      <p title="${message('test.plain', { word: 'b' })}">${message('test.plain', { word: 'c' })}</p>
      <p>${message('test.count', { count: 2, total: 3 })}</p>
    </html>`
    const english = {
      a: 'Say &quot;a&quot; &amp; &lt;go&gt;',
      b: 'Say &quot;b&quot; &amp; &lt;go&gt;',
      c: 'Say &quot;c&quot; &amp; &lt;go&gt;',
    }
    const shownIn = async (texts: Record<string, string>, tag = 'de') =>
      (await render(body, tag, texts)).replace(/\n\s*/g, '')
    expect(await shownIn({ 'test.count_other': '{count} von {total}' })).toBe(
      `<html lang="de"><title>${english.a}</title><p title="${english.b}"><span lang="en">${english.c}</span></p>` +
        '<p>2 von 3</p></html>',
    )
    const without = [
      ['de', 'en'],
      ['en', 'en'],
      ['en-GB', 'en-GB'],
    ] as const
    for (const [tag, shown] of without)
      expect(await shownIn({}, tag)).toBe(
        `<html lang="${shown}"><title>${english.a}</title><p title="${english.b}">${english.c}</p>` +
          '<p>2 traces of 3</p></html>',
      )
  })

  test('formats numbers, money and times for the language', async () => {
    const body = html`${number(1234567)} ${money(1234.5)} ${money(-0.0042)} ${time('2026-11-22T19:05:00.000Z')}`
    expect(await render(body)).toBe(
      '1,234,567 $1,234.50 −$0.0042 <time datetime="2026-11-22T19:05:00.000Z">2026-11-22 19:05</time>',
    )
    expect(await render(body, 'de')).toBe(
      '1.234.567 1.234,50\u00a0$ −0,0042\u00a0$ <time datetime="2026-11-22T19:05:00.000Z">22.11.2026, 19:05</time>',
    )
  })
})

describe('finishPage', () => {
  test('keeps e-mail on one line in text, and leaves attributes and titles as they are', async () => {
    const input = html`<title>E-mail</title><input title="Your e-mail" /> An e-mail, two E-mails, anne-mail.`
    expect(await render(input)).toBe(
      '<title>E-mail</title><input title="Your e-mail" /> An <span class="whole">e-mail</span>, two <span ' +
        'class="whole">E-mails</span>, anne-mail.',
    )
  })
})

describe('checkTranslations', () => {
  test('accepts every English text and the plural forms of other languages', () => {
    expect(() => checkTranslations({ en: englishMessages, qps: pseudoMessages })).not.toThrow()
    expect(() => checkTranslations({ pl: { 'failures.retrySeconds_few': '{count} {brand}' } })).not.toThrow()
  })

  test('throws for an unknown key or placeholder', () => {
    const makeCheck = (texts: object) => () => checkTranslations({ de: texts as Messages })
    expect(makeCheck({ 'nav.singIn': 'x' })).toThrow('messages.de: there is no message nav.singIn')
    expect(makeCheck({ 'nav.signIn_few': 'x' })).toThrow('there is no message nav.signIn_few')
    expect(makeCheck({ 'failures.requestId': 'x {ids}' })).toThrow('failures.requestId has no value {ids}')
  })
})

const email = 'jane@example.com'
/**
 * Texts on pages that are not in the catalog: the person's address, values of the app, and names of countries.
 */
const data = [
  'help@b.example',
  email,
  /terms-[0-9a-f]{12}/,
  'Øx',
  'United States',
  'France',
  'Germany',
  'Browser',
  'test machine',
  'ttt',
  'ppp',
  'mmm',
  'bsh',
  'nnn',
  /\b[A-Z]{4}-[A-Z]{4}\b/,
  /\b(?=[0-9a-f-]*\d)[0-9a-f-]{8,36}\b/,
  /<option value="[A-Z]{2}"[^>]*>[^<]*<\/option>/,
]

describe('the pseudo-locale in pages', () => {
  const browser = { 'accept': 'text/html', 'accept-language': 'qps' }
  const secret = 'the secret of the test'
  const open = (stores = createTestStores(), options: Partial<ServiceOptions> = {}) =>
    fixture({
      secret,
      ...options,
      stores,
      messages: { qps: pseudoMessages },
      brand: { name: 'Øx', supportEmail: 'help@b.example', privacyText: 'ppp', termsText: 'ttt' },
    })
  const expectTranslated = (page: string) => {
    expect(page).toContain('⟦')
    expect([...new Set(findUntranslatedWords(page, data))]).toEqual([])
  }

  test.each(['/nothing', '/traces/none', '/sign-out'])('covers every text of the failure page of %s', async (path) => {
    const made = open()
    const { cookie } = await made.signIn(email)
    const request = { method: 'GET', path, query: [], address: null, body: null }
    const page = await made.service.answerMissing({ ...request, headers: { ...cookie, ...browser } })
    expectTranslated(String(page.body))
  })

  test.each(['/sign-in?next=%2Fjobs', '/terms', '/privacy'])('covers every text of %s for a visitor', async (path) => {
    expectTranslated((await open().ask('GET', path, { headers: browser })).text)
  })

  test('covers every text of /docs, whose descriptions of endpoints are in English', async () => {
    const { text } = await open().ask('GET', '/docs', { headers: browser })
    expectTranslated(text.replace(/<(\w+) [^>]*lang="en"[^]*?<\/\1>/g, ''))
  })

  test('covers every text of the home page for a visitor and for a contributor', async () => {
    const { ask, signIn } = open(createTestStores(), { baseUrl: 'https://x.example/base' })
    expectTranslated((await ask('GET', '/', { headers: browser })).text)
    const { cookie } = await signIn(email)
    expectTranslated((await ask('GET', '/', { headers: { ...cookie, ...browser } })).text)
  })

  test('covers every text of the sign-in with a wrong address and a wrong code', async () => {
    const { ask } = open()
    for (const form of [{ email: 'x' }, { email, code: '1' }])
      expectTranslated((await ask('POST', '/sign-in', { form, headers: browser })).text)
    const send = (cookie: string) => ask('POST', '/sign-in', { form: { email }, headers: { ...browser, cookie } })
    const cookieOf = ({ cookies }: Answer) => `tributary_sent_code=${cookies['tributary_sent_code']}`
    for (const cookie of [cookieOf(await send('')), cookieOf(await send(cookieOf(await send(''))))])
      expectTranslated((await ask('GET', '/sign-in?step=code', { headers: { ...browser, cookie } })).text)
  })

  test.each([
    '/device',
    '/device?code=',
    '/device?code=BBBB-BBBB',
    '/terms',
    '/apply',
    '/contact',
    '/waitlist',
    '/earnings',
    '/earn/nnn',
    '/blocked-terms',
    '/account/erase',
  ])('covers every text of %s for a contributor', async (path) => {
    const { ask, signIn } = open()
    const { cookie } = await signIn(email)
    expectTranslated((await ask('GET', path, { headers: { ...cookie, ...browser } })).text)
  })

  test('covers every text of traces, a trace, uploads and an upload, and of their confirmations', async () => {
    const stores = createTestStores()
    const { ask, signIn, clock } = open(stores)
    const { cookie, userId } = await signIn(email)
    const content = '1 [EMAIL_1] [PERSON_1]'
    const thought = '```thinking\n1\n```\n```tool_call\n{"id":"c","name":"bsh","arguments":{}}\n```'
    const spoken = [
      ...['system', 'user', 'assistant', null].map((role) => ({ role, content })),
      { role: 'assistant', content: thought },
      { role: 'tool', content: '```tool_result c\n1\n```', truncated: true },
      { role: 'user', content: '' },
    ].map((one, position) => ({ position, tokenCount: 1, createdAt: null, truncated: false, ...one }))
    const shown = { title: 'ttt', model: 'mmm', source: 'codex_jsonl', redactions: '{"email":1,"identity":2}' }
    await seedTraces(stores.client, userId, [
      ...makeTraces(60, 'ann', 0, { ...shown, messages: JSON.stringify(spoken) }),
    ])
    const get = async (path: string) => (await ask('GET', path, { headers: { ...cookie, ...browser } })).text
    const post = async (path: string, form: Record<string, string>) =>
      (await ask('POST', path, { form, headers: { ...cookie, ...browser } })).text
    const own = `/traces/${makeId('ann', 1)}`
    const sale = `/traces?saleId=${makeId('sale', 1)}`
    for (const path of ['/traces', sale, '/traces?from=2026-10-02&to=2026-10-01', '/traces?q=zzz', own, '/jobs'])
      expectTranslated(await get(path))
    const flash = { path: '/traces', secret, now: clock() }
    for (const action of ['exclude', 'include', 'delete']) {
      expectTranslated(await post('/traces', { all: 'yes', action }))
      const headers = await withFlash({ ...cookie, ...browser }, { done: action, counts: [2, 1] }, flash)
      expectTranslated((await ask('GET', '/traces', { headers })).text)
    }
    expectTranslated(await post('/traces', { action: 'delete' }))
    expectTranslated(await post(own, { action: 'delete' }))
    expectTranslated(await post(own, { action: 'report', term: 'x' }))
  })

  test.each(['/outbox', '/outbox?filter=dead', '/outbox?filter=unknown', '/waitlist', '/nothing'])(
    'finds every text of /admin%s for an operator',
    async (path) => {
      const adminToken = 'operator-'.repeat(3)
      const stores = createTestStores()
      const { ask, signIn, clock } = open(stores, { adminToken, allowedCountries: ['US', 'DE'] })
      const { bearer } = await signIn(email)
      for (const country of ['US', 'FR'])
        await ask('POST', '/api/waitlist', { headers: bearer, json: { email, country } })
      for (const [n, status] of (['dead', 'unknown'] as const).entries()) {
        const id = makeId('out', n)
        await stores.outbox.enqueue({
          id,
          channel: 'mail',
          recipient: email,
          subject: 'sss',
          payload: 'x',
          createdAt: clock(),
        })
        const limits = { perHour: 9, digestAfterMs: 1, maxDigestEntries: 9 }
        const lease = `l${n}`
        await stores.outbox.claimMail({ lease, now: clock(), until: clock() + 1000, limits })
        await stores.outbox.fail({ lease, ids: [id], status, error: 'rrr', now: clock() })
      }
      const { cookies } = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
      const [[name, value]] = Object.entries(cookies) as [[string, string]]
      const page = (await ask('GET', `/admin${path}`, { headers: { cookie: `${name}=${value}`, ...browser } })).text
      expectTranslated(page.replaceAll(/aria-label="([^"]*)sss([^"]*)"/g, 'aria-label="$1$2"'))
    },
  )

  test.each([
    ['/terms', { termsVersion: 'x' }],
    ['/apply', { companyName: '' }],
    ['/contact', { name: '' }],
    ['/waitlist', { email: 'x' }],
  ])('covers every text of an invalid form of %s', async (path, form) => {
    const { ask, signIn } = open()
    const { cookie } = await signIn(email)
    expectTranslated((await ask('POST', path, { form, headers: { ...cookie, ...browser } })).text)
  })

  test('finds every text of the account with its notices, without the texts of the ad network', async () => {
    const { ask, signIn, clock } = open(createTestStores(), { capabilities: { ads: false } })
    const { cookie } = await signIn(email)
    for (const done of ['revoked', 'unknown_machine', 'paused', 'resumed', 'consent'])
      for (const about of done === 'revoked' ? [{}, { about: email }] : [{}]) {
        const flash = { path: '/account', secret, now: clock() }
        const headers = await withFlash({ ...cookie, ...browser }, { done, ...about }, flash)
        const { text } = await ask('GET', '/account', { headers })
        expect(text).toContain(`data-done="${done}"`)
        expectTranslated(text)
      }
  })

  test('finds every text of earnings with an entry, of an authorized device, and of leaving the waitlist', async () => {
    const adminToken = 'operator-'.repeat(3)
    const { ask, follow, signIn } = open(createTestStores(), { adminToken })
    const { cookie, userId } = await signIn(email)
    const as = { ...cookie, ...browser }
    const correction = { userId, usd: 3.5, reason: 'x' }
    const operator = { authorization: `Bearer ${adminToken}` }
    await ask('POST', '/api/admin/corrections', { json: correction, headers: operator })
    expectTranslated((await ask('GET', '/earnings', { headers: as })).text)
    const { userCode } = (await ask('POST', '/api/cli/device/start', { json: { machine: 'nnn' } })).json
    for (const decision of ['', 'approved'])
      expectTranslated(
        (await ask('POST', '/device', { form: { code: userCode as string, decision }, headers: as })).text,
      )
    expectTranslated(
      (await follow(await ask('POST', '/waitlist', { form: { email, country: 'DE' }, headers: as }), as)).text,
    )
    for (const path of ['/waitlist/leave', '/traces', '/jobs'])
      expectTranslated((await ask('GET', path, { headers: as })).text)
  })
})
