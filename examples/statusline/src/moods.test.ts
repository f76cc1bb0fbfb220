import { describe, expect, test } from 'vitest'
import { sponsor, type Reply } from './played.ts'
import { staged } from './stage.ts'

const { stage } = staged()

describe('a service that is not well is left alone, and status says why', () => {
  const minute = 60_000
  test.each<[string, Reply, string, number]>([
    [
      'asks to slow down',
      [429, { ad: null, nonce: null, ttlMs: null, error: 'rate_limited' }, { 'retry-after': '120' }],
      'rate_limited',
      2 * minute,
    ],
    ['is away', [503, { ad: null, nonce: null, ttlMs: null, error: 'unavailable' }], 'unavailable', minute / 2],
    ['breaks the connection', [0, null], 'unreachable', minute / 2],
    [
      'wants a newer client',
      [426, { error: 'upgrade_required', minVersion: '9.0.0', upgradeCommand: 'get \u001b[31m9' }],
      'upgrade_required',
      24 * 60 * minute,
    ],
    [
      'knows no such login',
      [401, { ad: null, nonce: null, ttlMs: null, needsLogin: true }],
      'unauthorized',
      24 * 60 * minute,
    ],
    ['says whose device it is', [403, { error: 'device_not_owned' }], 'device_not_owned', 24 * 60 * minute],
    ['answers nonsense', [200, { ad: { text: 7 }, ttlMs: 300_000 }], 'invalid_reply', minute / 2],
    [
      'has nothing',
      [200, { ad: null, nonce: null, serveId: 'x', ttlMs: minute, matchType: null, feedback: null }],
      '',
      minute,
    ],
  ])('%s', async (_, reply, code, pause) => {
    const { run, outs, clock, lines, started, surroundings } = await stage({ 'GET /api/ad': () => reply })
    expect(await run('refresh')).toBe(0)
    clock.now += pause - 1000
    await run('refresh')
    await run('show')
    expect([outs, started, lines()]).toEqual([[], [], ['GET /api/ad']])
    await run('status', '--json')
    const { problem } = JSON.parse(outs.at(-1)!) as { problem: { code: string; message: string } | null }
    expect(problem?.code ?? '').toBe(code)
    expect(problem?.message ?? '').not.toContain('\u001b')
    clock.now += 1000
    await run('refresh')
    expect(lines()).toHaveLength(2)
    expect(surroundings.now()).toBe(clock.now)
  })

  test('ever longer, until it answers', async () => {
    const { run, clock, lines } = await stage({ 'GET /api/ad': () => [503, {}] })
    await run('refresh')
    clock.now += 30_000
    await run('refresh')
    clock.now += 30_000
    await run('refresh')
    expect(lines()).toHaveLength(2)
    clock.now += 30_000
    await run('refresh')
    expect(lines()).toHaveLength(3)
  })
})

test('an address that is no web address is neither kept nor asked nor opened', async () => {
  const bad = ['javascript:alert(1)', 'file:///etc/passwd', 'http://sponsor.example/', 'data:text/html,x']
  let at = 0
  const { run, outs, opened, lines, clock, notes } = await stage({}, () =>
    sponsor('https://s.example', { ttlMs: 5000 }, { shortUrl: bad[at++ % bad.length] }),
  )
  for (const _ of bad) {
    await run('refresh')
    await run('show')
    clock.now += 24 * 60 * 60_000
  }
  expect(await run('open')).toBe(1)
  expect([outs, opened, lines(), notes]).toEqual([[], [], bad.map(() => 'GET /api/ad'), ['No sponsor was shown yet.']])
})
