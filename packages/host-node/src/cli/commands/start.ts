import { existsSync } from 'node:fs'
import { createLogger } from '../../log.ts'
import { serve } from '../../serve.ts'
import { localPath } from '../../server-config.ts'
import { parseBaseUrl, parseOrigins, parsePrefix, parseSmtp } from '../flags/addresses.ts'
import { parseGravity } from '../flags/ads.ts'
import { parsePersistentDatabase } from '../flags/database.ts'
import { UsageError } from '../flags/flag.ts'
import { toBodyDeadlines } from '../flags/limits.ts'
import { requireStrongTokens } from '../flags/operators.ts'
import {
  parseBlobs,
  parseDetectorModel,
  parseCountry,
  parseMetrics,
  parseQueue,
  parseService,
  parseVerifier,
  requireSecret,
} from '../flags/service.ts'
import { startFlags } from '../flags/start.ts'
import { parseTelemetry } from '../flags/telemetry.ts'
import { inspectDatabase, requireWritable } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'
import { waitForSignal } from '../signals.ts'

/** `tributary start`: serves in production. */
export const startCommand = defineCommand({
  description: `On SIGTERM /readyz answers 503 and new connections are served for --drain-seconds; then the port closes, running
requests finish, leases are released, and the process ends within 10 seconds.
Probes: /healthz (the process) and /readyz (the database). /metrics (Prometheus) answers this machine and, from elsewhere or
through a proxy that sends x-forwarded-for, operators with their token as a bearer; --metrics open answers everyone.`,
  example:
    'TRIBUTARY_SMTP_URL=smtps://user:password@mail.example.com tributary start --base-url ' +
    'https://api.example.com --database ./tributary.db --mail-from hello@example.com',
  flags: startFlags,
  async run(flags, { out }) {
    const baseUrl = parseBaseUrl(flags['base-url'])
    const country = await parseCountry(flags)
    requireStrongTokens(flags)
    const smtpUrl = flags['smtp-url']
    const mailFrom = flags['mail-from']
    if (!smtpUrl)
      throw new UsageError(
        '--smtp-url (or TRIBUTARY_SMTP_URL) is required, such as smtps://user:password@host: sign-in codes are mailed',
      )
    if (!mailFrom) throw new UsageError('--mail-from is required, such as --mail-from hello@example.com')
    requireSecret(flags)
    const database = parsePersistentDatabase(flags)
    await inspectDatabase(database)
    const path = localPath(database)
    const isCreated = path !== null && !existsSync(path)
    if (isCreated && flags['require-database'])
      throw new UsageError(`--require-database: there is no database at ${path}; without the flag one is created there`)
    requireWritable(path)
    const logger = createLogger(flags['log-level'])
    const drainMs = flags['drain-seconds'] * 1000
    const serving = await serve({
      logger,
      port: flags.port,
      hostname: flags.host,
      drainMs,
      worker: flags.worker === 'thread',
      migrate: flags.migrate === 'on',
      metrics: parseMetrics(flags.metrics),
      ...toBodyDeadlines(flags),
      config: {
        database,
        ...parseBlobs(flags.blobs),
        ...parseVerifier(flags.verifier),
        ...parseDetectorModel(flags),
        ...parseQueue(flags.queue),
        smtp: parseSmtp(smtpUrl, mailFrom),
        logLevel: flags['log-level'],
        country,
        gravity: parseGravity(flags),
        telemetry: parseTelemetry(flags),
        service: {
          ...parseService(flags, baseUrl),
          trustedProxies: flags['trusted-proxies'],
          ...(flags.origins ? { origins: parseOrigins(flags.origins) } : {}),
          ...(flags.prefix === undefined ? {} : { prefix: parsePrefix(flags.prefix) }),
        },
      },
    })
    const { url } = serving.listening
    const created = isCreated ? { created: path } : {}
    if (isCreated && !flags.json) out(`created a new database at ${path}\n`)
    out(flags.json ? `${JSON.stringify({ ok: true, url, baseUrl, ...created })}\n` : `Serving ${baseUrl} at ${url}\n`)
    if (flags.worker === 'off') {
      const note =
        'no worker runs here: batches wait, and no feedback, report or impression is sent, until `tributary worker` runs on this database'
      if (flags.json) logger.warn({ fix: note }, 'worker.off')
      else out(`Note: ${note}.\n`)
    }
    return waitForSignal(serving, logger, drainMs)
  },
})
