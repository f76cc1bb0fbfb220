import { existsSync } from 'node:fs'
import { createService } from '@tributary/core'
import { awsPorts, startQueueWork } from '../../aws.ts'
import { createLogger } from '../../log.ts'
import { toServiceOptions, localPath, logReplaced, openStore } from '../../server-config.ts'
import { upToDate } from '../../serve.ts'
import { untilSignal } from '../signals.ts'
import { startWorkerLoop } from '../../worker/worker-loop.ts'
import { flags } from '../flags.ts'
import { gravityOf, networkFlags } from './ads.ts'
import { baseOf, smtpOf } from './address.ts'
import { command, Problem } from './command.ts'
import { inspectDatabase } from './database.ts'
import {
  blobPlace,
  databaseFlags,
  jsonFlag,
  logFlag,
  queueFlag,
  queuePlace,
  refuseWithoutSecret,
  secretFlag,
  secretOf,
  serviceFlags,
} from './options.ts'
import { retentionOf, sinkFlags, sinkOf } from './telemetry.ts'
import { lastingOf } from './trouble.ts'

const { 'usd-per-million-tokens': usd, 'ingest-limit': limit, blobs } = serviceFlags

/** `tributary worker`: ingests and sends, and serves nothing. */
export const workerCommand = command({
  name: 'worker',
  summary: 'ingests the jobs of a database and sends what must go out, and serves nothing',
  about:
    "Run as many as you like, on one database; a job is taken by one at a time and taken again when its worker dies.\nA worker needs the --secret of the server, or its --admin-token: waiting uploads are encrypted under it.\nWith --queue it also takes what the queue brings, at once; AWS_REGION and the credentials are AWS's own variables.",
  example: 'tributary worker --database libsql://db.example.com',
  flags: {
    ...databaseFlags,
    ...jsonFlag,
    ...logFlag,
    ...queueFlag,
    ...secretFlag,
    ...networkFlags,
    ...sinkFlags,
    'usd-per-million-tokens': usd,
    'ingest-limit': limit,
    'blobs': blobs,
    ...flags({
      'base-url': {
        kind: 'text',
        value: 'URL',
        preset: 'http://127.0.0.1:8787',
        help: 'the address that links in mails lead to',
      },
      'admin-token': { kind: 'text', help: "the server's admin token, where its secret is made of that" },
      'smtp-url': { kind: 'text', value: 'URL', help: 'the mail server, over TLS (smtps:// or STARTTLS)' },
      'mail-from': { kind: 'text', value: 'ADDRESS', preset: 'tributary@localhost', help: 'the sender of mails' },
    }),
  },
  async run(given, { out }) {
    const logger = createLogger(given['log-level'])
    const database = lastingOf(given)
    const path = localPath(database)
    if (path !== null && !existsSync(path))
      throw new Problem(
        `${path} is not there; \`tributary migrate\` makes it. A worker works on the database of a server.`,
      )
    await inspectDatabase(database)
    const baseUrl = baseOf(given['base-url'])
    const smtp = given['smtp-url'] ? smtpOf(given['smtp-url'], given['mail-from']) : undefined
    refuseWithoutSecret(given)
    const { queueUrl } = queuePlace(given.queue)
    const places = blobPlace(given.blobs)
    // Before anything is taken: whether the packages are there.
    if (queueUrl !== undefined || places.bucket !== undefined) await awsPorts()
    const opened = openStore(database, { onReplaced: logReplaced(logger) })
    const service = createService(
      await toServiceOptions(
        {
          database,
          ...places,
          smtp,
          gravity: gravityOf(given),
          telemetry: sinkOf(given),
          service: {
            baseUrl,
            usdPerMillionTokens: given['usd-per-million-tokens'],
            ingestLimit: given['ingest-limit'],
            ...retentionOf(given),
            ...secretOf(given),
            ...(given['admin-token'] === undefined ? {} : { adminToken: given['admin-token'] }),
          },
        },
        { opened, logger },
      ),
    )
    await upToDate(opened)
    const work = startWorkerLoop(service, logger)
    const queued = queueUrl === undefined ? null : await startQueueWork(service, queueUrl, logger)
    out(
      given.json
        ? `${JSON.stringify({ ok: true, database: given.database })}\n`
        : `Ingesting the jobs of ${given.database}   (Ctrl-C stops)\n`,
    )
    if (!smtp) logger.warn({}, 'no mail server is named (--smtp-url): mails wait')
    return untilSignal(
      {
        async stop() {
          await Promise.all([work.stop(), queued?.stop()])
          opened.client.close()
        },
      },
      logger,
    )
  },
})
