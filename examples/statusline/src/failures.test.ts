import { describe, expect, test } from 'vitest'
import { serveReply, type Reply } from './scripted-server.fixture.ts'
import { useService } from './service.fixture.ts'

const { stage } = useService()

describe('refresh after a failed request', () => {
  const minute = 60_000
  test.each<[string, Reply, string, number]>([
    [
      '429',
      [429, { ad: null, nonce: null, ttlMs: null, error: 'rate_limited' }, { 'retry-after': '120' }],
      'rate_limited',
      2 * minute,
    ],
    ['503', [503, { ad: null, nonce: null, ttlMs: null, error: 'unavailable' }], 'unavailable', minute / 2],
    ['a broken connection', [0, null], 'unreachable', minute / 2],
    [
      '426',
      [426, { error: 'upgrade_required', minVersion: '9.0.0', upgradeCommand: 'get \u001b[31m9' }],
      'upgrade_required',
      24 * 60 * minute,
    ],
    ['401', [401, { ad: null, nonce: null, ttlMs: null, needsLogin: true }], 'unauthorized', 24 * 60 * minute],
    ['403', [403, { error: 'device_not_owned' }], 'device_not_owned', 24 * 60 * minute],
    ['an invalid reply', [200, { ad: { text: 7 }, ttlMs: 300_000 }], 'invalid_reply', minute / 2],
    [
      'a reply without a line',
      [200, { ad: null, nonce: null, serveId: 'x', ttlMs: minute, matchType: null, feedback: null }],
      '',
      minute,
    ],
  ])('waits after %s, and status shows the reason', async (_, reply, code, pause) => {
    const { run, outs, clock, lines, started, runtime } = await stage({ 'GET /api/ad': () => reply })
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
    expect(runtime.now()).toBe(clock.now)
  })

  test('waits longer after each failure, until a request succeeds', async () => {
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

test('refresh and open reject URLs other than https', async () => {
  const bad = ['javascript:alert(1)', 'file:///etc/passwd', 'http://sponsor.example/', 'data:text/html,x']
  let at = 0
  const { run, outs, opened, lines, clock, notes } = await stage({}, () =>
    serveReply('https://s.example', { ttlMs: 5000 }, { shortUrl: bad[at++ % bad.length] }),
  )
  for (const _ of bad) {
    await run('refresh')
    await run('show')
    clock.now += 24 * 60 * 60_000
  }
  expect(await run('open')).toBe(1)
  expect([outs, opened, lines(), notes]).toEqual([
    [],
    [],
    bad.map(() => 'GET /api/ad'),
    ['No sponsor line has been shown yet.'],
  ])
})
