import { flags, UsageError, type Values } from '../flags.ts'
import type { ServerConfig } from '../../server-config.ts'

/** Who is asked for an ad, and who is told of its impressions: of servers and workers alike. */
export const networkFlags = flags({
  'gravity-key': {
    kind: 'text',
    value: 'KEY',
    help: 'the key of the ad network Gravity; without it no network is asked',
  },
  'gravity-url': { kind: 'text', value: 'URL', help: 'where Gravity answers, if not at its public address' },
  'gravity-test': { kind: 'switch', help: 'ask Gravity for samples that nobody pays for' },
})

/** What sponsors' lines take of a server. */
export const adFlags = flags({
  ...networkFlags,
  'ad-secret': {
    kind: 'text',
    value: 'NEW,OLD',
    help: 'what impressions are signed with, the newest first; default: kept in the database',
  },
  'promotion-text': { kind: 'text', help: 'the line when nobody pays' },
  'promotion-url': { kind: 'text', value: 'URL', help: 'where that line leads, https' },
  'pixel-id': { kind: 'text', value: 'ID', help: 'the pixel of those who agreed to one' },
})

/** The network's part of a plan. Throws `UsageError`. */
export function gravityOf(given: Values<typeof networkFlags>): ServerConfig['gravity'] {
  const [apiKey, endpoint] = [given['gravity-key'], given['gravity-url']]
  if (endpoint !== undefined && !URL.canParse(endpoint))
    throw new UsageError(`--gravity-url is an address, not "${endpoint}".`)
  return apiKey === undefined
    ? undefined
    : { apiKey, test: given['gravity-test'], ...(endpoint === undefined ? {} : { endpoint }) }
}

/** Secrets divided by commas. Throws `UsageError` on one that is too short. */
export function secretsOf(flag: string, given: string | undefined): string[] {
  const secrets = (given ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  if (secrets.some((one) => one.length < 16))
    throw new UsageError(`--${flag} needs 16 characters or more; try: openssl rand -hex 24`)
  return secrets
}

/** The ads' part of a service's options. Throws `UsageError`. */
export function adsOf(given: Values<typeof adFlags>): NonNullable<ServerConfig['service']['ads']> {
  const secret = secretsOf('ad-secret', given['ad-secret'])
  const [text, url, pixelId] = [given['promotion-text'], given['promotion-url'], given['pixel-id']]
  if ((text === undefined) !== (url === undefined))
    throw new UsageError('A promotion has both: --promotion-text and --promotion-url.')
  if (url !== undefined && !(URL.canParse(url) && new URL(url).protocol === 'https:'))
    throw new UsageError(`--promotion-url begins with https://, not "${url}".`)
  return {
    ...(secret.length > 0 ? { secret } : {}),
    ...(text !== undefined && url !== undefined ? { promotion: { text, url } } : {}),
    ...(pixelId === undefined ? {} : { pixelId }),
  }
}
