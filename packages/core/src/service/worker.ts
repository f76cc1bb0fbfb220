import { resolveOptions, type ServiceOptions } from './options.ts'
import { lazy } from '../http/lazy.ts'
import type { Service } from './create.ts'
import { createWork } from './work.ts'

/**
 * The half of a service that answers nobody: for a process or function that only works. It takes the same options as
 * `createService` and loads no route. Throws on options that cannot work.
 *
 * ```ts
 * await createWorker({ baseUrl: 'http://127.0.0.1:8787', stores: memoryStores() }).work()
 * ```
 */
export function createWorker(options: ServiceOptions): Pick<Service, 'work' | 'ready'> {
  const resolved = resolveOptions(options)
  const work = lazy(() => createWork(resolved))
  return {
    work: async (given = {}) => (await work())(given),
    ready: () => resolved.stores.ready(),
  }
}
