import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate } from '@tributary/core/libsql'
import {
  fixture,
  lambdaHost,
  makeSentTraces,
  startHrana,
  createTraveller,
  type Hrana,
  type Traveller,
} from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3Blobs, sqsQueue } from '../aws.ts'
import { lambdaPlatform, toLambdaHandler } from '../index.ts'
import { tursoClient, tursoStores } from '../turso.ts'
import { startSmtp } from '../../../host-node/src/smtp.fixture.ts'
import { createRequest } from './account.fixture.ts'
import { startS3, startSqs, type Emulator, type Queues } from './aws.fixture.ts'
import type { S3Client } from '@aws-sdk/client-s3'

const cli = fileURLToPath(new URL('../../../host-node/dist/cli.js', import.meta.url))
const logger = { info() {}, warn() {}, error() {} }

/** The longest time that a step may take while other programs use the processors too. */
const timeout = 300_000

describe('tributary worker and start --queue sqs: --blobs s3:', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-worker-'))
  let [database, sqs, s3, queue] = [] as unknown as [Hrana, Queues, Emulator<S3Client>, { url: string; dead: string }]
  const children: ChildProcess[] = []
  beforeAll(async () => {
    database = await startHrana({ path: join(folder, 'a.db'), isDurable: false })
    ;[sqs, s3] = [await startSqs(), await startS3()]
    const client = tursoClient({ url: database.url })
    await migrate(client)
    client.close()
    queue = await sqs.queue('jobs')
  })
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await sqs.close()
    await s3.close()
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a command with all three flags. Resolves with its first line of output. */
  async function run(...command: string[]): Promise<{ child: ChildProcess; said: Record<string, unknown> }> {
    const child = spawn(
      process.execPath,
      [
        cli,
        ...command,
        '--json',
        '--database',
        database.url,
        '--queue',
        `sqs:${queue.url}`,
        '--blobs',
        's3:uploads/raw',
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          PATH: process.env['PATH'] ?? '',
          AWS_REGION: 'us-east-1',
          AWS_ACCESS_KEY_ID: 'S3RVER',
          AWS_SECRET_ACCESS_KEY: 'S3RVER',
          NODE_NO_WARNINGS: '1',
          AWS_ENDPOINT_URL_S3: s3.url,
          AWS_ENDPOINT_URL_SQS: sqs.url,
          TRIBUTARY_LOG_LEVEL: 'silent',
          TRIBUTARY_SECRET: 'secret-of-these-tests-only',
        },
      },
    )
    children.push(child)
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return { child, said: JSON.parse(line.toString()) as Record<string, unknown> }
  }
  const startWorker = async (): Promise<ChildProcess> => (await run('worker')).child

  async function signInTraveller(): Promise<Traveller> {
    const made = fixture({
      stores: tursoStores({ url: database.url }),
      approval: 'automatic',
      country: () => 'US',
      ...lambdaPlatform(),
      logger,
      clock: Date.now,
      blobs: s3Blobs({ bucket: 'uploads', prefix: 'raw/', client: s3.client }),
      queue: sqsQueue({ queueUrl: queue.url, client: sqs.client }),
    })
    const handler = toLambdaHandler(made.service)
    const { request } = lambdaHost((event) => handler(event as never), { gateway: 'http' })
    return createTraveller({ request, email: 'worker@example.com', code: (email) => made.mailer.code(email) })
  }

  test('ingests jobs that a Lambda accepted, continues after SIGKILL during a job, and ends on SIGTERM', async () => {
    const traveller = await signInTraveller()
    const first = await startWorker()
    database.delay(50)
    const jobId = await traveller.send(makeSentTraces(900, 300))
    await expect.poll(async () => (await traveller.outcomes(jobId)).length, { timeout }).toBeGreaterThan(0)
    first.kill('SIGKILL')
    await once(first, 'exit')
    expect((await traveller.outcomes(jobId)).length).toBeLessThan(900)
    database.delay(0)
    const second = await startWorker()
    await expect.poll(async () => (await traveller.job(jobId))['status'], { timeout, interval: 500 }).toBe('done')
    expect(await traveller.outcomes(jobId)).toEqual(Array.from({ length: 900 }, () => 'stored'))
    expect(new Set(await traveller.traces()).size).toBe(900)
    await expect.poll(() => sqs.count(queue.url), { timeout, interval: 500 }).toBe(0)
    expect(await s3Blobs({ bucket: 'uploads', client: s3.client }).stale(Date.now() + 60_000, 10, '')).toEqual([])
    second.kill('SIGTERM')
    expect(await once(second, 'exit')).toEqual([0, null])
  })

  test('`start --worker off` queues batches that were sent to the service or PUT to S3, and a separate worker ingests them', async () => {
    const mail = await startSmtp()
    try {
      const [served, working] = await Promise.all([
        run(
          'start',
          '--worker',
          'off',
          '--port',
          '0',
          '--host',
          '127.0.0.1',
          '--base-url',
          'http://localhost:8787',
          '--country',
          'US',
          '--approval',
          'automatic',
          '--smtp-url',
          mail.url,
          '--mail-from',
          'hello@example.com',
          '--drain-seconds',
          '0',
        ),
        startWorker(),
      ])
      const request = createRequest(String(served.said['url']))
      const email = 'served@example.com'
      const readCode = (): Promise<string> =>
        expect
          .poll(() => /^Subject: (\d{6})/m.exec(mail.mails.find(({ to }) => to === email)?.data ?? '')?.[1], {
            timeout,
          })
          .toBeDefined()
          .then(() => /^Subject: (\d{6})/m.exec(mail.mails.find(({ to }) => to === email)!.data)![1]!)
      const traveller = await createTraveller({ request, email, code: readCode })
      const jobs = [await traveller.send(makeSentTraces(40, 300, 'sent'))]
      const body = Buffer.from(JSON.stringify({ traces: makeSentTraces(20, 100_000, 'put') }))
      const { json } = await traveller.call('POST', '/api/ingest/uploads', { bytes: body.length })
      expect(new URL(String(json['url'])).origin).toBe(s3.url)
      expect(
        (await fetch(String(json['url']), { method: 'PUT', body, headers: json['headers'] as Record<string, string> }))
          .status,
      ).toBe(200)
      jobs.push(String((await traveller.call('POST', '/api/ingest', { uploadId: json['uploadId'] })).json['jobId']))
      for (const job of jobs)
        await expect.poll(async () => (await traveller.job(job))['status'], { timeout, interval: 200 }).toBe('done')
      expect(await traveller.traces()).toHaveLength(60)
      expect(await s3Blobs({ bucket: 'uploads', client: s3.client }).stale(Date.now() + 60_000, 10, '')).toEqual([])
      served.child.kill('SIGTERM')
      working.kill('SIGTERM')
      expect(await Promise.all([once(served.child, 'exit'), once(working, 'exit')])).toEqual([
        [0, null],
        [0, null],
      ])
    } finally {
      await mail.close()
    }
  })

  test('names the expected form of an invalid flag', async () => {
    for (const [flag, says] of [
      ['--queue', 'sqs:'],
      ['--blobs', 's3:'],
    ] as const) {
      const child = spawn(
        process.execPath,
        [cli, 'worker', '--database', database.url, '--secret', 'secret-of-these-tests-only', flag, 'nonsense'],
        { stdio: ['ignore', 'ignore', 'pipe'] },
      )
      let said = ''
      child.stderr.on('data', (part: Buffer) => (said += part.toString()))
      expect(await once(child, 'close')).toEqual([2, null])
      expect(said).toContain(says)
    }
  })
})
