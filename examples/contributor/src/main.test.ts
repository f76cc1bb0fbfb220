import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { names } from './help.ts'
import { main } from './main.ts'
import { kept, scripted, type Script } from './scripted.ts'

let home = ''
let close: (() => Promise<void>) | null = null
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'contributor-'))
})
afterEach(async () => {
  await close?.()
  close = null
  rmSync(home, { recursive: true, force: true })
})

async function service(script: Script) {
  const server = await scripted(script)
  close = server.close
  return server
}

const start = [
  200,
  {
    ok: true,
    deviceCode: 'dc',
    userCode: 'BCDF-GHJK',
    verificationUrlComplete: 'http://x/device?code=BCDF-GHJK',
    expiresAt: 'soon',
    interval: 5,
  },
] as [number, unknown]
const open: Script = {
  'GET /api/cli/session': [[200, { ok: true, userId: 'u1' }]],
  'GET /api/traces/upload-policy': [[200, { ok: true, eligible: true, reason: null, country: 'US' }]],
  'GET /api/traces/access': [[200, { ok: true, status: 'approved' }]],
  'GET /api/traces/contact': [[200, { ok: true, completed: true }]],
}

describe('login', () => {
  test('polls at the interval, five seconds slower for good after slow_down, and keeps the token in a file of 0600', async () => {
    const server = await service({
      'POST /api/cli/device/start': [start],
      'GET /api/cli/device/poll': [
        [202, { ok: true, status: 'pending' }],
        [429, { error: 'slow_down' }, { 'retry-after': '7' }],
        [202, { ok: true, status: 'pending' }],
        [200, { ok: true, status: 'approved', token: 'a token', userId: 'u1' }],
      ],
    })
    const { terminal, outs, notes, waits } = kept(home)
    expect(await main(['login', '--url', `${server.url}/`], terminal)).toBe(0)
    expect(waits).toEqual([5000, 5000, 10_000, 10_000])
    expect(notes.join('\n')).toContain('BCDF-GHJK')
    expect(outs).toEqual(['Logged in as u1.'])
    const file = join(home, 'config', 'credentials.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ [server.url]: 'a token' })
    expect(server.asked[0]).toMatchObject({ line: 'POST /api/cli/device/start', body: { machine: 'test machine' } })
  })

  test.each([
    [409, 'access_denied'],
    [410, 'expired_token'],
  ])('%i ends with `%s` and keeps nothing', async (status, error) => {
    const server = await service({
      'POST /api/cli/device/start': [start],
      'GET /api/cli/device/poll': [[status, { error }]],
    })
    const { terminal, outs } = kept(home)
    expect(await main(['login', '--json', '--url', server.url], terminal)).toBe(1)
    expect(JSON.parse(outs[0]!)).toMatchObject({ ok: false, error })
    expect(() => statSync(join(home, 'config'))).toThrow('ENOENT')
  })

  test("logout ends the token at the service and forgets it here; other services' tokens stay", async () => {
    const server = await service({ 'POST /api/auth/sign-out': [[200, { ok: true }]] })
    const { terminal } = kept(home)
    const { keepToken, tokenFor } = await import('./credentials.ts')
    keepToken(terminal, server.url, 'one')
    keepToken(terminal, 'http://other', 'two')
    expect(await main(['logout', '--url', server.url], terminal)).toBe(0)
    expect(server.asked[0]?.headers.authorization).toBe('Bearer one')
    expect([tokenFor(terminal, server.url), tokenFor(terminal, 'http://other')]).toEqual([null, 'two'])
  })
})

describe('a service in a bad mood', () => {
  test('429 waits as long as it says, 503 and a broken connection are tried again with growing waits', async () => {
    const server = await service({
      ...open,
      'GET /api/cli/session': [
        [429, { ok: false, error: 'rate_limited' }, { 'retry-after': '3' }],
        [503, { ok: false, error: 'unavailable' }],
        [0, null],
        [200, { ok: true, userId: 'u1' }],
      ],
    })
    const { terminal, waits } = kept(home)
    expect(await main(['status', '--url', server.url, '--token', 't'], terminal)).toBe(0)
    expect(waits).toEqual([3000, 1000, 2000])
  })

  test('one that stays away ends with its code, one that refuses the token with what to do', async () => {
    const server = await service({ 'GET /api/cli/session': [[503, { ok: false, error: 'unavailable' }]] })
    const first = kept(home)
    expect(await main(['status', '--json', '--url', server.url, '--token', 't'], first.terminal)).toBe(1)
    expect(JSON.parse(first.outs[0]!)).toMatchObject({ ok: false, error: 'unavailable' })
    expect(server.asked).toHaveLength(6)
    const other = await scripted({ 'GET /api/cli/session': [[401, { ok: false, error: 'unauthorized' }]] })
    const second = kept(home)
    expect(await main(['status', '--url', other.url, '--token', 't'], second.terminal)).toBe(1)
    await other.close()
    expect(second.notes).toEqual(['You are not logged in, or your login has expired. Log in with `login`.'])
  })

  test('nobody there is told as such', async () => {
    const gone = await scripted({})
    await gone.close()
    const { terminal, notes } = kept(home)
    expect(await main(['status', '--url', gone.url, '--token', 't'], terminal)).toBe(1)
    expect(notes.at(-1)).toContain('No answer from the service')
  })
})

describe('upload', () => {
  const body = {
    traces: [1, 2, 3].map((n) => ({
      sourceId: `s${n}`,
      createdAt: '2026-01-01T00:00:00Z',
      messages: [{ role: 'user', content: `hi ${n}` }],
    })),
  }
  const written = (): string => {
    const file = join(home, 'some.ingest.json')
    writeFileSync(file, JSON.stringify(body))
    return file
  }

  test('what stands in the way is said with its links, before any trace is sent', async () => {
    const server = await service({
      ...open,
      'GET /api/traces/upload-policy': [
        [200, { ok: true, eligible: false, reason: 'terms_required', acceptanceUrl: 'http://x/terms' }],
      ],
      'GET /api/traces/access': [[200, { ok: true, status: 'not_applied', applyUrl: 'http://x/apply' }]],
    })
    const { terminal, notes } = kept(home)
    expect(await main(['upload', written(), '--url', server.url, '--token', 't'], terminal)).toBe(1)
    expect(notes[0]).toContain('http://x/terms')
    expect(notes[0]).toContain('http://x/apply')
    expect(server.asked.filter(({ line }) => line.startsWith('POST'))).toEqual([])
  })

  test('known traces stay at home, the rest goes packed, the job is followed and its outcomes are counted', async () => {
    const { contentHash } = await import('@tributary/core')
    const server = await service({
      ...open,
      'POST /api/traces/known': [[200, { ok: true, known: [contentHash(body.traces[1]!.messages)] }]],
      'POST /api/ingest': [[202, { ok: true, jobId: 'j1', status: 'queued' }]],
      'GET /api/ingest/jobs/j1': [
        [200, { ok: true, job: { id: 'j1', status: 'queued' } }],
        [200, { ok: true, job: { id: 'j1', status: 'done', estimatedUsd: 0.5 } }],
      ],
      'GET /api/ingest/jobs/j1/outcomes': [
        [
          200,
          {
            ok: true,
            outcomes: [
              { outcome: 'stored', redactions: 2 },
              { outcome: 'stored', redactions: 1 },
            ],
          },
        ],
      ],
    })
    const { terminal, outs } = kept(home)
    expect(await main(['upload', written(), '--url', server.url, '--token', 't'], terminal)).toBe(0)
    const sent = server.asked.find(({ line }) => line === 'POST /api/ingest')
    expect(sent?.headers['content-encoding']).toBe('gzip')
    expect(sent?.body).toEqual({ traces: [body.traces[0], body.traces[2]] })
    expect(outs[0]).toContain('Read 3 traces in 1 file, 1 known already.')
    expect(outs[0]).toMatch(/stored +2 +3/)
    expect(outs[0]).toContain('$0.500000')
  })

  test.each([[[]], [['--token', 't']]])('sends no request in a dry run, given %j', async (login) => {
    const server = await service({})
    const { terminal, outs } = kept(home)
    expect(await main(['upload', '--dry-run', '--json', written(), '--url', server.url, ...login], terminal)).toBe(0)
    expect(JSON.parse(outs[0]!)).toMatchObject({ ok: true, traces: 3, known: null, sentTraces: 0 })
    expect(await main(['upload', '--dry-run', written(), '--url', server.url, ...login], terminal)).toBe(0)
    expect(outs[1]).toContain('Dry run: nothing was sent, and the service was not contacted.')
    expect(server.asked).toEqual([])
  })
})

test('wrong calls end with 2 and say so; --help answers each command with an example', async () => {
  const { terminal, notes } = kept(home, { TRIBUTARY_TOKEN: 't' })
  for (const argv of [
    ['fly'],
    ['--no-such'],
    ['exclude'],
    ['list', '--limit', 'many'],
    ['status', '--url', 'nowhere'],
    ['upload'],
    [],
  ]) {
    expect(await main(argv, terminal), argv.join(' ')).toBe(2)
  }
  expect(notes).toHaveLength(6)
  for (const name of names) {
    const { terminal: own, outs } = kept(home)
    expect(await main([name, '--help'], own)).toBe(0)
    expect(outs[0]).toMatch(/Example/)
  }
})

test('delete asks first, and where nobody can answer, nothing is deleted', async () => {
  const server = await service({
    'DELETE /api/traces/bulk': [[200, { ok: true, deletedIds: ['a'], skippedSoldIds: ['b'] }]],
  })
  const { terminal, outs } = kept(home, { TRIBUTARY_TOKEN: 't' })
  expect(await main(['delete', 'a', 'b', '--url', server.url], terminal)).toBe(1)
  expect(server.asked).toEqual([])
  expect(await main(['delete', 'a', 'b', '--yes', '--url', server.url], terminal)).toBe(0)
  expect(outs).toEqual(['1 trace deleted, 1 kept because sold.'])
})
