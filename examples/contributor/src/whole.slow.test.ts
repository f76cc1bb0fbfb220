import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Runs all commands of the client in separate processes, against a real host with a database file. The steps build on
 * each other, as they do for a contributor.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'contributor-whole-'))
// The build is below host-node, so that its native packages resolve.
const built = join(root, 'packages/host-node/node_modules/.cache/tributary', `whole-${process.pid}-${Date.now()}`)
const adminToken = 'operator-of-the-whole-test'
const email = 'jane.contributor@example.com'
// The scrubber does not replace addresses of example domains, because they identify nobody. Therefore this address is
// in a different domain.
const friend = 'joe.friend@widgets-of-joe.com'
let host: ChildProcess
let base = ''

async function compile(folder: string, entries: Record<string, string>): Promise<void> {
  await build({
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, path]) => [name, join(root, folder, 'src', path)]),
    ),
    outdir: join(built, folder),
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['tributary-source'],
    external: ['libsql', '@libsql/*'],
    logLevel: 'error',
    banner: { js: "import { createRequire as $r } from 'node:module'; const require = $r(import.meta.url);" },
  })
}

async function waitForOutput(child: ChildProcess, stream: 'stdout' | 'stderr', pattern: RegExp): Promise<string> {
  let text = ''
  for await (const data of child[stream]!) {
    text += String(data)
    const match = pattern.exec(text)
    if (match) {
      child[stream]!.resume()
      return match[1]!
    }
  }
  throw new Error(`never printed ${pattern}:\n${text}`)
}

beforeAll(async () => {
  mkdirSync(built, { recursive: true })
  writeFileSync(join(built, 'package.json'), '{"type":"module"}')
  await compile('packages/host-node', { cli: 'cli/cli.ts', thread: 'worker/thread.ts' })
  await compile('examples/contributor', { cli: 'cli.ts' })
  host = spawn(
    process.execPath,
    [
      join(built, 'packages/host-node/cli.js'),
      'dev',
      '--port',
      '0',
      '--database',
      join(home, 'whole.db'),
      '--admin-token',
      adminToken,
      '--rate-limits',
      'off',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  base = await waitForOutput(host, 'stdout', /is running at (http:\/\/[\d.:]+)/)
})

afterAll(async () => {
  if (host?.exitCode === null) {
    host.kill('SIGKILL')
    await once(host, 'exit')
  }
  rmSync(home, { recursive: true, force: true })
  rmSync(built, { recursive: true, force: true })
})

function startClient(...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(built, 'examples/contributor/cli.js'), ...args, '--url', base], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: home, TRIBUTARY_CONFIG_DIR: join(home, 'config') },
  })
}

