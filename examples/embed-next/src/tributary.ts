import { createService, type Service } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'

const shared = globalThis as { tributary?: Promise<Service> }

/** Returns the only service of this process. Next creates an instance of this module for each route. */
export const tributary = (): Promise<Service> => (shared.tributary ??= createTributary())

async function createTributary(): Promise<Service> {
  return createService({
    ...embeddedOptions(`http://127.0.0.1:${process.env['PORT'] ?? 3000}/app`, await openStores()),
    // Routes receive a path without the `basePath`; links include the `basePath`, because it is part of `baseUrl`.
    prefix: '/tributary',
    // Next tells routes the address of the peer only in `x-forwarded-for`.
    trustedProxies: 1,
  })
}
