import type { ServerConfig } from '../../server-config.ts'
import { splitList } from './addresses.ts'
import { defineFlags, UsageError, type FlagValues } from './flag.ts'

/** The ad network, of servers and workers. */
export const adNetworkFlags = defineFlags({
  'gravity-key': {
    kind: 'text',
    placeholder: 'KEY',
    help: 'the API key of the ad network Gravity; without it no network is used',
  },
  'gravity-url': { kind: 'text', placeholder: 'URL', help: 'the endpoint of Gravity, if not the public one' },
  'gravity-test': { kind: 'switch', help: 'request unpaid sample ads from Gravity' },
})

/** Sponsor lines, of servers. */
export const adFlags = defineFlags({
  ...adNetworkFlags,
  'ad-secret': {
    kind: 'text',
    placeholder: 'NEW,OLD',
    help: 'secrets that sign impressions, newest first (default: stored in the database)',
  },
  'promotion-text': { kind: 'text', help: 'the line shown without a campaign' },
  'promotion-url': { kind: 'text', placeholder: 'URL', help: 'the https URL of that line' },
  'pixel-id': { kind: 'text', placeholder: 'ID', help: 'the pixel of users who consented to one' },
})

/** Returns the configuration of the ad network. Throws `UsageError`. */
export function parseGravity(flags: FlagValues<typeof adNetworkFlags>): ServerConfig['gravity'] {
  const [apiKey, endpoint] = [flags['gravity-key'], flags['gravity-url']]
  if (endpoint !== undefined && !URL.canParse(endpoint))
    throw new UsageError(`--gravity-url: invalid URL "${endpoint}"`)
  return apiKey === undefined
    ? undefined
    : { apiKey, test: flags['gravity-test'], ...(endpoint === undefined ? {} : { endpoint }) }
}

/** Returns comma-separated secrets. Throws `UsageError` on one that is too short. */
export function parseSecrets(flag: string, list: string | undefined): string[] {
  const secrets = splitList(list)
  if (secrets.some((secret) => secret.length < 16))
    throw new UsageError(`--${flag}: expected 16 characters or more; create one with: openssl rand -hex 24`)
  return secrets
}

/** Returns the ads' part of the service options. Throws `UsageError`. */
export function parseAds(flags: FlagValues<typeof adFlags>): NonNullable<ServerConfig['service']['ads']> {
  const secret = parseSecrets('ad-secret', flags['ad-secret'])
  const [text, url, pixelId] = [flags['promotion-text'], flags['promotion-url'], flags['pixel-id']]
  if ((text === undefined) !== (url === undefined))
    throw new UsageError('--promotion-text and --promotion-url must be set together')
  if (url !== undefined && !(URL.canParse(url) && new URL(url).protocol === 'https:'))
    throw new UsageError(`--promotion-url: expected an https URL, not "${url}"`)
  return {
    ...(secret.length > 0 ? { secret } : {}),
    ...(text !== undefined && url !== undefined ? { promotion: { text, url } } : {}),
    ...(pixelId === undefined ? {} : { pixelId }),
  }
}
