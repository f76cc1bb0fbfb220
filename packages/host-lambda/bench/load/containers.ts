import { createService, fixedCountry, type Logger, type ServiceOptions } from '@tributary/core'
import { createClient } from '@tributary/core/client'
import { createWorker } from '@tributary/core/worker'
import { fileBlobs } from '@tributary/host-node'
import type { HostUnderTest } from '../../../test-kit/src/emulators/wire.ts'
import { lambdaHost } from '../../../test-kit/src/emulators/lambda-client.ts'
import { makeSentTraces } from '../../../test-kit/src/fixtures/journey.ts'
import { lambdaPlatform, toLambdaHandler, toQueueHandler, toScheduleHandler } from '../../src/index.ts'
import { tursoStores } from '../../src/turso.ts'
import { sleep, seededChance } from './chance.ts'
import { ModelQueue } from './queue.ts'

/** The containers of one process, as plain data. */
export interface GroupOptions {
  readonly databaseUrl: string
  /** The folder that replaces the bucket for all processes. */
  readonly blobFolder: string
  readonly tokens: readonly string[]
  /** The number of the first container. Every container has a different number. */
  readonly first: number
  readonly containers: number
  readonly uploadsPerClient: number
  readonly tracesPerUpload: number
  readonly rampMs: number
  readonly batchSize: number
  readonly lostReplyShare: number
  /** Milliseconds between two invocations of the schedule. Null if another process runs it. */
  readonly scheduleMs: number | null
  readonly seed: number
}

/** The results of the containers and clients of one process. */
export interface GroupResult {
  /** Each acknowledged upload by its name, with its job and the milliseconds from its first attempt to its 202. */
  readonly acknowledged: readonly { readonly name: string; readonly jobId: string; readonly ms: number }[]
  readonly retries: number
  readonly redeliveries: number
  readonly deadLetters: number
  readonly logged: Readonly<Record<string, number>>
  readonly memoryMegabytes: number
}

/** Containers that were started and are waiting. */
export interface Group {
  /** Starts the clients, workers and the schedule. Resolves when every upload of this group is acknowledged. */
  run(): Promise<void>
  /** Stops everything and returns the results. */
  end(): Promise<GroupResult>
}

/** Returns the options that every container of the model has. */
export function containerOptions(databaseUrl: string, parts: Partial<ServiceOptions>): ServiceOptions {
  return {
    ...lambdaPlatform(),
    baseUrl: 'https://load.example.com',
    approval: 'automatic',
    country: fixedCountry('US'),
    secret: 'secret-of-the-load-model',
    mailer: { send: async () => undefined },
    ...parts,
    stores: tursoStores({ url: databaseUrl }),
  }
}

/**
 * Starts the containers of one process: each has its own service, database client and rate limits, and handles one
 * request at a time. One worker per ten containers processes the jobs of these containers. Each container answers one
 * contributor's client, which sends its uploads one after the other and repeats uploads that were not acknowledged.
 */
export async function startGroup(options: GroupOptions): Promise<Group> {
  const { containers, batchSize, scheduleMs } = options
  const chance = seededChance(options.seed)
  const queue = new ModelQueue({ visibilitySeconds: 1800, maxReceiveCount: 10, isRepeated: () => chance() < 0.01 })
  const logged: Record<string, number> = {}
  const count = (_fields: Record<string, unknown>, event: string): void =>
    void (logged[event] = (logged[event] ?? 0) + 1)
  const logger: Logger = { info() {}, warn: count, error: count }
  const blobs = fileBlobs(options.blobFolder)
  const container = (): ServiceOptions => containerOptions(options.databaseUrl, { logger, blobs, queue })
  const hosts = Array.from({ length: containers }, () => {
    const handler = toLambdaHandler(createService(container()), { logger })
    return lambdaHost((event) => handler(event as never), { gateway: 'http' })
  })
  // Each container handles a first request before the run starts. Otherwise all starts would share a few cores; `npm
  // run bench:lambda` measures how long a start takes.
  for (const { request } of hosts) await request('POST', '/api/ingest')
  const end = new AbortController()
  const acknowledged: { name: string; jobId: string; ms: number }[] = []
  let retries = 0

  async function runClient({ request }: HostUnderTest, index: number): Promise<void> {
    await sleep(options.rampMs * chance())
    const number = options.first + index
    const client = createClient({
      baseUrl: 'https://load.example.com',
      token: options.tokens[number % options.tokens.length]!,
      retries: 5,
      onRetry: () => void retries++,
      async fetch(input, init) {
        const headers = Object.entries(init?.headers as Record<string, string>)
        const reply = await request(init!.method!, new URL(String(input)).pathname, headers, [
          Buffer.from(String(init!.body)),
        ])
        if (chance() < options.lostReplyShare) throw new TypeError('fetch failed')
        return new Response(Buffer.from(reply.body), {
          status: reply.status,
          headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
        })
      },
    })
    for (let upload = 0; upload < options.uploadsPerClient; upload++) {
      const name = `client-${number}-upload-${upload}`
      const traces = makeSentTraces(options.tracesPerUpload, 1_000, name) as never
      const sentAt = performance.now()
      for (;;) {
        const result = await client.ingest({ body: { traces }, retry: true })
        if (result.ok) {
          acknowledged.push({ name, jobId: result.value.jobId, ms: performance.now() - sentAt })
          break
        }
        if (end.signal.aborted) return
        // This simulates a person who starts the program again.
        retries++
        await sleep(1_000)
      }
    }
  }

  /** Runs a worker's container, which is invoked as by the trigger of the queue. */
  async function runWorker(): Promise<void> {
    const handler = toQueueHandler(createWorker(container()), { visibility: queue, logger })
    while (!end.signal.aborted) {
      const event = queue.receive(batchSize)
      if (event === null) await sleep(100)
      else queue.settle(event, await handler(event, { getRemainingTimeInMillis: () => 300_000 }))
    }
  }

  async function runSchedule(everyMs: number): Promise<void> {
    const handler = toScheduleHandler(createWorker(container()), { logger })
    for (let next = performance.now() + everyMs; !end.signal.aborted; await sleep(100)) {
      if (performance.now() < next) continue
      next += everyMs
      await handler({}, { getRemainingTimeInMillis: () => 55_000 }).catch((error: unknown) =>
        count({ err: error }, 'schedule rejected'),
      )
    }
  }

  let running: Promise<unknown> = Promise.resolve()
  return {
    async run() {
      const clients = Promise.all(hosts.map(runClient))
      const workers = Array.from({ length: Math.max(1, Math.round(containers / 10)) }, runWorker)
      running = Promise.all([clients, ...workers, ...(scheduleMs === null ? [] : [runSchedule(scheduleMs)])])
      await clients
    },
    async end() {
      end.abort()
      await running
      const { redeliveries, deadLetters } = queue
      const memoryMegabytes = process.memoryUsage().rss / 1e6
      return { acknowledged, retries, redeliveries, deadLetters: deadLetters.length, logged, memoryMegabytes }
    },
  }
}
