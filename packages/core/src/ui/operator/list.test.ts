import { createTestStores, fixture } from '@tributary/test-kit'
import { beforeAll, describe, expect, test } from 'vitest'

const adminToken = 'operator-'.repeat(3)
const { ask, signIn, clock } = fixture({ stores: createTestStores(), adminToken })
let cookie = ''
const open = async (path: string) => ask('GET', path, { headers: { cookie } })
const unescape = (url: string): string => url.replaceAll('&amp;', '&')

beforeAll(async () => {
  const { cookies } = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  cookie = Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; ')
  for (let n = 0; n < 60; n++) {
    const { bearer } = await signIn(`person${n % 6}@example.com`)
    const json = { message: n === 0 ? '=Crash on <upload>, "quoted"' : `message ${n}`, command: 'upload' }
    await ask('POST', '/api/cli/feedback', { headers: bearer, json })
    clock.advance(60_000)
  }
})

/** The sections whose list can be searched, sorted and downloaded as a file. */
const sections = [
  'applications',
  'contributors',
  'contributors?filter=copies',
  'waitlist',
  'jobs',
  'sales',
  'payouts',
  'payouts?filter=payouts',
  'payouts?filter=requests',
  'campaigns',
  'buyers',
  'buyers?filter=unconfirmed',
  'buyers?filter=confirmed',
  'feedback',
  'audit',
  'outbox?filter=all',
]

describe.each(sections)('GET /admin/%s', (section) => {
  const [id, query] = section.split('?') as [string, string | undefined]
  const path = (base: string, more = '') => `${base}${id}?${[query, more].filter(Boolean).join('&')}`

  test('has a search, and tells the operator what to do if nothing matches', async () => {
    const page = await open(path('/admin/', 'q=nothing-has-this-word'))
    expect(page.status).toBe(200)
    expect(page.text).toContain('name="q" type="search" value="nothing-has-this-word"')
    expect(page.text).toContain('Nothing matches. Change the search or')
    expect(page.text).not.toContain('aria-sort')
    const all = query === undefined ? '[^"]*' : `\\?${query}`
    expect(page.text).toMatch(new RegExp(`<a href="/admin/${id}${all}">show all</a>`))
  })

  test('ignores parameters that are malformed', async () => {
    const more = 'sort=nothing&order=up&cursor=zzz&from=yesterday&limit=9'
    expect((await open(path('/admin/', more))).status).toBe(200)
  })

  test('can be downloaded as CSV only by an operator, and is recorded in the audit log', async () => {
    const file = await open(path('/admin/csv/', 'q=nothing-has-this-word'))
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${id}.csv"`)
    expect(file.text).toMatch(/^\w+(?:,\w+)+\r\n$/)
    expect((await ask('GET', path('/admin/csv/'))).status).toBe(401)
    const log = await ask('GET', `/api/admin/audit?action=list.download&target=${id}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    })
    expect(log.json.items.length).toBeGreaterThan(0)
  })
})

test.each([
  'applications?filter=approved',
  'contributors?filter=paused',
  'waitlist?filter=notified',
  'jobs?filter=failed',
  'campaigns?filter=ended',
  'reports?filter=open',
  'feedback?filter=handled',
  'outbox?filter=sending',
])('GET /admin/%s tells a filter without items from an empty list', async (list) => {
  const id = list.split('?')[0]!
  const readEmpty = async (path: string) =>
    /<p data-empty>\s*(.*?)\s*<\/p>/s.exec((await open(`/admin/${path}`)).text)?.[1]
  const none = `Nothing matches this filter. Choose another one or <a href="/admin/${id}?filter=all">show all</a>.`
  expect(await readEmpty(list)).toBe(none)
  expect(await readEmpty(`${id}?filter=all`)).not.toBe(none)
})

test('a list without a file cannot be downloaded', async () => {
  expect((await open('/admin/csv/webhooks')).status).toBe(404)
  expect((await open('/admin/csv/nothing')).status).toBe(404)
})

describe('a list of more than one page', () => {
  test('is sorted by the link in a heading, sets aria-sort to the direction, and has pages', async () => {
    const first = (await open('/admin/feedback')).text
    expect(first).toContain('aria-sort="descending"')
    const sorted = /aria-sort="descending"[^>]*>\s*<a href="([^"]+)"/.exec(first)![1]!
    const oldest = (await open(unescape(sorted))).text
    expect(oldest).toContain('aria-sort="ascending"')
    expect(oldest.indexOf('=Crash on')).toBeLessThan(oldest.indexOf('message 1<'))
    const next = unescape(/href="([^"]+)" rel="next"/.exec(oldest)![1]!)
    const rest = (await open(next)).text
    expect(rest).toContain('message 49<')
    expect(rest).not.toContain('message 10<')
    expect(unescape(/href="([^"]+)" rel="first"/.exec(rest)![1]!)).toBe(unescape(sorted))
  })

  test('is searched as a whole, by words, address and days, and its file contains the items that were found', async () => {
    const found = (await open('/admin/feedback?q=crash+UPLOAD')).text
    expect(found).toContain('=Crash on &lt;upload&gt;')
    expect(found).not.toContain('message 1<')
    const csv = unescape(/href="(\/admin\/csv\/feedback[^"]*)"/.exec(found)![1]!)
    const lines = (await open(csv)).text.split('\r\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(/^id,userId,message,/)
    expect(lines[1]).toContain(`"'=Crash on <upload>, ""quoted"""`)
    const ofPerson = await open('/admin/csv/feedback?q=person3@example.com')
    expect(ofPerson.text.trim().split('\r\n')).toHaveLength(11)
    expect((await open('/admin/csv/feedback?from=2001-01-01&to=2001-01-02')).text.trim().split('\r\n')).toHaveLength(1)
    expect((await open('/admin/csv/feedback')).text.trim().split('\r\n')).toHaveLength(61)
  })

  test('keeps the filter in the search, the headings, the pages and the file', async () => {
    const page = (await open('/admin/feedback?filter=open&q=message')).text
    expect(page).toContain('name="filter" value="open"')
    for (const rel of ['rel="next"', 'download']) {
      const link = new RegExp(`href="([^"]+)"[^>]*${rel}`).exec(page)![1]!
      expect(link).toContain('filter=open')
      expect(link).toContain('q=message')
    }
    expect((await open('/admin/csv/feedback?filter=handled')).text.trim().split('\r\n')).toHaveLength(1)
  })

  test('returns 400 for an invalid cursor of the API route', async () => {
    const headers = { authorization: `Bearer ${adminToken}` }
    for (const cursor of ['zzz', '1', '~', '1~nx'])
      expect((await ask('GET', `/api/admin/feedback?cursor=${cursor}`, { headers })).status).toBe(400)
  })
})

test('feedback is marked as handled and reopened on the page', async () => {
  const listed = async (filter: string) =>
    (await open(`/admin/csv/feedback?filter=${filter}&q=crash`)).text.trim().split('\r\n').slice(1)
  const id = (await listed('open'))[0]!.split(',', 1)[0]!
  const submit = (handled: string) =>
    ask('POST', '/admin/feedback/handle', { form: { id, handled, filter: 'open' }, headers: { cookie } })
  expect((await submit('yes')).status).toBe(303)
  expect([await listed('open'), (await listed('handled')).length]).toEqual([[], 1])
  expect((await submit('no')).status).toBe(303)
  expect(await listed('handled')).toEqual([])
})
