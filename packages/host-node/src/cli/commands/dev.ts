import { join } from 'node:path'
import { flags } from '../flags.ts'
import { createLogger } from '../../log.ts'
import { createMailbox } from '../../mail.ts'
import { mailboxPages } from '../../http/mailbox.ts'
import { serve } from '../../serve.ts'
import { untilSignal } from '../signals.ts'
import { gravityOf, secretsOf } from './ads.ts'
import { command } from './command.ts'
import { inspectDatabase } from './database.ts'
import { sinkOf } from './telemetry.ts'
import { bodyDeadlinesOf } from './limits.ts'
import {
  blobPlace,
  countryOf,
  databaseFlags,
  drainFlag,
  jsonFlag,
  logFlag,
  metricsFor,
  serviceFlags,
  serviceOf,
} from './options.ts'
import { demonstrate } from './seed.ts'
import { folderBeside, keptToken } from './kept.ts'
import { databaseOf } from './trouble.ts'

/** `tributary dev`: everything on this machine alone, with a mailbox in place of a mail server. */
export const devCommand = command({
  name: 'dev',
  summary: 'serves on this machine alone, with a mailbox in place of a mail server',
  example: 'tributary dev --port 8787 --database .tributary/dev.db --rate-limits off',
  flags: {
    ...databaseFlags,
    ...serviceFlags,
    ...jsonFlag,
    ...logFlag,
    ...drainFlag(0),
    ...flags({
      'database': { ...databaseFlags['database'], preset: '.tributary/dev.db' },
      'log-level': { ...logFlag['log-level'], preset: 'warn' },
      'country': { kind: 'text', value: 'US|none|..', preset: 'US', help: 'the country of every caller' },
      'contact-email': { ...serviceFlags['contact-email'], preset: 'team@tributary.localhost' },
      'demo': {
        kind: 'switch',
        help: 'fill an empty database with people and traces to look at, as `seed --demo` does',
      },
    }),
  },
  async run(given, { out }) {
    const country = await countryOf(given)
    const database = databaseOf(given)
    await inspectDatabase(database)
    const adminToken = given['admin-token'] ?? keptToken(join(folderBeside(database), 'admin-token'))
    const secret = given.secret ?? keptToken(join(folderBeside(database), 'secret'))
    const logger = createLogger(given['log-level'])
    const mailbox = createMailbox()
    const port = given.port === 0 ? await freePort() : given.port
    const url = `http://127.0.0.1:${port}`
    const drainMs = given['drain-seconds'] * 1000
    const serving = await serve({
      logger,
      mailbox,
      port,
      drainMs,
      worker: given.worker === 'thread',
      metrics: metricsFor(given.metrics),
      ...bodyDeadlinesOf(given),
      pages: mailboxPages(mailbox),
      ...(given.demo ? { prepares: (opened) => demonstrate(opened, secretsOf('secret', secret)) } : {}),
      plan: {
        database,
        ...blobPlace(given.blobs),
        logLevel: given['log-level'],
        country,
        gravity: gravityOf(given),
        telemetry: sinkOf(given),
        service: serviceOf({ ...given, 'admin-token': adminToken, secret }, url),
      },
    })
    out(
      given.json
        ? `${JSON.stringify({ ok: true, url, adminToken, database: given.database })}\n`
        : greeting(url, adminToken),
    )
    return untilSignal(serving, logger, drainMs)
  },
})

const greeting = (url: string, token: string): string => `
Tributary is at ${url}   (Ctrl-C stops it)
  Sign in at ${url}/sign-in; the code comes to ${url}/dev/mail
  As the operator: ${url}/admin with the token ${token}
  The interface: ${url}/docs, for programs ${url}/openapi.json
  Try: npm run example:contributor -- --help, and npm start -- --demo for data to look at
`

/** Links are built from the base address before the server listens, so a free port is found first. */
async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
