import * as z from 'zod'
import { failureSchemas, type Schema } from './outcomes.ts'
import type { RouteShape } from './route.ts'
import { tagOf, tags } from './tags.ts'

/** A route with the name of its handler: what `Service.routes` holds. */
export interface Named {
  readonly name: string
  readonly route: RouteShape
}

export interface DocumentOptions {
  /** The address of the service, with the mount path if it has one. */
  readonly baseUrl: string
  readonly version?: string
}

const sessionCookie = '__Host-tributary_session'

/** What one route says of who may call it. An empty requirement means that nobody needs to say who they are. */
const security: Readonly<Record<RouteShape['auth'], readonly Schema[]>> = {
  'none': [{}],
  'admin-page': [{}],
  'optional': [{}, { session: [] }],
  'bearer': [{ bearer: [] }],
  'bearer-or-cookie': [{ bearer: [] }, { session: [] }],
  'cookie': [{ session: [] }],
  'page': [{ session: [] }],
  'admin': [{ operator: [] }],
}

const replyHeaders = {
  'x-request-id': {
    description: 'The id of this request; a sent one of 1 to 128 characters A-Z a-z 0-9 . _ - is taken over.',
    schema: { type: 'string' },
  },
}

/** A header that a status brings along on every route. */
const byStatus: Readonly<Record<number, Readonly<Record<string, Schema>>>> = {
  401: { 'www-authenticate': { schema: { type: 'string' } } },
  413: { 'x-body-limit': { description: 'The limit in bytes after unpacking.', schema: { type: 'integer' } } },
  429: { 'retry-after': { description: 'Seconds.', schema: { type: 'integer' } } },
  503: { 'retry-after': { description: 'Seconds.', schema: { type: 'integer' } } },
}

const keyParameter = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description:
    'Makes the call safe to repeat for 30 days: the same key with the same body gets the first reply again. ' +
    'Use a new random key for each new call.',
  schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
}

const replayedHeader = {
  'idempotency-replayed': {
    description: 'true: this is the kept reply to an earlier call with the same idempotency-key.',
    schema: { type: 'string', enum: ['true'] },
  },
}

/** The OpenAPI 3.1 document of a service, made from its routes alone: requests as they may be sent, replies as they go out. */
export function openapi(routes: readonly Named[], options: DocumentOptions): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { name, route } of routes) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}')
    ;(paths[path] ??= {})[route.method.toLowerCase()] = operation(name, route)
  }
  const used = new Set(routes.map(({ route }) => tagOf(route)))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      version: options.version ?? '0.1.0',
      license: { name: 'MIT', identifier: 'MIT' },
      description: "Contribution of AI conversation traces, and a sponsor's line in the terminal.",
    },
    servers: [{ url: options.baseUrl.replace(/\/+$/, '') }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token from the device login.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: "A browser's session; over plain http on localhost without the `__Host-` prefix.",
        },
        operator: { type: 'http', scheme: 'bearer', description: 'The configured admin token.' },
      },
    },
  }
}

function operation(name: string, route: RouteShape): Schema {
  const body = requestBody(route)
  const parameters = [
    ...fields(route.params, 'path'),
    ...fields(route.query, 'query'),
    ...Object.entries(route.headers ?? {}).map(([name, description]) => ({
      name,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
    })),
    ...(route.idempotent ? [keyParameter] : []),
    ...(route.gated
      ? [
          {
            name: 'x-cli-version',
            in: 'header',
            required: false,
            description: "The client's semantic version.",
            schema: { type: 'string' },
          },
        ]
      : []),
  ]
  return {
    operationId: name,
    tags: [tagOf(route)],
    summary: route.summary,
    ...(route.id ? { 'x-interface-id': route.id } : {}),
    security: security[route.auth],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: responses(route),
  }
}

/** A schema of zod as JSON Schema. What JSON Schema cannot say (a transform's result) is left open. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<string, unknown>
  return rest
}

function fields(schema: z.ZodObject | undefined, place: 'path' | 'query'): Schema[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function requestBody(route: RouteShape): Schema | null {
  const media = (type: string, schema: Schema): Schema => ({ required: true, content: { [type]: { schema } } })
  if (route.form) return media('application/x-www-form-urlencoded', jsonSchema(route.form, 'input'))
  const about = `At most ${route.bodyLimit ?? 256 * 1024} bytes after unpacking; content-encoding gzip is accepted.`
  if (route.body) return { ...media('application/json', jsonSchema(route.body, 'input')), description: about }
  if (route.raw === 'json') return { ...media('application/json', {}), description: about }
  return route.raw === 'bytes' ? media('application/octet-stream', { type: 'string', format: 'binary' }) : null
}

function content(route: RouteShape): Schema {
  if (route.reply === 'none') return {}
  if (route.reply === 'page') return { content: { 'text/html': { schema: { type: 'string' } } } }
  if (route.reply === 'stream')
    return {
      content: {
        [route.media ?? 'application/octet-stream']: {
          schema: /json$/.test(route.media ?? '') ? {} : { type: 'string' },
        },
      },
    }
  return { content: { 'application/json': { schema: jsonSchema(route.reply, 'output') } } }
}

function responses(route: RouteShape): Schema {
  const all: Record<string, unknown> = {}
  const headers = { ...replyHeaders, ...(route.idempotent ? replayedHeader : {}) }
  for (const status of route.success ?? [200]) {
    const empty = status === 204 || (status >= 300 && status < 400)
    all[status] = {
      description: empty ? 'Done, without a body.' : 'Success.',
      headers,
      ...(empty ? {} : content(route)),
    }
  }
  if (route.auth === 'page') all[303] ??= { description: 'To the sign-in page.', headers: replyHeaders }
  for (const [status, schema] of failureSchemas(route)) {
    all[status] = {
      description: codesOf(schema).join(', ') || 'Failure.',
      headers: { ...(status < 500 ? headers : replyHeaders), ...byStatus[status] },
      content: { 'application/json': { schema } },
    }
  }
  return all
}

/** The failure codes that a schema of `failureSchemas` names. */
export function codesOf(schema: Schema): string[] {
  const error = (schema['properties'] as { error?: { enum?: string[] } } | undefined)?.error?.enum ?? []
  return [...error, ...((schema['anyOf'] as Schema[] | undefined) ?? []).flatMap(codesOf)]
}
