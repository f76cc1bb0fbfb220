import { describe, expect, test } from 'vitest'
import { parseAdSession, parseDeviceContext } from './context.ts'
import { toPublicUrl } from '../http/public-address.ts'

const now = Date.UTC(2026, 10, 20, 12)
const formatTime = (ms: number): string => new Date(now + ms).toISOString()
const minute = 60_000

describe('parseDeviceContext', () => {
  test('keeps valid fields and drops each invalid field', () => {
    const whole = {
      os: 'linux',
      osVersion: '6.1',
      arch: 'x64',
      shell: 'zsh',
      terminal: 'kitty',
      editor: 'vim',
      locale: 'en',
      timezone: 'UTC',
      columns: 80,
      rows: 24,
    }
    expect(parseDeviceContext(JSON.stringify({ v: 1, ...whole }))).toEqual(whole)
    expect(
      parseDeviceContext(
        JSON.stringify({
          v: 1,
          ...whole,
          os: 7,
          arch: 'x'.repeat(65),
          columns: -1,
          rows: 1.5,
          editor: '',
          secret: 'me',
          __proto__: 1,
        }),
      ),
    ).toEqual({ osVersion: '6.1', shell: 'zsh', terminal: 'kitty', locale: 'en', timezone: 'UTC' })
    expect(parseDeviceContext('{"v":1,"os":"a\\u0000b","__proto__":{"arch":"x"}}')).toEqual({ os: 'a\ufffdb' })
  })

  test.each([
    undefined,
    '',
    'x',
    '{',
    '[]',
    '"os"',
    'null',
    '1',
    '{"os":"linux"}',
    '{"v":2,"os":"linux"}',
    `{"v":1,"os":"${'x'.repeat(2050)}"}`,
  ])('returns no context for %j', (header) => expect(parseDeviceContext(header)).toEqual({}))
})

describe('parseAdSession', () => {
  const whole = {
    v: 1,
    sessionId: 's-1',
    startedAt: formatTime(-60 * minute),
    lastActivityAt: formatTime(-minute),
    events: 3,
  }
  const daily = { name: 'd:2026-11-20', events: null }

  test("returns a session that is derived from the client's session and differs for each device", () => {
    expect(parseAdSession(JSON.stringify(whole), 'd', now)).toEqual({ name: '["d","s-1"]', events: 3 })
    expect(parseAdSession(JSON.stringify({ ...whole, events: -1 }), 'd', now)).toEqual({
      name: '["d","s-1"]',
      events: null,
    })
  })

  test.each([
    ['none', undefined],
    ['not JSON', '{'],
    ['idle for 30 minutes', { ...whole, lastActivityAt: formatTime(-30 * minute) }],
    ['24 hours old', { ...whole, startedAt: formatTime(-24 * 60 * minute) }],
    ['from the future', { ...whole, lastActivityAt: formatTime(5 * minute) }],
    ['ended before it began', { ...whole, startedAt: formatTime(0), lastActivityAt: formatTime(-1) }],
    ['without a time', { ...whole, lastActivityAt: 'soon' }],
    ['without a name', { ...whole, sessionId: '' }],
    ['with too long a name', { ...whole, sessionId: 'x'.repeat(129) }],
  ])('returns the session of the device for the UTC day when the header is %s', (_, sent) => {
    expect(parseAdSession(typeof sent === 'object' ? JSON.stringify(sent) : sent, 'd', now)).toEqual(daily)
  })
})

describe('toPublicUrl', () => {
  test.each([
    ['https://sponsor.example/a?b=c#d', 'https://sponsor.example/a?b=c#d'],
    ['https://EXAMPLE.com', 'https://example.com/'],
    ['https://8.8.8.8/x', 'https://8.8.8.8/x'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://ex\nample.com/a', 'https://example.com/a'],
  ])('accepts %j', (address, href) => expect(toPublicUrl(address)).toBe(href))

  test.each([
    'http://sponsor.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://sponsor.example/',
    '//sponsor.example',
    '/go',
    '',
    'https://',
    7,
    null,
    'https://user:pw@sponsor.example/',
    'https://sponsor.example:8443/',
    'https://localhost/',
    'https://a.localhost/',
    'https://printer.local/',
    'https://db.internal/',
    'https://intranet/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://10.0.0.1/',
    'https://172.16.3.4/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://224.0.0.1/',
    `https://a.example/${'x'.repeat(2048)}`,
  ])('refuses %j', (address) => expect(toPublicUrl(address)).toBeNull())
})
