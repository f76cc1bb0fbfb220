import { fixture, type Answer, type Fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { devicePage, signInPage } from './pages.ts'
import { storeKinds } from './stores.fixture.ts'

const readChallengeCookie = ({ cookies }: Answer) => {
  const [name, value] = Object.entries(cookies).find(([cookie]) => cookie.endsWith('tributary_challenge'))!
  return { cookie: `${name}=${value}` }
}
const readCookies = ({ cookies }: Answer) => ({
  cookie: Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
})
const adminToken = 'an-obviously-fake-admin-token'

test('signInPage opens the development mailbox in a new tab from the form for the code, but not from the form for the address', () => {
  const developmentLinks = [{ path: '/dev/mail', text: 'Mails' }]
  const readLink = (isCodeSent: boolean) =>
    /<a\s+href="\/dev\/mail[^>]*>/.exec(
      signInPage({ prefix: '', next: '/', available: true, isCodeSent, developmentLinks }),
    )
  expect(readLink(true)![0]).toContain('target="_blank" rel="noopener"')
  expect(readLink(false)![0]).not.toContain('target')
})

test('devicePage shows the code before the permissions of the device', () => {
  const authorization = { code: 'BCDF-GHJK', machine: 'a', requestedAt: '2026-01-01T00:00:00.000Z', minutesAgo: 0 }
  const capabilities = { ads: true, telemetry: true }
  const text = devicePage({ prefix: '', capabilities, email: null, enteredCode: '', authorization })
  expect(text.indexOf('Compare the codes.')).toBeLessThan(text.indexOf('programs on it can:'))
})

