import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandNames } from './help.ts'
import { main } from './main.ts'
import { recordingTerminal, startScriptedServer, type Script } from './scripted.ts'

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
  const server = await startScriptedServer(script)
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
const account = [200, { ok: true, userId: 'u1', email: 'jane@example.org' }] as [number, unknown]
const open: Script = {
  'GET /api/account': [account],
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
      'GET /api/account': [account],
    })
    const { terminal, outs, notes, waits, opened } = recordingTerminal(home)
    expect(await main(['login', '--url', `${server.url}/`], terminal)).toBe(0)
    expect(waits).toEqual([5000, 5000, 10_000, 10_000])
    expect(notes.join('\n')).toContain('BCDF-GHJK')
    expect(outs).toEqual(['Logged in as jane@example.org.'])
    expect(opened).toEqual(['http://x/device?code=BCDF-GHJK'])
    const file = join(home, 'config', 'credentials.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ [server.url]: 'a token' })
    expect(server.requests[0]).toMatchObject({ line: 'POST /api/cli/device/start', body: { machine: 'test machine' } })
  })

  test.each([
    [409, 'access_denied'],
    [410, 'expired_token'],
  ])('%i ends with `%s` and keeps nothing', async (status, error) => {
    const server = await service({
      'POST /api/cli/device/start': [start],
      'GET /api/cli/device/poll': [[status, { error }]],
    })
    const { terminal, outs } = recordingTerminal(home)
    expect(await main(['login', '--json', '--url', server.url], terminal)).toBe(1)
    expect(JSON.parse(outs[0]!)).toMatchObject({ ok: false, error })
    expect(() => statSync(join(home, 'config'))).toThrow('ENOENT')
  })

  test("logout ends the token at the service and forgets it here; other services' tokens stay", async () => {
    const server = await service({ 'POST /api/auth/sign-out': [[200, { ok: true }]] })
    const { terminal } = recordingTerminal(home)
    const { saveToken, readToken } = await import('./credentials.ts')
    saveToken(terminal, server.url, 'one')
    saveToken(terminal, 'http://other', 'two')
    expect(await main(['logout', '--url', server.url], terminal)).toBe(0)
    expect(server.requests[0]?.headers.authorization).toBe('Bearer one')
    expect([readToken(terminal, server.url), readToken(terminal, 'http://other')]).toEqual([null, 'two'])
  })
})

