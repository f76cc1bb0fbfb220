import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen, type Listening } from '@tributary/host-node'
import { createTestStores, fixture, type Fixture } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { main } from './main.ts'
import type { Terminal } from './terminal.ts'

/** These tests run against a real service on a real socket. Waits are recorded instead of awaited. */
const key = 'b3b8f0a2-6f0e-4c39-9d8b-0f4c8e1a2d3c'
const admin = { authorization: 'Bearer operator-of-the-report-test' }
const reportArgs = ['--surface', 'GET /docs', '--title', 'A link is dead', '--category', 'docs_mismatch']
let home = ''
let made: Fixture
let host: Listening

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-report-'))
  made = fixture({ stores: createTestStores(), adminToken: 'operator-of-the-report-test' })
  host = await listen(made.service, { port: 0 })
})
afterEach(async () => {
  await host.close()
  rmSync(home, { recursive: true, force: true })
})

async function run(argv: string[], own: Partial<Terminal> = {}) {
  const [outs, notes, waits] = [[] as string[], [] as string[], [] as number[]]
  const code = await main(['--url', host.url, ...argv], {
    env: {},
    fetch,
    key: () => crypto.randomUUID(),
    out: (text) => void outs.push(text),
    note: (text) => void notes.push(text),
    wait: async (ms) => void waits.push(ms),
    ...own,
  })
  return {
    code,
    notes,
    waits,
    text: outs.join('\n'),
    // oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that each test expects
    json: (argv.includes('--json') ? JSON.parse(outs[0]!) : null) as any,
  }
}

const listReports = async () => (await made.ask('GET', '/api/admin/reports', { headers: admin })).json.items

test('tributary-agent-report prints 201 for a new report, 200 for the same key and 202 for the same meaning', async () => {
  const first = await run([...reportArgs, '--key', key, '--json'])
  expect([first.code, first.json]).toMatchObject([
    0,
    { ok: true, status: 201, key, receipt: { status: 'accepted', duplicate_of: null }, changes: [] },
  ])
  expect((await run([...reportArgs, '--key', key, '--json'])).json).toEqual({ ...first.json, status: 200 })
  const same = await run([...reportArgs, '--vendor', 'other', '--product', 'agent', '--json'])
  expect(same.json).toMatchObject({
    status: 202,
    receipt: { status: 'duplicate', duplicate_of: first.json.receipt.feedback_id },
  })
  expect(await run(['--receipt', first.json.receipt.id, '--json'])).toMatchObject({
    code: 0,
    json: { receipt: first.json.receipt },
  })
  expect((await run([...reportArgs, '--key', key])).text).toMatch(
    /^This report was sent before with this key.*\nid {11}\S+\nfeedback_id {2}\S+\nstatus {7}accepted\n/,
  )
  expect(await listReports()).toMatchObject([
    { subject: { surface: 'GET /docs' }, signal: { category: 'docs_mismatch' }, content: { title: 'A link is dead' } },
  ])
})

test('tributary-agent-report explains the errors for a different report with the same key, and for an unknown receipt', async () => {
  await run([...reportArgs, '--key', key])
  expect(await run([...reportArgs, '--title', 'Another', '--key', key])).toMatchObject({
    code: 1,
    notes: [expect.stringContaining('belongs to another report')],
  })
  expect((await run(['--receipt', crypto.randomUUID(), '--json'])).json).toMatchObject({
    ok: false,
    error: 'not_found',
  })
})

const makeInvalidReport = () => ({
  reporter: { agent_vendor: 'v', agent_product: 'p' },
  subject: { surface: 's'.repeat(600), kind: 'planet' },
  signal: { category: 'rant', confidence: 3 },
  content: { title: 't'.repeat(300), summary: 'kept' },
  evidence: Array.from({ length: 12 }, (_, i) => ({
    type: i === 0 ? 'hearsay' : 'log_excerpt',
    content: `${i} ${'x'.repeat(9000)}`,
  })),
})

test('tributary-agent-report shortens a report to the limits of the policy, and posts it once', async () => {
  const file = join(home, 'report.json')
  writeFileSync(file, JSON.stringify(makeInvalidReport()))
  let posts = 0
  const { code, json } = await run(['--file', file, '--json'], {
    fetch: (url, init) => fetch(url, (init?.method === 'POST' && posts++, init)),
  })
  expect([code, posts, json.status, json.receipt.evidence_ids.length]).toEqual([0, 1, 201, 10])
  expect(await listReports()).toMatchObject([
    {
      subject: { surface: `${'s'.repeat(511)}…` },
      signal: { confidence: 1 },
      content: { title: `${'t'.repeat(255)}…`, summary: 'kept' },
      evidence: { 0: { type: 'other' } },
    },
  ])
})

test('tributary-agent-report repairs a report by the issues that the service returns, and posts it again once', async () => {
  const file = join(home, 'report.json')
  writeFileSync(file, JSON.stringify({ ...makeInvalidReport(), evidence: makeInvalidReport().evidence.slice(0, 3) }))
  const answers: number[] = []
  const { code, json } = await run(['--file', file, '--json'], {
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (init?.method === 'POST') answers.push(response.status)
      return String(url).endsWith('/policy') ? Response.json({ schema_version: '1.0' }) : response
    },
  })
  expect([code, answers]).toEqual([0, [400, 201]])
  // The item with the unknown type was removed, and the long items were cut.
  expect(json.receipt.evidence_ids).toHaveLength(2)
  const title = `${'t'.repeat(255)}…`
  expect(await listReports()).toMatchObject([{ signal: { confidence: 1 }, content: { title } }])
})

