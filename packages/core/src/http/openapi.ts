import * as z from 'zod'
import { codesByStatus, failureSchema, type JsonSchema } from './documented-failures.ts'
import { hasIssues } from './failures.ts'
import { makeExample } from './examples.ts'
import { version as packageVersion } from '../version.ts'
import { cookieName } from './message.ts'
import type { LoadedRoute, NamedRoute, RouteShape } from './route.ts'
import { describeCaller, firstCalls, hasSponsorLine, chooseTag, tags } from './listing.ts'

export interface DocumentOptions {
  /** The URL of the service, including the mount path. */
  readonly baseUrl: string
  readonly version?: string
  /** The title of the document. Default: `Tributary`. */
  readonly title?: string
}

type Components = Record<string, JsonSchema>

/** The credentials that may call a route. An empty requirement means that no credential is needed. */
const security: Readonly<Record<RouteShape['auth'], readonly JsonSchema[]>> = {
  'none': [{}],
  'admin-page': [{}],
  'optional': [{}, { session: [] }],
  'bearer': [{ bearer: [] }],
  'bearer-or-cookie': [{ bearer: [] }, { session: [] }],
  'cookie': [{ session: [] }],
  'page': [{ session: [] }],
  'admin': [{ operator: [] }],
  'any': [{}, { bearer: [] }, { operator: [] }],
  'buyer': [{ buyer: [] }],
  'buyer-page': [{}],
}

const headers: Readonly<Record<string, JsonSchema>> = {
  'x-request-id': {
    description: 'The id of this request: the one that was sent (1 to 128 characters A-Z a-z 0-9 . _ -) or a new one.',
    schema: { type: 'string' },
  },
  'www-authenticate': { schema: { type: 'string' } },
  'x-error-detail': {
    description: 'The fields with their problems, if the body has no `issues`.',
    schema: { type: 'string' },
  },
  'x-body-limit': { description: 'The limit in bytes after decompression.', schema: { type: 'integer' } },
  'retry-after': { description: 'Seconds to wait before the next call.', schema: { type: 'integer' } },
  'idempotency-replayed': {
    description: '`true` on the stored reply to an earlier call with the same idempotency key.',
    schema: { type: 'string', enum: ['true'] },
  },
}

const headersByStatus: Readonly<Record<number, string>> = {
  401: 'www-authenticate',
  413: 'x-body-limit',
  429: 'retry-after',
  503: 'retry-after',
}

const parameters: Readonly<Record<string, JsonSchema>> = {
  'idempotency-key': {
    name: 'idempotency-key',
    in: 'header',
    required: false,
    description:
      'Makes the call safe to repeat for 30 days: the same key with the same body gets the first reply again. ' +
      'Use a new random key for each new call.',
    schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
    example: '5f2c6f0e-7d0b-4a55-9a3c-0d6c1b8e9f21',
  },
  'x-cli-version': {
    name: 'x-cli-version',
    in: 'header',
    required: false,
    description: 'The semantic version of the client.',
    schema: { type: 'string' },
    example: '2.1.0',
  },
}

/** Creates the OpenAPI 3.1 document of a service from its routes. Its schemas describe requests and replies as sent. */
export function openapi(routes: readonly NamedRoute[], options: DocumentOptions): Record<string, unknown> {
  const schemas: Components = {}
  const paths: Record<string, Record<string, Operation>> = {}
  for (const { name, route } of routes) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}')
    ;(paths[path] ??= {})[route.method.toLowerCase()] = operation(name, route, schemas)
  }
  const used = new Set(routes.map(({ route }) => chooseTag(route)))
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const responses = shareParts('responses', operations.flatMap(shareableResponses))
  const shared = shareParts('parameters', operations.flatMap(shareableParameters))
  const isSecure = options.baseUrl.startsWith('https:')
  return {
    openapi: '3.1.0',
    info: {
      title: `${options.title ?? 'Tributary'} API`,
      version: options.version ?? packageVersion,
      license: { name: 'MIT', identifier: 'MIT' },
      description: overview(routes, options.baseUrl.replace(/\/+$/, '')),
    },
    servers: [{ url: options.baseUrl.replace(/\/+$/, '') }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      parameters: { ...parameters, ...shared },
      headers,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token from device authorization.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName(isSecure),
          description:
            'The session of a browser that signed in. The sign-in page sets its value, which is not a bearer token.',
        },
        operator: { type: 'http', scheme: 'bearer', description: 'The token of an operator.' },
        buyer: { type: 'http', scheme: 'bearer', description: 'The token of a buyer, `trbb_…`.' },
      },
    },
  }
}

const isPageOrEmpty = ({ content }: JsonSchema): boolean => content === undefined || 'text/html' in (content as object)

/** A part of an operation that may be replaced with a reference. */
interface Part {
  readonly name: string
  readonly value: JsonSchema
  readonly replace: (reference: JsonSchema) => void
}

