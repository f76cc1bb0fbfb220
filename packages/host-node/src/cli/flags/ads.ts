import { readFileSync } from 'node:fs'
import { createNetworkTest } from '@tributary/core/adapter'
import type { ServerConfig } from '../../server-config.ts'
import { splitList } from './addresses.ts'
import { defineFlags, UsageError, type FlagValues } from './flag.ts'

/** The flags for the ad network, for servers and workers. */
export const adNetworkFlags = defineFlags({
  'gravity-key': {
    kind: 'text',
    placeholder: 'KEY',
    help: 'the API key of the ad network Gravity; without it no network is used',
  },
  'gravity-url': { kind: 'text', placeholder: 'URL', help: 'the endpoint of Gravity, if not the public one' },
  'gravity-test': { kind: 'switch', help: 'request unpaid sample ads from Gravity' },
})

/** The flags of servers for sponsor lines. */
export const adFlags = defineFlags({
  ...adNetworkFlags,
  'ad-secret': {
    kind: 'text',
    placeholder: 'NEW,OLD',
    help: 'secrets that sign impressions, newest first (default: stored in the database)',
  },
  'promotion-text': { kind: 'text', help: 'the line that is shown when no campaign matches' },
  'promotion-url': { kind: 'text', placeholder: 'URL', help: 'the https URL of that line' },
  'datacenter-file': {
    kind: 'text',
    placeholder: 'PATH',
    help: 'networks of data centers, one per line in CIDR notation: impressions from there do not count',
  },
  'pixel-id': { kind: 'text', placeholder: 'ID', help: 'the tracking pixel for users who consented to it' },
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

/** Returns comma-separated secrets. Throws `UsageError` for a secret that is too short. */
export function parseSecrets(flag: string, list: string | undefined): string[] {
  const secrets = splitList(list)
  if (secrets.some((secret) => secret.length < 16))
    throw new UsageError(`--${flag}: expected 16 characters or more; create one with: openssl rand -hex 24`)
  return secrets
}

/** Reads a file of networks; `#` begins a comment. Throws `UsageError`. */
function readDatacenters(path: string): string[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n')
    const networks = lines.map((line) => line.replace(/#.*/, '').trim()).filter((line) => line !== '')
    createNetworkTest(networks)
    return networks
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(`--datacenter-file: ${code === undefined ? message : `cannot read ${path} (${code})`}`)
  }
}

/** Returns the ads' part of the service options. Throws `UsageError`. */
export function parseAds(flags: FlagValues<typeof adFlags>): NonNullable<ServerConfig['service']['ads']> {
  const secret = parseSecrets('ad-secret', flags['ad-secret'])
  const [text, url, pixelId] = [flags['promotion-text'], flags['promotion-url'], flags['pixel-id']]
  const datacenterFile = flags['datacenter-file']
  if ((text === undefined) !== (url === undefined))
    throw new UsageError('--promotion-text and --promotion-url must be set together')
  if (url !== undefined && !(URL.canParse(url) && new URL(url).protocol === 'https:'))
    throw new UsageError(`--promotion-url: expected an https URL, not "${url}"`)
  return {
    ...(secret.length > 0 ? { secret } : {}),
    ...(text !== undefined && url !== undefined ? { promotion: { text, url } } : {}),
    ...(pixelId === undefined ? {} : { pixelId }),
    ...(datacenterFile === undefined ? {} : { datacenters: readDatacenters(datacenterFile) }),
  }
}
