import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '@tributary/core/libsql'
import {
  startGateway,
  startHrana,
  startLambda,
  startSecretsExtension,
  type Hrana,
  type HostUnderTest,
  type HttpGateway,
  type LocalLambda,
  type SecretsExtension,
} from '@tributary/test-kit'
import { tursoClient } from '../turso.ts'
import { startS3, startSqs, type Emulator, type Queues } from './aws.fixture.ts'
import { startPartCopies } from './part-copies.fixture.ts'

/** Creates a function that sends requests to a public URL. */
export const createRequest =
  (url: string): HostUnderTest['request'] =>
  async (method, target, headers = [], body = []) => {
    const reply = await fetch(url + target, {
      method,
      headers: headers.map(([name, value]) => [name, value] as [string, string]),
      redirect: 'manual',
      ...(body.length > 0 ? { body: Buffer.concat(body) } : {}),
    })
    return { status: reply.status, headers: [...reply.headers], body: new Uint8Array(await reply.arrayBuffer()) }
  }

/**
 * An AWS account on this machine: the functions of examples/lambda-sam as they were built, and everything that they
 * need.
 */
export interface Account {
  readonly database: Hrana
  /** The secrets extension of each function, which may read the secrets that the function's role allows. */
  readonly extensions: Readonly<Record<'http' | 'queue' | 'schedule', SecretsExtension>>
  readonly sqs: Queues
  readonly s3: Emulator<unknown>
  readonly queue: { url: string; dead: string }
  readonly gateway: HttpGateway
  readonly http: LocalLambda
  readonly worker: LocalLambda
  readonly schedule: LocalLambda
  /** The six digits of the newest mail to an address. */
  code(to: string): string
  /**
   * Receives messages once, as the trigger does, and invokes the worker. Returns the results of the messages, or null
   * if there were no messages.
   */
  trigger(seconds?: number, timeoutMs?: number): Promise<{ received: number; failed: number } | null>
  close(): Promise<void>
}

const dist = fileURLToPath(new URL('../../../../examples/lambda-sam/dist', import.meta.url))

/** The token of the operator of every account. */
export const adminToken = 'the-operator-of-this-test'

const workerSecrets = ['tributary/turso-token', 'tributary/secret']
const allowedSecrets = {
  http: [...workerSecrets, 'tributary/admin-tokens'],
  queue: workerSecrets,
  schedule: workerSecrets,
}

interface Sent {
  readonly to: string
  readonly text: string
}

/** Starts an emulator of Amazon SES that accepts one mail. */
async function startSes(): Promise<{ url: string; mails: Sent[]; close(): void }> {
  const mails: Sent[] = []
  const server = createServer(
    (req, res) =>
      void (async () => {
        const parts: Buffer[] = []
        for await (const part of req) parts.push(part as Buffer)
        const {
          Destination: {
            ToAddresses: [to],
          },
          Content: {
            Simple: {
              Body: {
                Text: { Data: text },
              },
            },
          },
        } = JSON.parse(Buffer.concat(parts).toString())
        mails.push({ to, text })
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"MessageId":"1"}')
      })(),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Opens an account. `more` contains additional variables for all three functions. */
export async function openAccount(client: string, more: Readonly<Record<string, string>> = {}): Promise<Account> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-account-'))
  const [database, sqs, s3, ses] = [
    await startHrana({ path: join(folder, 'a.db'), token: 'turso', isDurable: false }),
    await startSqs(),
    await startS3(),
    await startSes(),
  ]
  const copies = await startPartCopies(s3)
  const migrator = tursoClient({ url: database.url, authToken: 'turso' })
  await migrate(migrator)
  migrator.close()
  const queue = await sqs.queue('jobs', 10)
  let http: LocalLambda | null = null
  let requests = 0
  // Requests come from four client addresses in turn, because a conformance run signs in more people in an hour than
  // one address is allowed to.
  const gateway = await startGateway(
    (event) => {
      const { requestContext } = event as { requestContext: { http: { sourceIp: string } } }
      requestContext.http.sourceIp = `203.0.113.${9 + (requests++ % 4)}`
      return http!.invoke(event)
    },
    { gateway: 'http' },
  )
  const env = {
    BASE_URL: gateway.url,
    TURSO_URL: database.url,
    SECRETS: 'tributary',
    BUCKET: 'uploads',
    QUEUE_URL: queue.url,
    MAIL_FROM: 'hello@example.com',
    COUNTRY: 'US',
    APPROVAL: 'automatic',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    NODE_NO_WARNINGS: '1',
    AWS_ENDPOINT_URL_S3: copies.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_ENDPOINT_URL_SESV2: ses.url,
    ...more,
  }
  const secrets = {
    'tributary/turso-token': 'turso',
    'tributary/secret': 'a secret of this test alone',
    'tributary/admin-tokens': `operator=${adminToken}`,
  }
  const extensions = {
    http: await startSecretsExtension(secrets, allowedSecrets.http),
    queue: await startSecretsExtension(secrets, allowedSecrets.queue),
    schedule: await startSecretsExtension(secrets, allowedSecrets.schedule),
  }
  const start = (name: keyof typeof extensions): Promise<LocalLambda> =>
    startLambda({
      client,
      folder: dist,
      handler: `${name}.handler`,
      env: { ...env, ...extensions[name].env },
    })
  http = await start('http')
  const [worker, schedule] = [await start('queue'), await start('schedule')]
  return {
    database,
    extensions,
    sqs,
    s3,
    queue,
    gateway,
    http,
    worker,
    schedule,
    code: (to) => /\b\d{6}\b/.exec(ses.mails.findLast((mail) => mail.to === to)?.text ?? '')![0],
    async trigger(seconds = 1, timeoutMs = 60_000) {
      const got = await sqs.batch(queue.url, seconds)
      if (!got) return null
      const { batchItemFailures } = (await worker.invoke(got.event, timeoutMs)) as {
        batchItemFailures: { itemIdentifier: string }[]
      }
      await sqs.settle(queue.url, got.messages, batchItemFailures)
      return { received: got.messages.length, failed: batchItemFailures.length }
    },
    async close() {
      for (const lambda of [http, worker, schedule]) await lambda?.close()
      await gateway.close()
      await sqs.close()
      copies.server.closeAllConnections()
      copies.server.close()
      await s3.close()
      ses.close()
      for (const extension of Object.values(extensions)) await extension.close()
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
