import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { createService, fixedCountry, type Logger, type ServiceOptions, type ServiceWorker } from '@tributary/core'
import { createClient } from '@tributary/core/client'
import { memoryBlobs } from '@tributary/core/memory'
import { createWorker } from '@tributary/core/worker'
import { createMigratedFile } from '../../../test-kit/src/fixtures/database.ts'
import { startHrana } from '../../../test-kit/src/emulators/hrana.ts'
import type { HostUnderTest } from '../../../test-kit/src/emulators/wire.ts'
import { lambdaHost } from '../../../test-kit/src/emulators/lambda-client.ts'
import { fixture } from '../../../test-kit/src/fixtures/service.ts'
import { sentTraces, travel } from '../../../test-kit/src/fixtures/journey.ts'
import { lambdaPlatform, toLambdaHandler, toQueueHandler, toScheduleHandler } from '../../src/index.ts'
import { tursoStores } from '../../src/turso.ts'
import { disturbBy, type DatabaseCounts, type DatabaseLimits } from './database.ts'
import { ModelQueue } from './queue.ts'

export interface LoadOptions {
  /**
   * HTTP containers, each with one contributor's client that sends to it. A tenth as many work on jobs, and one runs
   * the schedule.
   */
  readonly containers: number
  readonly uploadsPerClient: number
  readonly tracesPerUpload: number
  /** Milliseconds within which all clients begin. */
  readonly rampMs: number
  /** Messages in one invocation of a worker; 1 in the templates. */
  readonly batchSize: number
  readonly database: DatabaseLimits
  /** Share of replies to clients that are lost on the way; the request was answered. */
  readonly lostReplyShare: number
  /** Milliseconds between two invocations of the schedule; a minute in the templates. */
  readonly scheduleMs: number
  /** Milliseconds after which the model gives up. */
  readonly limitMs: number
  /**
   * Of what is left to chance: disturbances, repeated deliveries, lost replies. Their order over time still depends on
   * the machine.
   */
  readonly seed: number
}

export interface LoadResult {
  readonly containers: number
  readonly database: DatabaseCounts
  /** Attempts of clients after the first of an upload. */
  readonly retries: number
  /** Uploads that a client was told are accepted. */
  readonly acknowledged: number
  readonly uploads: number
  readonly redeliveries: number
  readonly deadLetters: number
  readonly failedJobs: number
  readonly sent: number
  readonly stored: number
  /** Acknowledged traces that are not stored and whose job does not wait either. */
  readonly lost: number
  /** Rows of traces beyond one for each that was sent. */
  readonly duplicates: number
  /** Milliseconds from the first attempt of an upload to its 202. */
  readonly p50: number
  readonly p99: number
  readonly slowest: number
  /** Seconds until every job was done. */
  readonly seconds: number
  readonly isComplete: boolean
  /** Warnings and errors that the containers logged, by event. */
  readonly logged: Readonly<Record<string, number>>
  readonly memoryMegabytes: number
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function seededChance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Runs `containers` functions at once in this process, each with its own service, database client and rate limits and
 * one request at a time, against one database over HTTP that refuses, delays and breaks off. Every client sends its
 * uploads one after the other and repeats what was not acknowledged. Resolves when all is stored or `limitMs` is over,
 * with what a look at the database finds.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { containers, batchSize, limitMs } = options
  const folder = mkdtempSync(join(tmpdir(), 'tributary-load-'))
  const path = join(folder, 'a.db')
  await createMigratedFile(path)
  const chance = seededChance(options.seed)
  const { disturb, counts, stop } = disturbBy(options.database, chance)
  let isDisturbed = false
  const database = await startHrana({ path, isDurable: false, disturb: () => (isDisturbed ? disturb() : null) })
  const queue = new ModelQueue({ visibilitySeconds: 1800, maxReceiveCount: 10, isRepeated: () => chance() < 0.01 })
  const blobs = memoryBlobs()
  const logged: Record<string, number> = {}
  const count = (_fields: Record<string, unknown>, event: string): void =>
    void (logged[event] = (logged[event] ?? 0) + 1)
  const logger: Logger = { info() {}, warn: count, error: count }
  const shared = {
    ...lambdaPlatform(),
    baseUrl: 'https://load.example.com',
    approval: 'automatic',
    country: fixedCountry('US'),
    logger,
    blobs,
    queue,
    mailer: { send: async () => undefined },
  } as const satisfies Partial<ServiceOptions>
  const container = (): ServiceOptions => ({ ...shared, stores: tursoStores({ url: database.url }) })

