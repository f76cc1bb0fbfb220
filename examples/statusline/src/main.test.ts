import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandNames } from './help.ts'
import { main } from './main.ts'
import { fakeRuntime, type Reply } from './scripted-server.fixture.ts'
import { useService } from './service.fixture.ts'

const { place, stage } = useService()

test('show prints the cached line without a request, and starts refresh when there is something to do', async () => {
  const { run, outs, started, lines } = await stage()
  expect(await run('show')).toBe(0)
  expect([outs, lines()]).toEqual([[], []])
  expect(started).toEqual([
    {
      args: ['refresh', '--force', '--url', expect.any(String)],
      env: { TRIBUTARY_TOKEN: 'trb_test', COLUMNS: '80', LINES: '24' },
    },
  ])
  await run('refresh')
  await run('show')
  expect(outs).toEqual(['Sponsor · Night Shift: Ships while you sleep'])
  expect(started).toHaveLength(2)
  await run('refresh')
  await run('show')
  expect(started).toHaveLength(2)
  expect(lines()).toEqual(['GET /api/ad', 'POST /api/ad/imp/one'])
})

test('refresh reports an impression once, one second after the line was shown, without sending the token', async () => {
  const { run, server, clock } = await stage({ 'POST /api/ad/imp/one': () => ((reported = clock.now), [204, null]) })
  let reported = 0
  await run('refresh')
  const came = clock.now
  clock.now += 60_000
  await run('refresh')
  expect(reported).toBe(0)
  await run('show')
  const seen = clock.now
  await run('refresh')
  expect(reported).toBeGreaterThanOrEqual(seen + 1000)
  expect(reported).toBeGreaterThanOrEqual(came + 1000)
  await run('refresh')
  expect(server.received.filter(({ line }) => line.includes('/imp/'))).toHaveLength(1)
  expect(server.received.at(-1)!.headers['authorization']).toBeUndefined()
})

test('show prints a line only until its ttlMs has passed, and the next request names that line as the previous one', async () => {
  const { run, outs, clock, server, lines } = await stage()
  await run('refresh')
  await run('show')
  clock.now += 300_000
  await run('show')
  expect(outs).toHaveLength(1)
  await run('refresh')
  expect(lines()).toEqual(['GET /api/ad', 'GET /api/ad'])
  const fingerprint = createHash('sha256').update('Ships while you sleep\nhttps://night.example/').digest('hex')
  expect(server.received.map(({ query }) => query.get('prev'))).toEqual([null, fingerprint])
  expect(new Set(server.received.map(({ query }) => query.get('d'))).size).toBe(1)
})

test.each([{ CI: '1' }, { DO_NOT_TRACK: '1' }, { DNT: '1' }])('show and refresh do nothing with %j', async (env) => {
  const { server } = await stage()
  const { runtime, outs, notes, started } = fakeRuntime(place.home, {
    env: { TRIBUTARY_CONFIG_DIR: `${place.home}/config`, TRIBUTARY_TOKEN: 't', ...env },
  })
  for (const command of ['show', 'refresh'])
    expect(await main([command, '--force', '--url', server.url], runtime)).toBe(0)
  expect([outs, notes, started, server.received, readdirSync(place.home)]).toEqual([[], [], [], [], []])
})

test('show starts no background process outside a terminal without --force', async () => {
  const { server } = await stage()
  const { runtime, started } = fakeRuntime(place.home, { tty: false })
  await main(['show', '--url', server.url], runtime)
  expect(started).toEqual([])
  await main(['show', '--force', '--url', server.url], runtime)
  expect(started).toHaveLength(1)
})

test('state files are readable only by their owner, contain no token, and are replaced when damaged', async () => {
  const { run, outs } = await stage()
  await run('refresh')
  await run('show')
  const folder = join(place.home, 'config')
  const files = readdirSync(folder)
  expect(files.filter((name) => name.startsWith('statusline-'))).toHaveLength(2)
  for (const name of files) {
    expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain('trb_test')
  }
  for (const broken of ['', '{"ad":', '[1]', 'null', '{"ad":{"text":"x"},"notBefore":"never"}']) {
    for (const name of files) writeFileSync(join(folder, name), broken)
    expect(await run('show'), broken).toBe(0)
    expect(await run('refresh'), broken).toBe(0)
  }
  await run('show')
  expect(outs).toEqual(['Sponsor · Night Shift: Ships while you sleep', 'Sponsor · Night Shift: Ships while you sleep'])
})

