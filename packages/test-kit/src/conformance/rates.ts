import { check, type Check } from './check.ts'
import type { PendingAnswer } from './answer.ts'

/** Sends requests until a request is refused, which must happen exactly when the limit is used up. */
async function exhaustRate(limit: number, ask: (i: number) => PendingAnswer, body: unknown): Promise<void> {
  // If a new window begins meanwhile, more calls are accepted, but less than twice as many.
  let calls = 1
  let last = await ask(0)
  for (; last.status !== 429 && calls < 2 * limit; calls++) last = await ask(calls)
  last
    .must(calls > limit, `no 429 within ${limit} calls`, `call ${calls} has it`)
    .is(429, body)
    .has('ratelimit-policy', new RegExp(`^"[a-z_]+";q=${limit};w=\\d+$`))
    .has('ratelimit', /^"[a-z_]+";r=0;t=[1-9]\d*$/)
}

const limited = true
const ok = { ok: false, error: 'rate_limited' }

/** Checks that use the default rates up to their limits. Afterwards these rates are used up. */
export const rates: readonly Check[] = [
  check('E2', '20 messages an hour are accepted from one user', ['rates', 'mailbox'], async ({ ask, own }) => {
    const { bearer } = await own('talker')
    await exhaustRate(20, () => ask('POST', '/api/cli/feedback', { as: bearer, json: {}, limited }), ok)
  }),
  check('E5', '60 batches a minute are accepted from one user', ['rates', 'mailbox'], async ({ ask, own }) => {
    const { bearer } = await own('talker')
    await exhaustRate(60, () => ask('POST', '/api/ingest', { as: bearer, json: {}, limited }), ok)
  }),
  check('E18', '30 votes a minute are accepted from one user', ['rates', 'mailbox'], async ({ ask, own }) => {
    const { bearer } = await own('talker')
    await exhaustRate(30, () => ask('POST', '/api/ad/feedback', { as: bearer, json: {}, limited }), {
      error: 'rate_limited',
    })
  }),
  check('E19', 'ten devices can be claimed by one user', ['rates', 'mailbox'], async ({ ask, own, stage }) => {
    const { bearer } = await own('talker')
    const claim = (n: number) =>
      ask('POST', '/api/program/claim', { as: bearer, json: { deviceId: `many-${n}-${stage.run}` } })
    for (let n = 0; n < 10; n++) await claim(n).is(200)
    await claim(10).is(409, { ok: false, error: 'too_many_devices' })
    await claim(0).is(200)
  }),
  check('http', 'the calls of one user do not count for another user', ['rates', 'mailbox'], async ({ ask, own }) => {
    await ask('POST', '/api/ad/feedback', { as: (await own('stranger')).bearer, json: {}, limited }).is(400, {
      error: 'invalid_body',
    })
  }),
  check(
    'device-login',
    'one session can try ten wrong user codes an hour',
    ['rates', 'mailbox'],
    async ({ ask, own }) => {
      const { cookie } = await own('talker')
      await exhaustRate(
        10,
        () => ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: 'BBBB-BBBB' }, limited }),
        { error: 'rate_limited' },
      )
    },
  ),
  check(
    'device-login',
    'thirty unknown codes in links use up no guesses, and then the page asks the user to submit the code',
    ['rates', 'mailbox'],
    async ({ ask, own }) => {
      const { cookie } = await own('stranger')
      let page = await ask('GET', '/device?code=BBBB-BBBB', { as: cookie, limited })
      for (let i = 0; i < 31 && page.status === 404; i++)
        page = await ask('GET', '/device?code=BBBB-BBBB', { as: cookie, limited })
      page.is(200).must(page.text.includes('value="BBBB-BBBB"'), 'the form with the code')
      await ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: 'BBBB-BBBB' }, limited }).is(404)
    },
  ),
  check(
    'http',
    'five sign-in codes in ten minutes are sent to one mailbox, regardless of tags in the address',
    ['rates', 'mailbox'],
    async ({ ask, stage }) => {
      let i = 0
      const send = () =>
        ask('POST', '/api/auth/email', {
          json: { email: `conformance-${stage.run}-tags+${i++}@conformance.example` },
          limited,
        })
      await exhaustRate(5, send, ok)
    },
  ),
  check(
    'http',
    'five sign-in codes in ten minutes are sent to one address',
    ['rates', 'mailbox'],
    async ({ ask, stage }) => {
      const email = `conformance-${stage.run}-often@conformance.example`
      await exhaustRate(5, () => ask('POST', '/api/auth/email', { json: { email }, limited }), ok)
    },
  ),
  check(
    'device-login',
    '20 device authorizations a minute are started from one address',
    ['rates'],
    async ({ ask }) => {
      // Other checks may have made some calls, and a new window may begin, so the 429 may come earlier or later.
      for (let i = 0; ; i++) {
        const reply = await ask('POST', '/api/cli/device/start', { json: {}, limited })
        if (i >= 2 * 20 || reply.status === 429)
          return void reply.is(429, { error: 'rate_limited' }).has('ratelimit-policy', '"device_start";q=20;w=60')
      }
    },
  ),
  check('E20', '100 reports an hour are accepted from one address', ['rates'], async ({ ask }) => {
    for (let i = 0; ; i++) {
      const reply = await ask('POST', '/api/v1/feedback', { json: {}, limited })
      if (i >= 2 * 100 || reply.status === 429)
        return void reply.is(429, { error: 'rate_limited' }).has('ratelimit-policy', '"reports";q=100;w=3600')
    }
  }),
  check('E15', '600 polls a minute with unknown codes are accepted from one address', ['rates'], async ({ ask }) => {
    for (let i = 0; ; i++) {
      const reply = await ask('GET', '/api/cli/device/poll?deviceCode=none', { limited })
      if (i >= 2 * 600 || reply.status === 429)
        return void reply.is(429, { error: 'rate_limited' }).has('ratelimit-policy', '"device_poll";q=600;w=60')
    }
  }),
  check(
    'http',
    '600 calls a minute with unknown tokens are accepted from one address; calls with a known token still work',
    ['rates', 'mailbox'],
    async ({ ask, own }) => {
      const { bearer } = await own('talker')
      const junk = { authorization: 'Bearer junk' }
      for (let i = 0; ; i++) {
        const reply = await ask('GET', '/api/cli/session', { as: junk, limited })
        if (i < 2 * 600 && reply.status !== 429) continue
        reply.is(429, { ok: false, error: 'rate_limited' }).has('ratelimit-policy', '"unknown_bearer";q=600;w=60')
        break
      }
      await ask('GET', '/api/ad?d=device', { as: junk, limited }).is(429, {
        ad: null,
        nonce: null,
        ttlMs: null,
        error: 'rate_limited',
      })
      await ask('GET', '/api/cli/session', { as: bearer, limited }).is(200)
    },
  ),
]
