import { createService, fixedCountry, headerCountry, type Country } from '@tributary/core'
import { webAuthnPasskeys } from '@tributary/core/passkeys'
import { emfMeter, readSigningKeys, toLambdaHandler, withSecrets } from '@tributary/host-lambda'
import { readSecrets, toSecretOptions } from './secrets.ts'
import { readSharedOptions } from './service.ts'

/** Reads the caller's country from CloudFront's header; without CloudFront everyone is in the configured country. */
function createCountry(): Country {
  const { COUNTRY_HEADER: header, COUNTRY: fixed } = process.env
  return header ? headerCountry(header) : fixedCountry(fixed || null)
}

const options = {
  ...(await readSharedOptions()),
  country: createCountry(),
  passkeys: webAuthnPasskeys(),
  // These are only the public keys. Whoever exports packages has the private keys.
  signingKeys: readSigningKeys(process.env['SIGNING_KEYS']),
}
const logger = options.logger!
const meter = emfMeter()

const service = withSecrets(
  readSecrets('tursoToken', 'secret', 'adminTokens'),
  (secrets) => {
    const made = createService({ ...options, ...toSecretOptions(secrets) })
    made.measure(meter)
    return made
  },
  { logger },
)

/** Answers every request of people and clients. */
export const handler = toLambdaHandler(service, { logger, meter })