  const tokens = await signUp(Math.ceil(containers / 20), { ...shared, stores: tursoStores({ url: database.url }) })
  const handlers = Array.from({ length: containers }, () => toLambdaHandler(createService(container()), { logger }))
  const hosts = handlers.map((handler) => lambdaHost((event) => handler(event as never), { gateway: 'http' }))
  // How long a start takes is measured by `npm run bench:lambda`; here all would share one core for it.
  for (const { request } of hosts) await request('POST', '/api/ingest')
  isDisturbed = true
  const end = new AbortController()
  const start = performance.now()
  const latencies: number[] = []
  /** The job of each acknowledged upload. */
  const acknowledged = new Map<string, string>()
  let retries = 0

  /** Runs one contributor's client and the container that answers it. */
  async function runClient({ request }: HostUnderTest, at: number): Promise<void> {
    await sleep(options.rampMs * chance())
    const client = createClient({
      baseUrl: shared.baseUrl,
      token: tokens[at % tokens.length]!,
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
      const name = `client-${at}-upload-${upload}`
      const traces = sentTraces(options.tracesPerUpload, 1_000, name) as never
      const sentAt = performance.now()
      for (;;) {
        const result = await client.ingest({ body: { traces }, retry: true })
        if (result.ok) {
          latencies.push(performance.now() - sentAt)
          acknowledged.set(name, result.value.jobId)
          break
        }
        if (end.signal.aborted) return
        // A person starts the program again.
        retries++
        await sleep(1_000)
      }
    }
  }

  /** Runs a worker's container, as the trigger of the queue invokes it. */
  async function runWorker(worker: ServiceWorker): Promise<void> {
    const handler = toQueueHandler(worker, { visibility: queue, logger })
    while (!end.signal.aborted) {
      const event = queue.receive(batchSize)
      if (event === null) await sleep(100)
      else queue.settle(event, await handler(event, { getRemainingTimeInMillis: () => 300_000 }))
    }
  }

  async function runSchedule(): Promise<void> {
    const handler = toScheduleHandler(createWorker(container()), { logger })
    for (let next = start + options.scheduleMs; !end.signal.aborted; await sleep(100)) {
      if (performance.now() < next) continue
      next += options.scheduleMs
      await handler({}, { getRemainingTimeInMillis: () => 55_000 }).catch((error: unknown) =>
        count({ err: error }, 'schedule rejected'),
      )
    }
  }

  // Past the server, whose requests are counted and disturbed.
  const file = new Database(path)
  const countRows = (from: string): number =>
    (file.prepare(`select count(*) as rows from ${from}`).get() as { rows: number }).rows
  const clients = Promise.all(hosts.map(runClient))
  const workers = Array.from({ length: Math.max(1, Math.round(containers / 10)) }, () =>
    runWorker(createWorker(container())),
  )
  const schedule = runSchedule()
  const timer = setTimeout(() => end.abort(), limitMs)
  let isComplete = false
  void clients.then(async () => {
    const isOpen = (): boolean => countRows("jobs where status not in ('done', 'failed')") > 0
    while (!end.signal.aborted && isOpen()) await sleep(100)
    isComplete = !end.signal.aborted
    end.abort()
  })
  await new Promise((resolve) => end.signal.addEventListener('abort', resolve))
  const seconds = (performance.now() - start) / 1000
  clearTimeout(timer)
  stop()
  await Promise.all([clients, ...workers, schedule])

  const rows = file.prepare('select source_id as name from traces').all() as { name: string }[]
  const stored = new Set(rows.map(({ name }) => name))
  const failedJobs = countRows("jobs where status = 'failed'")
  const open = file.prepare("select id from jobs where status not in ('done', 'failed')").all() as { id: string }[]
  const waiting = new Set(open.map(({ id }) => id))
  const expected = [...acknowledged].flatMap(([name, jobId]) =>
    Array.from({ length: options.tracesPerUpload }, (_, i) => ({ name: `${name}-${i}`, jobId })),
  )
  file.close()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
  const sorted = latencies.toSorted((a, b) => a - b)
  const percentile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    containers,
    database: counts,
    retries,
    acknowledged: acknowledged.size,
    uploads: containers * options.uploadsPerClient,
    redeliveries: queue.redeliveries,
    deadLetters: queue.deadLetters.length,
    failedJobs,
    sent: expected.length,
    stored: stored.size,
    lost: expected.filter(({ name, jobId }) => !stored.has(name) && !waiting.has(jobId)).length,
    duplicates: rows.length - stored.size,
    p50: percentile(0.5),
    p99: percentile(0.99),
    slowest: percentile(1),
    seconds,
    isComplete,
    logged,
    memoryMegabytes: process.memoryUsage().rss / 1e6,
  }
}

