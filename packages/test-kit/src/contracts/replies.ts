import { expect, test } from 'vitest'
import { allBytes } from '../emulators/echo.ts'
import { listValues, decodeText, type HostUnderTest } from '../emulators/wire.ts'

/** Runs the contract tests of a host that concern replies. `send` sends a request to a path below the prefix. */
export function runReplyContract(send: HostUnderTest['request'], prefix: string): void {
  test('each cookie is a separate Set-Cookie header', async () => {
    expect(listValues(await send('GET', '/cookies'), 'set-cookie')).toEqual([
      'a=1; Path=/',
      'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT',
    ])
  })

  test('bytes and streams are sent byte for byte', async () => {
    for (const path of ['/bytes', '/stream']) {
      const reply = await send('GET', path)
      expect([...reply.body]).toEqual([...allBytes])
      expect(listValues(reply, 'content-type')).toEqual(['application/octet-stream'])
    }
  })

  test('HEAD returns the headers of GET without a body', async () => {
    for (const path of ['/echo/a', '/cookies', '/bytes', '/stream', '/nothing']) {
      const [get, head] = [await send('GET', path), await send('HEAD', path)]
      expect(head.status).toBe(get.status)
      expect(head.body).toHaveLength(0)
      expect(listValues(head, 'content-type')).toEqual(listValues(get, 'content-type'))
    }
  })

  test('a path returns 405 with Allow for a method without a route; an unknown path returns 404', async () => {
    const wrong = await send('DELETE', '/json')
    expect([wrong.status, listValues(wrong, 'allow'), decodeText(wrong.body)]).toEqual([
      405,
      ['POST'],
      '{"ok":false,"error":"method_not_allowed"}',
    ])
    const missing = await send('GET', '/no/such/path')
    expect([missing.status, decodeText(missing.body)]).toEqual([404, '{"ok":false,"error":"not_found"}'])
  })

  test('an empty reply and a redirect arrive unchanged', async () => {
    const empty = await send('DELETE', '/empty')
    expect([empty.status, empty.body.length]).toEqual([204, 0])
    const away = await send('GET', '/away')
    expect([away.status, listValues(away, 'location')]).toEqual([303, [`${prefix}/echo/there?a=b`]])
  })

  test('a valid request id is returned; without a valid id, each reply gets a new id', async () => {
    expect(listValues(await send('GET', '/echo/a', [['X-Request-Id', 'my.id-1']]), 'x-request-id')).toEqual(['my.id-1'])
    const made = listValues(await send('GET', '/echo/a', [['X-Request-Id', 'no id']]), 'x-request-id')
    expect(made).toHaveLength(1)
    expect(made[0]).not.toBe('no id')
  })

  test('an unexpected error returns 500 without details', async () => {
    const reply = await send('GET', '/bug')
    expect([reply.status, decodeText(reply.body)]).toEqual([500, '{"ok":false,"error":"internal_error"}'])
  })
}
