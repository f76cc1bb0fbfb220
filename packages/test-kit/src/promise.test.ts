import { impliedFailures, route } from '@tributary/core'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { checkReply, listDeclaredOutcomes, type Seen } from './promise.ts'

const one = route({
  id: 'E9',
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
const makeJsonReply = (status: number, body: unknown): Seen => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
})

test('declaredOutcomes returns the successes of a route, its own failures and those of its shape', () => {
  expect(
    listDeclaredOutcomes(one, impliedFailures).map((name) => name.replace('E9 PATCH /api/things/:id ', '')),
  ).toEqual([
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
    [makeJsonReply(426, { error: 'upgrade_required' }), '426 upgrade_required'],
  ])('%j', (seen, name) => {
    expect(checkReply(one, 'PATCH', seen, impliedFailures)).toBe(`E9 PATCH /api/things/:id ${name}`)
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
    ['no JSON', { status: 404, type: 'text/html', text: null }],
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
