// What a process that stays needs beside the service. The package's main entry does not export it, so that functions do not load it.
import { lazyStoredSecret, resolveSecrets } from '../auth/hmac.ts'
import { inlineIntake, type Intake } from '../ingest/intake.ts'
import { encryptUploads } from './defaults.ts'
import type { ServiceOptions } from './options.ts'
import { silentLogger, systemClock, systemRandom, systemYield } from './system.ts'

export { isPublicAddress } from '../ads/public-address.ts'
export { lintVerifier, type Secretlint } from './lint-verifier.ts'

/** Makes the intake of a service with these options, for a worker thread or for use beside one. */
export function serviceIntake(options: ServiceOptions): Intake {
  const {
    stores,
    clock = systemClock,
    blobs = stores.blobs,
    random = systemRandom,
    yieldToEventLoop = systemYield,
    logger = silentLogger,
  } = options
  return inlineIntake({
    blobs: encryptUploads({
      blobs,
      secrets: resolveSecrets(options),
      storedSecret: lazyStoredSecret({ store: stores.auth, clock, random }),
      random,
      logger,
    }),
    yieldToEventLoop,
  })
}
