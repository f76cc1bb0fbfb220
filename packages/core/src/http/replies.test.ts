import { describe, expect, test } from 'vitest'
import { buildRequest } from './fixture.ts'
import { fail } from './failures.ts'
import { corsHeaders, failureReply, preflight, standardHeaders } from './replies.ts'

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

  test('ask browsers to use https for a year if the service is reached over https', () => {
    expect(read({ secure: true })['strict-transport-security']).toBe('max-age=31536000')
  })
})

describe('preflight', () => {
  const origin = 'https://app.example.com'
  const headers = { origin, 'access-control-request-method': 'POST' }
  const ask = (method: string, sent: Record<string, string>) =>
    preflight({ method, path: '/', query: [], headers: sent, address: null, body: null }, [origin], ['GET', 'POST'], [])

  test('allows the methods of a path to a configured origin', () => {
    const reply = ask('OPTIONS', headers)!
    expect(reply.status).toBe(204)
    expect(Object.fromEntries(reply.headers)).toMatchObject({ 'access-control-allow-methods': 'GET, POST' })
  })

  test('allows the headers of the client version, the sponsor line and the opt-out of telemetry', () => {
    const allowed = Object.fromEntries(ask('OPTIONS', headers)!.headers)['access-control-allow-headers']!.split(', ')
    expect(allowed).toEqual(
      expect.arrayContaining(['x-ad-device-context', 'x-ad-attribution-context', 'x-do-not-track', 'x-cli-version']),
    )
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

describe('corsHeaders', () => {
  const own = 'https://app.example.com'
  const read = (origin: string | undefined, origins: readonly string[]) =>
    corsHeaders(buildRequest('GET', '/', { headers: origin === undefined ? {} : { origin } }), origins)

  test('allow a configured origin, and send vary: origin to every origin', () => {
    expect(read(own, [])).toEqual([])
    for (const origin of [undefined, 'https://other.example.com'])
      expect(read(origin, [own])).toEqual([['vary', 'origin']])
    expect(Object.fromEntries(read(own, ['https://else.example.com', own]))).toMatchObject({
      'vary': 'origin',
      'access-control-allow-origin': own,
      'access-control-allow-credentials': 'true',
    })
  })
})

describe('failureReply', () => {
  const failures = { not_found: 404, unauthorized: 401, unavailable: 503 } as const
  const read = (code: string, headers: [string, string][] = []) => {
    const made = failureReply({ failures, envelope: 'ok' }, fail(code, {}, headers), [], {
      failureHeaders: [],
      challenge: 'Bearer resource_metadata="x"',
    })
    const kept = made.headers.filter(([name]) => !['cache-control', 'content-type'].includes(name))
    return [made.status, ...kept]
  }

  test('sends www-authenticate with 401, and retry-after with 503', () => {
    expect(read('not_found')).toEqual([404])
    expect(read('unauthorized')).toEqual([401, ['www-authenticate', 'Bearer resource_metadata="x"']])
    expect(read('unavailable')).toEqual([503, ['retry-after', '1']])
    expect(read('unavailable', [['retry-after', '10']])).toEqual([503, ['retry-after', '10']])
    expect(read('not_found', [['retry-after', '10']])).toEqual([404, ['retry-after', '10']])
  })

  test('has the status 500 for a failure that the contract does not list', () => {
    expect(read('a_bug')).toEqual([500])
  })
})
