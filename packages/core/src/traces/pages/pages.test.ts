import {
  createTestStores,
  loseContent,
  makeAuditContext,
  makeRemovalNotice,
  fixture,
  makeId,
  makeTrace,
  makeTraces,
  makeSaleItems,
  makeSaleShares,
  seedTraces,
  type Answer,
  type Fixture,
  type Signed,
  type TestStores,
} from '@tributary/test-kit'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { shortId } from '../../ids.ts'
import { textParts } from './conversation.ts'
import { VERSION } from '../../scrubber/version.ts'
import type { Stores } from '../../stores.ts'
import { placeholderCategory } from './texts.ts'

let made: Fixture
let overview: Stores['overview']
let stores: TestStores
let ingest: Stores['ingest']
let buyers: Stores['buyers']
let ann: Signed

beforeEach(async () => {
  stores = createTestStores()
  ingest = stores.ingest
  buyers = stores.buyers
  overview = stores.overview
  made = fixture({ stores, baseUrl: 'https://example.com/tributary' })
  ann = await made.signIn('owner-of-traces@example.com')
})

const id = (n: number): string => makeId('ann', n)
const readTrace = async (n: number) =>
  (await made.ask('GET', `/api/traces/${id(n)}`, { headers: ann.bearer })).json.trace
const open = (path = '/traces', headers: Record<string, string> = ann.cookie) => made.ask('GET', path, { headers })
const sellOnce = (n: number) =>
  stores.dataset.recordSale({
    sale: { id: makeId('sale', n), buyer: 'b', usd: 1, soldAt: 0 },
    items: makeSaleItems([id(n)]),
    shares: makeSaleShares(),
    audit: makeAuditContext(),
  })

/** Sends the form as a browser does, with one pair for each checked box. */
function send(pairs: [string, string][], headers: Record<string, string> = ann.cookie): Promise<Answer> {
  return made.ask('POST', '/traces', { headers, form: pairs as never })
}
const makeIdFields = (...numbers: number[]): [string, string][] => numbers.map((n) => ['ids', id(n)])
/** Returns the hidden fields of the form on a page. */
const listHiddenFields = (text: string): [string, string][] =>
  [...text.matchAll(/<input\s+type="hidden"\s+name="([^"]+)"\s+value="([^"]+)"\s*\/?>/g)].map((found) => [
    found[1]!,
    found[2]!,
  ])

