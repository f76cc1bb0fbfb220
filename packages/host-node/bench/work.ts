import { createHash, randomUUID } from 'node:crypto'
import { createService, type Person, type Stores } from '@tributary/core'
import type { Scrubber } from '@tributary/core/scrub'
import { libsqlStores, migrate } from '@tributary/core/libsql'
import { openLocal } from '../src/sqlite/local.ts'
import { nodeDigest, nodeRandom, yieldToEventLoop } from '../src/platform.ts'
import { plainFile, type PlainFile } from './baseline.ts'
import { createBatch, createFolder, median } from './host.ts'
import type { Row } from './table.ts'

/** A trace as the baselines store it. */
export interface PlainTrace {
  readonly id: string
  readonly hash: Buffer
  readonly body: string
}

/** The traces per second of the worker and of the baseline, and their ratio. */
export interface WorkRates {
  readonly ours: number
  readonly baseline: number
  readonly ratio: number
}

/**
 * Measures the worker's traces per second against a baseline that parses, hashes and inserts the same traces in batches
 * without scrubbing.
 */
export async function work(rounds: number): Promise<Row[]> {
  const rows: Row[] = []
  for (const [bytes, label] of [
    [4_000, '4 KB'],
    [40_000, '40 KB'],
  ] as const) {
    const { ours, baseline, ratio } = await measureOnFile(bytes, rounds)
    rows.push({
      what: `worker, ${label} traces`,
      ours: `${Math.round(ours)}/s`,
      baseline: `${Math.round(baseline)}/s parse + hash + batched insert`,
      ratio,
      goal: '≥ 0.5, 0.6 wanted',
      met: ratio >= 0.5,
    })
  }
  return rows
}

/** Measures the worker on a file of libSQL. */
export async function measureOnFile(bytes: number, rounds: number, scrubber?: Scrubber): Promise<WorkRates> {
  const place = createFolder()
  const local = openLocal(`${place.path}/bench.db`)
  await migrate(local)
  const file = plainFile(
    `${place.path}/baseline.db`,
    'create table traces (id text primary key, hash blob, body text); create table seen (hash blob primary key) without rowid',
  )
  try {
    const insert = async (traces: readonly PlainTrace[]): Promise<void> => writePlain(file, traces)
    return await measureWorker(libsqlStores(local), insert, bytes, rounds, scrubber)
  } finally {
    local.close()
    file.close()
    place.remove()
  }
}

/** A scrubber that changes no text, so that only the work of the stores and of finding copies is measured. */
export const noScrubber: Scrubber = {
  version: 'none',
  scrub: (texts) => ({ ok: true, texts: [...texts], total: 0, counts: {} }),
}

/**
 * Measures the worker with these stores against a baseline that parses, hashes and inserts (`insert`) a hundred traces
 * at a time. The worker uses the service's own scrubber unless another is given.
 */
export async function measureWorker(
  stores: Stores,
  insert: (traces: readonly PlainTrace[]) => Promise<void>,
  bytes: number,
  rounds: number,
  scrubber?: Scrubber,
): Promise<WorkRates> {
  const person: Person = { id: 'bench' }
  const service = createService({
    baseUrl: 'http://127.0.0.1',
    stores,
    random: nodeRandom,
    digest: nodeDigest,
    yieldToEventLoop: yieldToEventLoop,
    identity: () => person,
    country: () => 'US',
    approval: 'automatic',
    rates: 'off',
    ...(scrubber && { scrubber }),
  })
  const submit = async (method: string, path: string, body?: string): Promise<Record<string, string>> => {
    const response = await service.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        ...(body ? { body } : {}),
      }),
    )
    if (!response?.ok) throw new Error(`${path}: ${response?.status} ${await response?.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const { termsVersion } = await submit('GET', '/api/traces/upload-policy')
  await submit('POST', '/api/account/terms', JSON.stringify({ termsVersion, residencyConfirmed: true }))
  await submit(
    'POST',
    '/api/account/application',
    JSON.stringify({
      companyName: 'Bench',
      website: 'https://example.com',
      email: 'b@example.com',
      role: 'engineer',
      authorized: true,
    }),
  )
  const [ours, baseline]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const body = createBatch(1_000, bytes, `work-${round}`)
    let at = performance.now()
    await plainIngest(body, insert)
    const took = performance.now() - at
    await submit('POST', '/api/ingest', body)
    at = performance.now()
    await oneJob(service)
    if (round > 0) {
      ours.push(1_000 / ((performance.now() - at) / 1_000))
      baseline.push(1_000 / (took / 1_000))
    }
  }
  return { ours: median(ours), baseline: median(baseline), ratio: median(ours) / median(baseline) }
}

/** Stores a batch with the least possible work: without leases, outcomes or scrubbing. */
async function plainIngest(body: string, insert: (traces: readonly PlainTrace[]) => Promise<void>): Promise<void> {
  const { traces } = JSON.parse(body) as { traces: { messages: { role: string; content: string }[] }[] }
  for (let from = 0; from < traces.length; from += 100) {
    const rows = traces.slice(from, from + 100).map(({ messages }) => {
      const hash = createHash('sha256')
        .update(JSON.stringify(messages.map(({ role, content }) => [role, content])))
        .digest()
      return { id: randomUUID(), hash, body: JSON.stringify(messages) }
    })
    await insert(rows)
    await yieldToEventLoop()
  }
}

function writePlain(file: PlainFile, rows: readonly PlainTrace[]): void {
  file.write([
    {
      sql: `insert into traces values ${rows.map(() => '(?, ?, ?)').join(', ')}`,
      args: rows.flatMap((row) => [row.id, row.hash, row.body]),
    },
    {
      sql: `insert or ignore into seen values ${rows.map(() => '(?)').join(', ')}`,
      args: rows.map((row) => row.hash),
    },
  ])
}

/** Runs the worker until nothing is due. It must have completed exactly one job. */
async function oneJob(service: ReturnType<typeof createService>): Promise<void> {
  const { done } = await service.work()
  if (done !== 1) throw new Error(`the worker finished ${done} jobs`)
}
