import { expect, test } from 'vitest'
import * as z from 'zod'
import { docsPage } from './docs.ts'
import { endpointTable, llmsText } from './listing.ts'
import { codesOf, openapi, type Named } from './openapi.ts'
import { failuresOf } from './outcomes.ts'
import { route } from './route.ts'

const update = route({
  id: 'E9',
  summary: 'Changes a <trace> | its sale.',
  method: 'PATCH',
  path: '/api/traces/:id',
  auth: 'bearer-or-cookie',
  envelope: 'ok',
  params: z.object({ id: z.string() }),
  query: z.object({ limit: z.coerce.number().default(5), d: z.string() }),
  body: z.object({ sellExcluded: z.boolean().default(true) }),
  issues: true,
  reply: z.object({ ok: z.literal(true), count: z.number().default(1) }),
  success: [200, 202],
  failures: { already_sold: 409, terms_required: 403 },
})
const ad = route({
  id: 'E16',
  summary: 'The ad.',
  method: 'GET',
  path: '/api/ad',
  auth: 'bearer',
  envelope: 'ad',
  gated: true,
  reply: z.object({}),
  failures: {},
})
const page = route({
  summary: 'Traces.',
  method: 'GET',
  path: '/traces',
  auth: 'page',
  envelope: 'ok',
  reply: 'page',
  failures: {},
})
const routes: Named[] = [
  { name: 'update', route: update },
  { name: 'ad', route: ad },
  { name: 'page', route: page },
]

interface Operation {
  parameters: { name: string; in: string; required: boolean }[]
  requestBody: { content: Record<string, { schema: { required?: string[] } }> }
  responses: Record<string, { headers: object; content: Record<string, { schema: Record<string, unknown> }> }>
  security: object[]
  tags: string[]
}
const paths = openapi(routes, { baseUrl: 'https://x.example/t/' })['paths'] as Record<string, Record<string, Operation>>

test('each route is an operation with its parameters, what may be sent and what goes out', () => {
  const { parameters, requestBody, responses, security, tags } = paths['/api/traces/{id}']!['patch']!
  expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
    ['id', 'path', true],
    ['limit', 'query', false],
    ['d', 'query', true],
  ])
  // What has a default may be left out of a request and is always in a reply.
  expect(requestBody.content['application/json']!.schema.required ?? []).toEqual([])
  expect(responses['202']!.content['application/json']!.schema['required']).toEqual(['ok', 'count'])
  expect(security).toEqual([{ bearer: [] }, { session: [] }])
  expect(tags).toEqual(['Traces'])
})

test('every failure of a route has the body of its family, with what its code carries', () => {
  const { responses } = paths['/api/traces/{id}']!['patch']!
  const said = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, { content }]) =>
      codesOf(content['application/json']!.schema).map((code) => [code, Number(status)]),
    )
  expect(Object.fromEntries(said)).toEqual(failuresOf(update))
  expect(responses['409']!.content['application/json']!.schema).toEqual({
    type: 'object',
    required: ['ok', 'error'],
    properties: { ok: { const: false }, error: { type: 'string', enum: ['already_sold'] } },
  })
  const invalid = responses['400']!.content['application/json']!.schema['anyOf'] as { required: string[] }[]
  expect(invalid.map(({ required }) => required)).toContainEqual(['ok', 'error', 'issues'])
  expect(JSON.stringify(responses['403'])).toContain('acceptUrl')
  expect(responses['413']!.headers).toHaveProperty('x-body-limit')
})

test('the ad family keeps its empty ad, and an old version is told so without ok', () => {
  const { responses } = paths['/api/ad']!['get']!
  const required = (status: string) => responses[status]!.content['application/json']!.schema['required']
  expect(required('401')).toEqual(['ad', 'nonce', 'ttlMs', 'needsLogin'])
  expect(required('429')).toEqual(['ad', 'nonce', 'ttlMs', 'error'])
  expect(required('500')).toEqual(['error'])
  expect(required('426')).toEqual(['error', 'minVersion', 'upgradeCommand'])
})

test('a page route leads to the sign-in page instead of a 401', () => {
  const { responses } = paths['/traces']!['get']!
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '303', '429', '500', '503']))
  expect(responses).not.toHaveProperty('401')
})

test('the texts name every route and escape what they hold', () => {
  const texts = [llmsText(routes, 'https://x.example'), endpointTable(routes), docsPage(routes, '/t')]
  for (const text of texts)
    for (const {
      route: { path },
    } of routes)
      expect(text).toContain(path)
  expect(texts[1]).toContain('Changes a <trace> \\| its sale.')
  expect(texts[2]).toContain('Changes a &lt;trace&gt;')
  expect(texts[2]).not.toContain('<script')
})
