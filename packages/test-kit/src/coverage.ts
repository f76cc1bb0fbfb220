import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlainReply, Service } from '@tributary/core'
import type { LoadedRoute, NamedRoute } from '@tributary/core/adapter'
import { checkReply, listDeclaredOutcomes, type ImpliedOutcome, type Seen } from './promise.ts'

const declared = new Set<string>()
const met = new Set<string>()
/** Routes whose outcomes are in `declared`. Thousands of tests create a service each, mostly with the same routes. */
const declaredRoutes = new WeakSet<LoadedRoute>()

interface RoutePattern {
  readonly route: LoadedRoute
  readonly literals: number
  readonly pattern: RegExp
}

const patternsByRoute = new WeakMap<LoadedRoute, RoutePattern>()

function readPattern(route: LoadedRoute): RoutePattern {
  const known = patternsByRoute.get(route)
  if (known) return known
  const parts = route.path.split('/')
  const source = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/^:\w+/, '[^/]+'))
  // A parameter with an ending, such as `:token.csv`, is more literal than a parameter without.
  const literals = parts.reduce((sum, part) => sum + (part.startsWith(':') ? Number(part.includes('.')) / 2 : 1), 0)
  const made = { route, literals, pattern: new RegExp(`^${source.join('/')}$`) }
  patternsByRoute.set(route, made)
  return made
}

/**
 * Creates a function that finds the contract of a request. A path with literal segments takes precedence over a path
 * with `:name`, and the method must match.
 */
export function createFinder(routes: readonly NamedRoute[]): (method: string, path: string) => LoadedRoute | null {
  const byLength = new Map<number, RoutePattern[]>()
  for (const pattern of routes.map(({ route }) => readPattern(route)).sort((a, b) => b.literals - a.literals)) {
    const { length } = pattern.route.path.split('/')
    byLength.set(length, [...(byLength.get(length) ?? []), pattern])
  }
  return (method, path) => {
    const fitting = (byLength.get(path.split('/').length) ?? []).filter(({ pattern }) => pattern.test(path))
    const most = fitting[0]?.literals
    const same = fitting.filter(({ literals }) => literals === most)
    return same.find(({ route }) => route.method === (method === 'HEAD' ? 'GET' : method))?.route ?? null
  }
}

/**
 * Wraps a service so that each reply is checked against its route's contract. Throws if a reply breaks the contract.
 * The outcomes that occurred are kept for `flush`.
 */
export function observe(service: Service, implied: ImpliedOutcome): Service {
  const { prefix } = service
  let finding: Promise<ReturnType<typeof createFinder>> | null = null
  async function findRoute(): Promise<ReturnType<typeof createFinder>> {
    const routes = await service.routes()
    for (const { route } of routes) {
      if (declaredRoutes.has(route)) continue
      declaredRoutes.add(route)
      for (const outcome of listDeclaredOutcomes(route, implied)) declared.add(outcome)
    }
    return createFinder(routes)
  }

  async function note(method: string, path: string, reply: Seen): Promise<void> {
    const find = await (finding ??= findRoute())
    const route = path.startsWith(prefix) ? find(method, path.slice(prefix.length) || '/') : null
    if (route) met.add(checkReply(route, method, reply, implied))
  }

  return {
    ...service,
    async handle(request, outage) {
      const reply = await service.handle(request, outage)
      if (reply) await note(request.method, request.path, toSeenReply(reply))
      return reply
    },
    async answerMissing(request) {
      const reply = await service.answerMissing(request)
      // Other paths have no route, so they have no contract.
      if (request.path === prefix || request.path === `${prefix}/`)
        await note(request.method, request.path, toSeenReply(reply))
      return reply
    },
    async fetch(request, address) {
      const { method, url } = request
      const response = await service.fetch(request, address)
      if (!response) return null
      const type = response.headers.get('content-type')
      const text = type?.startsWith('application/json') ? await response.clone().text() : null
      const detail = response.headers.get('x-error-detail')
      await note(method, new URL(url).pathname, { status: response.status, type, text, detail })
      return response
    },
  }
}

function toSeenReply(reply: PlainReply): Seen {
  const find = (wanted: string): string | null => reply.headers.find(([name]) => name === wanted)?.[1] ?? null
  const text = typeof reply.body === 'string' ? reply.body : null
  return { status: reply.status, type: find('content-type'), text, detail: find('x-error-detail') }
}

/**
 * Writes the outcomes that occurred into the folder in `TRIBUTARY_COVERAGE`. The reporter reads it after the last test.
 */
export function flush(): void {
  const folder = process.env['TRIBUTARY_COVERAGE']
  if (folder && declared.size > 0) {
    const line = JSON.stringify({ declared: [...declared], met: [...met] })
    appendFileSync(join(folder, `${crypto.randomUUID()}.jsonl`), `${line}\n`)
  }
}