test('refresh runs in one process at a time, and the lock of a dead process expires', async () => {
  const { run, outs, started, lines } = await stage()
  const lock = join(place.home, 'config', 'statusline.lock')
  mkdirSync(join(place.home, 'config'))
  writeFileSync(lock, String(process.pid))
  await run('show')
  await run('refresh', '--json')
  expect([started, lines(), JSON.parse(outs[0]!).busy]).toEqual([[], [], true])
  utimesSync(lock, 0, 0)
  await run('refresh')
  expect(lines()).toHaveLength(1)
})

test('refresh sends the activity session only with consent to attribution', async () => {
  let attribution = true
  const { run, server, clock } = await stage({
    'GET /api/ad/config': () => [200, { attribution, pixel: { enabled: false, id: '' } }],
    'POST /api/program/claim': () => [200, { ok: true, result: 'claimed' }],
  })
  const listSentContexts = () =>
    server.received
      .filter(({ line }) => line === 'GET /api/ad')
      .map(({ headers }) => headers['x-ad-attribution-context'] !== undefined)
  await run('refresh')
  await run('claim')
  clock.now += 300_000
  await run('refresh')
  attribution = false
  clock.now += 300_000
  await run('refresh')
  expect(listSentContexts()).toEqual([false, true, false])
  expect(JSON.parse(String(server.received[0]!.headers['x-ad-device-context']))).toMatchObject({
    v: 1,
    os: 'linux',
    columns: 80,
  })
})

test('vote records a vote, and explains why a vote is rejected', async () => {
  const answers: Reply[] = [
    [200, { ok: true, status: 'recorded' }],
    [409, { error: 'feedback_superseded' }],
    [410, { error: 'feedback_expired' }],
    [400, { error: 'invalid_body' }],
  ]
  const { run, outs, notes, server } = await stage({ 'POST /api/ad/feedback': () => answers.shift()! })
  expect(await run('vote', 'up')).toBe(1)
  await run('refresh')
  await run('show')
  expect(await run('vote', 'up')).toBe(1)
  await run('refresh')
  expect(await run('vote', 'up', 'helpful')).toBe(0)
  expect(JSON.parse(server.received.at(-1)!.body)).toMatchObject({ token: 'vote-one', vote: 'up', reason: 'helpful' })
  for (const word of ['Another sponsor', 'within a day', 'Invalid reason']) {
    expect(await run('vote', 'down')).toBe(1)
    expect(notes.at(-1)).toContain(word)
  }
  expect(outs.at(-1)).toBe('Voted up on Night Shift.')
})

test('open records the impression of the line that was shown and opens its URL; open --print prints the URL', async () => {
  const { run, server, outs, opened, lines } = await stage()
  await run('refresh')
  await run('show')
  expect(await run('open')).toBe(0)
  expect(opened).toEqual([`${server.url}/go/abc`])
  expect(lines().at(-1)).toBe('POST /api/ad/imp/one')
  await run('open', '--print')
  expect(outs.at(-1)).toBe(`${server.url}/go/abc`)
})

test('show and refresh print nothing and exit with 0 for wrong flags, an unwritable folder and no login', async () => {
  const { runtime, outs, notes } = fakeRuntime('/dev/null')
  for (const argv of [['show', '--what'], ['show', '--url', 'nowhere'], ['refresh'], ['show']])
    expect(await main(argv, runtime), argv.join(' ')).toBe(0)
  const { runtime: out, started } = fakeRuntime(place.home, { env: { TRIBUTARY_CONFIG_DIR: `${place.home}/config` } })
  expect(await main(['show'], out)).toBe(0)
  expect([outs, notes, started]).toEqual([[], [], []])
})

test('other commands exit with 2 for invalid usage; --help shows an example of each', async () => {
  const { run, notes, outs } = await stage()
  for (const argv of [['fly'], ['vote'], ['vote', 'sideways'], ['status', '--no-such']])
    expect(await run(...argv), argv.join(' ')).toBe(2)
  expect(notes).toHaveLength(4)
  for (const name of commandNames) {
    expect(await run(name, '--help')).toBe(0)
    expect(outs.at(-1)).toMatch(/Example/)
  }
  await run('status')
  expect(outs.at(-1)).toMatch(/problem {3}none$/)
})
