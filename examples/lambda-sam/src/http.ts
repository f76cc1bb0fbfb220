import { createService, fixedCountry, headerCountry, type Country } from '@tributary/core'
import { emfMeter, toLambdaHandler } from '@tributary/host-lambda'
import { serviceOptions } from './service.ts'

/** CloudFront before the API tells each caller's country; without it everyone is where the configuration says. */
function country(): Country {
  const { COUNTRY_HEADER: header, COUNTRY: fixed } = process.env
  return header ? headerCountry(header) : fixedCountry(fixed || null)
}

const options = await serviceOptions()

const service = createService({ ...options, country: country() })
const meter = emfMeter()
service.measure(meter)

/** Everything that people and clients ask for. */
export const handler = toLambdaHandler(service, { logger: options.logger!, meter })
