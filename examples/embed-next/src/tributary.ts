import { createService, type Service } from '@tributary/core'
import { embeddedOptions } from '@tributary/example-embed/options'

const shared = globalThis as { tributary?: Service }

/** Returns the one service of this process. Next makes an instance of this module for each route. */
export function tributary(): Service {
  return (shared.tributary ??= createService({
    ...embeddedOptions(`http://127.0.0.1:${process.env['PORT'] ?? 3000}/app`),
    // Routes see a path without the `basePath`; links have it from `baseUrl`.
    prefix: '/tributary',
    // Next tells routes the address of the peer in `x-forwarded-for` alone.
    trustedProxies: 1,
  }))
}
