import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import {
  gravity,
  otlpSink,
  type AdsOptions,
  type Blobs,
  type Logger,
  type Mailer,
  type ServiceOptions,
} from '@tributary/core'
import {
  libsqlStores,
  migrate,
  openDatabase,
  remoteConfig,
  type Migrated,
  type SqlClient,
} from '@tributary/core/libsql'
import { webAuthnPasskeys } from '@tributary/core/passkeys'
import type { OpenDatabase } from './open-database.ts'
import { isPostgres, openPostgres } from './postgres.ts'
import { bucketBlobs, remoteQueue } from './aws.ts'
import { fileBlobs } from './sqlite/blobs.ts'
import { countryFrom, type CountrySource } from './country.ts'
import { openLocal, type LocalOptions } from './sqlite/local.ts'
import { smtpMailer } from './mail.ts'
import { transformersDetector, type DetectorModel } from './detector-model/model-detector.ts'
import { secretlintVerifier, withFindings } from './secretlint.ts'
import { outsideFetch } from './http/outside.ts'
import { nodeDigest, nodeRandom, yieldToEventLoop } from './platform.ts'

/**
 * The location of the database: a path, `file:` with a path, or the URL of a remote database (`libsql://`, `https://`,
 * `postgres://`).
 */
export interface DatabaseConfig {
  readonly url: string
  readonly authToken?: string | undefined
}

/** A service's configuration as plain data, from which a thread or another process creates the same service. */
export interface ServerConfig {
  readonly database: DatabaseConfig
  /** A folder for raw uploads. Default: the database. */
  readonly blobFolder?: string | undefined
  /** An S3 bucket for raw uploads, `bucket` or `bucket/prefix`. */
  readonly bucket?: string | undefined
  /** The URL of the SQS queue that announces jobs to workers on other machines. */
  readonly queueUrl?: string | undefined
  readonly country?: CountrySource
  readonly smtp?: { readonly url: string; readonly from: string } | undefined
  readonly logLevel?: string
  /** The OTLP/HTTP endpoint to which telemetry is exported. Default: none. */
  readonly telemetry?: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined
  /** Whether webhooks may be sent to http and private addresses, for development. Default: false. */
  readonly privateWebhooks?: boolean
  /** The ad network Gravity. Default: none. */
  readonly gravity?: { readonly apiKey: string; readonly endpoint?: string; readonly test?: boolean } | undefined
  /** The verifier that reads traces again after the scrubber. Default: none. */
  readonly verifier?: 'secretlint' | undefined
  /** A model that finds personal data in the prose of traces. Default: none. */
  readonly detectorModel?: DetectorModel | undefined
  /** The other service options that are plain data. */
  readonly service: Omit<
    ServiceOptions,
    | 'stores'
    | 'intake'
    | 'downloads'
    | 'yieldToEventLoop'
    | 'clock'
    | 'random'
    | 'digest'
    | 'logger'
    | 'mailer'
    | 'blobs'
    | 'queue'
    | 'country'
    | 'tokenizer'
    | 'identity'
    | 'limiter'
    | 'scrubber'
    | 'verifier'
    | 'detectors'
    | 'telemetrySink'
    | 'onEvent'
    | 'webhooks'
    | 'ads'
  > & { readonly ads?: Omit<AdsOptions, 'network'> }
}

/** Returns the path of a local database, or null for a remote database. */
export function localPath({ url }: DatabaseConfig): string | null {
  if (/^(?:libsql|https?|wss?|postgres(?:ql)?):/i.test(url)) return null
  return url === ':memory:' ? url : resolve(url.replace(/^file:(?:\/\/)?/i, ''))
}

/** Returns the database with a path that does not depend on the working directory. */
export function withAbsolutePath(database: DatabaseConfig): DatabaseConfig {
  const path = localPath(database)
  return path === null ? database : { ...database, url: path }
}

/** Opens a remote database. A statement rejects after `deadlineMs`. Default: 5,000. */
async function remoteClient({ url, authToken }: DatabaseConfig, deadlineMs?: number): Promise<SqlClient> {
  // A server on a local file does not load this package.
  const { createClient } = await import('@libsql/client')
  return createClient(
    remoteConfig({ url, authToken, fetch, ...(deadlineMs === undefined ? {} : { deadlineMs }) }),
  ) as unknown as SqlClient
}

