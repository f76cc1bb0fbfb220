import { createService, fixedCountry, headerCountry, type Country } from '@tributary/core'
import { emfMeter, toLambdaHandler } from '@tributary/host-lambda'
import { readServiceOptions } from './service.ts'

/** Reads the caller's country from CloudFront's header; without CloudFront everyone is in the configured country. */
function createCountry(): Country {
  const { COUNTRY_HEADER: header, COUNTRY: fixed } = process.env
  return header ? headerCountry(header) : fixedCountry(fixed || null)
}

const options = await readServiceOptions()

const service = createService({ ...options, country: createCountry() })
const meter = emfMeter()
service.measure(meter)

/** Everything that people and clients ask for. */
export const handler = toLambdaHandler(service, { logger: options.logger!, meter })
