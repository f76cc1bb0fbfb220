import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import type { Logger, ServiceOptions } from '@tributary/core'
import { createMigratedFile } from '../../../test-kit/src/fixtures/database.ts'
import { startHrana } from '../../../test-kit/src/emulators/hrana.ts'
import { lambdaHost } from '../../../test-kit/src/emulators/lambda-client.ts'
import { fixture } from '../../../test-kit/src/fixtures/service.ts'
import { createTraveller } from '../../../test-kit/src/fixtures/journey.ts'
import { toLambdaHandler } from '../../src/index.ts'
import { seededChance, sleep } from './chance.ts'
import { containerOptions, startGroup, type Group, type GroupOptions } from './containers.ts'
import { makeDisturbance, type DatabaseCounts, type DatabaseLimits } from './database.ts'
import { forkGroup } from './process.ts'

export interface LoadOptions {
  /**
   * The number of HTTP containers, each with one contributor's client. For every ten of them, one more container
   * processes jobs. One container runs the schedule.
   */
  readonly containers: number
  /**
   * The number of processes among which the containers are divided. Each runs the program in `program`. With 0 this
   * process runs all containers.
   */
  readonly processes: number
  /** The file of the program that `processes` run, which calls `serveGroup`. */
  readonly program?: string
  /** A function that is called every five seconds. */
  readonly onProgress?: (progress: LoadProgress) => void
  readonly uploadsPerClient: number
  readonly tracesPerUpload: number
  /** Milliseconds within which all clients begin. */
  readonly rampMs: number
  /** Messages in one invocation of a worker. The templates use 1. */
  readonly batchSize: number
  readonly database: DatabaseLimits
  /** Share of replies that are lost on the way to the client, after the service has processed the request. */
  readonly lostReplyShare: number
  /** Milliseconds between two invocations of the schedule. The templates use one minute. */
  readonly scheduleMs: number
  /** Milliseconds after which the model gives up. */
  readonly limitMs: number
  /**
   * The seed of everything random: disturbances, repeated deliveries, lost replies. Their order over time still
   * depends on the machine.
   */
  readonly seed: number
}

/** The progress of a run. */
export interface LoadProgress {
  readonly seconds: number
  /** The number of uploads whose job is in the database, and of uploads whose job is done. */
  readonly received: number
  readonly done: number
  readonly uploads: number
  readonly database: Readonly<DatabaseCounts>
}