test('tributary-agent-report retries when the server becomes unavailable before it receives the report', async () => {
  let stopped = false
  const waits: number[] = []
  const { json, notes } = await run([...reportArgs, '--json'], {
    async fetch(url, init) {
      if (init?.method === 'POST' && !stopped) {
        stopped = true
        await host.close()
      }
      return fetch(url, init)
    },
    async wait(ms) {
      waits.push(ms)
      if (waits.length === 3) host = await listen(made.service, { port: host.port })
    },
  })
  expect([json.status, waits]).toEqual([201, [500, 1000, 2000]])
  expect(notes[0]).toContain('does not answer')
})

test('tributary-agent-report creates no second report when the reply was lost: the same key returns the first receipt', async () => {
  let posts = 0
  const { json } = await run([...reportArgs, '--json'], {
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (init?.method === 'POST' && posts++ === 0) throw new TypeError('terminated')
      return response
    },
  })
  expect([json.status, posts]).toEqual([200, 2])
  expect(await listReports()).toMatchObject([{ id: json.receipt.feedback_id, duplicates: 0 }])
})

test.each([409, 429, 503])(
  'tributary-agent-report repeats the report with the same key after status %i, or fails if the delay is too long',
  async (status) => {
    const keys: unknown[] = []
    const makeDelayingFetch =
      (seconds: string): typeof fetch =>
      async (url, init) => {
        if (init?.method !== 'POST') return fetch(url, init)
        keys.push((init.headers as Record<string, string>)['Idempotency-Key'], init.body)
        return keys.length > 2 && seconds === '7'
          ? fetch(url, init)
          : Response.json({ error: 'later' }, { status, headers: { 'retry-after': seconds } })
      }
    const { json, waits } = await run([...reportArgs, '--json'], { fetch: makeDelayingFetch('7') })
    expect([json.status, waits, keys.slice(0, 2)]).toEqual([201, [7000], keys.slice(2)])
    expect(await run([...reportArgs, '--json'], { fetch: makeDelayingFetch('3600') })).toMatchObject({
      code: 1,
      waits: [],
      json: { error: 'later' },
    })
  },
)

test('tributary-agent-report ends with an error when no server answers, and when the discovery document names another origin', async () => {
  const foreign = await run([...reportArgs, '--json'], {
    fetch: async () =>
      Response.json({
        endpoints: { policy: 'https://elsewhere.example/policy', feedback: 'https://elsewhere.example/f' },
      }),
  })
  expect(foreign).toMatchObject({ code: 1, json: { error: 'foreign_endpoint' } })
  await host.close()
  expect(await run([...reportArgs, '--json'])).toMatchObject({
    code: 1,
    json: { error: 'unreachable' },
    waits: [500, 1000, 2000, 4000, 8000],
  })
})

test('tributary-agent-report exits with 2 for wrong arguments, and with 1 for missing files; --help prints an example', async () => {
  const broken = join(home, 'broken.json')
  writeFileSync(broken, '[1')
  for (const argv of [['--title', 'no surface'], ['--surface', 's'], ['--no-such'], ['stray'], ['--file', broken]])
    expect((await run(argv)).code, argv.join(' ')).toBe(2)
  expect((await run([...reportArgs, '--evidence', join(home, 'none')])).code).toBe(1)
  expect(await run(['--help'])).toMatchObject({ code: 0, text: expect.stringContaining('\nExample\n') })
})

test('tributary-agent-report reads evidence from files, and flags replace fields of the report file', async () => {
  const [file, log] = [join(home, 'report.json'), join(home, 'log.txt')]
  writeFileSync(
    file,
    JSON.stringify({ subject: { surface: 'old', kind: 'docs_page' }, content: { title: 'old', summary: 'kept' } }),
  )
  writeFileSync(log, 'it broke\n')
  expect(
    (
      await run([
        '--file',
        file,
        '--title',
        'new',
        '--evidence',
        log,
        '--evidence',
        log,
        '--evidence-type',
        'stderr_excerpt',
      ])
    ).code,
  ).toBe(0)
  const piece = { type: 'stderr_excerpt', content: 'it broke\n' }
  expect(await listReports()).toMatchObject([
    {
      subject: { surface: 'old', kind: 'docs_page' },
      content: { title: 'new', summary: 'kept' },
      evidence: [piece, piece],
    },
  ])
})

test('tributary-agent-report finds a service mounted below a path, and the URLs in its documents', async () => {
  const below = fixture({ stores: createTestStores(), baseUrl: 'http://127.0.0.1:8787/under' })
  const mounted = await listen(below.service, { port: 0 })
  const { code, json } = await run([...reportArgs, '--json', '--url', `${mounted.url}/under/`])
  await mounted.close()
  expect([code, json.status]).toEqual([0, 201])
})
