import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { referenceContent } from '../ui/docs.ts'
import { endpointTable, llmsText } from './listing.ts'
import { openapi } from './openapi.ts'
import { route, type NamedRoute } from './route.ts'

const update = route({
  id: 'E9',
  summary: 'Change a <trace> | its sale',
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
  requiresClientVersion: true,
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
const routes: NamedRoute[] = [
  { name: 'update', route: update },
  { name: 'ad', route: ad },
  { name: 'page', route: page },
]

interface Media {
  readonly schema: Record<string, unknown>
  readonly example: unknown
}
interface Operation {
  readonly parameters: { name: string; in: string; required: boolean; example: unknown }[]
  readonly requestBody: { content: Record<string, Media> }
  readonly responses: Record<string, { $ref?: string; headers: object; content: Record<string, Media> }>
  readonly security: object[]
  readonly tags: string[]
}
const document = openapi(routes, { baseUrl: 'https://x.example/t/' }) as {
  servers: unknown
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, { required: string[] }>
    securitySchemes: Record<string, { name: string }>
  }
}
const { paths, components } = document
const readFailure = (operation: Operation, status: string) => operation.responses[status]!.content['application/json']!

describe('openapi', () => {
  test('describes each route with its parameters, request body and reply', () => {
    const { parameters, requestBody, responses, security, tags } = paths['/api/traces/{id}']!['patch']!
    expect(parameters.map(({ name, in: place, required }) => [name, place, required])).toEqual([
      ['id', 'path', true],
      ['limit', 'query', false],
      ['d', 'query', true],
    ])
    // A field with a default may be left out of a request and is always in a reply.
    expect(requestBody.content['application/json']!.schema['required'] ?? []).toEqual([])
    expect(responses['202']!.content['application/json']!.schema['required']).toEqual(['ok', 'count'])
    expect(security).toEqual([{ bearer: [] }, { session: [] }])
    expect(tags).toEqual(['Traces'])
  })

  test('lists the failure codes of a route by status with the body of its envelope', () => {
    const update = paths['/api/traces/{id}']!['patch']!
    expect(readFailure(update, '409').schema).toEqual({
      allOf: [
        { $ref: '#/components/schemas/Error' },
        { properties: { error: { type: 'string', enum: ['already_sold'] } } },
      ],
    })
    expect(readFailure(update, '409').example).toEqual({ ok: false, error: 'already_sold' })
    // Only the `invalid_body` reply of this endpoint has `issues`. Its other failures give the reason in a header, as
    // the interface says.
    expect(readFailure(update, '400').schema['anyOf']).toEqual([
      {
        allOf: [
          { $ref: '#/components/schemas/Error' },
          { properties: { error: { type: 'string', enum: ['invalid_id', 'invalid_query', 'invalid_json'] } } },
        ],
      },
      {
        allOf: [
          { $ref: '#/components/schemas/Invalid' },
          { properties: { error: { type: 'string', enum: ['invalid_body'] } } },
        ],
      },
    ])
    expect(update.responses['400']!.headers).toHaveProperty('x-error-detail')
    expect(components.schemas['Invalid']!.required).toEqual(['ok', 'error', 'issues'])
    expect(components.schemas['TermsRequired']!.required).toEqual(['ok', 'error', 'acceptUrl'])
    expect(update.responses['413']!.headers).toHaveProperty('x-body-limit')
  })

  test('describes the empty ad in failures of the ad envelope and upgrade_required without ok', () => {
    expect(readFailure(paths['/api/ad']!['get']!, '401').schema).toEqual({
      $ref: '#/components/schemas/AdUnauthorized',
    })
    expect(components.schemas['AdUnauthorized']!.required).toEqual(['ad', 'nonce', 'ttlMs', 'needsLogin'])
    expect(components.schemas['AdRateLimited']!.required).toEqual(['ad', 'nonce', 'ttlMs', 'error'])
    expect(components.schemas['BareError']!.required).toEqual(['error'])
    expect(components.schemas['UpgradeRequired']!.required).toEqual(['error', 'minVersion', 'upgradeCommand'])
  })

  test('describes the redirect of a page to the sign-in page in place of a 401', () => {
    const { responses } = paths['/traces']!['get']!
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '303', '429', '500', '503']))
    expect(responses).not.toHaveProperty('401')
  })

  test.each([
    ['https://x.example', '__Host-tributary_session'],
    ['http://127.0.0.1:8787', 'tributary_session'],
  ])('names the session cookie that a service at %s sets', (baseUrl, name) => {
    const { components: own } = openapi(routes, { baseUrl }) as typeof document
    expect(own.securitySchemes['session']!.name).toBe(name)
  })
})

const docsOptions = { prefix: '/t', baseUrl: 'https://x.example/t', interactive: null }

test('referenceContent begins with the first call, and lists pages and forms after the API', () => {
  const text = referenceContent(routes, docsOptions).text
  const [api, site] = text.split('<h2 id="site">')
  expect(api).toContain('curl https://x.example/t/api/cli/session ')
  expect(site).toMatch(/GET<\/span> \/traces</)
  expect(api).not.toMatch(/<\/span> \/traces</)
})

test('llmsText, endpointTable and referenceContent name every route and escape its texts', () => {
  const texts = [
    llmsText(routes, 'https://x.example'),
    endpointTable(routes),
    referenceContent(routes, docsOptions).text,
  ]
  for (const text of texts)
    for (const {
      route: { path },
    } of routes)
      expect(text).toContain(path)
  expect(texts[1]).toContain('Change a <trace> \\| its sale')
  expect(texts[2]).toContain('Change a &lt;trace&gt;')
  expect(texts[2]).not.toContain('<script')
})