describe('a service that fails', () => {
  test('429 waits as long as it says, 503 and a broken connection are tried again with growing waits', async () => {
    const server = await service({
      ...open,
      'GET /api/account': [
        [429, { ok: false, error: 'rate_limited' }, { 'retry-after': '3' }],
        [503, { ok: false, error: 'unavailable' }],
        [0, null],
        account,
      ],
    })
    const { terminal, waits } = recordingTerminal(home)
    expect(await main(['status', '--url', server.url, '--token', 't'], terminal)).toBe(0)
    expect(waits).toEqual([3000, 1000, 2000])
  })

  test('one that stays away ends with its code, one that refuses the token with what to do', async () => {
    const server = await service({ 'GET /api/account': [[503, { ok: false, error: 'unavailable' }]] })
    const first = recordingTerminal(home)
    expect(await main(['status', '--json', '--url', server.url, '--token', 't'], first.terminal)).toBe(1)
    expect(JSON.parse(first.outs[0]!)).toMatchObject({ ok: false, error: 'unavailable' })
    expect(server.requests).toHaveLength(6)
    const other = await startScriptedServer({ 'GET /api/account': [[401, { ok: false, error: 'unauthorized' }]] })
    const second = recordingTerminal(home)
    expect(await main(['status', '--url', other.url, '--token', 't'], second.terminal)).toBe(1)
    await other.close()
    expect(second.notes).toEqual(['You are not logged in, or your login has expired. Log in with `login`.'])
  })

  test('is not asked again when its host does not exist', async () => {
    const { terminal, notes, waits } = recordingTerminal(home)
    const fetchNothing = (): Promise<Response> =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) }))
    const offline = { ...terminal, fetch: fetchNothing }
    expect(await main(['status', '--url', 'http://nowhere.invalid', '--token', 't'], offline)).toBe(1)
    expect(notes).toEqual(['There is no host of this name. Check --url or TRIBUTARY_URL.'])
    expect(waits).toEqual([])
  })

  test('is reported when it does not answer', async () => {
    const gone = await startScriptedServer({})
    await gone.close()
    const { terminal, notes } = recordingTerminal(home)
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

  const upload = (server: { url: string }, ...argv: string[]) => {
    const recorded = recordingTerminal(home)
    const done = main(['upload', written(), '--url', server.url, '--token', 't', ...argv], recorded.terminal)
    return { ...recorded, done }
  }

  test('sends nothing, not even a hash, before it is confirmed', async () => {
    const server = await service(open)
    const { done, outs } = upload(server, '--json')
    expect(await done).toBe(1)
    expect(JSON.parse(outs[0]!)).toMatchObject({
      ok: false,
      error: 'confirmation_required',
      nextSteps: ['preview', 'upload --confirm'],
    })
    expect(server.requests).toEqual([])
  })

  test('names what is missing with its links, and sends no trace', async () => {
    const server = await service({
      ...open,
      'GET /api/traces/upload-policy': [
        [200, { ok: true, eligible: false, reason: 'terms_required', acceptanceUrl: 'http://x/terms' }],
      ],
      'GET /api/traces/access': [[200, { ok: true, status: 'not_applied', applyUrl: 'http://x/apply' }]],
    })
    const { done, notes } = upload(server, '--confirm')
    expect(await done).toBe(1)
    expect(notes[0]).toContain('http://x/terms')
    expect(notes[0]).toContain('http://x/apply')
    expect(server.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([])
  })

  const accepting: Script = {
    ...open,
    'POST /api/traces/known': [[200, { ok: true, known: [] }]],
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
            { outcome: 'stored', redactions: 2, sourceId: 's1', traceId: 't1' },
            { outcome: 'stored', redactions: 1, sourceId: 's3', traceId: 't3' },
          ],
        },
      ],
    ],
  }

  test('sends what is not known, compressed, follows the job and counts its outcomes', async () => {
    const { contentHash } = await import('@tributary/core')
    const known = [contentHash(body.traces[1]!.messages)]
    const server = await service({ ...accepting, 'POST /api/traces/known': [[200, { ok: true, known }]] })
    const { done, outs, notes } = upload(server, '--confirm')
    expect(await done).toBe(0)
    const sent = server.requests.find(({ line }) => line === 'POST /api/ingest')
    expect(sent?.headers['content-encoding']).toBe('gzip')
    expect(sent?.body).toEqual({ traces: [body.traces[0], body.traces[2]] })
    expect(outs[0]).toContain('Read 3 traces in 1 file, 1 already known.')
    expect(outs[0]).toMatch(/stored +2 +3/)
    expect(outs[0]).toContain('$0.50')
    expect(notes.join('\n')).toMatch(/Uploading \[####################\] · 1 of 1 part · (\d+) B of \1 B/)
  })

  test('follows first the job of an upload that was stopped', async () => {
    const failing = await service({
      ...accepting,
      'GET /api/ingest/jobs/j1': [[404, { ok: false, error: 'not_found' }]],
    })
    expect(await upload(failing, '--confirm').done).toBe(1)
    const record = JSON.parse(readFileSync(join(home, 'config', 'uploads.json'), 'utf8')) as Record<string, unknown>
    expect(record[failing.url]).toMatchObject({ pendingJobs: [{ jobId: 'j1' }] })
    await failing.close()
    const again = await service({ ...accepting, 'POST /api/traces/known': [[200, { ok: true, known: [] }]] })
    writeFileSync(join(home, 'config', 'uploads.json'), JSON.stringify({ [again.url]: record[failing.url] }))
    const { done, notes } = upload(again, '--confirm')
    expect(await done).toBe(0)
    expect(notes[0]).toBe('Resuming an upload that was stopped: 1 job to follow first.')
    const lines = again.requests.map(({ line }) => line)
    expect(lines.indexOf('GET /api/ingest/jobs/j1')).toBeLessThan(lines.indexOf('POST /api/traces/known'))
  })

  test('adds the blocked terms of setup to those of the account', async () => {
    const terms = { ok: true, terms: ['Roe'], updatedAt: null, pending: 0 }
    const server = await service({
      ...accepting,
      'GET /api/account/blocked-terms': [[200, terms]],
      'PUT /api/account/blocked-terms': [[200, terms]],
    })
    expect(
      await main(['setup', '--blocked-term', 'Jane', '--blocked-term', 'Roe'], recordingTerminal(home).terminal),
    ).toBe(0)
    expect(await upload(server, '--confirm').done).toBe(0)
    const put = server.requests.find(({ line }) => line === 'PUT /api/account/blocked-terms')
    expect(put?.body).toEqual({ terms: ['Roe', 'Jane'] })
  })

  test.each([[[]], [['--token', 't']]])('sends no request in a dry run, given %j', async (login) => {
    const server = await service({})
    const { terminal, outs } = recordingTerminal(home)
    expect(await main(['upload', '--dry-run', '--json', written(), '--url', server.url, ...login], terminal)).toBe(0)
    expect(JSON.parse(outs[0]!)).toMatchObject({ ok: true, traces: 3, nextSteps: ['preview', 'upload --confirm'] })
    expect(await main(['upload', '--dry-run', written(), '--url', server.url, ...login], terminal)).toBe(0)
    expect(outs[1]).toContain('Dry run: nothing was sent, and the service was not contacted.')
    expect(server.requests).toEqual([])
  })

  test.each([
    ['a file that is no session', 'notes.txt', 'hello', 'No conversation that this client can read'],
    ['an empty folder', 'empty', null, 'The folder has no session files.'],
    ['a path that does not exist', 'missing.jsonl', undefined, 'File not found'],
  ])('ends with 1 for %s', async (_, name, content, message) => {
    const path = join(home, name)
    if (content === null) mkdirSync(path)
    else if (content !== undefined) writeFileSync(path, content)
    for (const command of [['upload', '--dry-run'], ['preview']]) {
      const { terminal, notes } = recordingTerminal(home)
      expect(await main([...command, path], terminal)).toBe(1)
      expect(notes[0]).toContain(message)
    }
  })
})

