import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { createClient } from '@libsql/client'
import {
  gravity,
  otlpSink,
  type AdsOptions,
  type Blobs,
  type Logger,
  type Mailer,
  type ServiceOptions,
  type Stores,
} from '@tributary/core'
import { libsqlStores, migrate, remoteConfig, type Migrated, type SqlClient } from '@tributary/core/libsql'
import { bucketBlobs, remoteQueue } from './aws.ts'
import { fileBlobs } from './sqlite/blobs.ts'
import { countryFrom, type CountrySource } from './country.ts'
import { openLocal, type Local, type LocalOptions } from './sqlite/local.ts'
import { smtpMailer } from './mail.ts'
import { outsideFetch } from './http/outside.ts'
import { nodeDigest, nodeRandom } from './platform.ts'
import { pause } from './worker/worker-loop.ts'

/** Where the database is: a path, `file:` with a path, or the address of a remote one (`libsql://`, `https://`). */
export interface DatabaseConfig {
  readonly url: string
  readonly authToken?: string | undefined
}

/** A service's configuration as plain data, so that a thread or another process can make the same service of it. */
export interface ServerConfig {
  readonly database: DatabaseConfig
  /** A folder for raw uploads; default: they wait in the database. */
  readonly blobFolder?: string | undefined
  /** A bucket of S3 for them, `bucket` or `bucket/prefix`. */
  readonly bucket?: string | undefined
  /** The address of a queue of SQS that workers elsewhere look into. */
  readonly queueUrl?: string | undefined
  readonly country?: CountrySource
  readonly smtp?: { readonly url: string; readonly from: string } | undefined
  readonly logLevel?: string
  /** A collector that telemetry goes on to, over OTLP/HTTP; default: none. */
  readonly telemetry?: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined
  /** Gravity as the ad network; default: none. */
  readonly gravity?: { readonly apiKey: string; readonly endpoint?: string; readonly test?: boolean } | undefined
  /** Whatever else of the service's options is plain data. */
  readonly service: Omit<
    ServiceOptions,
    | 'stores'
    | 'intake'
    | 'pause'
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
    | 'telemetrySink'
    | 'ads'
  > & { readonly ads?: Omit<AdsOptions, 'network'> }
}

/** The path of a local database, or null for a remote one. */
export function localPath({ url }: DatabaseConfig): string | null {
  if (/^(?:libsql|https?|wss?):/i.test(url)) return null
  return url === ':memory:' ? url : resolve(url.replace(/^file:(?:\/\/)?/i, ''))
}

/** The same database from any working directory. */
export function withAbsolutePath(database: DatabaseConfig): DatabaseConfig {
  const path = localPath(database)
  return path === null ? database : { ...database, url: path }
}

/** An open database. */
export interface OpenDatabase {
  readonly client: SqlClient
  /** Set when it is a local file. */
  readonly local: Local | null
  readonly stores: Stores
}

/** Opens a client of a remote database; a statement rejects after `deadlineMs`, default 5,000. */
export function remoteClient({ url, authToken }: DatabaseConfig, deadlineMs?: number): SqlClient {
  return createClient(
    remoteConfig({ url, authToken, fetch, ...(deadlineMs === undefined ? {} : { deadlineMs }) }),
  ) as unknown as SqlClient
}

/** Opens the database of a plan; a local file's folder is made. Nothing is read or written before the first statement. */
export function openStore(database: DatabaseConfig, options: LocalOptions = {}): OpenDatabase {
  const path = localPath(database)
  if (path === null) {
    const client = remoteClient(database)
    return { client, local: null, stores: libsqlStores(client) }
  }
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true })
  const local = openLocal(path, options)
  return { client: local, local, stores: libsqlStores(local) }
}

/** A step of a migration rewrites whole tables, so that it may take longer than a statement of a request. */
const migrationMs = 10 * 60 * 1000

/** Brings the schema of an open database up to date, or only says how with `dryRun`. */
export async function migrateStore(
  database: DatabaseConfig,
  { client, local }: OpenDatabase,
  options: { readonly dryRun?: boolean } = {},
): Promise<Migrated> {
  if (local) return migrate(client, options)
  const patient = remoteClient(database, migrationMs)
  try {
    return await migrate(patient, options)
  } finally {
    patient.close()
  }
}

/** Logs for an operator that another program deleted or replaced the database's files (`onReplaced` of `openLocal`). */
export const logReplaced =
  (logger: Logger) =>
  (error: Error): void =>
    logger.error({ event: 'database.file_replaced' }, error.message)

/** What a plan cannot hold, handed over by whoever makes the service. */
export interface Parts {
  readonly opened: OpenDatabase
  readonly logger: Logger
  /** Default: SMTP when the plan has it. */
  readonly mailer?: Mailer | undefined
}

/** The blobs of a plan, or null for those of the stores. */
function blobsOf(plan: ServerConfig): Blobs | null {
  if (plan.bucket !== undefined) return bucketBlobs(plan.bucket)
  return plan.blobFolder === undefined ? null : fileBlobs(plan.blobFolder)
}

/** The service's options from a plan. Throws when a file it names cannot be read. */
export async function toServiceOptions(plan: ServerConfig, { opened, logger, mailer }: Parts): Promise<ServiceOptions> {
  const blobs = blobsOf(plan)
  const sends = mailer ?? (plan.smtp ? smtpMailer(plan.smtp.url, plan.smtp.from) : undefined)
  return {
    ...plan.service,
    stores: opened.stores,
    logger,
    random: nodeRandom,
    digest: nodeDigest,
    yieldToEventLoop: pause,
    country: await countryFrom(plan.country ?? {}, logger),
    ...(plan.queueUrl === undefined ? {} : { queue: remoteQueue(plan.queueUrl) }),
    ...(blobs ? { blobs } : {}),
    ...(sends ? { mailer: sends } : {}),
    ...(plan.telemetry ? { telemetrySink: otlpSink({ ...plan.telemetry, fetch }) } : {}),
    ...(plan.gravity
      ? { ads: { ...plan.service.ads, network: gravity({ ...plan.gravity, fetch, outside: outsideFetch() }) } }
      : {}),
  }
}