describe('GET /traces', () => {
  test('shows the traces of a sale, to which the earnings page links', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(3, 'ann')])
    await sellOnce(1)
    const { text } = await open(`/traces?saleId=${makeId('sale', 1)}`)
    expect(
      [...text.matchAll(/<a href="\/tributary\/traces\/[^"]+">([^<]+)<\/a><small>/g)].map(([, title]) => title),
    ).toEqual(['ann 1'])
    expect(text).toContain(`The traces of sale <code>${makeId('sale', 1)}</code>`)
    expect((await open('/traces')).text).not.toContain('The traces of sale')
  })

  test('shows an error at the field of a range of days that ends before it starts, and no list', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(1, 'ann')])
    const { text } = await open('/traces?from=2026-10-02&to=2026-10-01')
    expect(text).toMatch(/<input[^>]*id="to"[^>]*aria-invalid="true"\s+aria-describedby="to-error"/)
    expect(text).toContain('Enter a day that is not before the first day.')
    for (const part of ['<table', 'No traces match', 'name="all"']) expect(text).not.toContain(part)
    expect((await open('/traces?from=2026-10-02&to=2026-10-02')).text).not.toContain('to-error')
  })

  test('redirects to the sign-in page without a session, with the path to return to', async () => {
    for (const answer of [
      await open('/traces?cursor=a', {}),
      await send([['action', 'exclude'], ...makeIdFields(0)], {}),
    ]) {
      expect(answer.status).toBe(303)
      expect(answer.headers.get('location')).toMatch(/^\/tributary\/sign-in\?next=%2Ftraces/)
    }
  })

  test('shows how to upload when there are no traces', async () => {
    const { status, text } = await open()
    expect(status).toBe(200)
    expect(text).toContain('npm run example:contributor')
    expect(text).toContain('href="/tributary/terms"')
    expect(text).not.toContain('<table')
  })

  test('shows each trace with its title, source, model, short id, tokens, redactions and state', async () => {
    await seedTraces(stores.client, ann.userId, [
      ...makeTraces(3, 'ann'),
      makeTrace('ann', 3, {
        title: '<b>"x"</b>',
        model: null,
        tokenCount: 1234567,
        source: 'codex_jsonl',
        redactions: '{"email":2,"token":1200}',
      }),
      makeTrace('ann', 4, { title: null }),
    ])
    await sellOnce(1)
    await stores.traces.setSellExcluded({ ownerId: ann.userId, ids: [id(2)], sellExcluded: true })
    const { text, headers } = await open()
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    const rows = text.split('<tr role="row">').slice(2)
    expect(rows).toHaveLength(5)
    expect(rows[0]).toContain('Untitled trace')
    for (const part of ['Codex', '&lt;b&gt;&quot;x&quot;&lt;/b&gt;', '1,234,567', '>1,202<', 'For sale'])
      expect(rows[1]).toContain(part)
    expect(rows[1]).toContain(`href="/tributary/traces/${id(3)}"`)
    expect(rows[1]).toContain(`<code title="${id(3)}">${id(3).slice(-8)}</code>`)
    expect(rows[2]).toContain('Excluded')
    expect(rows[3]).toContain('>Sold<')
    expect(rows.map((row) => row.includes('type="checkbox"'))).toEqual([true, true, true, false, true])
    expect(text).not.toMatch(/<script|style=|\son[a-z]+="/)
  })

  test('shows the totals and the count of each state', async () => {
    await seedTraces(stores.client, ann.userId, [
      ...makeTraces(3, 'ann', 0, { tokenCount: 1000, redactions: '{"email":2}' }),
    ])
    await sellOnce(1)
    const words = (await open()).text.replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/\s+/g, ' ')
    expect(words).toContain('Estimated value $0.000006 Not an offer to pay. Includes sold traces. Redactions 6')
    expect(words).toContain('All 3 For sale 2 Excluded 0 Sold 1')
    const sold = (await open('/traces?state=sold')).text.replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/\s+/g, ' ')
    expect(sold).toContain('Traces 1 Tokens 1,000')
    expect(sold).toContain('All 3 For sale 2 Excluded 0 Sold 1')
  })

  test('filters by the fields of the form, keeps the filter in links, and ignores invalid fields', async () => {
    await seedTraces(stores.client, ann.userId, [
      ...makeTraces(60, 'ann'),
      makeTrace('ann', 60, { title: 'Fix the parser', source: 'codex_jsonl', createdAt: '2026-10-05T00:00:00.000Z' }),
    ])
    const countRows = (text: string) => text.split('<tr role="row">').length - 2
    const found = await open('/traces?q=PARSER&source=codex_jsonl&from=2026-10-01&to=2026-10-31&state=')
    expect(countRows(found.text)).toBe(1)
    expect(found.text).toMatch(/id="q"[^>]*value="PARSER"/)
    expect(found.text).toMatch(/<option value="codex_jsonl"\s+selected/)
    const page = await open('/traces?source=claude_code_jsonl&from=nonsense&state=odd')
    expect(countRows(page.text)).toBe(25)
    expect(page.text).toMatch(/href="\/tributary\/traces\?source=claude_code_jsonl&amp;cursor=\d+" rel="next"/)
    const none = await open('/traces?q=%3Cb%3E')
    expect(none.text).toContain('No traces match these filters')
    expect(none.text).not.toContain('<b>')
  })

  test('checks the box of each trace that can be changed when select=page', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(3, 'ann')])
    await sellOnce(1)
    expect((await open()).text.match(/ checked/g)).toBeNull()
    expect((await open('/traces?select=page')).text.match(/ checked/g)).toHaveLength(2)
    await seedTraces(stores.client, ann.userId, [...makeTraces(30, 'more')])
    expect((await open()).text).not.toContain('name="all"')
  })

  test('checks and disables each box when select=all, on every page, and says that all traces are selected', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(30, 'ann')])
    await sellOnce(29)
    const { text } = await open('/traces?select=all')
    const boxes = (page: string) => page.match(/<input\s+type="checkbox"[^>]*>/g) ?? []
    expect(boxes(text).map((box) => / checked disabled\s*\/>$/.test(box))).toEqual(Array(24).fill(true))
    expect(listHiddenFields(text)).toEqual([['all', 'yes']])
    expect(text).toContain('All 29 unsold traces are selected, on every page.')
    expect(text).toContain('To choose single ones, select this page or none first.')
    expect(text).toContain('<a href="/tributary/traces?select=page">Select this page</a>')
    const older = /href="\/tributary(\/traces\?[^"]+)" rel="next"/.exec(text)![1]!.replaceAll('&amp;', '&')
    const second = (await open(older)).text
    expect(boxes(second).map((box) => / checked disabled\s*\/>$/.test(box))).toEqual(Array(5).fill(true))
    expect((await open('/traces?select=all&q=ann+2')).text).toContain(
      'All 11 unsold traces that match the filters are selected',
    )
  })

  test('links to older traces and back when there are more traces than one page shows', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(26, 'ann')])
    const first = (await open()).text
    const older = /href="\/tributary(\/traces\?cursor=[^"]+)" rel="next"/.exec(first)?.[1]
    expect(first.match(/name="ids"/g)).toHaveLength(25)
    const second = (await open(older)).text
    expect(second.match(/name="ids"/g)).toHaveLength(1)
    expect(second).toContain(id(0))
    expect(second).toContain('href="/tributary/traces" rel="start">Newest')
    expect(second).not.toContain('rel="next"')
  })

  test('shows no trace of another user', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(2, 'ann')])
    const bob = await made.signIn('bob@example.com')
    expect((await open('/traces', bob.cookie)).text).not.toContain(id(0))
    expect((await open(`/traces/${id(0)}`, bob.cookie)).status).toBe(404)
    const answer = await send([['action', 'exclude'], ...makeIdFields(0)], bob.cookie)
    expect([answer.headers.get('location'), answer.flash]).toEqual([
      '/tributary/traces',
      { done: 'exclude', counts: [0, 1] },
    ])
    expect(await readTrace(0)).toMatchObject({ sellExcluded: false })
  })

  test('shows only uploads that are in progress', async () => {
    const makeJob = (n: number) => ({
      id: makeId('job', n),
      source: 'codex_jsonl',
      total: 1,
      parts: 1,
      bytes: 1,
      enqueuedAt: Date.UTC(2026, 10, 20, 12, n),
    })
    await ingest.enqueueJob({ ownerId: ann.userId, ...makeJob(1) })
    await ingest.enqueueJob({ ownerId: ann.userId, ...makeJob(2) })
    const claim = (await ingest.claimJob({
      lease: 'lease',
      now: Date.UTC(2027, 0),
      leaseUntil: Date.UTC(2028, 0),
      jobId: makeId('job', 1),
    }))!
    await ingest.failJob({ claim, message: 'broken', usdPerMillionTokens: 1, now: 0 })
    await ingest.enqueueJob({ ownerId: 'stranger', ...makeJob(3) })
    const { text } = await open()
    expect(text).toContain('Uploads in progress')
    expect(text).toContain(`<a href="/tributary/jobs/${makeId('job', 2)}">Codex</a>`)
    expect(text.match(/>Codex<\/a>/g)).toHaveLength(1)
  })
})

