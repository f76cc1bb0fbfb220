import { check, type Check } from './check.ts'
import { boolean, listOf, madeId, matchOrNull, text, makeMatcher, time } from './matchers.ts'
import { signInBrowser, requestSignInCode, createToken } from './people.ts'

const session = '/api/cli/session'
const nobody = { ok: false, error: 'unauthorized' }
const ours = { 'sec-fetch-site': 'same-origin' }
const wrong = { ok: false, error: 'invalid_code' }

/** The checks of `GET /api/cli/session`, sign-in by mailed code, sessions and machines. */
export const sessions: readonly Check[] = [
  check('E14', 'a bearer token returns its user, with no-store', ['person'], async ({ ask, person }) => {
    const { bearer, userId } = await person()
    ;(await ask('GET', session, { as: bearer }).is(200, { ok: true, userId })).has('cache-control', /no-store/)
  }),
  check('E14', 'a session cookie is not accepted instead of a bearer token', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = await own('main')
    for (const [method, path] of [
      ['GET', session],
      ['POST', '/api/cli/telemetry'],
      ['POST', '/api/cli/feedback'],
      ['POST', '/api/program/claim'],
    ] as const)
      await ask(method, path, { as: cookie }).is(401, nobody)
  }),
  check('sign-in', 'user ids are UUIDs of version 7', ['person'], async ({ ask, person }) => {
    await ask('GET', session, { as: (await person()).bearer }).is(200, { ok: true, userId: madeId })
  }),
  check('GET /api/account', 'returns the id and the e-mail of the caller', ['person'], async ({ ask, person }) => {
    const { bearer, userId } = await person()
    await ask('GET', '/api/account', { as: bearer }).is(200, { ok: true, userId, email: matchOrNull(text) })
    await ask('GET', '/api/account').is(401, nobody)
  }),
  check(
    'sign-in',
    'a request for a code returns the same reply for every address',
    ['mailbox'],
    async ({ ask, stage }) => {
      for (const email of [
        `never-${stage.run}@conformance.example`,
        `conformance-${stage.run}-main@conformance.example`,
      ]) {
        await ask('POST', '/api/auth/email', { json: { email } }).is(200, { ok: true, challenge: text })
      }
    },
  ),
  check('sign-in', 'an invalid address returns 400', [], async ({ ask }) => {
    for (const email of ['nobody', 'a..b@c.example', 'a@b.c', `${'x'.repeat(320)}@b.example`])
      await ask('POST', '/api/auth/email', { json: { email } }).is(400, { ok: false, error: 'invalid_body' })
  }),
  check(
    'sign-in',
    'a code signs in once, and its session is an HttpOnly, SameSite cookie',
    ['mailbox'],
    async ({ ask, own, stage, target }) => {
      const { email, userId } = await own('main')
      const { challenge } = await requestSignInCode(stage, email.toUpperCase())
      const code = await target.code!(email)
      const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
      const reply = await ask('POST', '/api/auth/email/verify', { json: { email, code: spaced, challenge } }).is(200, {
        ok: true,
        userId,
      })
      const parts = reply.setCookie('session').split('; ')
      const secure = parts.includes('Secure')
      reply.must(
        (secure ? /^__Host-tributary_session=.{20,}$/ : /^tributary_session=.{20,}$/).test(parts[0]!),
        'a session cookie',
        `it is ${parts[0]}`,
      )
      for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=2592000'])
        reply.must(parts.includes(part), `a cookie with ${part}`, `it is ${parts.slice(1).join('; ')}`)
      await ask('POST', '/api/auth/email/verify', { json: { email, code, challenge } }).is(400, wrong)
      stage.addCleanup(() => stage.ask('POST', '/api/auth/sign-out', { as: { cookie: parts[0]!, ...ours } }))
    },
  ),
  check(
    'sign-in',
    'a wrong code is refused, and after five wrong codes the right code is refused too',
    ['mailbox'],
    async ({ ask, stage, target }) => {
      const email = `conformance-${stage.run}-guess@conformance.example`
      const { challenge } = await requestSignInCode(stage, email)
      const code = await target.code!(email)
      const other = code === '000000' ? '111111' : '000000'
      const verify = (typed: string) =>
        ask('POST', '/api/auth/email/verify', { json: { email, code: typed, challenge } })
      for (const typed of ['', 'abcdef', other, other, other]) await verify(typed).is(400, wrong)
      await verify(code).is(400, wrong)
    },
  ),
  check(
    'sign-in',
    'a code requires the challenge of its request, from the body or the cookie',
    ['mailbox'],
    async ({ ask, stage, target }) => {
      const email = `conformance-${stage.run}-challenge@conformance.example`
      const asker = await requestSignInCode(stage, email)
      const code = await target.code!(email)
      const other = await requestSignInCode(stage, email)
      const verify = (challenge: object, headers = {}) =>
        ask('POST', '/api/auth/email/verify', { headers, json: { email, code, ...challenge } })
      for (const challenge of [{}, { challenge: 'no' }, { challenge: other.challenge }])
        await verify(challenge).is(400, wrong)
      const signed = await verify({}, { cookie: asker.cookie }).is(200, { ok: true, userId: madeId })
      const as = { cookie: signed.cookie('session'), ...ours }
      stage.addCleanup(() => stage.ask('DELETE', '/api/account', { as }))
    },
  ),
  check(
    'sign-in',
    'the challenge is an HttpOnly, SameSite cookie of ten minutes',
    ['mailbox'],
    async ({ ask, stage }) => {
      const email = `conformance-${stage.run}-cookie@conformance.example`
      const sent = await ask('POST', '/api/auth/email', { json: { email } }).is(200, { ok: true, challenge: text })
      const parts = sent.setCookie('challenge').split('; ')
      sent.must(
        parts[0]?.endsWith(`tributary_challenge=${sent.json.challenge}`) === true,
        'a cookie with the challenge',
        `it is ${parts[0]}`,
      )
      for (const part of ['HttpOnly', 'SameSite=Lax', 'Max-Age=600'])
        sent.must(parts.includes(part), `a cookie with ${part}`, `it is ${parts.join('; ')}`)
    },
  ),
  check('sign-in', 'a code of one address is refused for another', ['mailbox'], async ({ ask, stage, target }) => {
    const email = `conformance-${stage.run}-guess-2@conformance.example`
    const { challenge } = await requestSignInCode(stage, email)
    const json = {
      email: `conformance-${stage.run}-nobody@conformance.example`,
      code: await target.code!(email),
      challenge,
    }
    await ask('POST', '/api/auth/email/verify', { json }).is(400, wrong)
  }),
  check(
    'sign-in',
    'with a bearer token and a cookie the token is used, and an invalid token returns 401',
    ['mailbox'],
    async ({ ask, own }) => {
      const [{ cookie }, other] = [await own('main'), await own('stranger')]
      await ask('GET', session, { as: { ...cookie, ...other.bearer } }).is(200, { ok: true, userId: other.userId })
      for (const authorization of ['Bearer trb_nobody', 'Basic YTpi'])
        await ask('GET', '/api/traces/access', { as: { ...cookie, authorization } }).is(401, nobody)
      await ask('GET', '/api/traces/access', { as: cookie }).is(200)
    },
  ),
  check('sign-in', 'a change by cookie must come from a page of the service', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = (await own('main')).cookie as { cookie: string }
    const origin = new URL((await ask('GET', '/api/traces/access', { as: { cookie } }).is(200)).json.applyUrl).origin
    const change = (headers: Record<string, string>) =>
      ask('POST', '/api/traces/known', { as: { cookie }, headers, json: { hashes: [] } })
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }, { origin }] as Record<
      string,
      string
    >[])
      await change(headers).is(200, { ok: true, known: [] })
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: `${origin}.evil.example` },
      { origin: 'null' },
    ] as Record<string, string>[]) {
      await change(headers).is(403, { ok: false, error: 'cross_site_request' })
    }
  }),
  check('sign-in', 'a read with a cookie is accepted from everywhere', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = (await own('main')).cookie as { cookie: string }
    await ask('GET', '/api/traces/access', { as: { cookie }, headers: { 'sec-fetch-site': 'cross-site' } }).is(200)
  }),
  check('sign-in', 'signing out ends only the session of the request', ['mailbox'], async ({ ask, own, stage }) => {
    const { email, cookie } = await own('main')
    const second = await signInBrowser(stage, email)
    const out = await ask('POST', '/api/auth/sign-out', { as: second }).is(200, { ok: true })
    out.has('set-cookie', /^(?:__Host-)?tributary_session=;.*Max-Age=0/)
    await ask('GET', '/api/traces/access', { as: second }).is(401, nobody)
    await ask('GET', '/api/traces/access', { as: cookie }).is(200)
  }),
  check(
    'sign-in',
    'signing out with a bearer token revokes this token',
    ['mailbox'],
    async ({ ask, own, stage, eventually }) => {
      const { cookie, bearer } = await own('main')
      const token = { authorization: `Bearer ${await createToken(stage, cookie)}` }
      ;(await ask('POST', '/api/auth/sign-out', { as: token }).is(200, { ok: true })).has('set-cookie', null)
      await eventually(() => ask('GET', session, { as: token }).is(401, nobody))
      await ask('GET', session, { as: bearer }).is(200)
    },
  ),
  check(
    'sign-in',
    'machines are listed with their label and next to browsers, and a revoked machine gets 401',
    ['mailbox'],
    async ({ ask, own, stage, eventually }) => {
      const { cookie, bearer } = await own('main')
      const label = `machine ${stage.run}`
      const token = { authorization: `Bearer ${await createToken(stage, cookie, label)}` }
      const entry = {
        id: madeId,
        kind: makeMatcher('machine or browser', (value) => value === 'machine' || value === 'browser'),
        status: makeMatcher('signed_in or approved', (value) => value === 'signed_in' || value === 'approved'),
        label: text,
        createdAt: time,
        lastUsedAt: matchOrNull(time),
        current: boolean,
      }
      const listed = await ask('GET', '/api/account/machines', { as: cookie }).is(200, {
        ok: true,
        machines: listOf(entry),
      })
      const { json } = listed
      const current = json.machines
        .filter((one: { current: boolean }) => one.current)
        .map(({ kind }: { kind: string }) => kind)
      listed.must(
        current.length === 1 && current[0] === 'browser',
        'the browser that asks as the current one',
        JSON.stringify(current),
      )
      const machine = json.machines.find((one: { label: string }) => one.label === label)
      await ask('DELETE', `/api/account/machines/${machine?.id}`, { as: bearer }).is(200, { ok: true })
      await eventually(() => ask('GET', session, { as: token }).is(401, nobody))
      await ask('DELETE', `/api/account/machines/${machine?.id}`, { as: bearer }).is(404, {
        ok: false,
        error: 'not_found',
      })
    },
  ),
  check(
    'sign-in',
    'a browser can be signed out by its id, and a new sign-in ends the previous session',
    ['mailbox'],
    async ({ ask, own, stage, eventually }) => {
      const { email, cookie } = await own('browser')
      const first = await signInBrowser(stage, email)
      const second = await signInBrowser(stage, email, first)
      await eventually(() => ask('GET', '/api/traces/access', { as: first }).is(401, nobody))
      const { machines } = (await ask('GET', '/api/account/machines', { as: second }).is(200)).json
      const { id } = machines.find(({ current }: { current: boolean }) => current)
      await ask('DELETE', `/api/account/machines/${id}`, { as: cookie }).is(200, { ok: true })
      await eventually(() => ask('GET', '/api/traces/access', { as: second }).is(401, nobody))
    },
  ),
  check('sign-in', 'a machine of another user returns 404', ['mailbox'], async ({ ask, own }) => {
    const [main, other] = [await own('main'), await own('stranger')]
    const { machines } = (await ask('GET', '/api/account/machines', { as: other.bearer }).is(200)).json
    const machine = machines.find(({ kind }: { kind: string }) => kind === 'machine')
    await ask('DELETE', `/api/account/machines/${machine.id}`, { as: main.bearer }).is(404, {
      ok: false,
      error: 'not_found',
    })
    await ask('GET', session, { as: other.bearer }).is(200, { ok: true, userId: other.userId })
  }),
  check(
    'sign-in',
    'the sign-in page redirects only to paths of the service',
    ['mailbox'],
    async ({ ask, own, target }) => {
      const { cookie } = await own('main')
      for (const [next, to] of [
        ['/terms', '/terms'],
        ['//evil.example', '/traces'],
        ['https://evil.example', '/traces'],
        ['/\\evil.example', '/traces'],
      ]) {
        ;(await ask('GET', `/sign-in?next=${encodeURIComponent(next!)}`, { as: cookie }).is(303)).has(
          'location',
          `${target.prefix ?? ''}${to}`,
        )
      }
    },
  ),
]
