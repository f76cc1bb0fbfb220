import { createService, type Service } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'

const shared = globalThis as { tributary?: Promise<Service> }

/** Returns the one service of this process. Next makes an instance of this module for each route. */
export const tributary = (): Promise<Service> => (shared.tributary ??= createTributary())

async function createTributary(): Promise<Service> {
  return createService({
    ...embeddedOptions(`http://127.0.0.1:${process.env['PORT'] ?? 3000}/app`, await openStores()),
    // Routes see a path without the `basePath`; links have it from `baseUrl`.
    prefix: '/tributary',
    // Next passes the address of the peer to routes only in `x-forwarded-for`.
    trustedProxies: 1,
  })
}
