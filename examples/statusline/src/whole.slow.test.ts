import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

/**
 * Tests the built client, in separate processes, against a real host with a database file. The tests run in order and
 * share state.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'statusline-whole-'))
// The build is below host-node, so that its native packages resolve.
const built = join(root, 'packages/host-node/node_modules/.cache/tributary', `statusline-${process.pid}-${Date.now()}`)
const adminToken = 'operator-of-the-statusline-test'
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

beforeAll(async () => {
  mkdirSync(built, { recursive: true })
  writeFileSync(join(built, 'package.json'), '{"type":"module"}')
  await compile('packages/host-node', { cli: 'cli/cli.ts', thread: 'worker/thread.ts' })
  await compile('examples/statusline', { cli: 'cli.ts' })
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
      '--json',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  for await (const data of host.stdout!) {
    text += String(data)
    if (text.includes('\n')) break
  }
  base = (JSON.parse(text) as { url: string }).url
})

afterAll(async () => {
  if (host?.exitCode === null) {
    host.kill('SIGKILL')
    await once(host, 'exit')
  }
  rmSync(home, { recursive: true, force: true })
  rmSync(built, { recursive: true, force: true })
})

const config = join(home, 'config')

async function run(args: string[], { url = base, env = {} }: { url?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [join(built, 'examples/statusline/cli.js'), ...args, '--url', url], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: home, TRIBUTARY_CONFIG_DIR: config, ...env },
  })
  const texts = ['', '']
  child.stdout.on('data', (data) => {
    texts[0] += String(data)
  })
  child.stderr.on('data', (data) => {
    texts[1] += String(data)
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, out: texts[0]!, err: texts[1]! }
}

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const own = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(base + path, {
    method,
    headers: { ...own, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    // oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that each step expects
    json: (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null) as any,
  }
}

const operator = { authorization: `Bearer ${adminToken}` }

/**
 * Logs in by the device flow, approved by a signed-in browser, and stores the token as the contributor's client does.
 */
async function logIn(email: string): Promise<string> {
  const { challenge } = (await ask('POST', '/api/auth/email', { email })).json
  const mails = (await ask('GET', '/dev/mail.json')).json as { to: string; text: string }[]
  const code = /\b\d{6}\b/.exec(mails.find(({ to }) => to === email)!.text)![0]
  const verified = await ask('POST', '/api/auth/email/verify', { email, code, challenge })
  const cookie = { 'cookie': verified.headers.getSetCookie()[0]!.split(';')[0]!, 'sec-fetch-site': 'same-origin' }
  const { json: start } = await ask('POST', '/api/cli/device/start', { machine: 'statusline test' })
  expect((await ask('POST', '/api/cli/device/approve', { userCode: start.userCode }, cookie)).status).toBe(200)
  return (await ask('GET', `/api/cli/device/poll?deviceCode=${start.deviceCode}`)).json.token as string
}

