import type { Failure } from './failures.ts'
import type { Handlers, Mounted, Prechecks, RouteShape } from './route.ts'

/** Binds a contract to its handlers and their dependencies. */
export function mount<C extends Record<string, RouteShape>, Deps>(
  contract: C,
  handlers: Handlers<C, Deps>,
  deps: Deps,
  prechecks: Prechecks<C, Deps> = {},
): Mounted[] {
  return Object.entries(contract).map(([name, shape]) => {
    const precheck = prechecks[name]
    const handler = handlers[name] as (input: never, deps: Deps) => unknown
    return {
      name,
      route: shape,
      precheck: precheck ? (input: never) => precheck(input, deps) as Promise<Failure | null> : null,
      run: (input: never) => handler(input, deps),
    }
  })
}
