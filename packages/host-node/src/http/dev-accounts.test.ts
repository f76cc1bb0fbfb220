import { createService, type PlainRequest } from '@tributary/core'
import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createMailbox } from '../mail.ts'
import { devAccountPages } from './dev-accounts.ts'
import type { LayoutPage, Page } from './page.ts'

const adminToken = 'operator-'.repeat(3)

/** Opens the pages of a service that sends the mails for people to `mailbox`. */
function open() {
  const [mailbox, codes] = [createMailbox(), createMailbox()]
  const options = { baseUrl: 'http://127.0.0.1:8787', stores: createTestStores(), adminToken }
  const service = createService({ ...options, mailer: mailbox })
  const signInService = createService({ ...options, rates: 'off', mailer: codes })
  return { service, mailbox, pages: devAccountPages({ service: signInService, mailbox: codes, adminToken }) }
}
const makeRequest = (headers: Record<string, string>, as = 'operator', next = ''): PlainRequest => ({
  method: 'GET',
  path: '/dev/sign-in',
  query: [
    ['as', as],
    ['next', next],
  ],
  headers: { host: '127.0.0.1:8787', ...headers },
  address: '127.0.0.1',
  body: async function* () {},
})

describe('GET /dev/accounts', () => {
  test('lists the operator and each demo contributor with a link that signs in', async () => {
    const { html } = (await open().pages['/dev/accounts']!(makeRequest({}))) as LayoutPage
    for (const as of ['operator', 'ada@example.com', 'lena@example.com'])
      expect(html).toContain(`href="/dev/sign-in?as=${as}"`)
  })

  test.each([
    ['the name of another host', { host: 'tributary.example.com' }],
    ['a name that only starts like a loopback address', { host: '127.0.0.1.example.com' }],
    ['a link of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('returns 404 under %s, as GET /dev/sign-in does', async (_, headers: Record<string, string>) => {
    const { pages } = open()
    for (const path of ['/dev/accounts', '/dev/sign-in'])
      expect((await pages[path]!(makeRequest(headers))).status).toBe(404)
  })
})

describe('GET /dev/sign-in', () => {
  test('returns 404 for an account outside the demo data', async () => {
    expect((await open().pages['/dev/sign-in']!(makeRequest({}, 'eve@example.com'))).status).toBe(404)
  })

  test.each([
    ['/device?code=BCDF-GHJK', '/device?code=BCDF-GHJK'],
    ['//elsewhere.example', '/'],
  ])('redirects a contributor who requested %s to %s', async (next, location) => {
    const { pages } = open()
    const { html } = (await pages['/dev/accounts']!(makeRequest({}, 'operator', next))) as LayoutPage
    expect(html).toContain(`as=ada@example.com&amp;next=${encodeURIComponent(next)}"`)
    const { headers = [] } = (await pages['/dev/sign-in']!(makeRequest({}, 'ada@example.com', next))) as Page
    expect(headers[0]).toEqual(['location', location])
  })

  test('signs in with every click, and sends no mail to the mailbox of people', async () => {
    const { service, mailbox, pages } = open()
    for (let click = 0; click < 7; click++) {
      const { status, headers = [] } = (await pages['/dev/sign-in']!(makeRequest({}, 'ada@example.com'))) as Page
      expect([status, headers.find(([name]) => name === 'location')?.[1]]).toEqual([303, '/'])
      const cookie = headers.find(([, value]) => value.startsWith('tributary_session='))![1].split(';', 1)[0]!
      const reply = await service.fetch(new Request('http://127.0.0.1:8787/account', { headers: { cookie } }))
      expect([reply!.status, (await reply!.text()).includes('ada@example.com')]).toEqual([200, true])
    }
    const { headers: operatorHeaders = [] } = (await pages['/dev/sign-in']!(makeRequest({}))) as Page
    expect(operatorHeaders[0]).toEqual(['location', '/admin'])
    expect(mailbox.mails).toEqual([])
  })
})
