import { createService } from '@tributary/core'
import { memoryStores } from '@tributary/core/memory'
import { listen, type Listening } from '@tributary/host-node'

/** Serves Tributary in memory, with metrics for this machine and for operators. */
export function start(port: number): Promise<Listening> {
  const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: memoryStores() })
  return listen(service, { port, metrics: 'local' })
}
