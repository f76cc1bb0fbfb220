import { impliedFailures, route } from '@tributary/core/adapter'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { routes } from './conformance/contract.ts'
import { createFinder } from './coverage.ts'
import { interfaceBodies } from './interface-bodies.ts'
import { checkReply, listDeclaredOutcomes, type Seen } from './promise.ts'

const one = route({
  summary: 'A test',
  method: 'PATCH',
  path: '/api/things/:id',
  auth: 'bearer-or-cookie',
  envelope: 'ok',
  params: z.object({ id: z.uuid() }),
  body: z.object({ on: z.boolean() }),
  issues: true,
  reply: z.object({ ok: z.literal(true), on: z.boolean() }),
  failures: { not_found: 404, already_sold: 409 },
})
const makeJsonReply = (status: number, body: unknown, detail: string | null = null): Seen => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
  detail,
})

test('declaredOutcomes returns the successes of a route, its own failures and the failures of its shape', () => {
  expect(listDeclaredOutcomes(one, impliedFailures).map((name) => name.replace('PATCH /api/things/:id ', ''))).toEqual([
    '200',
    '404 not_found',
    '409 already_sold',
    '401 unauthorized',
    '403 cross_site_request',
    '415 unsupported_content_type',
    '413 body_too_large',
    '400 invalid_json',
    '400 invalid_body',
    '400 invalid_id',
  ])
})

describe('checkReply returns the outcome of a declared reply:', () => {
  test.each([
    [makeJsonReply(200, { ok: true, on: false }), '200'],
    [makeJsonReply(409, { ok: false, error: 'already_sold' }), '409 already_sold'],
    [
      makeJsonReply(400, { ok: false, error: 'invalid_body', issues: [{ path: ['on'], code: 'c', message: 'm' }] }),
      '400 invalid_body',
    ],
    [makeJsonReply(400, { ok: false, error: 'invalid_id' }, 'id: not a UUID'), '400 invalid_id'],
    [makeJsonReply(426, { error: 'upgrade_required' }), '426 upgrade_required'],
  ])('%j', (seen, name) => {
    expect(checkReply(one, 'PATCH', seen, impliedFailures)).toBe(`PATCH /api/things/:id ${name}`)
  })
})

describe('checkReply throws for an undeclared reply:', () => {
  test.each<[string, Seen]>([
    ['is not declared', makeJsonReply(201, { ok: true, on: true })],
    ['is not declared', makeJsonReply(303, null)],
    ['breaks its contract', makeJsonReply(200, { ok: true, on: 'yes' })],
    ['undeclared fields', makeJsonReply(200, { ok: true, on: true, secret: 1 })],
    ['without `error`', makeJsonReply(404, { ok: false })],
    ['is not declared', makeJsonReply(404, { ok: false, error: 'lost' })],
    ['is not declared', makeJsonReply(400, { ok: false, error: 'already_sold' })],
    ['family', makeJsonReply(404, { error: 'not_found' })],
    ['neither JSON nor a page', { status: 404, type: 'text/html', text: null, detail: null }],
    ['without `issues` and without', makeJsonReply(400, { ok: false, error: 'invalid_id' })],
    ['`issues` must be', makeJsonReply(400, { ok: false, error: 'invalid_body', issues: [] })],
    [
      'an issue is',
      makeJsonReply(400, {
        ok: false,
        error: 'invalid_body',
        issues: [{ path: ['on'], code: 'c', message: 'm', input: 'secret' }],
      }),
    ],
  ])('%s: %j', (why, seen) => {
    expect(() => checkReply(one, 'PATCH', seen, impliedFailures)).toThrow(why)
  })
})

describe('checkReply of E1 to E20 accepts exactly the fields of the interface:', () => {
  const find = createFinder(routes.map((route) => ({ name: '', route })))
  const check = (method: string, path: string, status: number, body: unknown) => {
    const route = find(method, path)
    if (!route) throw new Error(`no contract for ${method} ${path}`)
    return checkReply(route, method, makeJsonReply(status, body, 'on: wrong'), impliedFailures)
  }

  test('the failures of each contract equal its row in the table of section 1', () => {
    const declared = routes.flatMap(({ id, failures, envelope, issues }) =>
      id === undefined ? [] : [[id, { envelope, failures, issues: issues ?? false }] as const],
    )
    const listed = Object.entries(interfaceBodies).map(
      ([id, { envelope, failures = {}, issues = false }]) => [id, { envelope, failures, issues }] as const,
    )
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(listed))
  })

  const id = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
  const trace = { id, sellExcluded: true, saleCount: 0, locked: false }
  const policy = {
    ok: true,
    eligible: false,
    reason: 'us_upload_required',
    country: 'DE',
    policyVersion: '1',
    termsVersion: '1',
    termsAccepted: true,
    residencyConfirmed: true,
    acceptanceUrl: '',
    waitlistUrl: '',
  }
  test.each<[string, string, number, Record<string, unknown>, Record<string, unknown>]>([
    ['GET', `/api/traces/${id}`, 200, { ok: true, trace }, { ok: true, trace: { ...trace, title: 'a' } }],
    ['GET', `/api/traces/${id}`, 404, { ok: false, error: 'not_found' }, { ok: false, error: 'not_found', id }],
    [
      'POST',
      '/api/ingest',
      403,
      { ok: false, error: 'us_upload_required' },
      { ok: false, error: 'us_upload_required', policy },
    ],
    [
      'POST',
      '/api/ingest',
      403,
      { ok: false, error: 'country_unknown', policy: { ...policy, reason: 'country_unknown', country: null } },
      { ok: false, error: 'country_unknown' },
    ],
    [
      'POST',
      '/api/cli/telemetry',
      400,
      { ok: false, error: 'invalid_body' },
      { ok: false, error: 'invalid_body', issues: [] },
    ],
    [
      'GET',
      '/api/cli/session',
      426,
      { error: 'upgrade_required', minVersion: '1.0.0', upgradeCommand: '' },
      { ok: false, error: 'upgrade_required', minVersion: '1.0.0', upgradeCommand: '' },
    ],
    [
      'GET',
      '/api/ad',
      401,
      { ad: null, nonce: null, ttlMs: null, needsLogin: true },
      { ad: null, nonce: null, ttlMs: null, needsLogin: true, error: 'unauthorized' },
    ],
    ['GET', '/api/ad', 429, { ad: null, nonce: null, ttlMs: null, error: 'rate_limited' }, { error: 'rate_limited' }],
  ])('%s %s %i', (method, path, status, exact, other) => {
    expect(check(method, path, status, exact)).toContain(`${method} `)
    expect(() => check(method, path, status, other)).toThrow('breaks its contract')
  })
})
