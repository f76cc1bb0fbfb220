import { createService, type Logger, type Mailer, type Queue, type Service, type ServiceOptions } from '@tributary/core'
import { serviceIntake } from '@tributary/core/host'
import { migrate, MigrationError } from '@tributary/core/libsql'
import { sharedIntake, startIngestThread, type IngestThread } from './worker/ingest-thread.ts'
import type { BodyDeadlines } from './http/request.ts'
import { listen, type Listening, type ListenOptions } from './http/listen.ts'
import type { Mailbox } from './mail.ts'
import {
  withAbsolutePath,
  toServiceOptions,
  localPath,
  logReplaced,
  migrateStore,
  openStore,
  type OpenDatabase,
  type ServerConfig,
} from './server-config.ts'

export interface ServeOptions extends Pick<
  ListenOptions,
  'port' | 'hostname' | 'drainMs' | 'pages' | 'metrics' | keyof BodyDeadlines
> {
  readonly plan: ServerConfig
  readonly logger: Logger
  /** Whether this process ingests, in a thread. */
  readonly worker: boolean
  /** Whether the schema is brought up to date first; default true. */
  readonly migrates?: boolean
  /** Called once the schema is there, before anything is served. */
  readonly prepares?: (opened: OpenDatabase) => Promise<void>
  /** Takes every mail; default: the plan's SMTP. */
  readonly mailbox?: Mailbox
}

/** A whole service, from its database to its port. */
export interface Serving {
  readonly service: Service
  readonly listening: Listening
  /** Ends in order: not ready, after `drainMs` no new requests, what runs, the thread with its leases, the database. */
  stop(): Promise<void>
  /** Puts the database down at once; `process.exit` cannot abort the process inside a driver call afterwards. */
  halt(): Promise<void>
}

/** Makes everything that `tributary dev` and `start` serve. Throws what its parts throw, with nothing left open. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { logger, mailbox, migrates = true } = options
  // The thread opens the database again whenever it is started, also after a `chdir`.
  const plan = { ...options.plan, database: withAbsolutePath(options.plan.database) }
  const opened = openStore(plan.database, { onReplaced: logReplaced(logger) })
  let ingester: IngestThread | null = null
  try {
    if (migrates) {
      const { ids } = await migrateStore(plan.database, opened)
      if (ids.length > 0) logger.info({ migrations: ids }, 'the database was brought up to date')
    } else await upToDate(opened)
    await options.prepares?.(opened)
    // A database in memory is its one connection's, so its worker is in this loop.
    const own = options.worker && localPath(plan.database) === ':memory:'
    if (options.worker && !own)
      ingester = startIngestThread({ plan, local: opened.local, logger, onMail: mailbox?.keep })
    const parts = await toServiceOptions(plan, { opened, logger, mailer: mailbox as Mailer | undefined })
    const service = createService(withIngester(parts, ingester))
    // This process stays: nobody shall wait for a part, and what does not load is known now.
    await service.load()
    const listening = await listen(service, {
      baseUrl: plan.service.baseUrl,
      logger,
      worker: own,
      ...pick(options),
    })
    return {
      service,
      listening,
      async stop() {
        await listening.close()
        try {
          await ingester?.stop()
        } finally {
          opened.client.close()
        }
      },
      async halt() {
        opened.client.close()
        await ingester?.halt()
      },
    }
  } catch (error) {
    await ingester?.stop().catch(() => undefined)
    opened.client.close()
    throw error
  }
}

/** Throws `MigrationError` unless the database has this version's schema. */
export async function upToDate({ client }: OpenDatabase): Promise<void> {
  const { ids } = await migrate(client, { dryRun: true })
  if (ids.length > 0)
    throw new MigrationError(
      `the database is not up to date: ${ids.length} to go (${ids.join(', ')}). Run \`tributary migrate\` first.`,
    )
}

function withIngester(parts: ServiceOptions, ingester: IngestThread | null): ServiceOptions {
  if (!ingester) return parts
  const here = serviceIntake(parts)
  const queue: Queue = {
    async send(...given) {
      await parts.queue?.send(...given)
      ingester.wake()
    },
  }
  return { ...parts, intake: sharedIntake(here, ingester.intake), queue }
}

function pick({
  port,
  hostname,
  drainMs = 0,
  pages,
  metrics = 'local',
  bodyTimeoutMs,
  bodyBytesPerSecond,
  bodyMaxMs,
}: ServeOptions): ListenOptions {
  const given = Object.entries({ port, hostname, pages, bodyTimeoutMs, bodyBytesPerSecond, bodyMaxMs }).filter(
    ([, value]) => value !== undefined,
  )
  return { metrics, drainMs, ...Object.fromEntries(given) }
}
