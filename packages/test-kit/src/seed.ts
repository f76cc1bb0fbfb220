import { createHash } from 'node:crypto'
import type { NewTrace, SaleItem } from '@tributary/core'
import type { SqlClient, SqlStatement } from '@tributary/core/libsql'

const slice = 2_000

const traceColumns =
  'id, source, source_id, segment_index, model, created_at, parent_trace_id, hash, token_count, estimated_usd, scrub_version, redactions'

const insertTraces = `insert into traces (owner, stored_at, ${traceColumns})
  select (select num from users where id = ?), ?, value->>'id', value->>'source', value->>'sourceId', value->>'segmentIndex', value->>'model',
    value->>'createdAt', value->>'parentTraceId', unhex(value->>'contentHash'), value->>'tokenCount', value->>'estimatedUsd',
    value->>'scrubVersion', value->>'redactions' from json_each(?)`

const insertContents = `insert into contents (trace, messages)
  select (select num from traces where id = value->>'id'), value->>'messages' from json_each(?)`

const insertSeen = `insert or ignore into seen (owner, hash, trace)
  select owner, hash, num from traces where owner = (select num from users where id = ?) order by hash`

/**
 * Puts traces straight into the tables of a migrated database, past the ingest: for laws of reading and for benches. Makes
 * the person if need be. Some 40,000 a second, 2,000 a transaction; the known hashes come last, in one statement.
 *
 * ```ts
 * await seedTraces(client, 'person-1', madeTraces(1_000_000))
 * ```
 */
export async function seedTraces(client: SqlClient, ownerId: string, traces: Iterable<NewTrace>, now = 0): Promise<void> {
  const run = (statements: SqlStatement[]) => client.batch(statements, 'write')
  await run([{ sql: 'insert or ignore into users (id, created_at) values (?, ?)', args: [ownerId, now] }])
  const flush = async (some: NewTrace[]): Promise<void> => {
    const list = JSON.stringify(some)
    await run([{ sql: insertTraces, args: [ownerId, now, list] }, { sql: insertContents, args: [list] }])
  }
  let waiting: NewTrace[] = []
  for (const trace of traces) {
    if (waiting.push(trace) < slice) continue
    await flush(waiting)
    waiting = []
  }
  if (waiting.length > 0) await flush(waiting)
  await run([{ sql: insertSeen, args: [ownerId] }])
}

/** The hash of the trace of this number, spread as real ones are. */
export function madeHash(label: string, number: number): string {
  return createHash('sha256').update(`${label}/${number}`).digest('hex')
}

/** The id of the trace of this number: a UUID version 7 whose time grows with the number. */
export function madeId(label: string, number: number): string {
  const random = createHash('sha256').update(`id/${label}/${number}`).digest('hex')
  const time = (1_700_000_000_000 + number).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`
}

/** One made trace; the same label and number make the same one. Its messages are one short line. */
export function madeTrace(label: string, number: number, changes: Partial<NewTrace> = {}): NewTrace {
  const message = { position: 0, role: 'user', content: `${label} ${number}`, tokenCount: 2, createdAt: null, truncated: false }
  return {
    id: madeId(label, number),
    source: 'claude_code_jsonl',
    sourceId: `${label}-${number}`,
    segmentIndex: null,
    model: 'model-1',
    createdAt: '2026-11-01T00:00:00.000Z',
    parentTraceId: null,
    contentHash: madeHash(label, number),
    tokenCount: 2,
    estimatedUsd: 0.000002,
    scrubVersion: '1',
    redactions: '{}',
    messages: JSON.stringify([message]),
    ...changes,
  }
}

/** Made traces, numbered from `first`, one at a time. */
export function* madeTraces(count: number, label = 'made', first = 0, changes: Partial<NewTrace> = {}): Generator<NewTrace> {
  for (let number = first; number < first + count; number++) yield madeTrace(label, number, changes)
}

/** Ids as `TraceStore.sell` takes them, with buyer's ids that sort in the opposite order. */
export const saleItems = (listed: readonly string[]): SaleItem[] =>
  listed.map((id, at) => ({ id, buyerId: madeId('d', 1_000 - at) }))