describe.each(storeKinds)('%s', (_, open) => {
  describe('/sign-in', () => {
    test('redirects to `next` after the e-mail address and the code, with a session cookie', async () => {
      const { ask, mailer } = fixture({ stores: await open(), baseUrl: 'https://example.com/tributary' })
      const away = await ask('GET', '/device?code=BCDF-GHJK')
      expect([away.status, away.headers.get('location')]).toEqual([
        303,
        '/tributary/sign-in?next=%2Fdevice%3Fcode%3DBCDF-GHJK',
      ])
      const first = await ask('GET', '/sign-in?next=%2Fdevice%3Fcode%3DBCDF-GHJK')
      expect(first.text).toContain('name="next" value="/device?code=BCDF-GHJK"')
      expect(first.text).toContain('action="/tributary/sign-in"')
      const second = await ask('POST', '/sign-in', {
        form: { email: 'Jane@example.com', next: '/device?code=BCDF-GHJK' },
      })
      expect([second.status, second.headers.get('location')]).toEqual([
        303,
        '/tributary/sign-in?step=code&next=%2Fdevice%3Fcode%3DBCDF-GHJK',
      ])
      const code = mailer.code('jane@example.com')
      const form = {
        email: 'Jane@example.com',
        code: ` ${code.slice(0, 3)} ${code.slice(3)} `,
        next: '/device?code=BCDF-GHJK',
      }
      expect((await ask('POST', '/sign-in', { form })).status).toBe(400)
      const third = await ask('POST', '/sign-in', { form, headers: readChallengeCookie(second) })
      expect([third.status, third.headers.get('location')]).toEqual([303, '/tributary/device?code=BCDF-GHJK'])
      const cookie = `__Host-tributary_session=${third.cookies['__Host-tributary_session']}`
      const back = await ask('GET', '/sign-in?next=%2Fapply', { headers: { cookie } })
      expect([back.status, back.headers.get('location')]).toEqual([303, '/tributary/apply'])
    })

    test('GET shows the form for the code while the code is valid and unused', async () => {
      const { ask, mailer, clock } = fixture({ stores: await open() })
      const email = `o'"jane+é@example.com`.replace('"', '')
      const path = '/sign-in?step=code&next=%2Fapply'
      const sent = await ask('POST', '/sign-in', { form: { email, next: '/apply' } })
      expect(sent.headers.get('location')).toBe(path)
      const headers = readCookies(sent)
      const isCodeForm = async (asker: Record<string, string>) => {
        const { status, text } = await ask('GET', path, { headers: asker })
        return [status, text.includes('autocomplete="one-time-code"'), text.includes('jane+é@example.com')]
      }
      expect(await isCodeForm(headers)).toEqual([200, true, true])
      expect(await isCodeForm({})).toEqual([200, false, false])
      for (const value of ['', '1', '9999999999999.0.%', 'x.0.a@b.example'])
        expect(await isCodeForm({ cookie: `tributary_sent_code=${value}` })).toEqual([200, false, false])
      const form = { email, code: mailer.code(email), next: '/apply' }
      const signedIn = await ask('POST', '/sign-in', { form, headers })
      expect([signedIn.status, signedIn.cookies['tributary_sent_code']]).toEqual([303, ''])
      clock.advance(10 * 60_000)
      expect(await isCodeForm(headers)).toEqual([200, false, false])
    })

    test('says when a new code was sent, and that older codes no longer work', async () => {
      const { ask, mailer, clock } = fixture({ stores: await open() })
      const email = 'jane@example.com'
      const send = (headers = {}) => ask('POST', '/sign-in', { form: { email }, headers })
      const readNotice = async (headers: { cookie: string }) =>
        /role="status">\s*(.*?)\s*<\/(?:p|div)>/s.exec((await ask('GET', '/sign-in?step=code', { headers })).text)?.[1]
      const first = readCookies(await send())
      expect(await readNotice(first)).toBeUndefined()
      const older = mailer.code(email)
      clock.advance(60_000)
      const second = readCookies(await send(first))
      expect(await readNotice(second)).toMatch(/A new code was sent at .*UTC\. Older codes no longer work\./s)
      expect((await ask('POST', '/sign-in', { form: { email, code: older }, headers: second })).status).toBe(400)
    })

    test('has the title "Sign in to continue" if another page redirected the browser here', async () => {
      const { ask } = fixture({ stores: await open() })
      const readHeading = async (path: string) => /<h1>(.*)<\/h1>/.exec((await ask('GET', path)).text)?.[1]
      expect(await readHeading('/sign-in?next=%2Fjobs')).toBe('Sign in to continue')
      for (const path of ['/sign-in', '/sign-in?next=%2F']) expect(await readHeading(path)).toBe('Sign in')
    })

    test('never redirects to another host', async () => {
      const { ask, mailer } = fixture({ stores: await open() })
      for (const next of ['//evil.example', 'https://evil.example/', '/\\evil.example', '/\t/evil.example']) {
        expect((await ask('GET', `/sign-in?next=${encodeURIComponent(next)}`)).text).not.toContain('evil')
        const sent = await ask('POST', '/sign-in', { form: { email: 'jane@example.com', next } })
        const form = { email: 'jane@example.com', code: mailer.code('jane@example.com'), next }
        const entered = await ask('POST', '/sign-in', { form, headers: readChallengeCookie(sent) })
        expect(entered.headers.get('location')).toBe('/traces')
      }
    })

    test('returns 400 with an error at the invalid field', async () => {
      const { ask } = fixture({ stores: await open() })
      for (const email of ['', 'nonsense', 'a@b', '"><script>alert(1)</script>@x.io']) {
        const wrong = await ask('POST', '/sign-in', { form: { email, next: '/apply' } })
        expect([wrong.status, wrong.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
        expect(wrong.text).toContain('aria-invalid="true" autofocus')
        expect(wrong.text).toContain('<title>Error: Sign in')
        expect(wrong.text).not.toContain('<script')
      }
      for (const code of ['000', 'letters', '999999']) {
        const wrong = await ask('POST', '/sign-in', { form: { email: 'jane@example.com', code } })
        expect([wrong.status, wrong.text.includes('id="code-error"')]).toEqual([400, true])
      }
    })

    test('returns 429 with a page for too many requests', async () => {
      const { ask } = fixture({ stores: await open(), rates: {} })
      const statuses = []
      for (let i = 0; i < 6; i++)
        statuses.push(
          (await ask('POST', '/sign-in', { form: { email: 'jane@example.com' }, address: `192.0.2.${i}` })).status,
        )
      expect(statuses).toEqual([303, 303, 303, 303, 303, 429])
      for (let i = 0; i < 101; i++)
        statuses.push((await ask('POST', '/sign-in', { form: { email: 'jane@example.com', code: '123456' } })).status)
      const last = await ask('POST', '/sign-in', { form: { email: 'jane@example.com', code: '123456' } })
      expect([last.status, last.text.includes('role="alert"'), last.headers.has('retry-after')]).toEqual([
        429,
        true,
        true,
      ])
    })

    test('does not restrict the code field to digits, and returns 400 for a code of another length', async () => {
      const { ask } = fixture({ stores: await open() })
      const { cookies } = await ask('POST', '/sign-in', { form: { email: 'jane@example.com' } })
      const cookie = Object.entries(cookies)
        .map(([name, value]) => `${name}=${value}`)
        .join('; ')
      const { text } = await ask('GET', '/sign-in?step=code', { headers: { cookie } })
      expect([text.includes('inputmode="numeric"'), text.includes('The code in the ')]).toEqual([false, true])
      for (const code of ['12345', 'BCD-FGH-JKL']) {
        const refused = await ask('POST', '/sign-in', { form: { email: 'jane@example.com', code } })
        expect([refused.status, refused.text.includes('id="code-error"')]).toEqual([400, true])
      }
    })

    test('returns 403 for a form of another origin', async () => {
      const { ask } = fixture({ stores: await open(), adminToken })
      for (const path of ['/sign-in', '/sign-out', '/device', '/admin/sign-in', '/admin/sign-out']) {
        const refused = await ask('POST', path, {
          form: { email: 'jane@example.com' },
          headers: { 'sec-fetch-site': 'cross-site', 'origin': 'https://evil.example' },
        })
        expect([refused.status, refused.json]).toEqual([403, { ok: false, error: 'cross_site_request' }])
      }
    })
  })

  test('POST /sign-out revokes the session', async () => {
    const { ask, follow, signIn } = fixture({ stores: await open() })
    const jane = await signIn()
    const out = await ask('POST', '/sign-out', { form: {}, headers: jane.cookie })
    expect([out.status, out.headers.get('location'), out.cookies['tributary_session']]).toEqual([303, '/sign-in', ''])
    expect((await follow(out, jane.cookie)).text).toMatch(/role="status">You are signed out\./)
    expect((await ask('GET', '/api/account/machines', { headers: jane.cookie })).status).toBe(401)
    expect((await ask('POST', '/sign-out', { form: {} })).status).toBe(303)
  })

  describe('/device', () => {
    const begin = async ({ ask }: Fixture, machine: string) =>
      (await ask('POST', '/api/cli/device/start', { json: { machine } })).json

    test('shows the device, and approves or denies it', async () => {
      const place = fixture({ stores: await open() })
      const jane = await place.signIn('jane@example.com')
      const login = await begin(place, '<img src=x onerror=alert(1)>')
      expect((await place.ask('GET', '/device', { headers: jane.cookie })).text).toContain('name="code"')
      place.clock.advance(3 * 60_000)
      const shown = await place.ask('GET', `/device?code=${login.userCode.toLowerCase()}`, { headers: jane.cookie })
      expect(shown.text).toContain(`>${login.userCode}</p>`)
      expect(shown.text).toContain('&lt;img src=x')
      expect(shown.text).toContain('3 minutes ago')
      expect(shown.text).toContain('name="decision" value="approved"')
      expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
      const done = await place.ask('POST', '/device', {
        form: { code: login.userCode, decision: 'approved' },
        headers: jane.cookie,
      })
      expect([done.status, done.text.includes('data-decision="approved"')]).toEqual([200, true])
      expect(done.text).toContain('Step 1 of 4')
      expect((await place.ask('GET', `/api/cli/device/poll?deviceCode=${login.deviceCode}`)).json.userId).toBe(
        jane.userId,
      )
      const denied = await begin(place, 'other')
      expect(
        (
          await place.ask('POST', '/device', {
            form: { code: denied.userCode, decision: 'denied' },
            headers: jane.cookie,
          })
        ).text,
      ).toContain('data-decision="denied"')
      expect((await place.ask('GET', `/api/cli/device/poll?deviceCode=${denied.deviceCode}`)).status).toBe(409)
    })

    test('GET /device names every route that a token may call, and says that a token cannot delete the account', async () => {
      const place = fixture({ stores: await open() })
      const jane = await place.signIn()
      const login = await begin(place, 'laptop')
      const { text } = await place.ask('GET', `/device?code=${login.userCode}`, { headers: jane.cookie })
      const sentences: Record<string, readonly string[]> = {
        'upload conversations as you, and view, exclude from sale and delete your traces': [
          'ingest',
          'startUpload',
          'listJobs',
          'ingestJob',
          'ingestOutcomes',
          'knownHashes',
          'bulkUpdateTraces',
          'bulkDeleteTraces',
          'getTrace',
          'updateTrace',
          'downloadTrace',
          'listTraces',
          'getTraceStats',
          'uploadPolicy',
          'access',
          'contact',
          'deleteUpload',
        ],
        'view and download all your account data': [
          'readAccount',
          'listEarnings',
          'exportAccount',
          'startExport',
          'readExport',
        ],
        'request payouts of your earnings': ['requestPayout'],
        'accept the terms, apply, join the waitlist, and pause or resume your uploads': [
          'acceptTerms',
          'apply',
          'joinWaitlist',
          'updateAccount',
        ],
        'change your contact details and your blocked terms': ['saveContact', 'readBlockedTerms', 'saveBlockedTerms'],
        'list your devices and browsers and sign them out': ['session', 'signOut', 'listMachines', 'revokeMachine'],
        'show and rate sponsor lines, change your preferences for them, and add what they earn to your account': [
          'serveAd',
          'adConfig',
          'setConsent',
          'voteAd',
          'claimDevice',
        ],
        'send error reports and feedback': ['reportTelemetry', 'sendFeedback'],
        'They cannot delete your account': ['eraseAccount'],
      }
      for (const sentence of Object.keys(sentences)) expect(text).toContain(sentence)
      const byToken = (await place.service.routes())
        .filter(({ route: { auth } }) => auth === 'bearer' || auth === 'bearer-or-cookie')
        .map(({ name }) => name)
      expect(Object.values(sentences).flat().sort()).toEqual(byToken.sort())
      expect((await place.ask('DELETE', '/api/account', { headers: jane.bearer })).json.error).toBe('browser_required')
    })

    test('returns a page with an error for an unknown, decided or expired code and for too many codes', async () => {
      const place = fixture({ stores: await open(), rates: {} })
      const jane = await place.signIn()
      const [login, late] = [await begin(place, 'one'), await begin(place, 'two')]
      const get = async (code: string) =>
        (await place.ask('GET', `/device?code=${code}`, { headers: jane.cookie })).status
      const post = async (code: string, decision = 'approved') =>
        (await place.ask('POST', '/device', { form: { code, decision }, headers: jane.cookie })).status
      expect([await post(login.userCode), await post(login.userCode), await get(login.userCode)]).toEqual([
        200, 409, 409,
      ])
      expect(await post(late.userCode, 'nonsense')).toBe(400)
      place.clock.advance(15 * 60_000)
      expect([await get(late.userCode), await post(late.userCode)]).toEqual([410, 410])
      const statuses = []
      for (let i = 0; i < 11; i++) statuses.push(await get('BCDF-GHJK'), await post('BCDF-GHJK'))
      expect(statuses).toEqual([...Array<number>(21).fill(404), 429])
      expect(await post('')).toBe(400)
    })
  })

  describe('operator pages', () => {
    test('POST /admin/sign-in signs a browser in for twelve hours with the admin token, and /admin/sign-out signs it out', async () => {
      const { ask, follow } = fixture({ stores: await open(), adminToken })
      const wrong = await ask('POST', '/admin/sign-in', { form: { token: `${adminToken}x` } })
      expect([wrong.status, wrong.cookies, wrong.text.includes('id="token-error"')]).toEqual([401, {}, true])
      expect((await ask('POST', '/admin/sign-in', { form: {} })).status).toBe(401)
      const right = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
      expect([right.status, right.headers.get('location')]).toEqual([303, '/admin'])
      expect(right.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^tributary_operator=[0-9A-Za-z]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
        ),
      ])
      const out = await ask('POST', '/admin/sign-out', { form: {} })
      expect([out.status, out.headers.get('location'), out.cookies['tributary_operator']]).toEqual([303, '/admin', ''])
      expect((await follow(out)).text).toMatch(/role="status">You are signed out\./)
    })

    test('POST /admin/sign-in returns 404 without an admin token', async () => {
      const { ask } = fixture({ stores: await open() })
      expect((await ask('POST', '/admin/sign-in', { form: { token: adminToken } })).status).toBe(404)
    })
  })

  test('GET /assets/tributary.css is public and cacheable', async () => {
    const { ask } = fixture({ stores: await open() })
    const sheet = await ask('GET', '/assets/tributary.css')
    expect([sheet.status, sheet.headers.get('content-type'), sheet.headers.get('cache-control')]).toEqual([
      200,
      'text/css; charset=utf-8',
      'public, max-age=3600',
    ])
    expect(sheet.text).toContain('prefers-color-scheme: dark')
  })
})