export interface LoadResult {
  readonly containers: number
  readonly database: DatabaseCounts
  /** The number of clients' attempts after the first attempt of each upload. */
  readonly retries: number
  /** Uploads that were answered 202. */
  readonly acknowledged: number
  readonly uploads: number
  readonly redeliveries: number
  readonly deadLetters: number
  readonly failedJobs: number
  readonly sent: number
  readonly stored: number
  /** Acknowledged traces that are not stored, although their job is no longer waiting. */
  readonly lost: number
  /** The number of rows of traces above the number of traces that were sent. */
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

const silentLogger: Logger = { info() {}, warn() {}, error() {} }

/** The milliseconds between two calls of `onProgress`. */
const progressMs = 5_000

/**
 * Runs `containers` functions concurrently against one database over HTTP that refuses, delays and cuts requests.
 * Resolves with the contents of the database when everything is stored, or after `limitMs`.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { containers, limitMs, onProgress } = options
  const folder = mkdtempSync(join(tmpdir(), 'tributary-load-'))
  const path = join(folder, 'a.db')
  await createMigratedFile(path)
  const { disturb, counts, stop } = makeDisturbance(options.database, seededChance(options.seed))
  let isDisturbed = false
  const database = await startHrana({
    path,
    isDurable: false,
    disturb: (underWay) => (isDisturbed ? disturb(underWay) : null),
  })
  const tokens = await signUp(Math.ceil(containers / 20), containerOptions(database.url, { logger: silentLogger }))
  const groups = await startGroups(options, { databaseUrl: database.url, blobFolder: join(folder, 'blobs'), tokens })

  // The file is read directly, because the server would count and disturb these requests.
  const file = new Database(path)
  const countRows = (from: string): number =>
    (file.prepare(`select count(*) as rows from ${from}`).get() as { rows: number }).rows
  const uploads = containers * options.uploadsPerClient
  isDisturbed = true
  const start = performance.now()
  const elapsed = (): number => performance.now() - start
  let areAllAcknowledged = false
  const runs = Promise.all(groups.map((group) => group.run())).then(() => void (areAllAcknowledged = true))
  const isDone = (): boolean => areAllAcknowledged && countRows("jobs where status not in ('done', 'failed')") === 0
  let isComplete = false
  for (let next = progressMs; !isComplete && elapsed() < limitMs; await sleep(100)) {
    isComplete = isDone()
    if (elapsed() < next) continue
    next += progressMs
    const done = countRows("jobs where status = 'done'")
    onProgress?.({ seconds: elapsed() / 1000, received: countRows('jobs'), done, uploads, database: counts })
  }
  const seconds = elapsed() / 1000
  stop()
  const results = await Promise.all(groups.map((group) => group.end()))
  await runs

  const acknowledged = results.flatMap((result) => result.acknowledged)
  const rows = file.prepare('select source_id as name from traces').all() as { name: string }[]
  const stored = new Set(rows.map(({ name }) => name))
  const failedJobs = countRows("jobs where status = 'failed'")
  const open = file.prepare("select id from jobs where status not in ('done', 'failed')").all() as { id: string }[]
  const waiting = new Set(open.map(({ id }) => id))
  const expected = acknowledged.flatMap(({ name, jobId }) =>
    Array.from({ length: options.tracesPerUpload }, (_, i) => ({ name: `${name}-${i}`, jobId })),
  )
  file.close()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
  const sorted = acknowledged.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const percentile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  const sum = (name: 'retries' | 'redeliveries' | 'deadLetters' | 'memoryMegabytes'): number =>
    results.reduce((total, result) => total + result[name], 0)
  const logged: Record<string, number> = {}
  for (const result of results)
    for (const [event, times] of Object.entries(result.logged)) logged[event] = (logged[event] ?? 0) + times
  return {
    containers,
    database: counts,
    retries: sum('retries'),
    acknowledged: acknowledged.length,
    uploads,
    redeliveries: sum('redeliveries'),
    deadLetters: sum('deadLetters'),
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
    memoryMegabytes: sum('memoryMegabytes'),
  }
}

/** Divides the containers among the processes and starts them. The first process runs the schedule. */
function startGroups(
  options: LoadOptions,
  place: Pick<GroupOptions, 'databaseUrl' | 'blobFolder' | 'tokens'>,
): Promise<Group[]> {
  const { containers, processes, program, database: _database, onProgress: _onProgress, ...plain } = options
  const count = Math.max(1, Math.min(processes, containers))
  const groups = Array.from({ length: count }, (_, index): GroupOptions => {
    const first = Math.floor((containers * index) / count)
    return {
      ...plain,
      ...place,
      first,
      containers: Math.floor((containers * (index + 1)) / count) - first,
      scheduleMs: index === 0 ? options.scheduleMs : null,
      seed: options.seed + index,
    }
  })
  return Promise.all(groups.map((group) => (processes === 0 ? startGroup(group) : forkGroup(program!, group))))
}

/** Signs contributors up before the database is disturbed, and returns the token of one machine of each contributor. */
async function signUp(people: number, options: ServiceOptions): Promise<string[]> {
  const { service, mailer } = fixture({ ...options, clock: Date.now, rates: 'off' })
  const handler = toLambdaHandler(service)
  const { request } = lambdaHost((event) => handler(event as never), { gateway: 'http' })
  const tokens: string[] = []
  for (let at = 0; at < people; at++) {
    const email = `load-${at}@example.com`
    tokens.push((await createTraveller({ request, email, code: (to) => mailer.code(to) })).token)
  }
  return tokens
}

/** Returns the results as a Markdown table, with one column for each result. */
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
