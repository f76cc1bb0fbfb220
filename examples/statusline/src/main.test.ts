import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { names } from './help.ts'
import { main } from './main.ts'
import { machine, type Reply } from './played.ts'
import { staged } from './stage.ts'

const { place, stage } = staged()

test('show prints what is cached, starts the background once there is work, and asks nobody itself', async () => {
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

test('an impression is reported only of a line that was shown, a second after it came, and never with the login', async () => {
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
  expect(server.asked.filter(({ line }) => line.includes('/imp/'))).toHaveLength(1)
  expect(server.asked.at(-1)!.headers['authorization']).toBeUndefined()
})

test('after ttlMs the line is gone, is not reported, and the next request names it as the one before', async () => {
  const { run, outs, clock, server, lines } = await stage()
  await run('refresh')
  await run('show')
  clock.now += 300_000
  await run('show')
  expect(outs).toHaveLength(1)
  await run('refresh')
  expect(lines()).toEqual(['GET /api/ad', 'GET /api/ad'])
  const fingerprint = createHash('sha256').update('Ships while you sleep\nhttps://night.example/').digest('hex')
  expect(server.asked.map(({ query }) => query.get('prev'))).toEqual([null, fingerprint])
  expect(new Set(server.asked.map(({ query }) => query.get('d'))).size).toBe(1)
})

test.each([{ CI: '1' }, { DO_NOT_TRACK: '1' }, { DNT: '1' }])('with %j nothing happens at all', async (env) => {
  const { server } = await stage()
  const { surroundings, outs, notes, started } = machine(place.home, {
    env: { TRIBUTARY_CONFIG_DIR: `${place.home}/config`, TRIBUTARY_TOKEN: 't', ...env },
  })
  for (const command of ['show', 'refresh'])
    expect(await main([command, '--force', '--url', server.url], surroundings)).toBe(0)
  expect([outs, notes, started, server.asked, readdirSync(place.home)]).toEqual([[], [], [], [], []])
})

test('in a pipe nothing happens without --force', async () => {
  const { server } = await stage()
  const { surroundings, started } = machine(place.home, { tty: false })
  await main(['show', '--url', server.url], surroundings)
  expect(started).toEqual([])
  await main(['show', '--force', '--url', server.url], surroundings)
  expect(started).toHaveLength(1)
})

test("what is kept is the owner's alone, holds no token, and broken files are a fresh start", async () => {
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

test('one background process works at a time; a dead one does not block the next', async () => {
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

test('the activity session goes along only with consent to attribution', async () => {
  let attribution = true
  const { run, server, clock } = await stage({
    'GET /api/ad/config': () => [200, { attribution, pixel: { enabled: false, id: '' } }],
    'POST /api/program/claim': () => [200, { ok: true, result: 'claimed' }],
  })
  const sent = () =>
    server.asked
      .filter(({ line }) => line === 'GET /api/ad')
      .map(({ headers }) => headers['x-ad-attribution-context'] !== undefined)
  await run('refresh')
  await run('claim')
  clock.now += 300_000
  await run('refresh')
  attribution = false
  clock.now += 300_000
  await run('refresh')
  expect(sent()).toEqual([false, true, false])
  expect(JSON.parse(String(server.asked[0]!.headers['x-ad-device-context']))).toMatchObject({
    v: 1,
    os: 'linux',
    columns: 80,
  })
})

test('votes, and explains those that cannot be', async () => {
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
  expect(JSON.parse(server.asked.at(-1)!.body)).toMatchObject({ token: 'vote-one', vote: 'up', reason: 'helpful' })
  for (const word of ['Another sponsor', 'within a day', 'no reason']) {
    expect(await run('vote', 'down')).toBe(1)
    expect(notes.at(-1)).toContain(word)
  }
  expect(outs.at(-1)).toBe('Voted up on Night Shift.')
})

test('open reports a visible line first and hands its address to the desktop; --print prints it', async () => {
  const { run, server, outs, opened, lines } = await stage()
  await run('refresh')
  await run('show')
  expect(await run('open')).toBe(0)
  expect(opened).toEqual([`${server.url}/go/abc`])
  expect(lines().at(-1)).toBe('POST /api/ad/imp/one')
  await run('open', '--print')
  expect(outs.at(-1)).toBe(`${server.url}/go/abc`)
})

test('nothing escapes into a prompt: wrong flags, no place to write, no login', async () => {
  const { surroundings, outs, notes } = machine('/dev/null')
  for (const argv of [['show', '--what'], ['show', '--url', 'nowhere'], ['refresh'], ['show']])
    expect(await main(argv, surroundings), argv.join(' ')).toBe(0)
  const { surroundings: out, started } = machine(place.home, { env: { TRIBUTARY_CONFIG_DIR: `${place.home}/config` } })
  expect(await main(['show'], out)).toBe(0)
  expect([outs, notes, started]).toEqual([[], [], []])
})

test('other commands say how they were called wrongly; --help answers each with an example', async () => {
  const { run, notes, outs } = await stage()
  for (const argv of [['fly'], ['vote'], ['vote', 'sideways'], ['status', '--no-such']])
    expect(await run(...argv), argv.join(' ')).toBe(2)
  expect(notes).toHaveLength(4)
  for (const name of names) {
    expect(await run(name, '--help')).toBe(0)
    expect(outs.at(-1)).toMatch(/Example/)
  }
  await run('status')
  expect(outs.at(-1)).toMatch(/problem {3}none$/)
})