async function run(...args: string[]) {
  const child = startClient(...args)
  const texts = ['', '']
  child.stdout!.on('data', (data) => {
    texts[0] += String(data)
  })
  child.stderr!.on('data', (data) => {
    texts[1] += String(data)
  })
  const [code] = (await once(child, 'close')) as [number]
  // oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that each step expects
  const json: any = args.includes('--json') ? JSON.parse(texts[0]!) : undefined
  return { code, out: texts[0]!, err: texts[1]!, json }
}

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const own = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(base + path, {
    method,
    headers: { ...own, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return {
    status: response.status,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    json: (await response.json()) as Record<string, unknown>,
  }
}

/** Signs in like a browser. The code is sent by mail, which a development server keeps. */
async function signInBrowser(): Promise<Record<string, string>> {
  const { challenge } = (await ask('POST', '/api/auth/email', { email })).json
  const mails = (await ask('GET', '/dev/mail.json')).json as unknown as { to: string; text: string }[]
  const code = /\b\d{6}\b/.exec(mails.find(({ to }) => to === email)!.text)![0]
  const { cookie } = await ask('POST', '/api/auth/email/verify', { email, code, challenge })
  return { cookie, 'sec-fetch-site': 'same-origin' }
}

function writeSessionFile(): string {
  const makeEntry = (type: string, content: unknown) => ({
    type,
    sessionId: 'whole-1',
    isSidechain: false,
    parentUuid: null,
    timestamp: '2026-11-01T10:00:00Z',
    message: { role: type, content, model: 'claude-test' },
  })
  const lines = [
    makeEntry('user', `write to ${friend} from /home/janedoe/work`),
    makeEntry('assistant', [{ type: 'text', text: `Written to ${friend}.` }]),
  ]
  const file = join(home, 'session.jsonl')
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"type":"user","mess`)
  return file
}

function writeBatchFile(): string {
  const traces = Array.from({ length: 1200 }, (_, n) => ({
    source: 'opencode',
    sourceId: `batch-${n}`,
    createdAt: '2026-11-01T10:00:00Z',
    messages: [
      { role: 'user', content: `question ${n}` },
      { role: 'assistant', content: `answer ${n}` },
    ],
  }))
  const file = join(home, 'batch.ingest.json')
  writeFileSync(file, JSON.stringify({ traces }))
  return file
}

let session = ''

test('login shows a code, waits for its approval in a browser and stores the token', async () => {
  const child = startClient('login', '--json')
  const code = await waitForOutput(child, 'stderr', /the code {2}([A-Z]{4}-[A-Z]{4})/)
  const approved = await ask('POST', '/api/cli/device/approve', { userCode: code }, await signInBrowser())
  expect(approved.json).toMatchObject({ ok: true, status: 'approved' })
  expect((await once(child, 'close'))[0]).toBe(0)
  expect(readFileSync(join(home, 'config/credentials.json'), 'utf8')).toContain('trb_')
})

test('upload before terms and approval prints the missing steps, with links', async () => {
  const { code, err } = await run('upload', '--yes', writeSessionFile())
  expect(code).toBe(1)
  expect(err).toContain(`${base}/terms`)
  expect(err).toContain(`${base}/apply`)
})

test('status after these steps prints that uploads are open', async () => {
  const cookie = await signInBrowser()
  const policy = (await ask('GET', '/api/traces/upload-policy', undefined, cookie)).json
  expect(
    (
      await ask(
        'POST',
        '/api/account/terms',
        { termsVersion: policy['termsVersion'], residencyConfirmed: true },
        cookie,
      )
    ).status,
  ).toBe(200)
  const application = {
    companyName: 'Example',
    website: 'https://example.com',
    email,
    role: 'engineer',
    authorized: true,
  }
  const applied = await ask('POST', '/api/account/application', application, cookie)
  const { id } = applied.json['application'] as { id: string }
  const decided = await ask(
    'POST',
    `/api/admin/applications/${id}`,
    { decision: 'approve' },
    { authorization: `Bearer ${adminToken}` },
  )
  expect(decided.status).toBe(200)
  const { json } = await run('status', '--json')
  expect(json).toMatchObject({ ok: true, missing: [], policy: { eligible: true }, access: { status: 'approved' } })
})

test('upload sends files in chunks and prints outcomes; on a second upload every trace is already known', async () => {
  const files = [writeSessionFile(), writeBatchFile()]
  const { code, json, err } = await run('upload', '--yes', ...files, '--json')
  expect(err).toContain('2 of 2 files')
  expect(code).toBe(0)
  expect(json).toMatchObject({ traces: 1201, known: 0, sentTraces: 1201, skippedLines: 1, unreadable: [] })
  expect(json.jobs.map(({ status }: { status: string }) => status)).toEqual(['done', 'done'])
  expect(json.outcomes).toHaveLength(1201)
  expect(new Set(json.outcomes.map(({ outcome }: { outcome: string }) => outcome))).toEqual(new Set(['stored']))
  session = json.outcomes.find(({ sourceId }: { sourceId: string }) => sourceId === 'whole-1').traceId
  const again = await run('upload', '--yes', ...files)
  expect(again.out).toContain('Read 1201 traces in 2 files, 1201 already known, 1 broken line skipped.')
  expect(again.out).toContain('Nothing to send.')
})

test('show, list, exclude and include work with the trace, which is stored redacted', async () => {
  const {
    json: { trace },
  } = await run('download', session, '--json')
  expect(JSON.stringify(trace)).not.toMatch(/joe\.friend|janedoe/)
  expect(trace.messages[1].content).toBe('Written to [EMAIL_1].')
  const shown = await run('show', session.slice(-8))
  expect(shown.out).toContain('── assistant\n  Written to [EMAIL_1].')
  const listed = await run('list', '--search', 'write')
  expect(listed.out).toMatch(/ {2}\d{4}-\d\d-\d\d {2}Claude Code {2}write to \[EMAIL_1\]/)
  const excluded = await run('exclude', session, '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71')
  expect(excluded.out).toBe('1 trace excluded from sale, 1 skipped (sold, or not yours).\n')
  const { json } = await run('list', '--limit', '1500', '--json')
  expect(json.traces).toHaveLength(1201)
  expect(
    json.traces
      .filter(({ sellExcluded }: { sellExcluded: boolean }) => sellExcluded)
      .map(({ id }: { id: string }) => id),
  ).toEqual([session])
  expect((await run('include', session)).out).toBe('1 trace included for sale.\n')
})

test('a deleted trace is not found, and the next upload does not store it again', async () => {
  expect((await run('delete', session)).code).toBe(1)
  expect((await run('delete', session, '--yes')).out).toBe('1 trace deleted.\n')
  expect((await run('download', session)).err).toContain('Nothing of yours has this id')
  expect((await run('upload', '--yes', writeSessionFile())).out).toContain('Nothing to send.')
})

test('jobs, earnings and open print the data of the account', async () => {
  const { json } = await run('jobs', '--json')
  expect(json.jobs).toHaveLength(2)
  const [{ id }] = json.jobs
  expect((await run('jobs', id)).out).toContain('stored')
  expect((await run('earnings')).out).toContain('Available $0.00, pending $0.00, paid out $0.00')
  expect((await run('open', 'earnings')).out).toBe(`${base}/earnings\n`)
  expect((await run('jobs', '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71')).code).toBe(1)
})

test('upload fills the details from the sessions, and cuts values that the service would refuse', async () => {
  const at = '2026-11-01T10:00:00Z'
  const write = (name: string, ...entries: unknown[]): string => {
    const file = join(home, name)
    writeFileSync(file, entries.map((entry) => JSON.stringify(entry)).join('\n'))
    return file
  }
  const entry = { sessionId: 'whole-2', isSidechain: false, version: '2.0.28', timestamp: at }
  const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }
  const usage = { input_tokens: 10, output_tokens: 40, cache_read_input_tokens: 200, cache_creation_input_tokens: 30 }
  const meta = { id: 'whole-codex', timestamp: at, cli_version: '0.66.0' }
  const totals = { input_tokens: 100, cached_input_tokens: 80, output_tokens: 9 }
  const tools = [{ name: 'list_directory', description: 'Lists a directory', args: {} }]
  const files = [
    write(
      'claude.jsonl',
      { ...entry, type: 'user', message: { content: 'list my files' } },
      { ...entry, type: 'assistant', message: { id: 'm1', content: [call], usage } },
    ),
    write(
      'codex.jsonl',
      { type: 'session_meta', payload: meta },
      { type: 'response_item', payload: { type: 'message', role: 'user', content: 'build it' } },
      { type: 'event_msg', payload: { type: 'token_count', info: { total_token_usage: totals } } },
    ),
    write('gemini.json', {
      sessionId: 'whole-gemini',
      startTime: at,
      messages: [{ type: 'gemini', content: 'Here.', tokens: { input: 7, output: 5, thoughts: 2 }, toolCalls: tools }],
    }),
    write('long.json', {
      traces: [
        {
          sourceId: 'whole-long',
          createdAt: at,
          messages: [{ role: 'user', content: 'too much' }],
          agent: { name: 'a'.repeat(65) },
          tools: Array.from({ length: 129 }, (_, n) => ({ name: `t${n}`, description: 'é'.repeat(4097) })),
        },
      ],
    }),
  ]
  const stated = ['--outcome', 'success', '--tests-passed', '12', '--note', 'n '.repeat(300)]
  const { code, json, err } = await run('upload', '--yes', ...files, ...stated, '--json')
  expect(code).toBe(0)
  expect(err).toContain('long.json: agent name cut to 64 characters, 98 of 129 tools left out')
  expect(err).toContain('--note: note cut to 500 characters.')
  const stored = new Map<string, Record<string, unknown>>()
  for (const { traceId, sourceId } of json.outcomes as { traceId: string; sourceId: string }[])
    stored.set(sourceId, (await run('download', traceId, '--json')).json.trace)
  const outcome = { status: 'success', testsPassed: 12, note: 'n '.repeat(250) }
  expect(stored.get('whole-2')).toMatchObject({
    agent: { name: 'claude-code', version: '2.0.28' },
    tools: [{ name: 'Bash' }],
    usage: { inputTokens: 10, outputTokens: 40, cacheReadTokens: 200, cacheWriteTokens: 30 },
    outcome,
  })
  expect(stored.get('whole-codex')).toMatchObject({
    agent: { name: 'codex', version: '0.66.0' },
    usage: { inputTokens: 100, outputTokens: 9, cacheReadTokens: 80 },
    outcome,
  })
  expect(stored.get('whole-gemini')).toMatchObject({
    agent: { name: 'gemini-cli' },
    tools: [{ name: 'list_directory', description: 'Lists a directory' }],
    usage: { inputTokens: 7, outputTokens: 7 },
    outcome,
  })
  expect(stored.get('whole-long')).toMatchObject({ agent: { name: 'a'.repeat(64) }, outcome })
  expect(stored.get('whole-long')!['tools']).toHaveLength(31)
})

test('logout revokes the token at the service', async () => {
  const { [base]: token } = JSON.parse(readFileSync(join(home, 'config/credentials.json'), 'utf8')) as Record<
    string,
    string
  >
  expect((await run('logout')).code).toBe(0)
  expect((await run('status', '--token', token!)).err).toContain('not logged in')
  expect((await run('list')).code).toBe(1)
})

test('the host exits with 0 on SIGTERM', async () => {
  host.kill('SIGTERM')
  expect(await once(host, 'exit')).toEqual([0, null])
})