/**
 * Opens a database. Creates the folder of a local file. Nothing is read or written before the first statement. Throws
 * `MissingPackagesError` when the driver of Postgres is not installed.
 */
export async function openStore(database: DatabaseConfig, options: LocalOptions = {}): Promise<OpenDatabase> {
  if (isPostgres(database.url)) return openPostgres(database.url)
  const path = localPath(database)
  if (path !== null && path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
  const local = path === null ? null : openLocal(path, options)
  const client = local ?? (await remoteClient(database))
  return {
    stores: libsqlStores(client),
    database: openDatabase(client),
    local,
    client,
    migrate: (given) => (local ? migrate(local, given) : migrateRemote(database, given)),
    async hasUsers() {
      return (await client.execute({ sql: 'select 1 from users limit 1', args: [] })).rows.length > 0
    },
    async close() {
      client.close()
    },
  }
}

/** The deadline of a statement of a migration, which may rewrite a whole table. */
const migrationStatementMs = 10 * 60 * 1000

async function migrateRemote(database: DatabaseConfig, options: { readonly dryRun?: boolean } = {}): Promise<Migrated> {
  const migrationClient = await remoteClient(database, migrationStatementMs)
  try {
    return await migrate(migrationClient, options)
  } finally {
    migrationClient.close()
  }
}

/** Returns a function that logs the error, for the option `onReplaced` of `openLocal`. */
export const logReplaced =
  (logger: Logger) =>
  (error: Error): void =>
    logger.error({ err: error }, 'database.file_replaced')

/** The parts of a service that are not plain data. */
export interface ServiceParts {
  readonly opened: OpenDatabase
  readonly logger: Logger
  /** The mailer. Default: the SMTP server of the configuration, if any. */
  readonly mailer?: Mailer | undefined
  /** A function that is called with the ids of the verifier's rules that found something in a trace. */
  readonly onFound?: ((rules: readonly string[]) => void) | undefined
}

/** Returns the configured blobs, or null if the blobs of the stores are used. */
export function createBlobs(config: Pick<ServerConfig, 'bucket' | 'blobFolder'>): Blobs | null {
  if (config.bucket !== undefined) return bucketBlobs(config.bucket)
  return config.blobFolder === undefined ? null : fileBlobs(config.blobFolder)
}

/** Returns whether the optional package that verifies passkeys is installed. It is loaded with the first passkey. */
export function canVerifyPasskeys(): boolean {
  try {
    return createRequire(import.meta.url).resolve('@simplewebauthn/server') !== ''
  } catch {
    return false
  }
}

/**
 * Returns the service options of a configuration. Throws when a file that the configuration names cannot be read.
 * Throws `MissingPackagesError` when the packages of its verifier or model are not installed.
 */
export async function toServiceOptions(
  config: ServerConfig,
  { opened, logger, mailer, onFound = () => undefined }: ServiceParts,
): Promise<ServiceOptions> {
  const blobs = createBlobs(config)
  const configuredMailer = mailer ?? (config.smtp ? smtpMailer(config.smtp.url, config.smtp.from) : undefined)
  const { fixed = 'none', header, file } = config.country ?? {}
  const isCountryKnown = fixed !== 'none' || header !== undefined || file !== undefined
  return {
    ...config.service,
    stores: opened.stores,
    logger,
    random: nodeRandom,
    digest: nodeDigest,
    yieldToEventLoop,
    webhooks: config.privateWebhooks
      ? { fetch: outsideFetch({ allows: () => true }), allowPrivateAddresses: true }
      : { fetch: outsideFetch() },
    ...(isCountryKnown ? { country: await countryFrom({ fixed, header, file }, logger) } : {}),
    ...(config.queueUrl === undefined ? {} : { queue: remoteQueue(config.queueUrl) }),
    ...(blobs ? { blobs } : {}),
    ...(configuredMailer ? { mailer: configuredMailer } : {}),
    ...(config.verifier ? { verifier: withFindings(await secretlintVerifier(), onFound) } : {}),
    ...(canVerifyPasskeys() ? { passkeys: webAuthnPasskeys() } : {}),
    ...(config.detectorModel ? { detectors: [transformersDetector(config.detectorModel)] } : {}),
    ...(config.telemetry ? { telemetrySink: otlpSink({ ...config.telemetry, fetch }) } : {}),
    ...(config.gravity
      ? { ads: { ...config.service.ads, network: gravity({ ...config.gravity, fetch, outside: outsideFetch() }) } }
      : {}),
  }
}
