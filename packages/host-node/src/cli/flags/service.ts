import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { serviceOptions } from '@tributary/core/host'
import semver from 'semver'
import { countryFrom } from '../../country.ts'
import type { ListenMetricsOptions } from '../../http/listen-metrics.ts'
import type { MetricsAccess } from '../../http/metrics-access.ts'
import { isModelPath } from '../../detector-model/pipeline.ts'
import { logLevels } from '../../log.ts'
import type { ServerConfig } from '../../server-config.ts'
import { createFolder } from './addresses.ts'
import { adFlags, parseAds, parseSecrets } from './ads.ts'
import { defineFlags, optionFlags, readOptions, UsageError, type FlagValues } from './flag.ts'
import { limitFlags, parseLimits } from './limits.ts'
import { operatorFlags, parseOperators, requireStrong } from './operators.ts'
import { parseSigners, signingFlags } from './signing.ts'
import { contactFlags, telemetryFlags } from './telemetry.ts'

export const jsonFlags = defineFlags({ json: { kind: 'switch', help: 'print JSON' } })

export const logFlags = defineFlags({
  'log-level': { kind: 'text', choices: logLevels, default: 'info', help: 'the level of the JSON log on stderr' },
})

/** The secret that protects sign-in codes and waiting uploads, for servers and workers. */
export const secretFlags = defineFlags({
  secret: {
    kind: 'text',
    placeholder: 'NEW,OLD',
    help: 'secrets that hash codes and names of conversations and encrypt uploads, newest first (default: derived from the admin token)',
  },
})

/** The flags of `dev` and `start`. */
export const serviceFlags = defineFlags({
  'port': { kind: 'number', default: 8787, max: 65_535, help: 'the port to listen on; 0 takes a free port' },
  ...operatorFlags,
  ...secretFlags,
  ...signingFlags,
  ...limitFlags,
  'country-header': {
    kind: 'text',
    placeholder: 'NAME',
    help: "the header in which a trusted proxy sends the caller's country",
  },
  'country-file': {
    kind: 'text',
    placeholder: 'PATH',
    help: 'a MaxMind country database; reloaded within a minute when it changes',
  },
  'allowed-countries': {
    kind: 'text',
    placeholder: 'US,DE,..',
    default: 'US',
    help: 'the countries that may upload, as two letters each',
  },
  ...optionFlags(
    serviceOptions,
    'minVersion',
    'requireClientVersion',
    'approval',
    'usdPerMillionTokens',
    'revenueShare',
    'adShare',
    'settleDays',
    'minPayoutUsd',
    'ingestLimit',
    'clientCommand',
    'clientUrl',
  ),
  'blobs': {
    kind: 'text',
    placeholder: 'database|files:DIR|s3:BUCKET/PREFIX',
    default: 'database',
    help: 'where raw uploads wait for the worker, and where `--contents blobs` stores contents',
  },
  ...optionFlags(serviceOptions, 'contents', 'contentBytes'),
  'metrics': {
    kind: 'text',
    choices: ['local', 'open', 'off'],
    default: 'local',
    help: 'who may read /metrics; local: this machine, and operators with their token; with --trusted-proxies only operators (else 401)',
  },
  'worker': {
    kind: 'text',
    choices: ['thread', 'off'],
    default: 'thread',
    help: 'where jobs are ingested; off: only by `tributary worker`',
  },
  'verifier': {
    kind: 'text',
    choices: ['secretlint', 'off'],
    default: 'off',
    help: 'checks scrubbed traces again and rejects traces with a secret; the same for every process on this database',
  },
  'detector-model': {
    kind: 'text',
    placeholder: 'MODEL',
    help:
      'a model that finds names and other personal data in the prose of traces: openai/privacy-filter, or ' +
      'the path of a folder; the same for every process on this database (default: none)',
  },
  'detector-threshold': {
    kind: 'decimal',
    placeholder: 'SCORE',
    default: 0.5,
    max: 1,
    help: 'the lowest score at which a finding of --detector-model is replaced',
  },
  ...contactFlags,
  ...telemetryFlags,
  ...adFlags,
})

/** Declares how long a stopping server accepts connections. */
export function createDrainFlags<const Seconds extends number>(seconds: Seconds) {
  return defineFlags({
    'drain-seconds': {
      kind: 'number',
      default: seconds,
      max: 300,
      help: 'seconds after SIGTERM in which /readyz answers 503 and new connections are still served',
    },
  })
}

export const queueFlags = defineFlags({
  queue: { kind: 'text', placeholder: 'sqs:URL', help: 'the SQS queue between servers and workers' },
})

/** Returns the place where raw uploads are stored. Throws `UsageError`. */
export function parseBlobs(blobs: string): Pick<ServerConfig, 'blobFolder' | 'bucket'> {
  if (blobs === 'database') return {}
  if (blobs.startsWith('files:') && blobs.length > 6) return { blobFolder: createFolder('blobs', blobs.slice(6)) }
  if (/^s3:[a-z0-9][a-z0-9.-]+(?:\/.*)?$/.test(blobs)) return { bucket: blobs.slice(3) }
  throw new UsageError(`--blobs: expected "database", "files:DIR" or "s3:BUCKET", not "${blobs}"`)
}

