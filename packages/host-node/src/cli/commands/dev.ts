import { join } from 'node:path'
import { createService } from '@tributary/core'
import { devMessages, messagesOf } from '@tributary/core/host'
import { devAccountPages } from '../../http/dev-accounts.ts'
import { mailboxPages } from '../../http/mailbox.ts'
import { linkPrefix } from '../../http/page.ts'
import { createLogger } from '../../log.ts'
import { createMailbox } from '../../mail.ts'
import { serve } from '../../serve.ts'
import { developmentFolder, readOrCreateSecret } from '../dev-secrets.ts'
import { parseBaseUrl } from '../flags/addresses.ts'
import { parseGravity, parseSecrets } from '../flags/ads.ts'
import { databaseFlags, parseDatabase } from '../flags/database.ts'
import { defineFlags } from '../flags/flag.ts'
import { toBodyDeadlines } from '../flags/limits.ts'
import {
  createDrainFlags,
  jsonFlags,
  logFlags,
  parseBlobs,
  parseDetectorModel,
  parseCountry,
  parseMetrics,
  parseService,
  parseVerifier,
  serviceFlags,
} from '../flags/service.ts'
import { parseTelemetry } from '../flags/telemetry.ts'
import { inspectDatabase } from '../inspect-database.ts'
import { defineCommand } from '../program.ts'
import { waitForSignal } from '../signals.ts'
import { fillDemo } from './seed.ts'

const message = messagesOf(devMessages)

/** `tributary dev`: serves only on this machine, with a mailbox instead of a mail server. */
export const devCommand = defineCommand({
  example: 'tributary dev --port 8787 --database .tributary/dev.db --rate-limits off',
  flags: {
    ...databaseFlags,
    ...serviceFlags,
    ...jsonFlags,
    ...logFlags,
    ...createDrainFlags(0),
    ...defineFlags({
      'database': { ...databaseFlags['database'], default: '.tributary/dev.db' },
      'log-level': { ...logFlags['log-level'], default: 'warn' },
      'base-url': {
        kind: 'text',
        placeholder: 'URL',
        help: 'the URL of every link; passkeys need http://localhost:PORT (default: http://127.0.0.1:PORT)',
      },
      'country': { kind: 'text', placeholder: 'US|none|..', default: 'US', help: "every caller's country" },
      'contact-email': { ...serviceFlags['contact-email'], default: 'team@tributary.localhost' },
      'demo': { kind: 'switch', help: 'fill an empty database with demo users and traces, as `seed --demo` does' },
    }),
  },
  async run(flags, { out, err }) {
    const country = await parseCountry(flags)
    const database = parseDatabase(flags)
    await inspectDatabase(database)
    const folder = developmentFolder(database)
    const adminToken = flags['admin-token'] ?? readOrCreateSecret(join(folder, 'admin-token'))
    const secret = flags.secret ?? readOrCreateSecret(join(folder, 'secret'))
    const logger = createLogger(flags['log-level'])
    const mailbox = createMailbox()
    const given = flags['base-url'] === undefined ? null : parseBaseUrl(flags['base-url']).replace(/\/+$/, '')
    const port = flags.port === 0 ? await findFreePort() : flags.port
    const url = given ?? `http://127.0.0.1:${port}`
    const drainMs = flags['drain-seconds'] * 1000
    let demo: Demo = 'off'
    const serving = await serve({
      logger,
      mailbox,
      port,
      drainMs,
      worker: flags.worker === 'thread',
      metrics: parseMetrics(flags.metrics),
      ...toBodyDeadlines(flags),
      pages: (options) => {
        const codes = createMailbox()
        const service = createService({ ...options, rates: 'off', mailer: codes })
        return {
          ...mailboxPages(mailbox, linkPrefix(service.baseUrl)),
          ...devAccountPages({ service, mailbox: codes, adminToken }),
        }
      },
      ...(flags.demo
        ? {
            prepare: async (opened) => {
              const begin = (): void => err('Adding demo data…\n')
              demo = (await fillDemo(opened, parseSecrets('secret', secret), begin)) ? 'added' : 'not_empty'
            },
          }
        : {}),
      config: {
        database,
        ...parseBlobs(flags.blobs),
        ...parseVerifier(flags.verifier),
        ...parseDetectorModel(flags),
        logLevel: flags['log-level'],
        privateWebhooks: true,
        country,
        gravity: parseGravity(flags),
        telemetry: parseTelemetry(flags),
        service: {
          ...parseService({ ...flags, 'admin-token': adminToken, secret }, url),
          developmentLinks: [
            { path: '/dev/accounts', text: message('dev.accountsLink') },
            { path: '/dev/mail', text: message('dev.mailsLink') },
          ],
        },
      },
    })
    out(
      flags.json
        ? `${JSON.stringify({ ok: true, url, adminToken, database: flags.database, demo })}\n`
        : formatWelcome(url, adminToken) + formatDemo(demo, flags.database),
    )
    return waitForSignal(serving, logger, drainMs)
  },
})

/** The URL at which the example clients expect a service. */
const exampleUrl = 'http://127.0.0.1:8787'

const formatWelcome = (url: string, adminToken: string): string => `
Tributary is running at ${url}   (Ctrl-C stops it)
  Sign in:        ${url}/sign-in   (sign-in codes arrive at ${url}/dev/mail)
  One click:      ${url}/dev/accounts   (demo contributors and the operator)
  Operator page:  ${url}/admin     (token: ${adminToken})
  API reference:  ${url}/docs      (for programs: ${url}/openapi.json)
  Try it:         ${url === exampleUrl ? '' : `TRIBUTARY_URL=${url} `}npm run example:contributor -- login
`

/** The result of `--demo`: it was not given, data was added, or no data was added because the database has users. */
type Demo = 'off' | 'added' | 'not_empty'

function formatDemo(demo: Demo, database: string): string {
  if (demo === 'added')
    return `  Demo data:      30 days of contributors, traces, sales and campaigns were added to ${database}\n`
  const command = 'npm start -- --demo --database .tributary/demo.db'
  if (demo === 'off') return `  Demo data:      ${command}\n`
  return `  Demo data:      not added, because ${database} has users already; use ${command}\n`
}

/** Finds a free port before the server listens, because links are built from the base URL. */
async function findFreePort(): Promise<number> {
  const { createServer } = await import('node:net')
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
