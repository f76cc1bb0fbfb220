import { countryFrom } from '../../country.ts'
import { flags, UsageError, type Values } from '../flags.ts'
import { logLevels } from '../../log.ts'
import type { ServerConfig } from '../../server-config.ts'
import { adFlags, adsOf, secretsOf } from './ads.ts'
import type { MetricsAccess } from '../../http/metrics-access.ts'
import { folderOf } from './address.ts'
import { limitFlags, limitsOf } from './limits.ts'
import { operatorFlags, operatorsOf } from './operators.ts'
import { contactFlag, contactOf, retentionOf, sinkFlags } from './telemetry.ts'

export const databaseFlags = flags({
  'database': {
    kind: 'text',
    value: 'PATH|URL',
    help: 'the database: a file, or libsql:// or https:// of a remote one',
  },
  'database-token': { kind: 'text', help: 'the token of a remote database; better set by its variable' },
})

export const jsonFlag = flags({ json: { kind: 'switch', help: 'print JSON instead of words' } })

export const logFlag = flags({
  'log-level': { kind: 'text', among: logLevels, preset: 'info', help: 'what is logged, as JSON lines on stderr' },
})

/** What keeps the database from giving codes and uploads away: of all that serve or work. */
export const secretFlag = flags({
  secret: {
    kind: 'text',
    value: 'NEW,OLD',
    help: 'what mailed codes are hashed and waiting uploads encrypted under, the newest first; default: made of the admin token',
  },
})

/** What both ways of serving take. */
export const serviceFlags = flags({
  'port': { kind: 'number', preset: 8787, most: 65_535, help: 'where to listen; 0 takes a free port' },
  ...operatorFlags,
  ...secretFlag,
  ...limitFlags,
  'country-header': { kind: 'text', value: 'NAME', help: 'believe this header of a trusted proxy for the country' },
  'country-file': {
    kind: 'text',
    value: 'PATH',
    help: 'a MaxMind country file to look addresses up in; a newer one counts within a minute',
  },
  'min-version': { kind: 'text', value: '1.2.3', help: 'the oldest client version that is served' },
  'require-client-version': { kind: 'switch', help: 'refuse clients that send no version too' },
  'approval': {
    kind: 'text',
    among: ['manual', 'automatic'],
    preset: 'manual',
    help: 'whether the operator approves contributors',
  },
  'usd-per-million-tokens': { kind: 'decimal', preset: 1, help: 'what a million stored tokens is estimated at' },
  'ingest-limit': {
    kind: 'number',
    value: 'BYTES',
    preset: 64 * 1024 * 1024,
    least: 1024,
    help: 'decoded bytes of one batch of traces',
  },
  'blobs': {
    kind: 'text',
    value: 'database|files:DIR|s3:BUCKET/PREFIX',
    preset: 'database',
    help: 'where raw uploads wait for the worker',
  },
  'metrics': {
    kind: 'text',
    among: ['local', 'open', 'off'],
    preset: 'local',
    help: "who reads /metrics; local: this machine, and with the operator's token whoever else",
  },
  'worker': {
    kind: 'text',
    among: ['thread', 'off'],
    preset: 'thread',
    help: 'whether this process ingests; off: run `tributary worker`',
  },
  ...contactFlag,
  ...sinkFlags,
  ...adFlags,
})

/** How long a stopping server stays open; `preset` in seconds. */
export const drainFlag = <Preset extends number>(preset: Preset) =>
  flags({
    'drain-seconds': {
      kind: 'number',
      preset,
      most: 300,
      help: 'after SIGTERM, seconds of 503 at /readyz while new connections are still served',
    },
  })

type Serving = Values<typeof serviceFlags>

