import { flags, UsageError } from '../flags.ts'
import { createLogger } from '../../log.ts'
import { serve } from '../../serve.ts'
import { untilSignal } from '../signals.ts'
import { baseOf, originsOf, prefixOf, smtpOf } from './address.ts'
import { gravityOf } from './ads.ts'
import { command } from './command.ts'
import { inspectDatabase } from './database.ts'
import { bodyDeadlinesOf } from './limits.ts'
import {
  blobPlace,
  countryOf,
  databaseFlags,
  drainFlag,
  jsonFlag,
  logFlag,
  metricsFor,
  queueFlag,
  queuePlace,
  refuseWithoutSecret,
  serviceFlags,
  serviceOf,
} from './options.ts'
import { refuseWeakTokens } from './operators.ts'
import { sinkOf } from './telemetry.ts'
import { lastingOf } from './trouble.ts'

/** `tributary start`: serves in production. */
export const startCommand = command({
  name: 'start',
  summary: 'serves in production, behind a proxy that speaks https',
  about: `SIGTERM: /readyz says 503, new connections are served for --drain-seconds; then it closes the port, finishes what runs, gives its
leases back and ends within 10 seconds.
Probes: /healthz (the process), /readyz (the database). /metrics (Prometheus) answers this machine alone and, from elsewhere or
through a proxy that says x-forwarded-for, the operator's token as a bearer; --metrics open answers everybody.`,
  example:
    'TRIBUTARY_SMTP_URL=smtps://user:password@mail.example.com tributary start --base-url https://api.example.com --database ./tributary.db --mail-from hello@example.com',
  flags: {
    ...databaseFlags,
    ...serviceFlags,
    ...queueFlag,
    ...jsonFlag,
    ...logFlag,
    ...drainFlag(5),
    ...flags({
      'base-url': {
        kind: 'text',
        value: 'URL',
        help: 'the address that people and clients reach; links are built from it alone',
      },
      'host': {
        kind: 'text',
        value: 'ADDRESS',
        preset: '127.0.0.1',
        help: 'the address to listen on; 0.0.0.0 for every address of this machine, as in a container',
      },
      'trusted-proxies': {
        kind: 'number',
        preset: 0,
        most: 10,
        help: 'how many proxies before this one write x-forwarded-for',
      },
      'smtp-url': {
        kind: 'text',
        value: 'URL',
        help: 'the mail server, over TLS (smtps:// or STARTTLS); better set by its variable',
      },
      'mail-from': { kind: 'text', value: 'ADDRESS', help: 'the sender of mails' },
      'country': {
        kind: 'text',
        value: 'US|none|..',
        preset: 'none',
        help: 'the country of every caller, where no header or file says it',
      },
      'origins': { kind: 'text', value: 'URL,URL', help: 'further origins whose pages may call' },
      'prefix': {
        kind: 'text',
        value: 'PATH',
        help: 'the path before requests as they arrive; "/" when a proxy strips it',
      },
      'migrate': {
        kind: 'text',
        among: ['on', 'off'],
        preset: 'on',
        help: 'whether the schema is brought up to date first',
      },
    }),
  },
  async run(given, { out }) {
    const baseUrl = baseOf(given['base-url'])
    const country = await countryOf(given)
    refuseWeakTokens(given)
    const smtp = given['smtp-url']
    const from = given['mail-from']
    if (!smtp)
      throw new UsageError(
        'Say how to mail: --smtp-url smtps://user:password@host (or TRIBUTARY_SMTP_URL). People sign in by a mailed code.',
      )
    if (!from) throw new UsageError('Say who mails come from: --mail-from hello@example.com')
    refuseWithoutSecret(given)
    const database = lastingOf(given)
    await inspectDatabase(database)
    const logger = createLogger(given['log-level'])
    const drainMs = given['drain-seconds'] * 1000
    const serving = await serve({
      logger,
      port: given.port,
      hostname: given.host,
      drainMs,
      worker: given.worker === 'thread',
      migrates: given.migrate === 'on',
      metrics: metricsFor(given.metrics),
      ...bodyDeadlinesOf(given),
      plan: {
        database,
        ...blobPlace(given.blobs),
        ...queuePlace(given.queue),
        smtp: smtpOf(smtp, from),
        logLevel: given['log-level'],
        country,
        gravity: gravityOf(given),
        telemetry: sinkOf(given),
        service: {
          ...serviceOf(given, baseUrl),
          trustedProxies: given['trusted-proxies'],
          ...(given.origins ? { origins: originsOf(given.origins) } : {}),
          ...(given.prefix === undefined ? {} : { prefix: prefixOf(given.prefix) }),
        },
      },
    })
    const { url } = serving.listening
    out(given.json ? `${JSON.stringify({ ok: true, url, baseUrl })}\n` : `Serving ${baseUrl} at ${url}\n`)
    if (given.worker === 'off') {
      const idle =
        'no worker here: batches wait and no feedback, report or impression goes out until `tributary worker` runs on this database'
      if (given.json) logger.warn({ worker: 'off' }, idle)
      else out(`Note: ${idle}.\n`)
    }
    return untilSignal(serving, logger, drainMs)
  },
})
