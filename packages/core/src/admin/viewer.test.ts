import { createTestStores, fixture } from '@tributary/test-kit'
import { expect, test } from 'vitest'

const adminToken = 'operator-'.repeat(3)
const guest = { name: 'guest', token: 'viewer-'.repeat(4), role: 'viewer' } as const

test('a viewer reads pages and routes but cannot change anything, and the pages say so', async () => {
  const stores = createTestStores()
  const { ask } = fixture({ stores, adminToken, adminTokens: [guest] })
  const { cookies } = await ask('POST', '/admin/sign-in', { form: { token: guest.token } })
  const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)
  const browser = { cookie: cookie.join('; ') }
  const page = await ask('GET', '/admin/buyers', { headers: browser })
  expect([page.status, page.text.includes('Viewer · <bdi>guest</bdi> · read only')]).toEqual([200, true])
  const form = { name: 'Lab', email: '' }
  const page403 = { ...browser, accept: 'text/html' }
  const refused = await ask('POST', '/admin/buyers/create', { form, headers: page403 })
  expect([refused.status, refused.text.includes('Nothing was changed: as a viewer')]).toEqual([403, true])
  const headers = { authorization: `Bearer ${guest.token}` }
  expect((await ask('GET', '/api/admin/buyers', { headers })).json).toMatchObject({ ok: true, items: [] })
  const created = await ask('POST', '/api/admin/buyers', { headers, json: { name: 'Lab' } })
  expect([created.status, created.json]).toEqual([403, { ok: false, error: 'read_only' }])
  expect((await stores.buyers.listBuyers({ cursor: null, limit: 9 })).items).toEqual([])
})
