import { createWorker, type ServiceWorker } from '@tributary/core/worker'
import { emfMeter, withSecrets, type EmfMeter, type WithSecrets } from '@tributary/host-lambda'
import type { Logger } from '@tributary/core'
import { readSecrets, toSecretOptions } from './secrets.ts'
import { readSharedOptions } from './service.ts'

/** Returns the worker of a function, created with the secrets that workers use, and its meter and logger. */
export async function createFunctionWorker(): Promise<{
  readonly worker: WithSecrets<ServiceWorker>
  readonly meter: EmfMeter
  readonly logger: Logger
}> {
  const options = await readSharedOptions()
  const logger = options.logger!
  const meter = emfMeter()
  const worker = withSecrets(
    readSecrets('tursoToken', 'secret'),
    (secrets) => {
      const made = createWorker({ ...options, ...toSecretOptions(secrets) })
      made.measure(meter)
      return made
    },
    { logger },
  )
  return { worker, meter, logger }
}
