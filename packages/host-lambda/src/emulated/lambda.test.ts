import { makeSentTraces, createTraveller, type Traveller } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openAccount, createRequest, type Account } from './account.fixture.ts'

const client = process.env['TRIBUTARY_RIC']
let people = 0
/** The longest time that a test may take while other programs use the processors too. */
const timeout = 400_000

describe.skipIf(!client)(
  "the built functions under Lambda's own runtime client, on libSQL over HTTP, SQS, S3 and SES",
  { timeout },
  () => {
    let account: Account
    const signInTraveller = (): Promise<Traveller> =>
      createTraveller({
        request: createRequest(account.gateway.url),
        email: `lambda-${++people}@example.com`,
        code: (email) => account.code(email),
      })
    const drainQueue = async (): Promise<void> => {
      while (await account.trigger()) continue
    }
    beforeAll(async () => {
      account = await openAccount(client!)
    }, 120_000)
    afterAll(() => account?.close())
    // A failed test must not leave data for the other tests.
    afterEach(async () => {
      account.database.delay(0)
      account.database.fail(0, 429)
      account.extensions.http.disturb(null)
      await drainQueue()
    }, timeout)

    test('a contributor signs in, uploads, and reads back what the worker stored', async () => {
      const traveller = await signInTraveller()
      const jobId = await traveller.send(makeSentTraces(5))
      expect(await account.trigger()).toEqual({ received: 1, failed: 0 })
      expect(await traveller.job(jobId)).toMatchObject({ status: 'done', traceCount: 5 })
      const [first, ...rest] = await traveller.traces()
      expect(rest).toHaveLength(4)
      expect((await traveller.call('GET', `/api/traces/${first}/download`)).json['id']).toBe(first)
      expect((await traveller.call('DELETE', '/api/traces/bulk', { ids: [first] })).json['deletedIds']).toEqual([first])
      expect(account.http.starts).toBe(1)
    })

    test('the client PUTs a batch that is too large for an event to S3', async () => {
      const traveller = await signInTraveller()
      const body = Buffer.from(JSON.stringify({ traces: makeSentTraces(80, 100_000) }))
      expect(
        (
          await createRequest(account.gateway.url)(
            'POST',
            '/api/ingest',
            [
              ['content-type', 'application/json'],
              ['authorization', `Bearer ${traveller.token}`],
            ],
            [body],
          )
        ).status,
      ).toBe(413)
      const { json } = await traveller.call('POST', '/api/ingest/uploads', { bytes: body.length })
      expect(
        (await fetch(String(json['url']), { method: 'PUT', body, headers: json['headers'] as Record<string, string> }))
          .status,
      ).toBe(200)
      const accepted = await traveller.call('POST', '/api/ingest', { uploadId: json['uploadId'] })
      expect(accepted.status).toBe(202)
      await drainQueue()
      expect(await traveller.traces()).toHaveLength(80)
    })

    test('the job of a killed function is received again with its lease, and no trace is lost or stored twice', async () => {
      const traveller = await signInTraveller()
      const { starts } = account.worker
      const jobId = await traveller.send(makeSentTraces(900, 400))
      account.database.delay(60)
      const killed = account.trigger()
      await expect.poll(async () => (await traveller.outcomes(jobId)).length, { timeout }).toBeGreaterThan(0)
      await account.worker.kill()
      await expect(killed).rejects.toThrow('the sandbox ended')
      account.database.delay(0)
      const stored = (await traveller.outcomes(jobId)).length
      expect(stored).toBeLessThan(900)
      await expect
        .poll(
          async () => {
            await account.trigger(5)
            return (await traveller.job(jobId))['status']
          },
          { timeout },
        )
        .toBe('done')
      expect(await traveller.outcomes(jobId)).toEqual(Array.from({ length: 900 }, () => 'stored'))
      expect(new Set(await traveller.traces()).size).toBe(900)
      expect(account.worker.starts).toBe(starts + 1)
      await drainQueue()
      expect(await account.sqs.count(account.queue.url)).toBe(0)
    })

    test('a job is released before the deadline, its message becomes visible immediately, and the next invocation continues', async () => {
      const traveller = await signInTraveller()
      const { starts } = account.worker
      const jobId = await traveller.send(makeSentTraces(700, 400))
      account.database.delay(150)
      const counts: number[] = []
      for (let i = 0; i < 3 && (await traveller.job(jobId))['status'] !== 'done'; i++) {
        await account.trigger(5, 5_600)
        counts.push((await traveller.outcomes(jobId)).length)
      }
      account.database.delay(0)
      expect(counts.length).toBeGreaterThan(1)
      expect(counts).toEqual(counts.toSorted((a, b) => a - b))
      expect(account.worker.starts).toBe(starts)
      // The schedule does the remaining work.
      while ((await traveller.job(jobId))['status'] !== 'done')
        await account.schedule.invoke({ source: 'aws.events' }, timeout)
      expect(await traveller.outcomes(jobId)).toEqual(Array.from({ length: 700 }, () => 'stored'))
      await drainQueue()
    })

    test('messages that are delivered twice and out of order store each trace once', async () => {
      const traveller = await signInTraveller()
      const jobs = [await traveller.send(makeSentTraces(3, 60, 'a')), await traveller.send(makeSentTraces(3, 60, 'b'))]
      const got = (await account.sqs.batch(account.queue.url))!
      const twice = { Records: [...got.event.Records.toReversed(), ...got.event.Records] }
      expect(await account.worker.invoke(twice)).toEqual({ batchItemFailures: [] })
      expect(await account.worker.invoke(twice)).toEqual({ batchItemFailures: [] })
      await account.sqs.settle(account.queue.url, got.messages, [])
      expect(await traveller.traces()).toHaveLength(6)
      for (const id of jobs) expect((await traveller.job(id))['traceCount']).toBe(3)
    })

    test('a throttled database returns 503 to clients, and the queue delivers the message again', async () => {
      const traveller = await signInTraveller()
      const jobId = await traveller.send(makeSentTraces(2))
      // The database fails more often than the worker repeats a request within one invocation.
      account.database.fail(1_000, 429)
      const refused = await traveller.call('GET', '/api/traces/access')
      expect([refused.status, refused.json['error']]).toEqual([503, 'unavailable'])
      expect(await account.trigger()).toEqual({ received: 1, failed: 1 })
      account.database.fail(0, 429)
      expect((await traveller.call('GET', '/api/traces/access')).status).toBe(200)
      await expect
        .poll(
          async () => {
            await account.trigger(3)
            return (await traveller.job(jobId))['status']
          },
          { timeout },
        )
        .toBe('done')
      expect(await traveller.traces()).toHaveLength(2)
    })

    test('a new instance answers 503 until its secrets can be read, and each function reads only its own secrets', async () => {
      account.extensions.http.disturb(500)
      await account.http.kill()
      const request = createRequest(account.gateway.url)
      const refused = await request('GET', '/api/traces/access')
      expect([refused.status, refused.headers.find(([name]) => name === 'retry-after')?.[1]]).toEqual([503, '1'])
      expect(account.http.log()).toContain('lambda.secrets.unavailable')
      account.extensions.http.disturb(null)
      expect((await request('GET', '/api/traces/access')).status).toBe(401)
      const workerSecrets = ['tributary/secret', 'tributary/turso-token']
      const { http, queue, schedule } = account.extensions
      expect([...new Set(http.reads)].toSorted()).toEqual(['tributary/admin-tokens', ...workerSecrets])
      await account.schedule.invoke({ source: 'aws.events' })
      expect([...new Set(schedule.reads)].toSorted()).toEqual(workerSecrets)
      expect(workerSecrets).toEqual(expect.arrayContaining([...new Set(queue.reads)]))
    })

    test('the http function refuses an SQS event with an error that describes the mistake, and the sandbox continues', async () => {
      await expect(account.http.invoke({ Records: [{ eventSource: 'aws:sqs' }] })).rejects.toThrow('toQueueHandler')
      await expect(account.worker.invoke({ source: 'aws.events' })).rejects.toThrow('not an SQS event')
      expect(await account.schedule.invoke({ source: 'aws.events' })).toMatchObject({ failed: 0, more: false })
      expect(account.http.starts).toBe(2)
    })
  },
)
