import { createService, type Logger, type Mailer, type Queue, type Service, type ServiceOptions } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import { serviceIntake } from '@tributary/core/host'
import { MigrationError } from '@tributary/core/libsql'
import { listen, type Listening, type ListenOptions } from './http/listen.ts'
import type { HostPages } from './http/page.ts'
import { defaultBodyDeadlines, type BodyDeadlines } from './http/request.ts'
import type { Mailbox } from './mail.ts'
import type { OpenDatabase } from './open-database.ts'
import {
  localPath,
  logReplaced,
  openStore,
  toServiceOptions,
  withAbsolutePath,
  type ServerConfig,
} from './server-config.ts'
import { sharedIntake, startIngestThread, type IngestThread } from './worker/ingest-thread.ts'

export interface ServeOptions extends Pick<
  ListenOptions,
  'port' | 'hostname' | 'drainMs' | 'metrics' | keyof BodyDeadlines
> {
  readonly config: ServerConfig
  readonly logger: Logger
  /** Whether the thread of this process runs the jobs. */
  readonly worker: boolean
  /** Whether pending migrations are applied first. Default: true. */
  readonly migrate?: boolean
  /** A function that is called after the migrations, before anything is served. */
  readonly prepare?: (opened: OpenDatabase) => Promise<void>
  /** Returns further pages of the host, for the options of the service. */
  readonly pages?: (options: ServiceOptions) => HostPages
  /** Receives every mail. Default: the SMTP server of `config`. */
  readonly mailbox?: Mailbox
}

/** A complete server, from its database to its port. */
export interface Serving {
  readonly service: Service
  readonly listening: Listening
  /**
   * Stops the parts in this order: readiness, the port (after `drainMs`), running requests, the thread with its leases,
   * and the database.
   */
  stop(): Promise<void>
  /** Closes the database immediately, so that `process.exit` cannot abort the process inside a driver call. */
  halt(): Promise<void>
}

const optionNames = {
  ...defaultBodyDeadlines,
  port: true,
  hostname: true,
  drainMs: true,
  metrics: true,
  config: true,
  logger: true,
  worker: true,
  migrate: true,
  prepare: true,
  pages: true,
  mailbox: true,
}
const configNames = {
  database: true,
  blobFolder: true,
  bucket: true,
  queueUrl: true,
  country: true,
  smtp: true,
  logLevel: true,
  telemetry: true,
  privateWebhooks: true,
  gravity: true,
  verifier: true,
  detectorModel: true,
  service: true,
}

/** Starts the server of `tributary dev` and `start`. On an error, closes everything that was opened. */
export async function serve(options: ServeOptions): Promise<Serving> {
  checkOptionNames(options, optionNames)
  checkOptionNames(options.config, configNames, 'config.')
  const {
    logger,
    mailbox,
    config: given,
    worker,
    migrate: isMigrating = true,
    prepare,
    pages,
    ...listenOptions
  } = options
  // A thread that restarts opens the database again, possibly after a `chdir`, so the path must be absolute.
  const config = { ...given, database: withAbsolutePath(given.database) }
  const opened = await openStore(config.database, { onReplaced: logReplaced(logger) })
  let ingestThread: IngestThread | null = null
  const verificationFailures: Record<string, number> = {}
  const onFound = (rules: readonly string[]): void => {
    for (const rule of rules) verificationFailures[rule] = (verificationFailures[rule] ?? 0) + 1
  }
  try {
    if (isMigrating) {
      const { ids } = await opened.migrate()
      if (ids.length > 0) logger.info({ migrations: ids }, 'database.migrated')
    } else await requireMigrated(opened)
    await prepare?.(opened)
    // A database in memory has a single connection, so its worker runs in this event loop.
    const worksHere = worker && localPath(config.database) === ':memory:'
    if (localPath(config.database) !== ':memory:')
      ingestThread = startIngestThread({
        config,
        local: opened.local,
        logger,
        runsJobs: worker,
        onMail: mailbox?.add,
        onFound,
      })
    const serviceOptions = await toServiceOptions(config, {
      opened,
      logger,
      mailer: mailbox as Mailer | undefined,
      onFound,
    })
    const service = createService(ingestThread ? withIngestThread(serviceOptions, ingestThread) : serviceOptions)
    // If a part cannot be loaded, the start must fail instead of the first request that needs this part.
    await service.load()
    const listening = await listen(service, {
      ...listenOptions,
      metrics: listenOptions.metrics ?? 'local',
      ...(pages ? { pages: pages(serviceOptions) } : {}),
      logger,
      verificationFailures,
      ...(ingestThread ? { sources: [ingestThread] } : {}),
      worker: worksHere,
    })
    return {
      service,
      listening,
      async stop() {
        await listening.close()
        try {
          await ingestThread?.stop()
        } finally {
          await opened.close()
        }
      },
      async halt() {
        await opened.close()
        await ingestThread?.halt()
      },
    }
  } catch (error) {
    await ingestThread?.stop().catch(() => undefined)
    await opened.close()
    throw error
  }
}

/** Throws `MigrationError` when migrations are pending. */
export async function requireMigrated(opened: OpenDatabase): Promise<void> {
  const { ids } = await opened.migrate({ dryRun: true })
  if (ids.length > 0)
    throw new MigrationError(
      `${ids.length} migrations are pending (${ids.join(', ')}); run \`tributary migrate\` first`,
    )
}

/** Returns options with which the thread handles large batches and downloads, and queued jobs wake the thread. */
function withIngestThread(options: ServiceOptions, ingestThread: IngestThread): ServiceOptions {
  const queue: Queue = {
    async send(...args) {
      await options.queue?.send(...args)
      ingestThread.wake()
    },
  }
  const { downloads } = ingestThread
  return { ...options, intake: sharedIntake(serviceIntake(options), ingestThread.intake), downloads, queue }
}