/** Returns the source of the caller's country. Throws `UsageError`, also if a file cannot be read. */
export async function parseCountry(flags: {
  readonly 'country': string
  readonly 'country-header'?: string | undefined
  readonly 'country-file'?: string | undefined
}): Promise<NonNullable<ServerConfig['country']>> {
  const [fixed, header, file] = [flags.country, flags['country-header'], flags['country-file']]
  if (fixed !== 'none' && !/^[A-Za-z]{2}$/.test(fixed))
    throw new UsageError(`--country: expected two letters such as US, or none, not "${fixed}"`)
  if (header !== undefined && !/^[A-Za-z0-9-]+$/.test(header))
    throw new UsageError(`--country-header: expected the name of a header such as cf-ipcountry, not "${header}"`)
  await countryFrom({ file }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`--country-file: cannot read ${file} as a MaxMind country database (${reason})`)
  })
  return { fixed, header, file }
}

/** The address at which a `tributary worker` serves its metrics. */
export const workerMetricsFlags = defineFlags({
  'metrics-port': {
    kind: 'number',
    max: 65_535,
    help: 'the port of /metrics, /healthz and /readyz of this worker; 0 takes a free port (default: none)',
  },
  'metrics-host': { kind: 'text', placeholder: 'ADDRESS', default: '127.0.0.1', help: 'the address of that port' },
  'metrics-token': {
    kind: 'text',
    help: 'the bearer token for metrics on other machines (16 characters or more); without it only this machine may read them',
  },
})

/**
 * Returns the address at which the metrics are served, or null if they are not served. Throws `UsageError` for an
 * address that other machines can reach if there is no token.
 */
export function parseWorkerMetrics(flags: FlagValues<typeof workerMetricsFlags>): ListenMetricsOptions | null {
  const [port, hostname, token] = [flags['metrics-port'], flags['metrics-host'], flags['metrics-token']]
  if (token !== undefined && token.length < 16) throw new UsageError('--metrics-token: expected 16 characters or more')
  if (port === undefined) return null
  if (token === undefined && !/^(?:127\.|::1$|localhost$)/.test(hostname))
    throw new UsageError(`--metrics-host ${hostname}: other machines need a --metrics-token`)
  return { port, hostname, ...(token === undefined ? {} : { token }) }
}

/** Returns the callers that may read the metrics. */
export function parseMetrics(value: string): MetricsAccess {
  return value === 'local' ? 'local' : value === 'open'
}

/** Returns the verifier that reads traces again after the scrubber. */
export function parseVerifier(value: string): Pick<ServerConfig, 'verifier'> {
  return value === 'secretlint' ? { verifier: value } : {}
}

/** Returns the model that finds personal data in prose. Throws `UsageError` for a folder without a model. */
export function parseDetectorModel(flags: {
  readonly 'detector-model'?: string | undefined
  readonly 'detector-threshold': number
}): Pick<ServerConfig, 'detectorModel'> {
  const model = flags['detector-model']
  if (model === undefined) return {}
  if (isModelPath(model) && !existsSync(join(model, 'config.json')))
    throw new UsageError(`--detector-model: no model in ${model}, its config.json is missing`)
  return { detectorModel: { model, threshold: flags['detector-threshold'] } }
}

/** Returns the queue between servers and workers. Throws `UsageError`. */
export function parseQueue(queue: string | undefined): Pick<ServerConfig, 'queueUrl'> {
  if (queue === undefined) return {}
  if (queue.startsWith('sqs:') && URL.canParse(queue.slice(4))) return { queueUrl: queue.slice(4) }
  throw new UsageError(`--queue: expected "sqs:" and the URL of a queue, not "${queue}"`)
}

/** Returns the secrets of a service. Throws `UsageError` for a secret that is too short. */
export function parseSecret(flags: FlagValues<typeof secretFlags>): { readonly secret?: readonly string[] } {
  const secret = parseSecrets('secret', flags.secret)
  return secret.length > 0 ? { secret } : {}
}

/**
 * Throws `UsageError` without a secret, because then anyone who reads the database could read codes and uploads. The
 * newest secret must be as strong as an operator's token. Older secrets only read data that they protected before.
 */
export function requireSecret(flags: {
  readonly 'secret'?: string | undefined
  readonly 'admin-token'?: string | undefined
}): void {
  const [newest] = parseSecrets('secret', flags.secret)
  if (newest !== undefined) return requireStrong('--secret', newest)
  if (flags['admin-token'] !== undefined) return
  throw new UsageError(
    '--secret (or TRIBUTARY_SECRET) is required, the same for every process on this database: it hashes sign-in codes and ' +
      'encrypts waiting uploads. With --admin-token, it is derived from that token. Create one with: openssl rand -hex 24',
  )
}

function parseAllowedCountries(value: string): readonly string[] {
  const countries = value.split(',').map((country) => country.trim().toUpperCase())
  const wrong = countries.find((country) => !/^[A-Z]{2}$/.test(country))
  if (wrong !== undefined)
    throw new UsageError(`--allowed-countries: expected two letters each, such as US,DE, not "${wrong}"`)
  return [...new Set(countries)]
}

/** Returns the service options of `dev` and `start`. Throws `UsageError`. */
export function parseService(flags: FlagValues<typeof serviceFlags>, baseUrl: string): ServerConfig['service'] {
  const minVersion = flags['min-version']
  if (minVersion !== undefined && semver.valid(minVersion) !== minVersion.replace(/\+.*$/, ''))
    throw new UsageError(`--min-version: expected a semantic version such as 1.2.3, not "${minVersion}"`)
  return {
    ...readOptions(serviceOptions, flags),
    allowedCountries: parseAllowedCountries(flags['allowed-countries']),
    ads: parseAds(flags),
    baseUrl,
    ...parseLimits(flags),
    ...parseSecret(flags),
    signingKeys: parseSigners(flags).map(({ published }) => published),
    ...parseOperators(flags),
  }
}
