import { createTestStores, fixture } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import type { Stores } from '../stores.ts'
import { borrowPglite } from '../stores/postgres/borrowed.fixture.ts'
import { postgresStores } from '../stores/postgres/index.ts'

const adminToken = 'operator-'.repeat(3)
const uuid = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const toCookie = (cookies: Readonly<Record<string, string>>) => ({
  'cookie': Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
  'sec-fetch-site': 'same-origin',
})

/**
 * Sends a NUL in each query parameter and each path parameter of every route, one at a time, with the credential of the
 * route. Returns the status and the error of each reply.
 */
async function sendNuls(stores: Stores): Promise<Readonly<Record<string, string>>> {
  const { ask, service, signIn } = fixture({ stores, adminToken })
  const person = await signIn()
  const admin = { authorization: `Bearer ${adminToken}` }
  const operator = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  const { token } = (await ask('POST', '/api/admin/buyers', { headers: admin, json: { name: 'Lab' } })).json
  const buyer = await ask('POST', '/buyer/sign-in', { form: { token } })
  const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    admin,
    'admin-page': toCookie(operator.cookies),
    'bearer': person.bearer,
    'bearer-or-cookie': person.bearer,
    'buyer': { authorization: `Bearer ${token}` },
    'buyer-page': toCookie(buyer.cookies),
    'cookie': person.cookie,
    'page': person.cookie,
  }
  const replies: Record<string, string> = {}
  for (const { route } of await service.routes()) {
    const { method, path, auth, query = { shape: {} } } = route
    const fill = (pattern: string): string => pattern.replaceAll(/:[a-zA-Z]+/g, uuid)
    const tries = [
      ...Object.keys(query.shape).map((name) => `${fill(path)}?${name}=a%00`),
      ...[...path.matchAll(/:[a-zA-Z]+/g)].map(([name]) => fill(path.replace(name, 'a%00'))),
    ]
    for (const one of tries) {
      const json = method === 'GET' ? {} : { json: {} }
      const reply = await ask(method, one, { headers: credentials[auth] ?? {}, ...json })
      replies[`${method} ${one}`] = `${reply.status} ${reply.json?.error ?? ''}`
    }
  }
  return replies
}

test(
  'every route answers a NUL in a parameter on Postgres as on libSQL, without an internal error',
  { tags: 'long' },
  async () => {
    const { pools, release } = await borrowPglite()
    try {
      const replies = await sendNuls(postgresStores(pools[0]))
      expect(Object.entries(replies).filter(([, reply]) => reply.startsWith('5'))).toEqual([])
      expect(replies).toEqual(await sendNuls(createTestStores()))
      expect(replies['GET /api/traces?q=a%00']).toBe('400 invalid_query')
      expect(Object.keys(replies).length).toBeGreaterThan(200)
    } finally {
      await release()
    }
  },
)
