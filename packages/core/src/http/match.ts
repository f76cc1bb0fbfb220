import type { Mounted } from './route.ts'

/** What a path leads to: its methods, and the path's parameters still percent-decoded text. */
export interface Match {
  readonly methods: ReadonlyMap<string, Mounted>
  readonly params: Readonly<Record<string, string>>
}

interface Node {
  literals: Map<string, Node>
  parameter: Node | null
  /** The parameter names of the routes that end here differ by method only in theory; the contract test holds them equal. */
  names: string[]
  methods: Map<string, Mounted> | null
}

const node = (): Node => ({ literals: new Map(), parameter: null, names: [], methods: null })

/** Builds the finder of routes. Literal segments win over parameters, so `/api/traces/bulk` never is an id. */
export function createMatcher(mounted: readonly Mounted[]): (path: string) => Match | null {
  const root = node()
  const exact = new Map<string, Match>()
  for (const one of mounted) {
    let at = root
    const names: string[] = []
    for (const segment of one.route.path.split('/').slice(1)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1))
        at = at.parameter ??= node()
      } else {
        let next = at.literals.get(segment)
        if (!next) at.literals.set(segment, (next = node()))
        at = next
      }
    }
    at.names = names
    at.methods ??= new Map()
    if (at.methods.has(one.route.method)) throw new Error(`two routes for ${one.route.method} ${one.route.path}`)
    at.methods.set(one.route.method, one)
    if (names.length === 0) exact.set(one.route.path, { methods: at.methods, params: {} })
  }
  return (path) => {
    const known = exact.get(path)
    if (known) return known
    const values: string[] = []
    let at: Node | null = root
    for (const segment of path.split('/').slice(1)) {
      const literal: Node | undefined = at.literals.get(segment)
      if (literal) at = literal
      else if (at.parameter && segment !== '') {
        values.push(segment)
        at = at.parameter
      } else return null
    }
    if (!at.methods) return null
    return {
      methods: at.methods,
      params: Object.fromEntries(at.names.map((name, i) => [name, decode(values[i] ?? '')])),
    }
  }
}

/** A malformed escape stays as sent; the parameter's schema then refuses it. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
