import { check, type Check } from '../conformance/check.ts'
import type { Answer } from '../conformance/answer.ts'
import { signInBrowser } from '../conformance/people.ts'
import { makeVictim } from './victim.ts'

const limited = true
const headers = { 'sec-fetch-site': 'same-origin' }

/** Returns the cookies that a reply sets, as a browser would send them back. */
const readCookies = (reply: Answer): string =>
  reply
    .all('set-cookie')
    .map((cookie) => cookie.split(';')[0]!)
    .join('; ')
const listWrongCodes = (code: string): string[] =>
  Array.from({ length: 5 }, (_, i) => String((Number(code) + i + 1) % 1_000_000).padStart(6, '0'))

/** Attempts to guess codes and tokens. The checks with `rates` need the default limits and use them up. */
export const guessing: readonly Check[] = [
  check('API2', 'a sign-in code is refused after five wrong guesses', ['mailbox'], async ({ ask, stage, target }) => {
    const email = `conformance-${stage.run}-guessed@conformance.example`
    const asked = await ask('POST', '/api/auth/email', { headers, json: { email } }).is(200)
    const as = { cookie: readCookies(asked) }
    const code = await target.code!(email)
    for (const wrong of listWrongCodes(code))
      await ask('POST', '/api/auth/email/verify', { as, headers, json: { email, code: wrong } }).is(400)
    await ask('POST', '/api/auth/email/verify', { as, headers, json: { email, code } }).is(400, {
      ok: false,
      error: 'invalid_code',
    })
  }),
  check(
    'API2',
    'a sign-in code is refused without the challenge of its request',
    ['mailbox'],
    async ({ ask, stage, target }) => {
      const email = `conformance-${stage.run}-bound@conformance.example`
      await ask('POST', '/api/auth/email', { headers, json: { email } }).is(200)
      const code = await target.code!(email)
      await ask('POST', '/api/auth/email/verify', { headers, json: { email, code } }).is(400, {
        ok: false,
        error: 'invalid_code',
      })
    },
  ),
  check('API2', 'a sign-in code works only once', ['mailbox'], async ({ ask, stage, target }) => {
    const email = `conformance-${stage.run}-once@conformance.example`
    const asked = await ask('POST', '/api/auth/email', { headers, json: { email } }).is(200)
    const as = { cookie: readCookies(asked) }
    const code = await target.code!(email)
    const signed = await ask('POST', '/api/auth/email/verify', { as, headers, json: { email, code } }).is(200)
    await ask('POST', '/api/auth/email/verify', { as, headers, json: { email, code } }).is(400)
    await ask('DELETE', '/api/account', { as: { cookie: readCookies(signed) }, headers }).is(200)
  }),
  check(
    'API2',
    'the reply does not reveal whether an address has an account',
    ['mailbox'],
    async ({ ask, own, stage }) => {
      const { email } = await own('stranger')
      const describeShape = (reply: Answer): string =>
        JSON.stringify([reply.status, Object.keys(reply.json).toSorted()])
      const known = await ask('POST', '/api/auth/email', { headers, json: { email } })
      const unknown = await ask('POST', '/api/auth/email', {
        headers,
        json: { email: `conformance-${stage.run}-nobody@conformance.example` },
      })
      known.must(
        describeShape(known) === describeShape(unknown),
        'the same reply for both',
        `${describeShape(known)} and ${describeShape(unknown)}`,
      )
    },
  ),
  check(
    'API2',
    "an attacker's requests for codes do not lock out the account's own browser",
    ['rates', 'mailbox'],
    async ({ ask, stage, target }) => {
      const email = `conformance-${stage.run}-besieged@conformance.example`
      const first = await ask('POST', '/api/auth/email', { headers, json: { email } }).is(200)
      const verified = await ask('POST', '/api/auth/email/verify', {
        as: { cookie: readCookies(first) },
        headers,
        json: { email, code: await target.code!(email) },
      }).is(200)
      const jar = readCookies(verified)
      let reply = verified
      for (let i = 0; i < 12; i++) reply = await ask('POST', '/api/auth/email', { headers, json: { email }, limited })
      reply.must(reply.status === 429, "the attacker's requests are limited")
      const again = await ask('POST', '/api/auth/email', { as: { cookie: jar }, headers, json: { email }, limited }).is(
        200,
      )
      const as = { cookie: [readCookies(again), jar].filter((cookie) => cookie !== '').join('; ') }
      const code = await target.code!(email)
      const signed = await ask('POST', '/api/auth/email/verify', { as, headers, json: { email, code }, limited }).is(
        200,
      )
      await ask('DELETE', '/api/account', { as: { cookie: readCookies(signed) }, headers }).is(200)
    },
  ),
  check(
    'API2',
    'twenty wrong guesses at the codes of an account block nobody, and its next code cannot be guessed',
    ['mailbox'],
    async ({ ask, stage, target }) => {
      const email = `conformance-${stage.run}-watched@conformance.example`
      const request = async () => {
        const asked = await ask('POST', '/api/auth/email', { headers, json: { email } }).is(200)
        return { as: { cookie: readCookies(asked) }, code: await target.code!(email) }
      }
      for (let codes = 0; codes < 4; codes++) {
        const { as, code } = await request()
        for (const wrong of listWrongCodes(code))
          await ask('POST', '/api/auth/email/verify', { as, headers, json: { email, code: wrong } }).is(400)
      }
      const { as, code } = await request()
      const signed = await ask('POST', '/api/auth/email/verify', { as, headers, json: { email, code } }).is(200)
      signed.must(
        /^[BCDFGHJKLMNPQRSTVWXZ]{10}$/.test(code),
        'a code of ten letters',
        `it has ${code.length} characters`,
      )
      await ask('DELETE', '/api/account', { as: { cookie: readCookies(signed) }, headers }).is(200)
    },
  ),
  check(
    'API4',
    'links from another site to the device page use up no guesses',
    ['rates', 'mailbox'],
    async ({ ask, stage }) => {
      const victim = await makeVictim(stage)
      const crossSite = { 'sec-fetch-site': 'cross-site' }
      for (let i = 0; i < 12; i++)
        await ask('GET', '/device?code=BBBB-BBBB', { as: victim.cookie, headers: crossSite, limited })
      await ask('POST', '/api/cli/device/approve', { as: victim.cookie, json: { userCode: 'BBBB-BBBB' }, limited }).is(
        404,
      )
    },
  ),
  check(
    'API4',
    'a known device gets its reply while its network floods the poll with unknown codes and tokens',
    ['rates', 'mailbox'],
    async ({ ask, own }) => {
      const { bearer } = await own('stranger')
      const { json } = await ask('POST', '/api/cli/device/start', { json: { machine: 'victim' }, limited }).is(200)
      const as = { authorization: 'Bearer junk' }
      for (const path of ['/api/cli/device/poll?deviceCode=none', '/api/cli/session']) {
        let reply = await ask('GET', path, { as, limited })
        for (let i = 0; i < 601 && reply.status !== 429; i++) reply = await ask('GET', path, { as, limited })
        reply.is(429)
      }
      await ask('GET', `/api/cli/device/poll?deviceCode=${json.deviceCode}`, { limited }).is(202)
      await ask('GET', '/api/cli/session', { as: bearer, limited }).is(200)
    },
  ),
  check(
    'API2',
    'a code of one OAuth client returns its token once, and its client cannot revoke another token or session',
    ['mailbox'],
    async ({ ask, own }) => {
      const { cookie } = await own('stranger')
      const type = 'application/x-www-form-urlencoded'
      const send = (path: string, fields: Record<string, string>) =>
        ask('POST', path, { body: new URLSearchParams(fields).toString(), type })
      const { json } = await send('/oauth/device_authorization', { client_id: 'attack' }).then((reply) => reply.is(200))
      await ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: json.user_code } }).is(200)
      const poll = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: json.device_code }
      ;(await send('/oauth/token', { ...poll, client_id: 'another' })).is(400)
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => send('/oauth/token', { ...poll, client_id: 'attack' })),
      )
      const got = replies.filter(({ status }) => status === 200)
      replies[0]!.must(got.length === 1, 'one token of ten concurrent polls', `there are ${got.length}`)
      // The secret of a session is not a token.
      const session = /=([0-9A-Za-z]{43})/.exec((cookie as { cookie: string }).cookie)?.[1] ?? ''
      for (const token of [session, `${got[0]!.json.access_token}x`, 'trb_'])
        (await send('/oauth/revoke', { token })).is(200)
      await ask('GET', '/api/traces/access', { as: cookie }).is(200)
      await ask('GET', '/api/cli/session', { as: { authorization: `Bearer ${got[0]!.json.access_token}` } }).is(200)
      await send('/oauth/revoke', { token: got[0]!.json.access_token })
    },
  ),
  check(
    'API2',
    'wrong device codes of one user do not block another user at the same address',
    ['rates', 'mailbox'],
    async ({ ask, own, stage }) => {
      const [attacker, victim] = [await own('stranger'), await makeVictim(stage)]
      let reply = await ask('POST', '/api/cli/device/approve', {
        as: attacker.cookie,
        json: { userCode: 'BBBB-BBBB' },
        limited,
      })
      for (let i = 0; i < 40 && reply.status !== 429; i++) {
        reply = await ask('POST', '/api/cli/device/approve', {
          as: attacker.cookie,
          json: { userCode: 'BBBB-BBBB' },
          limited,
        })
      }
      reply.is(429)
      const { json } = await ask('POST', '/api/cli/device/start', { json: { machine: 'attack' }, limited }).is(200)
      await ask('POST', '/api/cli/device/approve', {
        as: victim.cookie,
        json: { userCode: json.userCode },
        limited,
      }).is(200)
    },
  ),
  check(
    'API2',
    'wrong operator tokens are limited, and return 401 or 429 only',
    ['rates', 'operator'],
    async ({ ask, operator }) => {
      const right = operator()['authorization']!
      const guesses = [
        right.slice(0, -1),
        `${right}x`,
        right.toUpperCase(),
        'Bearer ',
        'Basic b3BlcmF0b3I6',
        ...Array.from({ length: 25 }, (_, i) => `Bearer guess-${i}`),
      ]
      let last = await ask('GET', '/api/admin/jobs', { limited })
      for (const authorization of guesses) {
        last = await ask('GET', '/api/admin/jobs', { as: { authorization }, limited })
        last.must(last.status === 401 || last.status === 429, '401 or 429')
      }
      last.is(429)
    },
  ),
  check('API4', 'a forged client address does not reset a limit', ['rates', 'mailbox'], async ({ ask, stage }) => {
    const email = `conformance-${stage.run}-forwarded@conformance.example`
    let reply = await ask('POST', '/api/auth/email', { headers, json: { email }, limited })
    for (let i = 0; i < 20; i++) {
      const forged = {
        'x-forwarded-for': `203.0.113.${i}`,
        'x-real-ip': `203.0.113.${i}`,
        'forwarded': `for=203.0.113.${i}`,
        'cf-connecting-ip': `203.0.113.${i}`,
      }
      reply = await ask('POST', '/api/auth/email', { headers: { ...headers, ...forged }, json: { email }, limited })
    }
    reply.is(429)
  }),
  check(
    'API2',
    'a device that was approved before the other browsers were signed out gets no token',
    ['mailbox'],
    async ({ ask, own, stage }) => {
      const { email } = await own('leaver')
      // An attacker's own browser approves the attacker's device.
      const stolen = await signInBrowser(stage, email)
      const { json } = await ask('POST', '/api/cli/device/start', { json: { machine: 'attack' } }).is(200)
      await ask('POST', '/api/cli/device/approve', { as: stolen, json: { userCode: json.userCode } }).is(200)
      const cookie = await signInBrowser(stage, email)
      const body = { body: 'action=revoke_others', type: 'application/x-www-form-urlencoded' }
      await ask('POST', '/account', { as: cookie, headers, ...body }).is(303)
      await ask('GET', `/api/cli/device/poll?deviceCode=${json.deviceCode}`).is(409, { error: 'access_denied' })
    },
  ),
  check(
    'API2',
    'signing out and revoking end a credential permanently',
    ['mailbox'],
    async ({ ask, own, stage, eventually }) => {
      const { email } = await own('leaver')
      const cookie = await signInBrowser(stage, email)
      await ask('POST', '/api/auth/sign-out', { as: cookie, json: {} })
      await eventually(() => ask('GET', '/api/traces/access', { as: cookie }).is(401))
    },
  ),
]
