import { uuid7 } from '@tributary/core'
import type { IngestStore, NewTrace } from '@tributary/core'
import {
  runAuthStoreContract,
  runIngestStoreContract,
  runRateLimiterContract,
  runTraceStoreContract,
  makeNames,
} from '@tributary/test-kit'
import { eq, getTableName, sql } from 'drizzle-orm'
import { randomBytes } from 'node:crypto'
import type { Postgres } from './database.ts'
import { postgresStores } from './index.ts'
import * as tables from './tables.ts'

/** Two hosts on one migrated, empty database. */
export interface PostgresPlace {
  readonly databases: readonly [Postgres, Postgres]
  close(): Promise<void>
}

/** Empties every table. */
export async function truncateTables(db: Postgres): Promise<void> {
  const names = Object.values(tables).map((table) => sql.identifier(getTableName(table)))
  await db.execute(sql`truncate ${sql.join(names, sql`, `)} restart identity`)
}

/** Stores traces of an owner through the ingest, as if they had been handed in at the time 0. */
async function storeTraces(ingest: IngestStore, ownerId: string, given: Iterable<NewTrace>): Promise<void> {
  const all = [...given]
  const jobId = uuid7(0, (length) => randomBytes(length))
  const job = { ownerId, id: jobId, source: 'mixed', total: all.length, parts: 1, bytes: 1, enqueuedAt: 0 }
  await ingest.enqueueJob(job)
  const claim = (await ingest.claimJob({ lease: jobId, now: 0, leaseUntil: 30_000, jobId }))!
  for (let start = 0; start < all.length; start += 1_000) {
    const prepared = all.slice(start, start + 1_000).map((trace, at) => ({
      kind: 'scrubbed' as const,
      index: start + at,
      sourceId: trace.sourceId,
      contentHash: trace.contentHash,
      isRepeated: false,
      trace,
      redactions: 0,
      ...makeNames(trace),
    }))
    await ingest.writeBatch({ claim, traces: prepared, now: 0, leaseUntil: 30_000 })
  }
  await ingest.completeJob({ claim, usdPerMillionTokens: 1, now: 0 })
}

/** Registers the contract tests of every port that the example implements. */
export function runPostgresContracts(name: string, open: () => Promise<PostgresPlace>): void {
  const openStores = async () => {
    const { databases, close } = await open()
    const [one, other] = [postgresStores(databases[0]), postgresStores(databases[1])]
    return { databases, stores: [one, other] as const, close }
  }
  runRateLimiterContract(name, async () => {
    const { databases, close } = await openStores()
    return { host: (n) => postgresStores(databases[n % 2]!).limiter, close }
  })
  runAuthStoreContract(name, async () => {
    const { stores, close } = await openStores()
    return { stores: [stores[0].auth, stores[1].auth], close }
  })
  runIngestStoreContract(name, async () => {
    const { stores, close } = await openStores()
    const [one, other] = stores
    return {
      stores: [one.ingest, other.ingest],
      traces: { ...one.traces, ...one.dataset },
      person: (id) => one.auth.upsertUser({ id, email: null, now: 0 }),
      close,
    }
  })
  runTraceStoreContract(name, async () => {
    const { databases, stores, close } = await openStores()
    const [one, other] = stores
    return {
      stores: [
        { ...one.traces, ...one.dataset },
        { ...other.traces, ...other.dataset },
      ],
      async put(ownerId, given) {
        await one.auth.upsertUser({ id: ownerId, email: null, now: 0 })
        await storeTraces(one.ingest, ownerId, given)
      },
      async loseContent(id) {
        const { contents, traces } = tables
        const num = sql`(select ${traces.num} from ${traces} where ${eq(traces.id, id)})`
        await databases[0].delete(contents).where(eq(contents.trace, num))
      },
      close,
    }
  })
}
