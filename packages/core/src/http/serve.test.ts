import { describe, expect, test } from 'vitest'
import type { PlainRequest } from './message.ts'
import { clientAddress } from './serve.ts'

const makeRequest = (headers: Record<string, string>): PlainRequest =>
  ({ method: 'GET', path: '/', query: [], headers, cookies: [], address: '192.0.2.1' }) as unknown as PlainRequest
const readCaller = (forwarded: string | undefined, trustedProxies: number): string | null =>
  clientAddress(makeRequest(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }), trustedProxies)

describe('clientAddress', () => {
  test.each([
    [0, '203.0.113.9', '192.0.2.1'],
    [0, '203.0.113.9, 198.51.100.7', '192.0.2.1'],
    [1, undefined, '192.0.2.1'],
    [1, '', '192.0.2.1'],
    [1, ' , ', '192.0.2.1'],
    [1, '203.0.113.9', '203.0.113.9'],
    [1, '203.0.113.9, 198.51.100.7', '198.51.100.7'],
    [1, '203.0.113.9,198.51.100.7 ,', '198.51.100.7'],
    [2, '203.0.113.9, 198.51.100.7', '203.0.113.9'],
    [2, '10.0.0.1, 203.0.113.9, 198.51.100.7', '203.0.113.9'],
    [2, '203.0.113.9', '192.0.2.1'],
    [3, '203.0.113.9, 198.51.100.7', '192.0.2.1'],
  ])('behind %i trusted proxies with x-forwarded-for %j returns %s', (proxies, forwarded, address) => {
    expect(readCaller(forwarded, proxies)).toBe(address)
  })

  test('returns at most 64 characters of a header', () => {
    expect(readCaller('a'.repeat(100), 1)).toBe('a'.repeat(64))
  })
})