describe('setup and preview', () => {
  const session = (project: string, prompt: string): string =>
    JSON.stringify({
      type: 'user',
      sessionId: `of-${project}`,
      isSidechain: false,
      cwd: `/work/${project}`,
      timestamp: '2026-11-01T10:00:00Z',
      message: { role: 'user', content: prompt },
    })
  beforeEach(() => {
    for (const [project, prompt] of [
      ['parser', 'write to jane.roe@widgets-of-jane.com about Bluebird'],
      ['client', 'nothing to hide'],
    ] as const) {
      mkdirSync(join(home, '.claude/projects', project), { recursive: true })
      writeFileSync(join(home, '.claude/projects', project, 'a.jsonl'), session(project, prompt))
    }
  })
  const run = async (...argv: string[]) => {
    const { terminal, outs, notes } = recordingTerminal(home)
    const fetchNothing = (): Promise<Response> => Promise.reject(new Error('no request is expected'))
    const code = await main(argv, { ...terminal, fetch: fetchNothing })
    return { code, text: outs.join('\n'), notes }
  }

  test('setup remembers which projects to read, and preview shows their redactions in context', async () => {
    const { code, text } = await run('setup', '--exclude-project', 'client', '--blocked-term', 'bluebird', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(text)).toMatchObject({
      projects: [
        { project: '/work/client', sessions: 1, chosen: false },
        { project: '/work/parser', sessions: 1, chosen: true },
      ],
      nextSteps: ['preview'],
    })
    const shown = await run('preview')
    expect(shown.code).toBe(0)
    expect(shown.text).toContain('1 trace with 1 message')
    expect(shown.text).toContain('…write to [EMAIL_1] about [BLOCKED_1]…')
    expect(shown.text).not.toMatch(/jane|bluebird/i)
    const preview = JSON.parse((await run('preview', '--json')).text) as Record<string, unknown>
    expect(preview).toMatchObject({
      totals: { traces: 1, redactions: { blocked_term: 1, email: 1 } },
      excludedFiles: 1,
    })
  })

  test('setup --project undoes an exclusion, and --reset forgets everything', async () => {
    await run('setup', '--exclude-project', 'client')
    await run('setup', '--project', 'client')
    expect(JSON.parse((await run('preview', '--json')).text)).toMatchObject({ totals: { traces: 1 } })
    await run('setup', '--reset')
    expect(JSON.parse((await run('preview', '--json')).text)).toMatchObject({ totals: { traces: 2 } })
  })

  test.each([
    [['setup', '--source', 'word'], 'claude-code, codex'],
    [['setup', '--blocked-term', 'x'], '2 to 128 characters'],
    [['preview'], 'choose with `setup`'],
  ])('%j ends with 2 and says what to do', async (argv, message) => {
    const { code, notes } = await run(...argv)
    expect(code).toBe(2)
    expect(notes[0]).toContain(message)
  })
})