describe('POST /traces', () => {
  test('excludes and includes the selected traces, and shows the number of changed traces', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(4, 'ann')])
    await sellOnce(3)
    const answer = await send([['action', 'exclude'], ['cursor', '99'], ['q', 'ann'], ...makeIdFields(0, 2, 3)])
    expect([answer.status, answer.headers.get('location'), answer.flash]).toEqual([
      303,
      '/tributary/traces?q=ann&cursor=99',
      { done: 'exclude', counts: [2, 1] },
    ])
    expect(await Promise.all([0, 1, 2, 3].map(async (n) => (await readTrace(n)).sellExcluded))).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect((await made.follow(answer, ann.cookie)).text).toContain('2 traces excluded from sale. 1 trace not changed')
    const link = /role="status">[^]*?<a href="\/tributary\/traces\?state=excluded">[^]*?<\/p>/
    const after = async (action: string, state: string, n: number) => {
      const changed = await send([['action', action], ['state', state], ...makeIdFields(n)])
      return (await made.follow(changed, ann.cookie)).text
    }
    expect(await after('exclude', 'for_sale', 0)).toMatch(link)
    expect(await after('exclude', 'excluded', 0)).not.toMatch(link)
    expect(await after('exclude', 'for_sale', 3)).not.toMatch(link)
    expect(await after('include', 'for_sale', 0)).not.toMatch(link)
    expect(await readTrace(0)).toMatchObject({ sellExcluded: false })
  })

  test('asks for confirmation on a page before it deletes traces; the page itself deletes nothing', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(3, 'ann')])
    const asked = await send([['action', 'delete'], ['cursor', '99'], ...makeIdFields(0, 1)])
    expect(asked.status).toBe(200)
    expect(asked.text).toContain('Delete 2 traces?')
    expect(asked.text).toContain(`<li><strong>ann 0</strong> <code title="${id(0)}">${shortId(id(0))}</code></li>`)
    expect(asked.text).toContain('href="/tributary/traces?cursor=99"')
    expect(await readTrace(0)).toMatchObject({ id: id(0) })
    const done = await send([...listHiddenFields(asked.text), ['action', 'delete']])
    expect([done.status, done.headers.get('location'), done.flash]).toEqual([
      303,
      '/tributary/traces?cursor=99',
      { done: 'delete', counts: [2, 0] },
    ])
    expect((await made.ask('GET', `/api/traces/${id(0)}`, { headers: ann.bearer })).status).toBe(404)
    expect(await readTrace(2)).toMatchObject({ id: id(2) })
  })

  test('asks for confirmation when all matching traces are selected, then changes exactly these traces', async () => {
    await seedTraces(stores.client, ann.userId, [
      ...makeTraces(60, 'ann'),
      makeTrace('ann', 60, { source: 'codex_jsonl' }),
    ])
    await sellOnce(1)
    const asked = await send([
      ['action', 'exclude'],
      ['all', 'yes'],
      ['source', 'claude_code_jsonl'],
    ])
    expect(asked.text).toContain('Exclude 59 traces?')
    const listed = [...asked.text.matchAll(/<li>(?:<strong>)?([^<]+)/g)].map(([, text]) => text)
    expect(listed).toEqual([...Array.from({ length: 10 }, (_, n) => `ann ${59 - n}`), 'and 49 more'])
    expect(await readTrace(0)).toMatchObject({ sellExcluded: false })
    const done = await send([...listHiddenFields(asked.text), ['action', 'exclude']])
    expect([done.headers.get('location'), done.flash]).toEqual([
      '/tributary/traces?source=claude_code_jsonl',
      { done: 'exclude', counts: [59, 0] },
    ])
    expect([(await readTrace(0)).sellExcluded, (await readTrace(60)).sellExcluded]).toEqual([true, false])
    const again = await send([
      ['action', 'exclude'],
      ['all', 'yes'],
      ['source', 'claude_code_jsonl'],
    ])
    expect(again.text).toContain('No trace would change')
    const others = await send([
      ['action', 'exclude'],
      ['all', 'yes'],
    ])
    expect(others.text).toContain('Exclude 1 trace?')
    expect(others.text).toContain('1 matching trace is sold and does not change.')
    expect(others.text).toContain('59 traces are already excluded.')
    const askedToDelete = await send([
      ['action', 'delete'],
      ['all', 'yes'],
    ])
    expect(askedToDelete.text).toContain('Delete 60 traces?')
    expect(askedToDelete.text).toContain('1 matching trace is kept, because')
    const deleted = await send([
      ['action', 'delete'],
      ['all', 'yes'],
      ['confirmed', 'yes'],
      ['q', 'ann 6'],
    ])
    expect([deleted.headers.get('location'), deleted.flash]).toEqual([
      '/tributary/traces?q=ann+6',
      { done: 'delete', counts: [7, 0] },
    ])
  })

  test.each([
    ['nothing selected', [['action', 'exclude']]],
    ['no action', [['ids', makeId('ann', 0)]]],
    [
      'another action',
      [
        ['ids', makeId('ann', 0)],
        ['action', 'sell'],
      ],
    ],
    [
      'no id',
      [
        ['ids', 'x'],
        ['action', 'delete'],
        ['cursor', '<'],
      ],
    ],
  ] as [string, [string, string][]][])('changes nothing and shows an error with %s', async (_, pairs) => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(1, 'ann')])
    const { status, text } = await send(pairs)
    expect(status).toBe(200)
    expect(text).toContain('role="alert"')
    expect(await readTrace(0)).toMatchObject({ sellExcluded: false })
  })

  test('returns 403 for a form of another site', async () => {
    await seedTraces(stores.client, ann.userId, [...makeTraces(1, 'ann')])
    const answer = await send([['action', 'exclude'], ...makeIdFields(0)], {
      'cookie': ann.cookie.cookie,
      'sec-fetch-site': 'cross-site',
    })
    expect(answer.status).toBe(403)
    expect(await readTrace(0)).toMatchObject({ sellExcluded: false })
  })
})

