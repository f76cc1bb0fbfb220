import { gzipSync } from 'node:zlib'
import type { Service } from '@tributary/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allBytes, echoService, jsonLimit, type Echo } from '../emulators/echo.ts'
import { runReplyContract } from './replies.ts'
import { listValues, decodeText, type HostUnderTest } from '../emulators/wire.ts'

export interface HostContractOptions {
  /** The name of the host in the test titles. */
  readonly name: string
  open(service: Service): Promise<HostUnderTest>
  /** The path where the service is mounted. Default: the root. */
  readonly prefix?: string
  /** The parts of a request that the platform in front of the host loses. Default: none. */
  readonly loses?: readonly Loss[]
}

/**
 * The losses that a host cannot undo. `order`: the pairs of one query name arrive together. `repeats`: only the last
 * value of a repeated header or query name arrives. `escapes`: the path arrives decoded.
 */
export type Loss = 'order' | 'repeats' | 'escapes'

const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text)
const asJson: [string, string] = ['Content-Type', 'application/json']

/**
 * Runs the contract tests of a host (design.md, habit 10). Each test sends requests over a connection, with the input
 * of a hostile or careless client.
 */
export function runHostContract({ name, open, prefix = '', loses = [] }: HostContractOptions): void {
  describe(`host contract: ${name}`, () => {
    let host: HostUnderTest
    beforeAll(async () => {
      host = await open(echoService({ prefix }))
    })
    afterAll(() => host?.close())

    const testUnless = (loss: Loss): ((name: string, check: () => Promise<void>) => void) =>
      loses.includes(loss) ? () => undefined : test
    const send: HostUnderTest['request'] = (method, target, headers, body) =>
      host.request(method, prefix + target, headers, body)
    const sendEcho = async (...args: Parameters<HostUnderTest['request']>): Promise<Echo> => {
      const reply = await send(...args)
      expect(reply.status).toBe(200)
      return JSON.parse(decodeText(reply.body)) as Echo
    }

    test('header names arrive in lower case, with their values as sent', async () => {
      const { headers } = await sendEcho('GET', '/echo/a', [
        ['X-MiXeD', 'Value, with COMMA'],
        ['AUTHORIZATION', 'Bearer aB'],
      ])
      expect(headers['x-mixed']).toBe('Value, with COMMA')
      expect(headers['authorization']).toBe('Bearer aB')
      expect(Object.keys(headers).filter((key) => key !== key.toLowerCase())).toEqual([])
    })

    // A list is the same with and without the space (RFC 9110 section 5.3).
    testUnless('repeats')('a repeated header is joined with a comma, cookies with a semicolon', async () => {
      const { headers } = await sendEcho('GET', '/echo/a', [
        ['x-more', 'one'],
        ['X-More', 'two'],
        ['Cookie', 'a=1; b=2'],
        ['cookie', 'c=3'],
      ])
      expect(headers['x-more']).toMatch(/^one, ?two$/)
      expect(headers['cookie']).toBe('a=1; b=2; c=3')
    })

    testUnless('repeats')('two different bearers are neither one nor the other', async () => {
      const { headers } = await sendEcho('GET', '/echo/a', [
        ['Authorization', 'Bearer one'],
        ['authorization', 'Bearer two'],
      ])
      expect(headers['authorization']).toMatch(/^Bearer one, ?Bearer two$/)
    })

    test('cookies arrive unchanged as one header', async () => {
      const { headers } = await sendEcho('GET', '/echo/a', [['Cookie', 'a=1; b=2; c="x, y"']])
      expect(headers['cookie']).toBe('a=1; b=2; c="x, y"')
    })

    test('query pairs are decoded, keep their order, and keep repeated keys', async () => {
      const { query } = await sendEcho('GET', '/echo/a?b=1&a=x+y%20z&b=%E2%82%AC&empty=&bare&b=1&c=%2B%26%3D%25')
      const sent = [
        ['b', '1'],
        ['a', 'x y z'],
        ['b', '€'],
        ['empty', ''],
        ['bare', ''],
        ['b', '1'],
        ['c', '+&=%'],
      ]
      const names = [...new Set(sent.map(([name]) => name))]
      const together = names.flatMap((name) =>
        sent.filter(([one]) => one === name).slice(loses.includes('repeats') ? -1 : 0),
      )
      expect(query).toEqual(loses.includes('order') ? together : sent)
    })

    testUnless('escapes')(
      'the path arrives as sent: an encoded slash does not separate segments, and an empty query counts as no query',
      async () => {
        const said = await sendEcho('GET', '/echo/a%2Fb%20c?')
        expect(said.path).toBe(`${prefix}/echo/a%2Fb%20c`)
        expect(said.word).toBe('a/b c')
        expect(said.query).toEqual([])
      },
    )

    test('a path segment with escapes is decoded exactly once', async () => {
      const said = await sendEcho('GET', '/echo/a%20%CE%BB%23?')
      expect(said.path).toBe(`${prefix}/echo/a%20%CE%BB%23`)
      expect(said.word).toBe('a λ#')
    })

    test('dots and double slashes in a path are kept', async () => {
      expect((await send('GET', '/x/%2e%2e/echo/a')).status).toBe(404)
      expect((await send('GET', '//echo/a')).status).toBe(404)
    })

    test('a malformed escape in a path is passed on unchanged, or refused', async () => {
      const reply = await send('GET', '/echo/%E0%A4%A')
      const word = reply.status === 400 ? 'refused' : (JSON.parse(decodeText(reply.body)) as Echo).word
      expect(['refused', '%E0%A4%A']).toContain(word)
    })

    test('a body arrives byte for byte, in one piece or in chunks', async () => {
      const whole = await sendEcho('POST', '/echo/a', [['Content-Type', 'application/octet-stream']], [allBytes])
      expect(whole.bytes).toEqual([...allBytes])
      const parts = [allBytes.subarray(0, 1), allBytes.subarray(1, 200), allBytes.subarray(200)]
      const chunked = await sendEcho('POST', '/echo/a', [['Content-Type', 'application/octet-stream']], parts)
      expect(chunked.bytes).toEqual([...allBytes])
    })

    test('a request without a body has an empty body', async () => {
      expect((await sendEcho('GET', '/echo/a')).bytes).toBeNull()
      expect((await sendEcho('POST', '/echo/a')).bytes ?? []).toEqual([])
    })

    test('the method is in upper case, and the address is one address or null', async () => {
      const said = await sendEcho('GET', '/echo/a')
      expect(said.method).toBe('GET')
      expect(said.address === null || /^[0-9a-f.:]+$/i.test(said.address)).toBe(true)
    })

    test('a JSON body is accepted plain, compressed and in chunks', async () => {
      const body = encodeText('{"text":"€ \\ud83d\\ude00","__more":1}')
      const split = [body.subarray(0, 10), body.subarray(10, 11), body.subarray(11)]
      const packed = gzipSync(body)
      for (const [headers, parts] of [
        [[asJson], [body]],
        [[asJson], split],
        [[asJson, ['Content-Encoding', 'gzip']], [packed]],
        [
          [asJson, ['Content-Encoding', 'GZIP']],
          [packed.subarray(0, 12), packed.subarray(12)],
        ],
      ] as [readonly [string, string][], Uint8Array[]][]) {
        const reply = await send('POST', '/json', headers, parts)
        expect([reply.status, decodeText(reply.body)]).toEqual([200, '{"text":"€ 😀"}'])
      }
    })

    test('a body with invalid UTF-8 or damaged gzip returns invalid_json', async () => {
      const broken = Uint8Array.of(...encodeText('{"text":"'), 0xff, 0xfe, ...encodeText('"}'))
      for (const [headers, body] of [
        [[asJson], broken],
        [[asJson, ['Content-Encoding', 'gzip']], encodeText('no gzip')],
      ] as [[string, string][], Uint8Array][]) {
        const reply = await send('POST', '/json', headers, [body])
        expect(reply.status).toBe(400)
        expect(JSON.parse(decodeText(reply.body))).toMatchObject({ error: 'invalid_json', issues: [{ path: [] }] })
      }
    })

    test('a body at the limit is accepted and one more byte is refused, also in chunks and after decompression', async () => {
      const makeBodyOfSize = (size: number): Uint8Array => encodeText(`{"text":"${'x'.repeat(size - 11)}"}`)
      const gzip: [string, string] = ['content-encoding', 'gzip']
      const tries: [number, [string, string][], Uint8Array[]][] = [
        [200, [asJson], [makeBodyOfSize(jsonLimit)]],
        [413, [asJson], [makeBodyOfSize(jsonLimit + 1)]],
        [413, [asJson], [makeBodyOfSize(jsonLimit + 1).subarray(0, 700), makeBodyOfSize(jsonLimit + 1).subarray(700)]],
        [200, [asJson, gzip], [gzipSync(makeBodyOfSize(jsonLimit))]],
        [413, [asJson, gzip], [gzipSync(makeBodyOfSize(jsonLimit + 1))]],
        [413, [asJson, gzip], [gzipSync(makeBodyOfSize(4 * 1024 * 1024))]],
      ]
      for (const [status, headers, parts] of tries) {
        const reply = await send('POST', '/json', headers, parts)
        expect(reply.status).toBe(status)
        expect(listValues(reply, 'x-body-limit')).toEqual(status === 413 ? [String(jsonLimit)] : [])
      }
    })

    runReplyContract(send, prefix)
  })
}
