import { readFileSync } from 'node:fs'
import { createTestStores, fixture, type Fixture } from '@tributary/test-kit'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { securityEvents, createSecurityLog } from './security-events.ts'

interface Line {
  event?: string
  userId?: string | null
  addressHash?: string
  requestId?: string
  route?: string
}

const adminToken = 'operator-'.repeat(3)
let lines: Line[]
let made: Fixture
const logger = { info: () => undefined, warn: (fields: object) => void lines.push(fields), error: () => undefined }
beforeEach(() => {
  lines = []
  made = fixture({
    stores: createTestStores(),
    adminToken,
    secret: 'a-secret-of-this-test',
    country: () => 'US',
    rates: { person: { limit: 6, windowMs: 60_000 } },
    logger,
  })
})
const waitForEvents = async (event: string): Promise<Line[]> => {
  await vi.waitFor(() => expect(lines.some((line) => line.event === event)).toBe(true))
  return lines.filter((line) => line.event === event)
}

describe('security log events', () => {
  test('log auth.signin.failed for a wrong sign-in code, sent to the API or the page', async () => {
    await made.ask('POST', '/api/auth/email', { json: { email: 'ann@example.com' } })
    await made.ask('POST', '/api/auth/email/verify', {
      json: { email: 'ann@example.com', code: '000000' },
      address: '198.51.100.1',
    })
    await made.ask('POST', '/sign-in', { form: { email: 'ann@example.com', code: '000000' }, address: '198.51.100.2' })
    expect((await waitForEvents('auth.signin.failed')).map(({ route }) => route)).toEqual([
      '/api/auth/email/verify',
      '/sign-in',
    ])
    expect(made.service.securityEvents['auth.signin.failed']).toBe(2)
  })

  test('log auth.admin.denied for a wrong operator token, as a bearer and on the page', async () => {
    await made.ask('GET', '/api/admin/jobs', { headers: { authorization: 'Bearer wrong' }, address: '198.51.100.1' })
    await made.ask('POST', '/admin/sign-in', { form: { token: 'wrong' }, address: '198.51.100.2' })
    await made.ask('GET', '/api/admin/jobs')
    expect((await waitForEvents('auth.admin.denied')).map(({ route }) => route)).toEqual([
      '/api/admin/jobs',
      '/admin/sign-in',
    ])
    expect(made.service.securityEvents['auth.admin.denied']).toBe(2)
  })

  test('log auth.token.revoked_used with the user for a revoked token, and log nothing for an unknown token', async () => {
    const ann = await made.signIn('ann@example.com')
    const { json } = await made.ask('GET', '/api/account/machines', { headers: ann.bearer })
    await made.ask(
      'DELETE',
      `/api/account/machines/${json.machines.find(({ kind }: { kind: string }) => kind === 'machine').id}`,
      { headers: ann.bearer },
    )
    expect((await made.ask('GET', '/api/cli/session', { headers: ann.bearer })).status).toBe(401)
    expect(await waitForEvents('auth.token.revoked_used')).toMatchObject([
      { userId: ann.userId, route: '/api/cli/session' },
    ])
    const other = await fixture({ stores: createTestStores() }).signIn()
    await made.ask('GET', '/api/cli/session', { headers: other.bearer })
    expect(made.service.securityEvents['auth.token.revoked_used']).toBe(1)
  })

  test('log auth.device.wrong_code for a wrong device code, and auth.cross_site.refused for a request from another site', async () => {
    const ann = await made.signIn('ann@example.com')
    await made.ask('GET', '/device?code=BBBB-BBBB', { headers: ann.cookie })
    expect(await waitForEvents('auth.device.wrong_code')).toMatchObject([{ userId: ann.userId, route: '/device' }])
    await made.ask('POST', '/api/cli/device/approve', {
      headers: { ...ann.cookie, 'sec-fetch-site': 'cross-site' },
      json: { userCode: 'x' },
    })
    expect(await waitForEvents('auth.cross_site.refused')).toMatchObject([{ route: '/api/cli/device/approve' }])
  })

  test('log rate.limited with the user once in ten seconds, and count each refusal', async () => {
    const ann = await made.signIn('ann@example.com')
    made.clock.advance(120_000)
    const requestSession = () => made.ask('GET', '/api/cli/session', { headers: ann.bearer, address: '203.0.113.9' })
    for (let n = 0; n < 11; n++) await requestSession()
    expect(await waitForEvents('rate.limited')).toMatchObject([{ userId: ann.userId, route: '/api/cli/session' }])
    expect(made.service.securityEvents['rate.limited']).toBe(5)
    made.clock.advance(10_000)
    await requestSession()
    await vi.waitFor(() => expect(lines.filter(({ event }) => event === 'rate.limited')).toHaveLength(2))
  })

  test('contain no address, e-mail, code or token, and hash an address to the same value under one secret', async () => {
    const send = (address: string) =>
      made.ask('GET', '/api/admin/jobs', { headers: { authorization: 'Bearer not-the-token' }, address })
    await send('198.51.100.1')
    made.clock.advance(10_000)
    await send('198.51.100.1')
    await send('198.51.100.2')
    await vi.waitFor(() => expect(lines).toHaveLength(3))
    const hashes = lines.map(({ addressHash }) => addressHash)
    expect([hashes[0] === hashes[1], hashes[1] === hashes[2], /^[0-9a-f]{16}$/.test(hashes[0]!)]).toEqual([
      true,
      false,
      true,
    ])
    expect(JSON.stringify(lines)).not.toMatch(/198\.51|not-the-token|@/)
    expect(Object.keys(lines[0]!).sort()).toEqual(['addressHash', 'event', 'requestId', 'route', 'userId'])
  })

  test('are exactly the events that docs/operations.md lists', () => {
    const page = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `([a-z_]+(?:\.[a-z_]+)+)` \| ([^|]*) \|$/gm)].map(([, name, meaning]) => [
      name,
      meaning,
    ])
    expect(rows).toEqual(Object.entries(securityEvents))
  })
})

describe('securityLog', () => {
  test('logs without a hash when the secret cannot be read', async () => {
    const log = createSecurityLog(
      { logger, hashAddress: () => Promise.reject(new Error('the store is gone')) },
      () => 0,
    )
    log.record('rate.limited', { userId: null, address: null, requestId: 'r', route: 'x' })
    expect(await waitForEvents('rate.limited')).toEqual([
      { event: 'rate.limited', userId: null, addressHash: null, requestId: 'r', route: 'x' },
    ])
  })
})
