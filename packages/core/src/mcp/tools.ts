import type * as z from 'zod'
import { jsonSchema } from '../http/openapi.ts'
import type { Issue } from '../http/failures.ts'
import { check, maxIssues, describeUnknownName } from '../http/parse.ts'
import type { JsonSchema } from '../http/documented-failures.ts'
import type { LoadedRoute, NamedRoute } from '../http/route.ts'

/** The JSON Schema of a tool's arguments. A tool refuses every other argument. */
interface InputSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties: false
}

/** A route as a tool: the entry that `tools/list` returns, and the route that a call uses. */
export interface Tool {
  readonly caller: 'anyone' | 'contributor' | 'operator'
  readonly route: LoadedRoute
  readonly listed: {
    readonly name: string
    readonly title: string
    readonly description: string
    readonly inputSchema: InputSchema
    readonly outputSchema?: JsonSchema
    readonly annotations: Readonly<Record<string, boolean>>
  }
}

/** The argument of a tool that becomes the header `idempotency-key`. */
const keyArgument = 'idempotency_key'

/** Makes the tools of a service from its routes. */
export function makeTools(routes: readonly NamedRoute[]): Tool[] {
  return routes.flatMap(({ route }) => (route.tool === undefined ? [] : [makeTool(route.tool, route)]))
}

function makeTool(name: string, route: LoadedRoute): Tool {
  const { auth, method, summary, description, reply } = route
  const isRead = method === 'GET'
  const output = typeof reply === 'string' ? null : inlineSchema(reply, 'output')
  return {
    caller: auth === 'none' ? 'anyone' : auth === 'admin' ? 'operator' : 'contributor',
    route,
    listed: {
      name,
      title: summary,
      description: description === undefined ? `${summary}.` : `${summary}. ${description}`,
      inputSchema: inputSchema(route),
      ...(output?.['type'] === 'object' ? { outputSchema: output } : {}),
      annotations: isRead
        ? { readOnlyHint: true, openWorldHint: false }
        : { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
  }
}

/** Merges the parameters and the body fields of a route into one schema. The names of all of these differ. */
function inputSchema(route: LoadedRoute): InputSchema {
  const parts = [route.params, route.query, route.body]
    .filter((schema) => schema !== undefined)
    .map((schema) => inlineSchema(schema, 'input')) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }[]
  const fixed = Object.fromEntries(
    Object.entries(route.toolArguments ?? {}).map(([name, value]) => [name, { type: 'string', const: value }]),
  )
  const key = route.headers?.['idempotency-key']
  return {
    type: 'object',
    properties: {
      ...Object.assign({}, ...parts.map(({ properties }) => properties)),
      ...fixed,
      ...(key ? { [keyArgument]: { type: 'string', description: key.description } } : {}),
    },
    required: parts.flatMap(({ required = [] }) => required).filter((name) => !(name in fixed)),
    additionalProperties: false,
  }
}

/** Returns a schema as JSON Schema without references, because some clients of tools do not follow references. */
function inlineSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const components: Record<string, JsonSchema> = {}
  const inline = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inline)
    if (typeof part !== 'object' || part === null) return part
    const { $ref, ...rest } = part as { readonly $ref?: string }
    const fields = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, inline(value)]))
    const component = $ref?.slice('#/components/schemas/'.length)
    return component === undefined ? fields : { ...(inline(components[component]) as object), ...fields }
  }
  return inline(jsonSchema(schema, io, components)) as JsonSchema
}

/** The parts of the request that a call of a tool makes. */
export interface ToolRequest {
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/**
 * Makes the request of a call. An argument that is null counts as absent. Returns issues instead when the tool does not
 * have an argument or does not allow its value, or when an argument of the path would lead to another endpoint.
 */
export function toolRequest(
  { route, listed }: Tool,
  sent: Readonly<Record<string, unknown>>,
): ToolRequest | { readonly issues: readonly Issue[] } {
  const args = { ...sent, ...route.toolArguments }
  const known = Object.keys(listed.inputSchema.properties)
  const unknown = Object.keys(sent).filter((name) => sent[name] !== null && !known.includes(name))
  if (unknown.length > 0)
    return { issues: unknown.slice(0, maxIssues).map((name) => describeUnknownName('argument', name, known)) }
  const refused = Object.entries(route.toolArguments ?? {})
    .filter(([name, value]) => (sent[name] ?? value) !== value)
    .map(([name, value]): Issue => ({
      path: [name],
      code: 'invalid_value',
      message: `this tool accepts only ${value}`,
    }))
  if (refused.length > 0) return { issues: refused }
  const inPath = route.params ? check(route.params, args) : { value: {} }
  if ('issues' in inPath) return inPath
  const params = Object.keys(inPath.value)
  const hasKey = route.headers?.['idempotency-key'] !== undefined
  const others = Object.entries(args).filter(
    ([name, value]) => !params.includes(name) && value !== null && !(hasKey && name === keyArgument),
  )
  return {
    path: route.path.replace(/:([A-Za-z]+)/g, (_, name: string) => encodeURIComponent(args[name] as string)),
    query: route.body
      ? []
      : others.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    headers: hasKey && typeof args[keyArgument] === 'string' ? { 'idempotency-key': args[keyArgument] } : {},
    body: route.body ? JSON.stringify(Object.fromEntries(others)) : null,
  }
}
