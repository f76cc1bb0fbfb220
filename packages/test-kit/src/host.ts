import { gzipSync } from 'node:zlib'
import type { Service } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allBytes, echoService, jsonLimit, type Echo } from './echo.ts'

/** A reply as a client of the host sees it. */
export interface HostReply {
  readonly status: number
  /** Lower-case names, in the order sent; `set-cookie` once a cookie. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

/** A host that serves the given service, with a client before it. */
export interface HostUnderTest {
  /**
   * `target` is path and query as a client would write them. Headers go out in their case and as often as they are
   * given. A body of several parts is sent in chunks, without a `content-length`, where the host has such a thing.
   */
  request(method: string, target: string, headers?: readonly (readonly [string, string])[], body?: readonly Uint8Array[]): Promise<HostReply>
  close(): Promise<void>
}

export interface HostLaws {
  /** Names the host in the tests. */
  readonly name: string
  open(service: Service): Promise<HostUnderTest>
  /** Where the service is mounted; default: the top. */
  readonly prefix?: string
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (body: Uint8Array): string => new TextDecoder().decode(body)
const all = ({ headers }: HostReply, name: string): string[] => headers.filter(([key]) => key === name).map(([, value]) => value)
const asJson: [string, string] = ['Content-Type', 'application/json']

/** The laws of a host (design.md, habit 10), each over the wire with what a hostile or careless client sends. */
export function hostLaws({ name, open, prefix = '' }: HostLaws): void {
  describe(`host laws: ${name}`, () => {
    let host: HostUnderTest
    beforeAll(async () => {
      host = await open(echoService({ prefix }))
    })
    afterAll(() => host?.close())

    const send: HostUnderTest['request'] = (method, target, headers, body) => host.request(method, prefix + target, headers, body)
    const echo = async (...args: Parameters<HostUnderTest['request']>): Promise<Echo> => {
      const reply = await send(...args)
      expect(reply.status).toBe(200)
      return JSON.parse(text(reply.body)) as Echo
    }

    test('header names arrive in lower case, whatever their case, with their values as sent', async () => {
      const { headers } = await echo('GET', '/echo/a', [['X-MiXeD', 'Value, with COMMA'], ['AUTHORIZATION', 'Bearer aB']])
      expect(headers['x-mixed']).toBe('Value, with COMMA')
      expect(headers['authorization']).toBe('Bearer aB')
      expect(Object.keys(headers).filter((key) => key !== key.toLowerCase())).toEqual([])
    })

    test('a repeated header is joined with a comma, cookies with a semicolon', async () => {
      const { headers } = await echo('GET', '/echo/a', [['x-more', 'one'], ['X-More', 'two'], ['Cookie', 'a=1; b=2'], ['cookie', 'c=3']])
      expect(headers['x-more']).toBe('one, two')
      expect(headers['cookie']).toBe('a=1; b=2; c=3')
    })

    test('two different bearers are neither one nor the other', async () => {
      const { headers } = await echo('GET', '/echo/a', [['Authorization', 'Bearer one'], ['authorization', 'Bearer two']])
      expect(headers['authorization']).toBe('Bearer one, Bearer two')
    })

    test('query pairs are decoded, keep their order, and a repeated key stays repeated', async () => {
      const { query } = await echo('GET', '/echo/a?b=1&a=x+y%20z&b=%E2%82%AC&empty=&bare&b=1')
      expect(query).toEqual([['b', '1'], ['a', 'x y z'], ['b', '€'], ['empty', ''], ['bare', ''], ['b', '1']])
    })

    test('the path arrives as sent: an encoded slash separates nothing, and an empty query is none', async () => {
      const said = await echo('GET', '/echo/a%2Fb%20c?')
      expect(said.path).toBe(`${prefix}/echo/a%2Fb%20c`)
      expect(said.word).toBe('a/b c')
      expect(said.query).toEqual([])
    })

    test('dots and doubled slashes of a path are not folded away', async () => {
      expect((await send('GET', '/x/%2e%2e/echo/a')).status).toBe(404)
      expect((await send('GET', '//echo/a')).status).toBe(404)
    })

    test('a malformed escape in a path is passed on as sent, or refused', async () => {
      const reply = await send('GET', '/echo/%E0%A4%A')
      if (reply.status !== 400) expect((JSON.parse(text(reply.body)) as Echo).word).toBe('%E0%A4%A')
    })

    test('a body arrives byte for byte, in one piece or in chunks', async () => {
      const whole = await echo('POST', '/echo/a', [['Content-Type', 'application/octet-stream']], [allBytes])
      expect(whole.bytes).toEqual([...allBytes])
      const parts = [allBytes.subarray(0, 1), allBytes.subarray(1, 200), allBytes.subarray(200)]
      const chunked = await echo('POST', '/echo/a', [['Content-Type', 'application/octet-stream']], parts)
      expect(chunked.bytes).toEqual([...allBytes])
    })

    test('a request without a body has none', async () => {
      expect((await echo('GET', '/echo/a')).bytes).toBeNull()
      expect((await echo('POST', '/echo/a')).bytes ?? []).toEqual([])
    })

    test('the method is upper case and the address is one or nothing', async () => {
      const said = await echo('GET', '/echo/a')
      expect(said.method).toBe('GET')
      expect(said.address === null || /^[0-9a-f.:]+$/i.test(said.address)).toBe(true)
    })

    test('JSON comes in plain, packed and in chunks', async () => {
      const body = bytes('{"text":"€ \\ud83d\\ude00","__more":1}')
      const split = [body.subarray(0, 10), body.subarray(10, 11), body.subarray(11)]
      const packed = gzipSync(body)
      for (const [headers, parts] of [
        [[asJson], [body]], [[asJson], split], [[asJson, ['Content-Encoding', 'gzip']], [packed]],
        [[asJson, ['Content-Encoding', 'GZIP']], [packed.subarray(0, 12), packed.subarray(12)]],
      ] as [readonly [string, string][], Uint8Array[]][]) {
        const reply = await send('POST', '/json', headers, parts)
        expect([reply.status, text(reply.body)]).toEqual([200, '{"text":"€ 😀"}'])
      }
    })

    test('broken UTF-8 and broken gzip are not JSON', async () => {
      const broken = Uint8Array.of(...bytes('{"text":"'), 0xff, 0xfe, ...bytes('"}'))
      for (const [headers, body] of [[[asJson], broken], [[asJson, ['Content-Encoding', 'gzip']], bytes('no gzip')]] as [[string, string][], Uint8Array][]) {
        const reply = await send('POST', '/json', headers, [body])
        expect([reply.status, text(reply.body)]).toEqual([400, '{"ok":false,"error":"invalid_json"}'])
      }
    })

    test('a limit holds at its edge, one past it, in chunks and after unpacking', async () => {
      const sized = (size: number): Uint8Array => bytes(`{"text":"${'x'.repeat(size - 11)}"}`)
      const gzip: [string, string] = ['content-encoding', 'gzip']
      const tries: [number, [string, string][], Uint8Array[]][] = [
        [200, [asJson], [sized(jsonLimit)]], [413, [asJson], [sized(jsonLimit + 1)]],
        [413, [asJson], [sized(jsonLimit + 1).subarray(0, 700), sized(jsonLimit + 1).subarray(700)]],
        [200, [asJson, gzip], [gzipSync(sized(jsonLimit))]], [413, [asJson, gzip], [gzipSync(sized(jsonLimit + 1))]],
        [413, [asJson, gzip], [gzipSync(sized(4 * 1024 * 1024))]],
      ]
      for (const [status, headers, parts] of tries) {
        const reply = await send('POST', '/json', headers, parts)
        expect(reply.status).toBe(status)
        expect(all(reply, 'x-body-limit')).toEqual(status === 413 ? [String(jsonLimit)] : [])
      }
    })

    test('every cookie is a header line of its own', async () => {
      expect(all(await send('GET', '/cookies'), 'set-cookie')).toEqual(['a=1; Path=/', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT'])
    })

    test('bytes and streams go out byte for byte', async () => {
      for (const path of ['/bytes', '/stream']) {
        const reply = await send('GET', path)
        expect([...reply.body]).toEqual([...allBytes])
        expect(all(reply, 'content-type')).toEqual(['application/octet-stream'])
      }
    })

    test('HEAD is GET without the body', async () => {
      for (const path of ['/echo/a', '/cookies', '/bytes', '/stream', '/nothing']) {
        const [get, head] = [await send('GET', path), await send('HEAD', path)]
        expect(head.status).toBe(get.status)
        expect(head.body).toHaveLength(0)
        expect(all(head, 'content-type')).toEqual(all(get, 'content-type'))
      }
    })

    test('a wrong method is 405 with what is allowed, an unknown path 404', async () => {
      const wrong = await send('DELETE', '/json')
      expect([wrong.status, all(wrong, 'allow'), text(wrong.body)]).toEqual([405, ['POST'], '{"ok":false,"error":"method_not_allowed"}'])
      const missing = await send('GET', '/no/such/path')
      expect([missing.status, text(missing.body)]).toEqual([404, '{"ok":false,"error":"not_found"}'])
    })

    test('nothing and a redirect arrive as such', async () => {
      const empty = await send('DELETE', '/empty')
      expect([empty.status, empty.body.length]).toEqual([204, 0])
      const away = await send('GET', '/away')
      expect([away.status, all(away, 'location')]).toEqual([303, [`${prefix}/echo/there?a=b`]])
    })

    test('a request id is taken over or made, one a reply', async () => {
      expect(all(await send('GET', '/echo/a', [['X-Request-Id', 'my.id-1']]), 'x-request-id')).toEqual(['my.id-1'])
      const made = all(await send('GET', '/echo/a', [['X-Request-Id', 'no id']]), 'x-request-id')
      expect(made).toHaveLength(1)
      expect(made[0]).not.toBe('no id')
    })

    test('a bug is 500 and tells nothing', async () => {
      const reply = await send('GET', '/bug')
      expect([reply.status, text(reply.body)]).toEqual([500, '{"ok":false,"error":"internal_error"}'])
    })
  })
}
