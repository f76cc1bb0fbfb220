import { addRoute, createRouter, findRoute, type RouterContext } from 'rou3'
import { lazy, type Lazy } from '../lazy.ts'
import type { Mounted } from './route.ts'

/** The routes of a path. */
interface PathRoutes {
  readonly methods: ReadonlyMap<string, Mounted>
  /**
   * One of the routes of the path. A request with a method that has no route gets its failure in the envelope of this
   * route.
   */
  readonly first: Mounted
  /** Whether pages of other origins may load a reply of one of the routes. */
  readonly isEmbeddable: boolean
}

/** The routes of a path, and the path's parameters, percent-decoded. */
export interface Match extends PathRoutes {
  readonly params: Readonly<Record<string, string>>
}

/** Finds the routes of a path. Returns null when there are none. */
export type FindRoutes = (path: string) => Match | null | Promise<Match | null>

/**
 * Creates a function that finds the routes of a path. A literal segment wins over a parameter, so that
 * `/api/traces/bulk` is never an id. Throws when two routes have the same method and path.
 */
export function createMatcher(routes: readonly Mounted[]): (path: string) => Match | null {
  const byPath = new Map<string, PathRoutes>()
  for (const mounted of routes) {
    const { method, path, embeddable = false } = mounted.route
    const { methods = new Map<string, Mounted>(), first = mounted, isEmbeddable = false } = byPath.get(path) ?? {}
    if (methods.has(method)) throw new Error(`two routes for ${method} ${path}`)
    byPath.set(path, {
      methods: new Map([...methods, [method, mounted]]),
      first,
      isEmbeddable: isEmbeddable || embeddable,
    })
  }
  const isPattern = (path: string): boolean => path.includes('/:')
  const literals = new Map<string, Match>()
  for (const [path, found] of byPath) if (!isPattern(path)) literals.set(path, { ...found, params: {} })
  const patterns = [...byPath].filter(([path]) => isPattern(path))
  // The router is created for the first path with parameters, because a serverless function may never get such a path.
  let router: RouterContext<PathRoutes> | null = null
  return (path) => {
    const match = literals.get(path)
    if (match) return match
    // rou3 ignores a trailing slash, but here a path with a trailing slash is a different path.
    if (patterns.length === 0 || path.endsWith('/')) return null
    if (!router) {
      router = createRouter()
      for (const [pattern, data] of patterns) addRoute(router, '', pattern, data)
    }
    const found = findRoute(router, '', path)
    return found ? { ...found.data, params: decodeAll(found.params ?? {}) } : null
  }
}

function decodeAll(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decode(value)]))
}

/** Decodes a path segment. A malformed escape is left unchanged; the parameter's schema then rejects it. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** A part of the service that is loaded at the first request for one of its paths. */
export interface Capability {
  readonly name: string
  /** The path prefixes of the capability. A path belongs to the capability with the longest matching prefix. */
  readonly paths: readonly string[]
  /** Loads its routes with their schemas and handlers. */
  readonly load: () => Promise<readonly Mounted[]>
}

/** Finds the routes of paths, capability by capability. */
export interface CapabilityRouter {
  readonly find: FindRoutes
  /** Loads every capability and returns its name and routes, in the order of the table. */
  load(): Promise<readonly { readonly name: string; readonly routes: readonly Mounted[] }[]>
}

/** Creates the router of a table of capabilities. A load that failed is tried again by the next request. */
export function createCapabilityRouter(capabilities: readonly Capability[]): CapabilityRouter {
  const loaders = capabilities.map(({ name, paths, load }) => ({
    name,
    paths,
    open: lazy(async () => {
      const routes = await load()
      return { routes, find: createMatcher(routes) }
    }),
  }))
  const byPrefix = new Map(loaders.flatMap(({ paths, open }) => paths.map((prefix) => [prefix, open] as const)))
  return {
    find(path) {
      const loaded = longestPrefix(byPrefix, path)?.()
      return loaded instanceof Promise ? loaded.then(({ find }) => find(path)) : (loaded?.find(path) ?? null)
    },
    load: () => Promise.all(loaders.map(async ({ name, open }) => ({ name, routes: (await open()).routes }))),
  }
}

function longestPrefix<T>(byPrefix: ReadonlyMap<string, Lazy<T>>, path: string): Lazy<T> | null {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const found = byPrefix.get(path.slice(0, end))
    if (found) return found
  }
  return null
}
