import { createService, Unavailable, type Service } from '@tributary/core'
import { createTestStores, lambdaHost, startSecretsExtension, type SecretsExtension } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { extensionSecrets, toLambdaHandler, toQueueHandler, toScheduleHandler, withSecrets } from './index.ts'
import { formatJobMessage } from './queue.ts'

let extension: SecretsExtension
beforeEach(async () => {
  extension = await startSecretsExtension({ 'app/secret': 'a long secret of 2026', 'app/token': 'the-token' })
  for (const [name, value] of Object.entries(extension.env)) vi.stubEnv(name, value)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await extension.close()
})

const readBoth = extensionSecrets({ secret: 'app/secret', token: 'app/token' })
const createLogger = () => ({ info: vi.fn(), warn: vi.fn(), error: vi.fn() })

describe('extensionSecrets', () => {
  test('returns the values under the names that the code uses, with one request for each value', async () => {
    expect(await readBoth()).toEqual({ secret: 'a long secret of 2026', token: 'the-token' })
    expect([...extension.reads].toSorted()).toEqual(['app/secret', 'app/token'])
  })

  test('rejects with an error that names the missing or refused secret and contains no value', async () => {
    await expect(extensionSecrets({ secret: 'app/none' })()).rejects.toThrow(
      'secret app/none: the extension answers 400 {"message":"ResourceNotFoundException"}',
    )
    extension.disturb(500)
    const refused = await readBoth().catch((error: unknown) => error)
    expect(String(refused)).toMatch(/^Error: secret app\/(?:secret|token): the extension answers 500/)
    expect(String(refused)).not.toContain('2026')
  })

  test('rejects if no extension runs, and when the signal is aborted', async () => {
    extension.disturb('silent')
    await expect(readBoth(AbortSignal.timeout(20))).rejects.toThrow(/abort/i)
    vi.stubEnv('PARAMETERS_SECRETS_EXTENSION_HTTP_PORT', '1')
    await expect(readBoth()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('withSecrets', () => {
  /** Creates a fake service, which is the JSON of its secrets, with a clock that the test advances. */
  function openText(lifetimeMs?: number) {
    const made: string[] = []
    const time = { now: 1_790_000_000_000 }
    const logger = createLogger()
    const { open } = withSecrets(
      readBoth,
      (secrets) => {
        made.push(JSON.stringify(secrets))
        return made.at(-1)!
      },
      { clock: () => time.now, logger, ...(lifetimeMs === undefined ? {} : { lifetimeMs }) },
    )
    return { open, made, time, logger }
  }

  test('reads the secrets once within the lifetime, even for concurrent invocations', async () => {
    const { open, made, time } = openText()
    const [first, second] = await Promise.all([open(), open()])
    time.now += 299_999
    expect([second.service, (await open()).service]).toEqual([first.service, first.service])
    expect(extension.reads).toHaveLength(2)
    time.now += 1
    await open()
    expect(extension.reads).toHaveLength(4)
    expect(made).toHaveLength(1)
  })

  test('makes the service again with a rotated secret, after the lifetime', async () => {
    const { open, time } = openText(60_000)
    await open()
    extension.secrets.set('app/secret', 'a secret that is new')
    time.now += 59_999
    expect((await open()).service).toContain('a long secret of 2026')
    time.now += 1
    expect((await open()).service).toContain('a secret that is new')
  })

  test('continues with the last values in an outage, and reads again every 30 seconds until the outage ends', async () => {
    const { open, time, logger } = openText()
    const { service } = await open()
    extension.disturb(500)
    time.now += 300_000
    expect(await open()).toEqual(expect.objectContaining({ service }))
    expect((await open()).outage).toBeUndefined()
    const readsInOutage = extension.reads.length
    expect(readsInOutage).toBe(4)
    expect(logger.error.mock.calls).toEqual([
      [{ err: expect.any(Error), isCached: true }, 'lambda.secrets.unavailable'],
    ])
    extension.disturb(null)
    extension.secrets.set('app/token', 'new token')
    time.now += 30_000
    expect((await open()).service).toContain('new token')
  })

  test('returns the service without secrets together with the outage error until the secrets can be read', async () => {
    extension.disturb(500)
    const { open, made, logger } = openText()
    const { service, outage } = await open()
    expect([service, Unavailable.is(outage)]).toEqual(['{}', true])
    expect((await open()).service).toBe('{}')
    extension.disturb(null)
    expect(await open()).not.toHaveProperty('outage')
    expect(made).toHaveLength(2)
    expect(logger.error).toHaveBeenCalledTimes(2)
  })

  test('treats a read without an answer within five seconds as an outage', async () => {
    vi.useFakeTimers()
    try {
      const { open } = withSecrets(
        () => new Promise<Record<string, string>>(() => undefined),
        () => 'bare',
      )
      const opened = open()
      await vi.advanceTimersByTimeAsync(5_000)
      expect((await opened).outage?.cause).toMatchObject({ name: 'TimeoutError' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('rejects when the service cannot be made with the secrets', async () => {
    const { open } = withSecrets(readBoth, () => {
      throw new Error('secret needs 16 characters or more')
    })
    await expect(open()).rejects.toThrow('secret needs 16 characters or more')
  })
})

describe('handlers of a service with secrets', () => {
  const logger = createLogger()
  const createOpened = () =>
    withSecrets(
      readBoth,
      ({ secret, token }): Service =>
        createService({
          baseUrl: 'https://api.example.com',
          stores: createTestStores(),
          logger,
          ...(secret ? { secret } : {}),
          ...(token ? { adminToken: token } : {}),
        }),
      { logger, lifetimeMs: 0 },
    )
  const message = {
    messageId: 'a',
    body: formatJobMessage('00000000-0000-7000-8000-000000000001'),
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:1:q',
    attributes: {},
  }
  const event = { Records: [message] } as never

  test('toLambdaHandler answers 503 with retry-after in the form of each endpoint, until the secrets are read', async () => {
    const handler = toLambdaHandler(createOpened(), { logger })
    const { request } = lambdaHost((one) => handler(one as never), { gateway: 'http' })
    const read = async (method: string, target: string, headers: [string, string][] = []) => {
      const reply = await request(method, target, headers)
      const retryAfter = reply.headers.find(([name]) => name === 'retry-after')?.[1]
      return { status: reply.status, retryAfter, body: Buffer.from(reply.body).toString() }
    }
    extension.disturb(500)
    expect(await read('GET', '/api/contributor/policy')).toMatchObject({ status: 404 })
    for (const [method, target, body] of [
      ['GET', '/api/traces/access', '{"ok":false,"error":"unavailable"}'],
      ['POST', '/api/cli/device/start', '{"error":"unavailable"}'],
      ['GET', '/api/ad', '{"ad":null,"nonce":null,"ttlMs":null,"error":"unavailable"}'],
      ['GET', '/api/admin/contributors', '{"ok":false,"error":"unavailable"}'],
    ] as const)
      expect({ target, ...(await read(method, target)) }).toMatchObject({ target, status: 503, retryAfter: '1', body })
    expect(await read('GET', '/sign-in', [['accept', 'text/html']])).toMatchObject({ status: 503 })
    extension.disturb(null)
    const operator: [string, string][] = [['authorization', 'Bearer the-token']]
    expect(await read('GET', '/api/admin/contributors', operator)).toMatchObject({ status: 200 })
    extension.secrets.set('app/token', 'another-token')
    expect(await read('GET', '/api/admin/contributors', operator)).toMatchObject({ status: 401 })
  })

  test(
    'toQueueHandler returns the message, and toScheduleHandler rejects, while the secrets cannot be read',
    { tags: 'long' },
    async () => {
      extension.disturb(500)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true, advanceTimeDelta: 500 })
      try {
        const [queued, scheduled] = await Promise.allSettled([
          toQueueHandler(createOpened())(event),
          toScheduleHandler(createOpened())(),
        ])
        expect(queued).toMatchObject({ value: { batchItemFailures: [{ itemIdentifier: 'a' }] } })
        expect(scheduled).toMatchObject({ status: 'rejected', reason: { name: 'Unavailable' } })
      } finally {
        vi.useRealTimers()
      }
      extension.disturb(null)
      expect(await toScheduleHandler(createOpened())()).toMatchObject({ failed: 0, more: false })
      expect(await toQueueHandler(createOpened())(event)).toEqual({ batchItemFailures: [] })
    },
  )
})