/** Replaces equal parts with references to one component. Returns these components by name. */
function shareParts(kind: 'parameters' | 'responses', parts: readonly Part[]): Components {
  const equalParts = new Map<string, Part[]>()
  for (const part of parts) {
    const json = JSON.stringify(part.value)
    equalParts.set(json, [...(equalParts.get(json) ?? []), part])
  }
  const shared: Components = {}
  for (const equal of equalParts.values()) {
    const [first, second] = equal
    if (!first || !second) continue
    const sameName = Object.keys(shared).filter((name) => name.replace(/-\d+$/, '') === first.name).length
    const name = sameName === 0 ? first.name : `${first.name}-${sameName + 1}`
    shared[name] = first.value
    for (const { replace } of equal) replace({ $ref: `#/components/${kind}/${name}` })
  }
  return shared
}

type Operation = ReturnType<typeof operation>

/** Returns the failures, pages and empty replies of an operation. */
const shareableResponses = ({ responses }: Operation): Part[] =>
  Object.entries(responses).flatMap(([status, { 'x-failure': isFailure, ...value }]) => {
    responses[status] = value
    if (!isFailure && !isPageOrEmpty(value)) return []
    const success = value['content'] === undefined ? 'Empty' : 'Page'
    const name = `${Number(status) >= 400 ? 'Failure' : success}${status}`
    return [{ name, value, replace: (reference: JsonSchema) => void (responses[status] = reference) }]
  })

/** Returns the parameters of an operation that are not references. */
const shareableParameters = ({ parameters: all = [] }: Operation): Part[] =>
  all.flatMap((value, at) =>
    typeof value['name'] === 'string'
      ? [{ name: value['name'], value, replace: (reference: JsonSchema) => void (all[at] = reference) }]
      : [],
  )

function operation(name: string, route: LoadedRoute, components: Components) {
  const body = requestBody(route, components)
  const all: JsonSchema[] = [
    ...fields(route.params, 'path', components),
    ...fields(route.query, 'query', components),
    ...Object.entries(route.headers ?? {}).map(([header, { description, example }]) => ({
      name: header,
      in: 'header',
      required: false,
      description,
      schema: { type: 'string' },
      example,
    })),
    ...(route.idempotent ? [{ $ref: '#/components/parameters/idempotency-key' }] : []),
    ...(route.requiresClientVersion ? [{ $ref: '#/components/parameters/x-cli-version' }] : []),
  ]
  return {
    operationId: name,
    tags: [chooseTag(route)],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.id ? { 'x-interface-id': route.id } : {}),
    ...(route.tool ? { 'x-mcp-tool': route.tool } : {}),
    // The interactive reference shows this badge next to the heading of an endpoint that browsers may call.
    ...(describeCaller(route).includes('browser') ? { 'x-badges': [{ name: describeCaller(route) }] } : {}),
    security: security[route.auth],
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: responses(route, components),
  }
}

/**
 * Returns a zod schema as JSON Schema. Inner schemas with an `id` become components. A value that JSON Schema cannot
 * describe (the result of a transform) is left open. Objects of replies are not closed, because they may gain fields.
 */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Components = {}): JsonSchema {
  const { properties, $defs = {} } = z.toJSONSchema(z.object({ schema }), {
    io,
    unrepresentable: 'any',
    override({ jsonSchema: json }) {
      if (json.format !== undefined) delete json.pattern
      if (json.additionalProperties === false) delete json.additionalProperties
      if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
      if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
    },
  }) as unknown as { properties: { schema: JsonSchema }; $defs?: Record<string, JsonSchema> }
  const own = new Map<string, string>()
  for (const [id, definition] of Object.entries($defs)) {
    const known = components[id]
    own.set(id, known && !isSame(known, withRefs(definition, own)) ? `${id}Input` : id)
  }
  for (const [id, definition] of Object.entries($defs)) components[own.get(id) ?? id] = withRefs(definition, own)
  return withRefs(properties.schema, own)
}

const isSame = (a: JsonSchema, b: JsonSchema): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Points the references of a schema to the components of the document. */
function withRefs(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
  const text = JSON.stringify(schema).replace(
    /"#\/\$defs\/([^"]+)"/g,
    (_, id: string) => `"#/components/schemas/${names.get(id) ?? id}"`,
  )
  return JSON.parse(text) as JsonSchema
}

function fields(schema: z.ZodObject | undefined, place: 'path' | 'query', components: Components): JsonSchema[] {
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input', components) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description ? { description } : {}),
    schema: property,
    example: makeExample(property, components, name),
  }))
}

/** Returns the content of a request or reply with an example. */
function media(type: string, schema: JsonSchema, components: Components, example?: unknown): JsonSchema {
  return { [type]: { schema, example: example ?? makeExample(schema, components) } }
}