describe('GET /traces/:id', () => {
  const makeMessage = (role: string | null, content: string, position = 0) => ({
    position,
    role,
    content,
    tokenCount: 2,
    createdAt: null,
    truncated: false,
  })
  const show = async (messages: readonly object[], changes = {}, query = '') => {
    await seedTraces(stores.client, ann.userId, [
      makeTrace('ann', 0, { scrubVersion: VERSION, messages: JSON.stringify(messages), ...changes }),
    ])
    return open(`/traces/${id(0)}${query}`)
  }

  test('shows each message with its role, tool calls, results and thinking, and code as code', async () => {
    const { status, text } = await show([
      makeMessage('system', 'Be careful.'),
      makeMessage('user', 'Look:\n```ts\nlet a = 1\n```\nand now?'),
      makeMessage(
        'assistant',
        '```thinking\nfirst ls\n```\n\n```tool_call\n{"name":"Bash","arguments":{"command":"ls"}}\n```',
      ),
      makeMessage('tool', `\`\`\`tool_result\n${'a.txt\n'.repeat(200)}\`\`\``),
      makeMessage(null, ''),
    ])
    expect(status).toBe(200)
    expect([...text.matchAll(/<h3>\s*(.+?)\s*<small/g)].map(([, role]) => role)).toEqual([
      'System',
      'User',
      'Assistant',
      'Tool',
      'Unknown role',
    ])
    expect(text).toContain('<pre><code>let a = 1</code></pre>')
    expect(text).toMatch(/<details>\s*<summary>Thinking /)
    expect(text).toMatch(/<details open>\s*<summary>Tool call: Bash /)
    expect(text).toMatch(/<details>\s*<summary>Tool result <small>1,199 characters/)
    expect(text).toContain('Empty message')
  })

  test('shows the same text as the download, with placeholders marked and named', async () => {
    const { text } = await show(
      [makeMessage('user', 'I am [PERSON_1] of [ORG_1], key [GITHUB_TOKEN_2]; a[0], [x_1]')],
      {
        redactions: '{"person":1,"organization":2,"token":3}',
      },
    )
    expect(text).toContain('title="Redacted: name of a person">[PERSON_1]<')
    expect(text).toContain('title="Redacted: access token">[GITHUB_TOKEN_2]<')
    expect(text).toContain('title="Redacted: name of an organization">[ORG_1]<')
    expect(text).toContain('<li>name of a person <strong>1</strong></li>')
    expect(text).toContain('<li>name of an organization <strong>2</strong></li>')
    expect(text.match(/<mark title/g)).toHaveLength(3)
    expect(text).toMatch(/access token <strong>3<\/strong>/)
  })

  test('scrubs a trace of an older scrubber version before it shows it', async () => {
    const { text } = await show([makeMessage('user', 'mail jane.roe@acme-corp.io')], { scrubVersion: '0' })
    expect(text).toContain('[EMAIL_1]')
    expect(text).not.toContain('jane.roe')
  })

  test('escapes hostile content', async () => {
    const attack = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'`${1}</div></pre></details></li>\u202e'
    const { text } = await show(
      [
        makeMessage('user', attack),
        makeMessage(
          'assistant',
          `\`\`\`tool_call\n${JSON.stringify({ name: attack, arguments: { a: attack } })}\n\`\`\``,
        ),
        makeMessage('tool', `\`\`\`tool_result\n${attack}\n\`\`\``),
        makeMessage(attack, `\`\`\`${attack.replaceAll('`', '')}\n${attack}`),
      ],
      { title: attack, sourceId: attack, model: attack, redactions: JSON.stringify({ [attack]: 1 }) },
    )
    expect(text).not.toMatch(/<script(?! type="module" src="\/tributary\/assets\/page\.js"><)|<img|\u202e/)
    expect(text.match(/<li class="turn/g)).toHaveLength(4)
    for (const tag of ['div', 'pre', 'details', 'li', 'ol', 'code'])
      expect([tag, text.match(new RegExp(`<${tag}[ >]`, 'g'))?.length]).toEqual([
        tag,
        text.match(new RegExp(`</${tag}>`, 'g'))?.length,
      ])
  })

  test('divides 5,000 messages into pages, each message on one page', { tags: 'long' }, async () => {
    const messages = Array.from({ length: 5000 }, (_, n) => makeMessage('user', `message number ${n}.`, n))
    const first = await show(messages)
    expect(first.text).toContain('Page 1 of 50')
    expect(first.text).toContain('Messages 1 to 100 of 5,000')
    expect(first.text.length).toBeLessThan(100_000)
    const last = await open(`/traces/${id(0)}?page=50`)
    expect(last.text).toContain('message number 4999.')
    expect((await open(`/traces/${id(0)}?page=999`)).text).toContain('Page 50 of 50')
    expect((await open(`/traces/${id(0)}?page=0`)).text).toContain('Page 1 of 50')
  })

  test('shows the beginning of a very long message, and says that it is shortened', async () => {
    const { text } = await show([makeMessage('user', 'x'.repeat(1_000_000)), makeMessage('user', 'after')])
    expect(text).toContain('The first 60,000 of 1,000,000 characters')
    expect(text.length).toBeLessThan(100_000)
    expect(text).toContain('after')
  })

  test('reads each line of 1 MB of unclosed fences once', { tags: 'long' }, async () => {
    const content = '```a\n'.repeat(200_000)
    const { exec } = RegExp.prototype
    let read = 0
    const spy = vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text: string) {
      read += text.length
      return exec.call(this, text)
    })
    const parts = textParts(content)
    spy.mockRestore()
    expect([parts.length, read]).toEqual([1, content.replaceAll('\n', '').length])
    expect((await show([makeMessage('user', content)])).status).toBe(200)
  })

  test('shows that content is missing or damaged, and still offers to delete the trace', async () => {
    const { text } = await show([])
    expect(text).toContain('Conversation')
    await seedTraces(stores.client, ann.userId, [makeTrace('ann', 1, { messages: '{' })])
    await loseContent(stores.client, id(0))
    for (const [n, words] of [
      [1, 'is damaged'],
      [0, 'is missing'],
    ] as const) {
      const answer = await open(`/traces/${id(n)}`)
      expect([answer.status, answer.text.includes(words), answer.text.includes('Delete…')]).toEqual([200, true, true])
    }
  })

  test('returns 404 for an unknown id and 400 for an invalid id', async () => {
    expect((await open(`/traces/${id(9)}`)).status).toBe(404)
    expect((await open('/traces/none')).status).toBe(400)
  })
})

describe('POST /traces/:id', () => {
  const submitForm = (pairs: [string, string][], n = 0) =>
    made.ask('POST', `/traces/${id(n)}`, { headers: ann.cookie, form: pairs as never })
  beforeEach(() => seedTraces(stores.client, ann.userId, [...makeTraces(2, 'ann')]))

  test('excludes and includes the trace', async () => {
    const done = await submitForm([['action', 'exclude']])
    expect([done.headers.get('location'), done.flash]).toEqual([
      `/tributary/traces/${id(0)}`,
      { done: 'exclude', counts: [1, 0] },
    ])
    expect(await readTrace(0)).toMatchObject({ sellExcluded: true })
    expect((await open(`/traces/${id(0)}`)).text).toContain('Include for sale')
    await submitForm([['action', 'include']])
    expect(await readTrace(0)).toMatchObject({ sellExcluded: false })
  })

  test('asks for confirmation before it deletes the trace', async () => {
    const asked = await submitForm([['action', 'delete']])
    expect(asked.text).toContain('Delete this trace?')
    const done = await submitForm([...listHiddenFields(asked.text), ['action', 'delete']])
    expect([done.headers.get('location'), done.flash]).toEqual([
      '/tributary/traces',
      { done: 'delete', counts: [1, 0] },
    ])
    expect((await open(`/traces/${id(0)}`)).status).toBe(404)
  })

  test('does not change a sold trace', async () => {
    await sellOnce(1)
    expect((await open(`/traces/${id(1)}`)).text).not.toContain('value="exclude"')
    for (const pairs of [
      [['action', 'exclude']],
      [
        ['action', 'delete'],
        ['confirmed', 'yes'],
      ],
    ] as [string, string][][])
      expect((await submitForm(pairs, 1)).flash?.counts).toEqual([0, 1])
    expect(await readTrace(1)).toMatchObject({ sellExcluded: false, saleCount: 1 })
  })

  test('shows that a trace was withdrawn, and does not offer to put it up for sale, whether or not it was sold', async () => {
    await sellOnce(1)
    for (const n of [0, 1]) {
      await buyers.withdrawTrace({
        id: id(n),
        reason: 'asked for it',
        notice: makeRemovalNotice(),
        audit: makeAuditContext(),
      })
      const { text } = await open(`/traces/${id(n)}`)
      expect(text).toContain('<span class="tag bad">Withdrawn</span>')
      for (const name of ['include', 'exclude']) expect(text).not.toContain(`value="${name}"`)
      const { text: list } = await open('/traces')
      expect(list).toContain('Traces that we withdrew are no longer sold or delivered.')
      expect(list.split('<span class="tag bad">Withdrawn</span>')).toHaveLength(n + 2)
    }
  })

  test('skips a withdrawn trace when excluded traces are put up for sale', async () => {
    await stores.traces.setSellExcluded({ ownerId: ann.userId, ids: [id(0), id(1)], sellExcluded: true })
    await buyers.withdrawTrace({
      id: id(0),
      reason: 'asked for it',
      notice: makeRemovalNotice(),
      audit: makeAuditContext(),
    })
    const { flash } = await made.ask('POST', '/traces', {
      headers: ann.cookie,
      form: { action: 'include', all: 'yes', state: 'excluded', confirmed: 'yes' },
    })
    expect(flash).toMatchObject({ done: 'include', counts: [1, 1] })
    const { text } = await open(`/traces/${id(0)}`)
    expect(text).toContain('<span class="tag bad">Withdrawn</span>')
    expect((await open('/traces?state=for_sale')).text).not.toContain(id(0))
    expect((await open('/traces?state=excluded')).text).toContain(id(0))
  })

  test('blocks a term that the scrubber missed, and shows an error for an invalid term', async () => {
    const listBlockedTerms = async () =>
      (await made.ask('GET', '/api/account/blocked-terms', { headers: ann.bearer })).json.terms
    const done = await submitForm([
      ['action', 'report'],
      ['term', 'Project Falcon'],
    ])
    expect([done.status, done.headers.get('location')]).toEqual([303, `/tributary/traces/${id(0)}`])
    expect((await made.follow(done, ann.cookie)).text).toMatch(
      /<p class="notice error" role="alert">Not found in this trace\. Check the spelling\. [^<]*<a href="\/tributary\/blocked-terms">/,
    )
    const { messages } = (await made.ask('GET', `/api/traces/${id(0)}/download`, { headers: ann.bearer })).json
    const term = (messages as { content: string }[])[0]!.content.split(' ')[0]!
    const found = await submitForm([
      ['action', 'report'],
      ['term', term],
    ])
    expect((await made.follow(found, ann.cookie)).text).toContain(
      'Term added to your blocked terms and redacted in this trace.',
    )
    await submitForm([
      ['action', 'report'],
      ['term', 'project falcon'],
    ])
    expect(await listBlockedTerms()).toEqual(['Project Falcon', term])
    const short = await submitForm([
      ['action', 'report'],
      ['term', 'x'],
    ])
    expect([short.status, short.text.includes('Enter 2 to 128 characters.')]).toEqual([200, true])
    const terms = Array.from({ length: 200 }, (_, n) => `term ${n}`)
    await made.ask('PUT', '/api/account/blocked-terms', { headers: ann.bearer, json: { terms } })
    const full = await submitForm([
      ['action', 'report'],
      ['term', 'one more'],
    ])
    expect([full.status, full.text.includes('is full')]).toEqual([200, true])
    expect(await listBlockedTerms()).toHaveLength(200)
  })

  test('lists the reason for each redaction; each can be reported as a mistake once, and /admin counts reports by rule', async () => {
    const replacements = JSON.stringify({
      PERSON_1: { category: 'person', rule: 'done-by', kind: 'probable', score: 0.81 },
      EMAIL_1: { category: 'email', rule: 'email', kind: 'proven', score: 1 },
    })
    await seedTraces(stores.client, ann.userId, [makeTrace('ann', 7, { replacements })])
    const before = (await open(`/traces/${id(7)}`)).text
    expect(before).toContain('<code>done-by</code>')
    expect(before).toMatch(/data-label="Evidence"[^>]*>context</)
    expect(before).toMatch(
      /<button name="placeholder" value="PERSON_1" class="second small">\s*Report as a mistake\s*</,
    )
    let after = ''
    for (const [placeholder, times] of [
      ['PERSON_1', 2],
      ['ORG_1', 1],
    ] as const)
      for (let n = 0; n < times; n++) {
        const done = await submitForm(
          [
            ['action', 'reportWrong'],
            ['placeholder', placeholder],
          ],
          7,
        )
        expect([done.status, done.headers.get('location')]).toEqual([303, `/tributary/traces/${id(7)}`])
        after = (await made.follow(done, ann.cookie)).text
      }
    expect(after).toContain('so it cannot be restored in this trace.')
    expect(after.match(/name="placeholder"/g)).toHaveLength(1)
    const counts = await overview.listDailyCounts({ fromDay: 0 })
    expect(counts.filter(({ name }) => name.startsWith('wrong'))).toMatchObject([
      { name: 'wrongReplacements.done-by', count: 1 },
    ])
  })

  test('redirects to the sign-in page without a session, with the path of the trace to return to', async () => {
    const answer = await made.ask('POST', `/traces/${id(0)}`, { form: { action: 'exclude' } as never })
    expect(answer.headers.get('location')).toBe(`/tributary/sign-in?next=%2Ftraces%2F${id(0)}`)
  })

  test('returns 404 for an unknown trace', async () => {
    expect((await submitForm([['action', 'exclude']], 9)).status).toBe(404)
  })
})

describe('placeholderCategory', () => {
  test('returns the category of each placeholder of the rules', () => {
    expect(
      ['EMAIL', 'PERSON', 'AWS_SECRET', 'BLOCKED', 'PASSWORD_HASH', 'BADGE_NUMBER'].map(placeholderCategory),
    ).toEqual(['email', 'person', 'token', 'blocked_term', 'password', 'badge_number'])
  })
})
