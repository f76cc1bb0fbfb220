import type { PlainRequest } from '@tributary/core'
import { describe, expect, test } from 'vitest'
import { devAccountPages } from './dev-accounts.ts'

const pages = devAccountPages({ url: 'http://127.0.0.1:9', adminToken: 'token', mailbox: { mails: [] } })
const makeRequest = (headers: Record<string, string>, as = 'operator'): PlainRequest => ({
  method: 'GET',
  path: '/dev/sign-in',
  query: [['as', as]],
  headers,
  address: '127.0.0.1',
  body: async function* () {},
})

describe('GET /dev/accounts', () => {
  test('lists the operator and each demo contributor with a link that signs in', async () => {
    const { body } = await pages['/dev/accounts']!(makeRequest({ host: '127.0.0.1:8787' }))
    for (const as of ['operator', 'ada@example.com', 'lena@example.com']) expect(body).toContain(`sign-in?as=${as}`)
  })

  test.each([
    ['the name of another host', { host: 'tributary.example.com' }],
    ['a name that only starts like a loopback address', { host: '127.0.0.1.example.com' }],
    ['a link of another site', { 'host': '127.0.0.1:8787', 'sec-fetch-site': 'cross-site' }],
  ])('returns 404 under %s, as GET /dev/sign-in does', async (_, headers) => {
    for (const path of ['/dev/accounts', '/dev/sign-in'])
      expect((await pages[path]!(makeRequest(headers))).status).toBe(404)
  })
})

describe('GET /dev/sign-in', () => {
  test('returns 404 for an account outside the demo data', async () => {
    expect((await pages['/dev/sign-in']!(makeRequest({ host: 'localhost:8787' }, 'eve@example.com'))).status).toBe(404)
  })
})
