import { createTestStores, fixture, seededRandom, temporaryDatabase } from '@tributary/test-kit'
import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { ServiceOptions } from '../service/options.ts'
import { createHmacCode, lazyStoredSecret } from './hmac.ts'
import { libsqlStores } from '../stores/libsql/index.ts'

const email = 'jane@example.com'
const hashWithoutKey = (text: string): string => createHash('sha256').update(text).digest('hex')
const secret = 'obviously-fake-'.repeat(2)

test.each([1, 63, 64, 65, 200])('createHmacCode returns HMAC-SHA-256 with a secret of %i bytes', async (length) => {
  const secrets = ['k'.repeat(length), `ü${'k'.repeat(length)}`]
  const storedSecret = () => Promise.reject(new Error('not read'))
  for (const text of ['', 'jane@example.com\n123456', '佐藤'.repeat(100)])
    expect(await createHmacCode({ secrets, storedSecret })(text)).toEqual(
      secrets.map((key) => createHmac('sha256', key).update(`tributary short code\n${text}`).digest('hex')),
    )
})

test.each([
  ['a configured secret', { secret }],
  ['the admin token', { adminToken: 'operator-'.repeat(3) }],
  ['neither', {}],
])('codes are stored as a keyed hash, so that codes cannot be guessed from the tables, with %s', async (_, options) => {
  const { client, close } = await temporaryDatabase()
  const { ask, mailer } = fixture({ stores: libsqlStores(client), ...options })
  const {
    json: { challenge },
  } = await ask('POST', '/api/auth/email', { json: { email } })
  const { json } = await ask('POST', '/api/cli/device/start', { json: { machine: 'm' } })
  const listRows = async (sql: string): Promise<unknown[]> =>
    (await client.execute({ sql, args: [] })).rows.map((row) => row[0])
  const kept = [
    ...(await listRows('select code_hash from sign_in_codes')),
    ...(await listRows('select user_hash from device_logins')),
  ]
  expect(kept).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)])
  for (const guess of [
    `${email}\n${mailer.code(email)}`,
    mailer.code(email),
    json.userCode,
    json.userCode.replace('-', ''),
  ])
    expect(kept).not.toContain(hashWithoutKey(guess))
  expect(await listRows('select count(*) from session_secrets')).toEqual([Object.keys(options).length === 0 ? 1 : 0])
  expect(
    (await ask('POST', '/api/auth/email/verify', { json: { email, code: mailer.code(email), challenge } })).status,
  ).toBe(200)
  await close()
})

test('a code is accepted by another host with the same secret and after a secret was added, but not with another secret', async () => {
  const stores = createTestStores()
  const openHost = (given?: string | readonly string[]) =>
    fixture({ stores, ...(given === undefined ? {} : { secret: given }) })
  const [one, two] = [openHost(secret), openHost([`${secret}new`, secret])]
  const { challenge } = (await one.ask('POST', '/api/auth/email', { json: { email } })).json
  const json = { email, code: one.mailer.code(email), challenge }
  expect((await openHost(`${secret}other`).ask('POST', '/api/auth/email/verify', { json })).status).toBe(400)
  expect((await two.ask('POST', '/api/auth/email/verify', { json })).status).toBe(200)
  const started = (await one.ask('POST', '/api/cli/device/start', { json: { machine: 'm' } })).json
  const { cookie } = await two.signIn()
  const approveOn = (at: typeof one) =>
    at.ask('POST', '/api/cli/device/approve', {
      json: { userCode: started.userCode },
      headers: { ...cookie, 'sec-fetch-site': 'same-origin' },
    })
  expect((await approveOn(openHost(`${secret}other`))).status).toBe(404)
  expect((await approveOn(two)).status).toBe(200)
  expect(() => openHost('x'.repeat(15))).toThrow('16 characters')
  expect(() => openHost('x'.repeat(16))).not.toThrow()
})

test('a sent code stays valid after `secret` is set, or after the admin token changes while `secret` lists the old token', async () => {
  const stores = createTestStores()
  const [before, after] = ['the-admin-token-of-before', 'the-admin-token-of-after']
  const made = fixture({ stores, adminToken: before })
  const requestCode = async () => {
    const { challenge } = (await made.ask('POST', '/api/auth/email', { json: { email } })).json
    return { email, code: made.mailer.code(email), challenge }
  }
  let hosts = 1
  const verify = async (options: Partial<ServiceOptions>, json: object) =>
    (
      await fixture({ stores, clock: made.clock, random: seededRandom(++hosts), ...options }).ask(
        'POST',
        '/api/auth/email/verify',
        { json },
      )
    ).status
  expect(await verify({ adminToken: after }, await requestCode())).toBe(400)
  expect(await verify({ adminToken: after, secret: [secret, before] }, await requestCode())).toBe(200)
  expect(await verify({ adminToken: before, secret }, await requestCode())).toBe(200)
})

test('the secret of the database has 256 random bits', async () => {
  const candidates: string[] = []
  const store = {
    ensureSecret: async ({ candidate }: { candidate: string }) => (candidates.push(candidate), candidate),
  }
  const read = lazyStoredSecret({ store, clock: () => 0, random: seededRandom(5) })
  expect([await read(), await read()]).toEqual([candidates[0], candidates[0]])
  expect(candidates).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)])
})