/** Waits for a file that the background process writes. */
async function waitUntil<T>(look: () => Promise<T | null | undefined | false>): Promise<T> {
  for (const end = Date.now() + 45_000; ;) {
    const found = await look()
    if (found) return found
    if (Date.now() > end) throw new Error('the condition was not met in 45 s')
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
}

const readCampaign = async () =>
  (await ask('GET', '/api/admin/campaigns', undefined, operator)).json.items[0] as {
    impressions: number
    clicks: number
    spentUsd: number
  }
const readSponsor = async () =>
  JSON.parse((await run(['status', '--json'])).out).sponsor as { line: string; counted: boolean; shown: boolean } | null

test('show prints nothing without a login, and status names the next step', async () => {
  expect(await run(['show', '--force'])).toEqual({ code: 0, out: '', err: '' })
  expect((await run(['status'])).out).toContain('example:contributor -- login')
})

test('show fetches the line in the background, and many prompts count one impression', async () => {
  const made = await ask(
    'POST',
    '/api/admin/campaigns',
    {
      name: 'Whole',
      brandName: 'Night Shift',
      title: 'Night Shift',
      text: 'Ships while you sleep',
      url: 'https://night.example/',
      topics: [],
      cpmUsd: 10,
      budgetUsd: 5,
    },
    operator,
  )
  expect(made.status).toBe(201)
  mkdirSync(config, { recursive: true })
  writeFileSync(join(config, 'credentials.json'), JSON.stringify({ [base]: await logIn('jane.viewer@example.com') }))
  expect((await run(['claim'])).code).toBe(0)
  expect((await run(['show', '--force'])).out).toBe('')
  expect(await waitUntil(readSponsor)).toMatchObject({ counted: false, shown: false })
  const prompts = await Promise.all(Array.from({ length: 4 }, () => run(['show', '--force'])))
  expect(new Set(prompts.map(({ out }) => out))).toEqual(new Set(['Sponsor · Night Shift: Ships while you sleep\n']))
  await waitUntil(async () => (await readSponsor())?.counted)
  expect(await readCampaign()).toMatchObject({ impressions: 1, spentUsd: 0.01 })
  // The timeout is long because about ten processes run, each of which takes seconds to start on a busy machine.
})

test('show prints nothing in a pipe, in CI and with DO_NOT_TRACK', async () => {
  expect((await run(['show'])).out).toBe('')
  for (const env of [{ CI: 'true' }, { DO_NOT_TRACK: '1' }])
    expect((await run(['show', '--force'], { env })).out).toBe('')
})

test('claim, open and vote work, and a sponsor voted down is not shown again', async () => {
  expect((await run(['claim'])).code).toBe(0)
  const { out } = await run(['open', '--print'])
  const followed = await fetch(out.trim(), { redirect: 'manual' })
  expect([followed.status, followed.headers.get('location')]).toEqual([302, 'https://night.example/'])
  expect((await readCampaign()).clicks).toBe(1)
  expect((await run(['vote', 'down', 'helpful'])).code).toBe(1)
  expect((await run(['vote', 'down', 'repetitive'])).out).toBe('Voted down on Night Shift.\n')
  expect((await run(['show', '--force'])).out).toBe('')
  await run(['refresh', '--force'])
  expect((await run(['show', '--force'])).out).toBe('')
})

test('claim with another login on the same machine creates a separate state file', async () => {
  const env = { TRIBUTARY_TOKEN: await logIn('joe.viewer@example.com') }
  expect((await run(['claim'], { env })).code).toBe(0)
  expect(readdirSync(config).filter((name) => /^statusline-\w+\.json$/.test(name))).toHaveLength(2)
})

test('show does not wait for a service that never answers', async () => {
  let reached: () => void
  const asked = new Promise<void>((resolve) => {
    reached = resolve
  })
  const hanging: Server = createServer(() => reached())
  await new Promise<void>((resolve) => {
    hanging.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`
  // The command ends without waiting for the reply, because the background process sends the request.
  expect(await run(['show', '--force'], { url, env: { TRIBUTARY_TOKEN: 'trb_any' } })).toEqual({
    code: 0,
    out: '',
    err: '',
  })
  await asked
  expect(existsSync(join(config, 'statusline.lock'))).toBe(true)
  hanging.closeAllConnections()
  await new Promise((resolve) => {
    hanging.close(resolve)
  })
  await waitUntil(async () => !existsSync(join(config, 'statusline.lock')))
})

test('status shows that the host is unreachable, and show prints nothing', async () => {
  host.kill('SIGTERM')
  await once(host, 'exit')
  expect(await run(['refresh', '--force'], { env: { TRIBUTARY_TOKEN: 'trb_fresh' } })).toEqual({
    code: 0,
    out: '',
    err: '',
  })
  expect((await run(['status'], { env: { TRIBUTARY_TOKEN: 'trb_fresh' } })).out).toContain(
    'the service does not answer',
  )
})