describe('trace ids', () => {
  const id = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
  const other = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2b71'
  const listed = (one: string) => ({
    id: one,
    source: 'codex_jsonl',
    title: 'Add a parser',
    createdAt: '2026-11-01T10:00:00Z',
    tokenCount: 1200,
    redactions: 3,
    saleCount: 0,
    locked: false,
    sellExcluded: false,
  })
  const script: Script = {
    'GET /api/traces': [[200, { ok: true, traces: [listed(id), listed(other)], nextCursor: null }]],
    'POST /api/traces/bulk': [[200, { ok: true, updatedIds: [id], updatedCount: 1, skippedCount: 0 }]],
  }
  const run = async (server: { url: string }, ...argv: string[]) => {
    const { terminal, outs, notes } = recordingTerminal(home, { TRIBUTARY_TOKEN: 't' })
    return { code: await main([...argv, '--url', server.url], terminal), outs, notes }
  }

  test('list shows the last characters, which commands take', async () => {
    const server = await service(script)
    expect((await run(server, 'list')).outs[0]).toContain('6d8b2a71  2026-11-01  codex_jsonl  Add a parser   1,200')
    expect((await run(server, 'exclude', '6d8b2a71')).code).toBe(0)
    expect(server.requests.at(-1)?.body).toEqual({ action: 'exclude', ids: [id] })
  })

  test.each([
    ['0000', 'is the id of no trace of yours'],
    ['71', 'is not a trace id'],
    ['b2a7', 'is the id of no trace of yours'],
    ['nope', 'is not a trace id'],
  ])('`%s` ends with 1 and changes nothing', async (name, message) => {
    const server = await service(script)
    const { code, notes } = await run(server, 'exclude', name)
    expect(code).toBe(1)
    expect(notes[0]).toContain(message)
    expect(server.requests.filter(({ line }) => line.startsWith('POST'))).toEqual([])
  })

  test('a filter chooses all that match, and --project those that were uploaded from here', async () => {
    const server = await service(script)
    await run(server, 'exclude', '--state', 'for_sale')
    expect(server.requests.at(-1)?.body).toEqual({ action: 'exclude', ids: [id, other] })
    mkdirSync(join(home, 'config'), { recursive: true })
    const record = { jobIds: [], pendingJobs: [], projects: { [other]: '/work/parser' } }
    writeFileSync(join(home, 'config', 'uploads.json'), JSON.stringify({ [server.url]: record }))
    await run(server, 'exclude', '--project', 'parser')
    expect(server.requests.at(-1)?.body).toEqual({ action: 'exclude', ids: [other] })
  })
})

test('wrong calls end with 2 and say so; --help answers each command with an example', async () => {
  const { terminal, notes } = recordingTerminal(home, { TRIBUTARY_TOKEN: 't' })
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
  for (const name of commandNames) {
    const { terminal: own, outs } = recordingTerminal(home)
    expect(await main([name, '--help'], own)).toBe(0)
    expect(outs[0]).toMatch(/Example/)
  }
})

test('delete asks first, and deletes nothing where nobody can answer', async () => {
  const [sold, unsold] = ['018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71', '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2b71']
  const server = await service({
    'DELETE /api/traces/bulk': [[200, { ok: true, deletedIds: [unsold], skippedSoldIds: [sold] }]],
  })
  const { terminal, outs } = recordingTerminal(home, { TRIBUTARY_TOKEN: 't' })
  expect(await main(['delete', sold, unsold, '--url', server.url], terminal)).toBe(1)
  expect(server.requests).toEqual([])
  expect(await main(['delete', sold, unsold, '--yes', '--url', server.url], terminal)).toBe(0)
  expect(outs).toEqual(['1 trace deleted, 1 kept because sold.'])
})
