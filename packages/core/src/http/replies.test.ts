import { describe, expect, test } from 'vitest'
import { preflight, standardHeaders } from './replies.ts'

describe('standardHeaders', () => {
  const read = (options: Parameters<typeof standardHeaders>[1]) => Object.fromEntries(standardHeaders('id', options))

  test('keep pages of other origins from loading a reply, unless it is embeddable', () => {
    expect(read({ secure: false })).toEqual({
      'x-request-id': 'id',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(read({ secure: false, embeddable: true })['cross-origin-resource-policy']).toBe('cross-origin')
  })

  test('ask browsers to stay on https for a year where the service is reached over it', () => {
    expect(read({ secure: true })['strict-transport-security']).toBe('max-age=31536000')
  })
})

describe('preflight', () => {
  const origin = 'https://app.example.com'
  const headers = { origin, 'access-control-request-method': 'POST' }
  const ask = (method: string, sent: Record<string, string>) =>
    preflight({ method, path: '/', query: [], headers: sent, address: null, body: null }, [origin], 'GET, POST', [])

  test('allows the methods of a path to a configured origin', () => {
    const reply = ask('OPTIONS', headers)!
    expect(reply.status).toBe(204)
    expect(Object.fromEntries(reply.headers)).toMatchObject({ 'access-control-allow-methods': 'GET, POST' })
  })

  test.each([
    ['another method', 'GET', headers],
    ['another origin', 'OPTIONS', { ...headers, origin: 'https://other.example.com' }],
    ['no origin', 'OPTIONS', { 'access-control-request-method': 'POST' }],
    ['no requested method', 'OPTIONS', { origin }],
  ])('returns null for %s', (_, method, sent) => {
    expect(ask(method, sent)).toBeNull()
  })
})