/** A `--blobs` value as its part of a plan. Throws `UsageError`. */
export function blobPlace(blobs: string): Pick<ServerConfig, 'blobFolder' | 'bucket'> {
  if (blobs === 'database') return {}
  if (blobs.startsWith('files:') && blobs.length > 6) return { blobFolder: folderOf('blobs', blobs.slice(6)) }
  if (/^s3:[a-z0-9][a-z0-9.-]+(?:\/.*)?$/.test(blobs)) return { bucket: blobs.slice(3) }
  throw new UsageError(`--blobs is "database", "files:" with a folder or "s3:" with a bucket, not "${blobs}".`)
}

/** Where the country comes from. Throws `UsageError`, also for a file that cannot be read. */
export async function countryOf(given: {
  readonly 'country': string
  readonly 'country-header'?: string | undefined
  readonly 'country-file'?: string | undefined
}): Promise<NonNullable<ServerConfig['country']>> {
  const [fixed, header, file] = [given.country, given['country-header'], given['country-file']]
  if (fixed !== 'none' && !/^[A-Za-z]{2}$/.test(fixed))
    throw new UsageError(`--country is two letters like US, or none; not "${fixed}".`)
  if (header !== undefined && !/^[A-Za-z0-9-]+$/.test(header))
    throw new UsageError(`--country-header is the name of a header like cf-ipcountry, not "${header}".`)
  await countryFrom({ file }).catch((error: unknown) => {
    throw new UsageError(
      `--country-file: ${file} cannot be read as a country file of MaxMind's (${error instanceof Error ? error.message : String(error)}).`,
    )
  })
  return { fixed, header, file }
}

export const queueFlag = flags({
  queue: { kind: 'text', value: 'sqs:URL', help: 'a queue of SQS between those who serve and those who ingest' },
})

/** A `--metrics` value as an option of the host. */
export const metricsFor = (given: string): MetricsAccess => (given === 'local' ? 'local' : given === 'open')

/** A `--queue` value as its part of a plan. Throws `UsageError`. */
export function queuePlace(queue: string | undefined): Pick<ServerConfig, 'queueUrl'> {
  if (queue === undefined) return {}
  if (queue.startsWith('sqs:') && URL.canParse(queue.slice(4))) return { queueUrl: queue.slice(4) }
  throw new UsageError(`--queue is "sqs:" with the address of a queue, not "${queue}".`)
}

/** A semantic version (semver 2.0.0): what is none would gate nobody. */
const semver =
  /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z.-]+)?$/

/** The secrets of a service, in its options. Throws `UsageError` on one that is too short. */
export function secretOf(given: Values<typeof secretFlag>): { readonly secret?: readonly string[] } {
  const secret = secretsOf('secret', given.secret)
  return secret.length > 0 ? { secret } : {}
}

/** Throws `UsageError` without a secret of the deployment: nothing would keep whoever reads the database from codes and uploads. */
export function refuseWithoutSecret(given: {
  readonly 'secret'?: string | undefined
  readonly 'admin-token'?: string | undefined
}): void {
  if (given.secret !== undefined || given['admin-token'] !== undefined) return
  throw new UsageError(
    'Say a secret: --secret (better TRIBUTARY_SECRET), the same for every process on this database. Sign-in codes are hashed and ' +
      'waiting uploads encrypted under it; with --admin-token one is made of that. Make one with: openssl rand -hex 24',
  )
}

/** The service's part of a plan from the flags that both commands share. Throws `UsageError`. */
export function serviceOf(given: Serving, baseUrl: string): ServerConfig['service'] {
  const minVersion = given['min-version']
  if (minVersion !== undefined && !semver.test(minVersion))
    throw new UsageError(`--min-version is a semantic version like 1.2.3, not "${minVersion}".`)
  return {
    ...contactOf(given),
    ...retentionOf(given),
    reportEvidence: given['report-evidence'],
    ads: adsOf(given),
    baseUrl,
    requireClientVersion: given['require-client-version'],
    approval: given.approval as 'manual' | 'automatic',
    usdPerMillionTokens: given['usd-per-million-tokens'],
    ingestLimit: given['ingest-limit'],
    ...limitsOf(given),
    ...secretOf(given),
    ...operatorsOf(given),
    ...(minVersion === undefined ? {} : { minVersion }),
  }
}
