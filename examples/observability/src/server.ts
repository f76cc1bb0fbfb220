import { createService } from '@tributary/core'
import { libsqlStores, migrate } from '@tributary/core/libsql'
import { listen, openLocal, type Listening } from '@tributary/host-node'

/** Serves Tributary in memory. Programs on this machine and operators can read its metrics. */
export async function start(port: number): Promise<Listening> {
  const local = openLocal(':memory:')
  await migrate(local)
  const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: libsqlStores(local) })
  return listen(service, { port, metrics: 'local' })
}