/** Signs contributors up, before the database is disturbed, and returns a machine's token of each. */
async function signUp(people: number, options: ServiceOptions): Promise<string[]> {
  const { service, mailer } = fixture({ ...options, clock: Date.now, rates: 'off' })
  const handler = toLambdaHandler(service)
  const { request } = lambdaHost((event) => handler(event as never), { gateway: 'http' })
  const tokens: string[] = []
  for (let at = 0; at < people; at++) {
    const email = `load-${at}@example.com`
    tokens.push((await travel({ request, email, code: (to) => mailer.code(to) })).token)
  }
  return tokens
}

/** Returns the results as a Markdown table, one column each. */
export function loadTable(results: readonly LoadResult[]): string {
  const row = (name: string, cell: (result: LoadResult) => string | number): string =>
    `| ${name} | ${results.map((result) => cell(result).toLocaleString('en')).join(' | ')} |`
  const share = ({ database: { requests, refused } }: LoadResult): string =>
    `${refused.toLocaleString('en')} (${Math.round((100 * refused) / requests)} %)`
  return [
    row('HTTP containers', ({ containers }) => containers),
    `|---|${results.map(() => '---').join('|')}|`,
    row('uploads acknowledged', ({ acknowledged, uploads }) => `${acknowledged} of ${uploads}`),
    row('database requests', ({ database }) => database.requests),
    row('answered 429', share),
    row('answered late', ({ database }) => database.slow),
    row('connections broken', ({ database }) => database.broken),
    row("clients' retries", ({ retries }) => retries),
    row('messages delivered again', ({ redeliveries }) => redeliveries),
    row('dead letters, failed jobs', ({ deadLetters, failedJobs }) => `${deadLetters}, ${failedJobs}`),
    row('traces stored', ({ stored, sent }) => `${stored} of ${sent}`),
    row('traces lost', ({ lost }) => lost),
    row('traces stored twice', ({ duplicates }) => duplicates),
    row('upload to 202, p50', ({ p50 }) => `${(p50 / 1000).toFixed(1)} s`),
    row('upload to 202, p99', ({ p99 }) => `${(p99 / 1000).toFixed(1)} s`),
    row('until all is stored', ({ seconds, isComplete }) =>
      isComplete ? `${seconds.toFixed(0)} s` : 'not within the limit',
    ),
  ].join('\n')
}
