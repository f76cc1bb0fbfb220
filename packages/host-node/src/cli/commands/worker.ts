import { existsSync } from 'node:fs'
import { serviceOptions } from '@tributary/core/host'
import { createWorker } from '@tributary/core/worker'
import { loadAws, startQueueWorker } from '../../aws.ts'
import { listenMetrics } from '../../http/listen-metrics.ts'
import { createLogger } from '../../log.ts'
import { requireMigrated } from '../../serve.ts'
import { localPath, logReplaced, openStore, toServiceOptions } from '../../server-config.ts'
import { CommandError } from '../errors.ts'
import { parseBaseUrl, parseSmtp } from '../flags/addresses.ts'
import { adNetworkFlags, parseGravity } from '../flags/ads.ts'
import { databaseFlags, parsePersistentDatabase } from '../flags/database.ts'
import { defineFlags, readOptions } from '../flags/flag.ts'
import {
  jsonFlags,
  logFlags,
  parseBlobs,
  parseDetectorModel,
  parseQueue,
  parseSecret,
  parseVerifier,
  parseWorkerMetrics,
  queueFlags,
  requireSecret,
  secretFlags,
  serviceFlags,
  workerMetricsFlags,
} from '../flags/service.ts'
import { parseTelemetry, telemetryFlags } from '../flags/telemetry.ts'
import { inspectDatabase, requireWritable } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'
import { waitForSignal } from '../signals.ts'

/** `tributary worker`: ingests jobs and sends mail, without serving. */
export const workerCommand = defineCommand({
  description: `Any number of workers may run on one database; a job is leased to one of them and taken over when that one dies.
A worker needs the --secret of the server, or its --admin-token: waiting uploads are encrypted with it.
With --metrics-port it serves /metrics (Prometheus), /healthz and /readyz there.
With --queue it also runs announced jobs immediately; AWS_REGION and the credentials are AWS's own variables.`,
  example: 'tributary worker --database libsql://db.example.com',
  flags: {
    ...databaseFlags,
    ...jsonFlags,
    ...logFlags,
    ...queueFlags,
    ...secretFlags,
    ...adNetworkFlags,
    ...telemetryFlags,
    ...workerMetricsFlags,
    'usd-per-million-tokens': serviceFlags['usd-per-million-tokens'],
    'ad-share': serviceFlags['ad-share'],
    'ingest-limit': serviceFlags['ingest-limit'],
    'blobs': serviceFlags['blobs'],
    'contents': serviceFlags['contents'],
    'content-bytes': serviceFlags['content-bytes'],
    'verifier': serviceFlags['verifier'],
    'detector-model': serviceFlags['detector-model'],
    'detector-threshold': serviceFlags['detector-threshold'],
    ...defineFlags({
      'base-url': {
        kind: 'text',
        placeholder: 'URL',
        default: 'http://127.0.0.1:8787',
        help: 'the public URL of the service, used for links in mails',
      },
      'admin-token': { kind: 'text', help: "the server's admin token, if its secret is derived from the token" },
      'smtp-url': { kind: 'text', placeholder: 'URL', help: 'the mail server, over TLS (smtps:// or STARTTLS)' },
      'mail-from': {
        kind: 'text',
        placeholder: 'ADDRESS',
        default: 'tributary@localhost',
        help: 'the sender of mails',
      },
    }),
  },
  async run(flags, { out }) {
    const logger = createLogger(flags['log-level'])
    const database = parsePersistentDatabase(flags)
    const path = localPath(database)
    if (path !== null && !existsSync(path))
      throw new CommandError(`File not found: ${path}. Create the database with \`tributary migrate\``)
    await inspectDatabase(database)
    requireWritable(path)
    const baseUrl = parseBaseUrl(flags['base-url'])
    const smtp = flags['smtp-url'] ? parseSmtp(flags['smtp-url'], flags['mail-from']) : undefined
    requireSecret(flags)
    const metricsOptions = parseWorkerMetrics(flags)
    const { queueUrl } = parseQueue(flags.queue)
    const blobs = parseBlobs(flags.blobs)
    // Missing packages are reported before a job is claimed.
    if (queueUrl !== undefined || blobs.bucket !== undefined) await loadAws()
    const verificationFailures: Record<string, number> = {}
    const onFound = (rules: readonly string[]): void => {
      for (const rule of rules) verificationFailures[rule] = (verificationFailures[rule] ?? 0) + 1
    }
    const opened = await openStore(database, { onReplaced: logReplaced(logger) })
    const worker = createWorker(
      await toServiceOptions(
        {
          database,
          ...blobs,
          ...parseVerifier(flags.verifier),
          ...parseDetectorModel(flags),
          smtp,
          gravity: parseGravity(flags),
          telemetry: parseTelemetry(flags),
          service: {
            baseUrl,
            ...readOptions(serviceOptions, flags),
            ...parseSecret(flags),
            ...(flags['admin-token'] === undefined ? {} : { adminToken: flags['admin-token'] }),
          },
        },
        { opened, logger, onFound },
      ),
    )
    await requireMigrated(opened)
    const metrics = metricsOptions && (await listenMetrics(worker, { ...metricsOptions, verificationFailures }))
    const loop = worker.startWorker()
    const warmUp = new AbortController()
    void worker.warmUp(warmUp.signal)
    const queueWorker = queueUrl === undefined ? null : await startQueueWorker(worker, queueUrl, logger)
    out(
      flags.json
        ? `${JSON.stringify({ ok: true, database: flags.database, ...(metrics ? { metrics: metrics.url } : {}) })}\n`
        : `Ingesting the jobs of ${flags.database}${metrics ? `, metrics at ${metrics.url}/metrics` : ''}   (Ctrl-C stops)\n`,
    )
    if (!smtp) logger.warn({ fix: 'set --smtp-url; mails wait until then' }, 'worker.mail.off')
    return waitForSignal(
      {
        async stop() {
          warmUp.abort()
          await Promise.all([loop.stop(), queueWorker?.stop(), metrics?.close()])
          await opened.close()
        },
      },
      logger,
    )
  },
})
