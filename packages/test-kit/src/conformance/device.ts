import { crc32 } from 'node:zlib'
import { check, type Check } from './check.ts'
import { matchLink, makeMatcher, time } from './matchers.ts'

const start = '/api/cli/device/start'
const poll = (deviceCode: string): string => `/api/cli/device/poll?deviceCode=${deviceCode}`
const userCode = makeMatcher(
  'a code as BCDF-GHJK',
  (value) => typeof value === 'string' && /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/.test(value),
)
const secret = makeMatcher(
  'a code of 256 random bits',
  (value) => typeof value === 'string' && /^[\w-]{43,}$/.test(value),
)
const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const token = makeMatcher('trb_, 160 random bits or more, and their checksum', (value) => {
  const [, random, sum] = typeof value === 'string' ? (/^trb_(\w{27,})(\w{6})$/.exec(value) ?? []) : []
  if (!random) return false
  let [rest, checksum] = [crc32(random), '']
  for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) checksum = letters[rest % 62]! + checksum
  return checksum === sum
})
const makeDecision = (status: string) => ({ ok: true, status, machine: 'conformance' })

/** The checks of `GET /api/cli/device/poll` and of the requests before it. */
export const device: readonly Check[] = [
  check('device-login', 'a device authorization returns two codes, a URL and 15 minutes', [], async ({ ask }) => {
    const reply = await ask('POST', start, { json: { machine: 'conformance' } })
    const { json } = reply.is(200, {
      ok: true,
      deviceCode: secret,
      userCode,
      verificationUrl: matchLink('/device'),
      verificationUrlComplete: matchLink(`/device?code=${reply.json.userCode}`),
      expiresAt: time,
      interval: 5,
    })
    const minutes = (Date.parse(json.expiresAt) - Date.now()) / 60_000
    reply.must(
      minutes > 5 && minutes < 25,
      'expiresAt in 15 minutes',
      `it is in ${minutes.toFixed(1)} by the clock of this machine`,
    )
  }),
  check('device-login', 'a machine name has 1 to 256 characters', [], async ({ ask }) => {
    await ask('POST', start, { json: { machine: 'm'.repeat(256) } }).is(200)
    for (const machine of ['', 'm'.repeat(257), 7, null])
      await ask('POST', start, { json: { machine } }).is(400, { error: 'invalid_body' })
    await ask('POST', start, { json: {} }).is(400, { error: 'invalid_body' })
  }),
  check('E15', 'an unknown device code returns 400, whatever its form', [], async ({ ask }) => {
    for (const path of ['/api/cli/device/poll', poll(''), poll('short'), poll('x'.repeat(43)), poll('x'.repeat(3000))])
      await ask('GET', path).is(400, { error: 'invalid_device_code' })
  }),
  check(
    'E15',
    'a pending authorization returns 202, and polling again immediately returns 429 with five more seconds',
    [],
    async ({ ask }) => {
      const { deviceCode } = (await ask('POST', start, { json: { machine: 'conformance' } }).is(200)).json
      await ask('GET', poll(deviceCode)).is(202, { ok: true, status: 'pending' })
      for (const seconds of ['10', '15'])
        (await ask('GET', poll(deviceCode)).is(429, { error: 'slow_down' })).has('retry-after', seconds)
    },
  ),
  check('E15', 'a HEAD request does not use up the token', [], async ({ ask }) => {
    await ask('HEAD', poll('x'.repeat(43))).is(405)
  }),
  check('E15', 'an approved authorization returns its token once', ['mailbox'], async ({ ask, own, stage }) => {
    const { cookie, userId } = await own('main')
    const { deviceCode, userCode: code } = (await ask('POST', start, { json: { machine: 'conformance' } }).is(200)).json
    await ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: code } }).is(
      200,
      makeDecision('approved'),
    )
    const { json } = await ask('GET', poll(deviceCode)).is(200, { ok: true, status: 'approved', token, userId })
    await ask('GET', poll(deviceCode)).is(409, { error: 'access_denied' })
    const as = { authorization: `Bearer ${json.token}` }
    await ask('GET', '/api/cli/session', { as }).is(200, { ok: true, userId })
    stage.addCleanup(() => stage.ask('POST', '/api/auth/sign-out', { as }))
  }),
  check('E15', 'only one of many concurrent polls gets the token', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = await own('main')
    const { deviceCode, userCode: code } = (await ask('POST', start, { json: { machine: 'conformance' } }).is(200)).json
    await ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: code } }).is(
      200,
      makeDecision('approved'),
    )
    const replies = await Promise.all(Array.from({ length: 6 }, () => ask('GET', poll(deviceCode))))
    const got = replies.map(({ status }) => status).sort((a, b) => a - b)
    replies[0]!.must(
      got.filter((status) => status === 200).length === 1 && got.every((status) => [200, 409, 429].includes(status)),
      'one 200, the others 409 or 429',
      `they are ${got.join(', ')}`,
    )
  }),
  check(
    'device-login',
    'an approved authorization is listed with the machines, and revoking it there denies its poll',
    ['mailbox'],
    async ({ ask, own }) => {
      const { cookie } = await own('main')
      const machine = 'conformance, approved'
      const { deviceCode, userCode: code } = (await ask('POST', start, { json: { machine } }).is(200)).json
      await ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: code } }).is(200)
      const reply = await ask('GET', '/api/account/machines', { as: cookie }).is(200)
      const listed = (reply.json.machines as { id: string; label: string; status: string }[]).filter(
        ({ label }) => label === machine,
      )
      reply.must(listed.length === 1 && listed[0]!.status === 'approved', 'one machine with the status approved')
      await ask('DELETE', `/api/account/machines/${listed[0]!.id}`, { as: cookie }).is(200, { ok: true })
      await ask('GET', poll(deviceCode)).is(409, { error: 'access_denied' })
    },
  ),
  check('device-login', 'a user code is accepted in any case and punctuation', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = await own('main')
    const { deviceCode, userCode: code } = (await ask('POST', start, { json: { machine: 'conformance' } }).is(200)).json
    await ask('POST', '/api/cli/device/deny', {
      as: cookie,
      json: { userCode: ` ${code.replace('-', '').toLowerCase()}.` },
    }).is(200, makeDecision('denied'))
    await ask('GET', poll(deviceCode)).is(409, { error: 'access_denied' })
  }),
  check('device-login', 'an authorization can be decided only once', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = await own('main')
    const { userCode: code } = (await ask('POST', start, { json: { machine: 'conformance' } }).is(200)).json
    await ask('POST', '/api/cli/device/deny', { as: cookie, json: { userCode: code } }).is(200, makeDecision('denied'))
    for (const way of ['approve', 'deny'])
      await ask('POST', `/api/cli/device/${way}`, { as: cookie, json: { userCode: code } }).is(409, {
        error: 'already_decided',
      })
  }),
  check('device-login', 'an unknown user code returns 404', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = await own('main')
    for (const code of ['BBBB-BBBB', 'no'])
      await ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: code } }).is(404, {
        error: 'invalid_user_code',
      })
    await ask('POST', '/api/cli/device/deny', { as: cookie, json: { userCode: 'BBBB-BBBC' } }).is(404, {
      error: 'invalid_user_code',
    })
  }),
  check('device-login', 'a bearer token cannot approve an authorization', ['mailbox'], async ({ ask, own }) => {
    const { bearer, cookie } = await own('main')
    const { deviceCode, userCode: code } = (await ask('POST', start, { json: { machine: 'conformance' } }).is(200)).json
    for (const as of [bearer, { ...bearer, ...cookie }])
      await ask('POST', '/api/cli/device/approve', { as, json: { userCode: code } }).is(401, { error: 'unauthorized' })
    await ask('GET', poll(deviceCode)).is(202, { ok: true, status: 'pending' })
  }),
  check(
    'device-login',
    'the device page shows the code and the machine, and needs a session',
    ['mailbox'],
    async ({ ask, own }) => {
      const { cookie } = await own('main')
      const { userCode: code } = (await ask('POST', start, { json: { machine: 'conformance <b>' } }).is(200)).json
      const page = await ask('GET', `/device?code=${code}`, { as: cookie }).is(200)
      page.must(
        page.text.includes(code) && page.text.includes('conformance &') && !page.text.includes('<b>'),
        "a page with the code and the machine's name, escaped",
      )
      await ask('GET', '/device?code=BBBB-BBBD', { as: cookie }).is(404)
      await ask('POST', '/api/cli/device/deny', { as: cookie, json: { userCode: code } }).is(200)
      await ask('GET', `/device?code=${code}`, { as: cookie }).is(409)
    },
  ),
]
