import { uploadBlobs } from '../service/defaults.ts'
import { resolveSecrets } from '../auth/hmac.ts'
import type { ServiceOptions } from '../service/options.ts'
import { silentLogger, systemYield, systemRandom } from '../service/system.ts'
import { inlineIntake, type Intake } from './intake.ts'

/** The intake of a service with these options, for a thread of its own or for beside one. */
export function serviceIntake(options: ServiceOptions): Intake {
  const {
    stores,
    blobs = stores.blobs,
    random = systemRandom,
    yieldToEventLoop = systemYield,
    logger = silentLogger,
  } = options
  return inlineIntake({
    blobs: uploadBlobs({ blobs, secrets: resolveSecrets(options), random, logger }),
    yieldToEventLoop,
  })
}
