import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandNames, nameProgram } from './help.ts'
import { main } from './main.ts'
import { account, eligible, createRecordingTerminal, startScriptedServer, useSurroundings } from './scripted.ts'

const surroundings = useSurroundings()

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
describe('login', () => {
  test('polls at the interval, which is five seconds longer after slow_down, and stores the token in a file of mode 0600', async () => {
    const server = await surroundings.startService({
      'POST /api/cli/device/start': [start],
      'GET /api/cli/device/poll': [
        [202, { ok: true, status: 'pending' }],
        [429, { error: 'slow_down' }, { 'retry-after': '7' }],
        [202, { ok: true, status: 'pending' }],
        [200, { ok: true, status: 'approved', token: 'a token', userId: 'u1' }],
      ],
      'GET /api/account': [account],
    })
    const { terminal, outs, notes, waits, opened } = createRecordingTerminal(surroundings.home)
    expect(await main(['login', '--url', `${server.url}/`], terminal)).toBe(0)
    expect(waits).toEqual([5000, 5000, 10_000, 10_000])
    expect(notes.join('\n')).toContain('BCDF-GHJK')
    expect(outs).toEqual(['Logged in as jane@example.org.'])
    expect(opened).toEqual(['http://x/device?code=BCDF-GHJK'])
    const file = join(surroundings.home, 'config', 'credentials.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ [server.url]: 'a token' })
    expect(server.requests[0]).toMatchObject({ line: 'POST /api/cli/device/start', body: { machine: 'test machine' } })
  })

  test.each([
    [409, 'access_denied'],
    [410, 'expired_token'],
  ])('%i ends with `%s` and stores nothing', async (status, error) => {
    const server = await surroundings.startService({
      'POST /api/cli/device/start': [start],
      'GET /api/cli/device/poll': [[status, { error }]],
    })
    const { terminal, outs } = createRecordingTerminal(surroundings.home)
    expect(await main(['login', '--json', '--url', server.url], terminal)).toBe(1)
    expect(JSON.parse(outs[0]!)).toMatchObject({ ok: false, error })
    expect(() => statSync(join(surroundings.home, 'config'))).toThrow('ENOENT')
  })

  test('says that no service answers at the URL when the reply is 404', async () => {
    const server = await surroundings.startService({ 'POST /api/cli/device/start': [[404, { error: 'not_found' }]] })
    const { terminal, notes } = createRecordingTerminal(surroundings.home)
    expect(await main(['login', '--url', server.url], terminal)).toBe(1)
    expect(notes).toEqual([
      `No Tributary service answers at ${server.url}. --url needs the path too, such as https://example.com/tributary.`,
    ])
  })

  test('logout revokes the token and deletes it here, and keeps the tokens of other services', async () => {
    const server = await surroundings.startService({ 'POST /api/auth/sign-out': [[200, { ok: true }]] })
    const { terminal } = createRecordingTerminal(surroundings.home)
    const { saveToken, readToken } = await import('./credentials.ts')
    saveToken(terminal, server.url, 'one')
    saveToken(terminal, 'http://other', 'two')
    expect(await main(['logout', '--url', server.url], terminal)).toBe(0)
    expect(server.requests[0]?.headers.authorization).toBe('Bearer one')
    expect([readToken(terminal, server.url), readToken(terminal, 'http://other')]).toEqual([null, 'two'])
  })
})

describe('requests to a failing service', () => {
  test('wait for retry-after after a 429, and are retried with growing delays after a 503 and broken connections', async () => {
    const server = await surroundings.startService({
      ...eligible,
      'GET /api/account': [
        [429, { ok: false, error: 'rate_limited' }, { 'retry-after': '3' }],
        [503, { ok: false, error: 'unavailable' }],
        [0, null],
        account,
      ],
    })
    const { terminal, waits } = createRecordingTerminal(surroundings.home)
    expect(await main(['status', '--url', server.url, '--token', 't'], terminal)).toBe(0)
    expect(waits).toEqual([3000, 1000, 2000])
  })

  test('end with the error code when the service stays down, and explain what to do about a refused token', async () => {
    const server = await surroundings.startService({ 'GET /api/account': [[503, { ok: false, error: 'unavailable' }]] })
    const first = createRecordingTerminal(surroundings.home)
    expect(await main(['status', '--json', '--url', server.url, '--token', 't'], first.terminal)).toBe(1)
    expect(JSON.parse(first.outs[0]!)).toMatchObject({ ok: false, error: 'unavailable' })
    expect(server.requests).toHaveLength(6)
    const other = await startScriptedServer({ 'GET /api/account': [[401, { ok: false, error: 'unauthorized' }]] })
    const second = createRecordingTerminal(surroundings.home)
    expect(await main(['status', '--url', other.url, '--token', 't'], second.terminal)).toBe(1)
    await other.close()
    expect(second.notes).toEqual([
      'You are not logged in at this database, or your login has expired. Run: tributary-contributor login',
    ])
  })

  test('are not retried when the host does not exist', async () => {
    const { terminal, notes, waits } = createRecordingTerminal(surroundings.home)
    const fetchNothing = (): Promise<Response> =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) }))
    const offline = { ...terminal, fetch: fetchNothing }
    expect(await main(['status', '--url', 'http://nowhere.invalid', '--token', 't'], offline)).toBe(1)
    expect(notes).toEqual(['There is no host of this name. Check --url or TRIBUTARY_URL.'])
    expect(waits).toEqual([])
  })

  test('fail with a message when the service does not answer', async () => {
    const gone = await startScriptedServer({})
    await gone.close()
    const { terminal, notes } = createRecordingTerminal(surroundings.home)
    expect(await main(['status', '--url', gone.url, '--token', 't'], terminal)).toBe(1)
    expect(notes.at(-1)).toContain('No answer from the service')
  })
})

test("nameProgram returns the program's own name, or the npm script in a clone of the repository", () => {
  expect(nameProgram(undefined)).toBe('tributary-contributor')
  expect(nameProgram('example:contributor')).toBe('npm run example:contributor --')
})

test.each([
  [['upload', '--confirmed'], "unknown option '--confirmed'; did you mean --confirm?"],
  [['upload', '--out-come', 'success'], "unknown option '--out-come'; did you mean --outcome?"],
  [['status', '--yes'], "unknown option '--yes'; the options are --"],
  [['preview', '-y'], "unknown option '-y'"],
])('%j exits with 2 and an explanation of the unknown option', async (argv, message) => {
  const { terminal, notes } = createRecordingTerminal(surroundings.home, { TRIBUTARY_TOKEN: 't' })
  expect(await main(argv, terminal)).toBe(2)
  expect(notes[0]).toContain(message)
})

test('wrong arguments exit with 2 and an explanation; --help prints an example for each command', async () => {
  const { terminal, notes } = createRecordingTerminal(surroundings.home, { TRIBUTARY_TOKEN: 't' })
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
    const { terminal: own, outs } = createRecordingTerminal(surroundings.home)
    expect(await main([name, '--help'], own)).toBe(0)
    expect(outs[0]).toMatch(/Example/)
  }
})
