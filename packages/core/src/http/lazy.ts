import { mount, type Gates, type Handlers, type Mounted, type RouteShape } from './route.ts'

/** A part of the service that is loaded when it is first needed; from then on it comes at once, without a promise. */
export type Lazy<T> = () => T | Promise<T>

/** Makes one. Many who ask at once wait for one load; after one that failed, the next who asks tries again. */
export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let there: { readonly value: T } | null = null
  let coming: Promise<T> | null = null
  return () => {
    if (there) return there.value
    return (coming ??= load()
      .then((value) => (there = { value }).value)
      .finally(() => (coming = null)))
  }
}

/** Handlers that hold what they need. */
export function bindHandlers<C extends Record<string, RouteShape>, Deps>(
  handlers: Handlers<C, Deps>,
  deps: Deps,
): Handlers<C, null> {
  const all = Object.entries(handlers) as [string, (input: never, deps: Deps) => unknown][]
  return Object.fromEntries(
    all.map(([name, handler]) => [name, (input: never) => handler(input, deps)]),
  ) as unknown as Handlers<C, null>
}

/**
 * Binds a contract to handlers that are loaded when the first of its routes is asked for: a route needs its data only until
 * then. A load that fails is a 500.
 *
 * ```ts
 * mountLater(tracesContract, later(async () => (await import('./traces/handlers.ts')).tracesHandlers), traces)
 * ```
 */
export function mountLazy<C extends Record<string, RouteShape>, Deps>(
  contract: C,
  part: Lazy<Handlers<C, Deps>>,
  deps: Deps,
  gates: Gates<C, Deps> = {},
): Mounted[] {
  const call =
    (name: string) =>
    (input: never, given: Deps): unknown => {
      const handlers = part()
      const run = (all: Handlers<C, Deps>): unknown =>
        (all[name] as (input: never, deps: Deps) => unknown)(input, given)
      return handlers instanceof Promise ? handlers.then(run) : run(handlers)
    }
  const calls = Object.fromEntries(Object.keys(contract).map((name) => [name, call(name)]))
  return mount(contract, calls as unknown as Handlers<C, Deps>, deps, gates)
}
