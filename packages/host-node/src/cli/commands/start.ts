import { existsSync } from 'node:fs'
import { createLogger } from '../../log.ts'
import { serve } from '../../serve.ts'
import { localPath } from '../../server-config.ts'
import { parseBaseUrl } from '../flags/addresses.ts'
import { parsePersistentDatabase } from '../flags/database.ts'
import { UsageError } from '../flags/flag.ts'
import { toBodyDeadlines } from '../flags/limits.ts'
import { parseMetrics } from '../flags/service.ts'
import { parseMailFlags, parseStart, startFlags } from '../flags/start.ts'
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
    const smtp = parseMailFlags(flags)
    const parsed = await parseStart(flags, baseUrl)
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
      config: { database, smtp, ...parsed },
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