const sizeText = (bytes: number): string => (bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`)

/** Returns a description of the service and of how a client calls it, as Markdown. */
function overview(routes: readonly NamedRoute[], baseUrl: string): string {
  const { start, poll, call } = firstCalls(baseUrl)
  const shown = ({ command, reply }: typeof start): string => `\`\`\`sh\n${command}\n\`\`\`\n\nThe reply: \`${reply}\``
  return `Contribute AI conversation traces${
    hasSponsorLine(routes) ? ', and show a sponsor line in the terminal' : ''
  }. Bodies are JSON, except that requests under /oauth are forms. A
body may be compressed with gzip, and has at most 256 KiB after decompression, where an endpoint names no other limit.
A reply with status 400 names each invalid field and the reason in \`issues\`. Where a reply has no \`issues\`, the reason
is in the header \`x-error-detail\`, and for paths under /oauth in \`error_description\`.

## Get a token and make the first call

Start an authorization. The reply has a code for the person, a code for your client and the URL of a page.

${shown(start)}

The person signs in on that page and authorizes the device. Poll for the token, at most once every \`interval\`
seconds; until then \`status\` is \`pending\`.

${shown(poll)}

Send the token as a bearer token, for example to get the current session.

${shown(call)}`
}

function requestBody(route: RouteShape, components: Components): JsonSchema | null {
  if (route.form) {
    const schema = jsonSchema(route.form, 'input', components)
    return { required: true, content: media('application/x-www-form-urlencoded', schema, components) }
  }
  const { bodyLimit } = route
  const limit = bodyLimit === undefined ? {} : { description: `At most ${sizeText(bodyLimit)} after decompression.` }
  if (route.body) {
    const schema = jsonSchema(route.body, 'input', components)
    return { required: true, ...limit, content: media('application/json', schema, components) }
  }
  if (route.raw === undefined) return null
  return {
    required: true,
    content: media('application/octet-stream', { type: 'string', format: 'binary' }, components),
  }
}

/** Returns the `content` of a successful reply in OpenAPI. */
function successContent(route: LoadedRoute, components: Components): JsonSchema {
  if (route.reply === 'none') return {}
  if (route.reply === 'page')
    return { content: media('text/html', { type: 'string' }, components, '<!doctype html><title>Tributary</title>') }
  if (typeof route.reply !== 'string')
    return { content: media('application/json', jsonSchema(route.reply, 'output', components), components) }
  const type = route.media ?? 'application/octet-stream'
  if (!route.content) return { content: media(type, { type: 'string' }, components, textExamples[type]) }
  const schema = jsonSchema(route.content, 'output', components)
  if (type === 'application/json') return { content: media(type, schema, components) }
  const line = `${JSON.stringify(makeExample(schema, components))}\n`
  const description = 'One JSON object per line, each by `x-line-schema`.'
  return { content: media(type, { 'type': 'string', description, 'x-line-schema': schema }, components, line) }
}

const textExamples: Readonly<Record<string, string>> = {
  'text/css': 'body { margin: 0 }',
  'text/javascript': 'console.log(1)',
  'text/plain': '# Tributary',
  'application/jsonl': '{"messages":[{"role":"user","content":"Hello"}]}\n',
  'text/csv': 'email,country,joinedAt\r\nada@example.com,DE,2026-11-20T12:00:00.000Z\r\n',
}

function responses(route: LoadedRoute, components: Components): Components {
  const all: Components = {}
  const refs = (...names: (string | undefined)[]) =>
    Object.fromEntries(
      names.flatMap((name) => (name === undefined ? [] : [[name, { $ref: `#/components/headers/${name}` }]])),
    )
  const replayed = route.idempotent ? 'idempotency-replayed' : undefined
  for (const status of route.success ?? [200]) {
    const isNotification = status === 202 && route.envelope === 'rpc'
    const one = route.replies?.[status]
    const isEmpty = status === 204 || isNotification || (status >= 300 && status < 400)
    all[status] = {
      description: one?.description ?? (isEmpty ? 'No content.' : 'OK.'),
      headers: refs('x-request-id', replayed),
      ...(isEmpty ? {} : successContent(one ? { ...route, reply: one.reply } : route, components)),
    }
  }
  const isJson = route.envelope === 'ok' || route.envelope === 'bare' || route.envelope === 'ad'
  if (route.auth === 'page') all[303] ??= { description: 'To the sign-in page.', headers: refs('x-request-id') }
  for (const [status, codes] of codesByStatus(route)) {
    const content = media('application/json', failureSchema(route, codes, components), components)
    const page = all[status] as { content?: JsonSchema } | undefined
    all[status] = {
      'description': codes.join(', '),
      'headers': refs(
        'x-request-id',
        status < 500 ? replayed : undefined,
        headersByStatus[status],
        status === 400 && isJson && !codes.every((code) => hasIssues(route, code)) ? 'x-error-detail' : undefined,
      ),
      'content': { ...page?.content, ...content },
      'x-failure': true,
    }
  }
  return all
}
