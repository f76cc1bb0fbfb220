import type { SqlClient, SqlRow, SqlStatement } from '@tributary/core/libsql'
import { makeHash, makeId, makeTraces, seedTraces } from '@tributary/test-kit/seed'
import { startServer } from '../../core/src/stores/postgres/server.fixture.ts'
import { openPostgres } from '../src/postgres.ts'
import { call, median, postJson, startHost, type Host } from './host.ts'
import { readCurrent } from './export.ts'
import { formatMs, type Row } from './table.ts'

const few = 10_000
const many = 1_000_000

/** One call that must not get slower with the number of stored traces. */
interface Call {
  readonly what: string
  run(host: Host, stored: number, round: number): Promise<unknown>
}

/** Returns trace numbers that are spread over the stored traces and differ in each round. */
const spread = (count: number, stored: number, round: number): number[] =>
  Array.from({ length: count }, (_, i) => (Math.floor(((i + 0.5) * stored) / count) + round * 7) % stored)

const calls: readonly Call[] = [
  { what: 'GET /api/cli/session', run: ({ url, bearer }) => call(url, 'GET', '/api/cli/session', undefined, bearer) },
  {
    what: 'POST /api/traces/known, 5,000 hashes, half of them known',
    run: ({ url, bearer }, stored, round) =>
      postJson(
        `${url}/api/traces/known`,
        {
          hashes: spread(2_500, stored, round).flatMap((number) => [
            makeHash('bench', number),
            makeHash('else', number),
          ]),
        },
        bearer,
      ),
  },
  {
    what: 'POST /api/traces/bulk, 500 ids',
    run: ({ url, bearer }, stored, round) =>
      postJson(
        `${url}/api/traces/bulk`,
        {
          ids: spread(500, stored, round).map((number) => makeId('bench', number)),
          action: round % 2 ? 'exclude' : 'include',
        },
        bearer,
      ),
  },
  {
    what: 'list of 200 traces',
    run: ({ url, bearer }) => call(url, 'GET', '/api/traces?limit=200', undefined, bearer),
  },
  {
    what: 'sale of 500 traces',
    // No other call changes the traces with these numbers: an excluded trace could not be sold.
    run: ({ url, operator }, stored, round) =>
      postJson(
        `${url}/api/admin/sales`,
        {
          buyer: 'Bench',
          usd: 100,
          traceIds: spread(500, stored - 1_000, round * 13 + 3).map((number) => makeId('bench', number)),
          dryRun: true,
        },
        operator,
      ),
  },
]

/** Measures calls on PostgreSQL with 10,000 and with 1,000,000 stored traces of one person. */
export async function growth(rounds: number): Promise<Row[]> {
  const server = await startServer({ isDurable: true })
  let host = await startHost(server.url)
  const times = new Map<string, number[]>()
  try {
    const open = await openPostgres(server.url)
    const run = (statements: readonly SqlStatement[]) =>
      open.database.write(statements.map(({ sql, args }) => ({ text: sql, args })))
    const empty = { columns: [], rowsAffected: 0 }
    const client: SqlClient = {
      execute: async (statement) => ({ ...empty, rows: (await run([statement]))[0]!.rows as SqlRow[] }),
      batch: async (statements) => (await run(statements)).map(({ rows }) => ({ ...empty, rows: rows as SqlRow[] })),
      close: () => undefined,
    }
    const current = await readCurrent(client, host.userId)
    for (const [stored, from] of [
      [few, 0],
      [many, few],
    ] as const) {
      process.stderr.write(`filling to ${stored.toLocaleString('en')} traces\n`)
      await host.stop()
      await seedTraces(client, host.userId, makeTraces(stored - from, 'bench', from, current))
      await open.pool.query('vacuum analyze')
      host = await startHost(server.url)
      for (const { what, run } of calls) {
        const took: number[] = []
        // The first three rounds warm up.
        for (let round = 0; round < rounds * 4 + 3; round++) {
          const since = performance.now()
          await run(host, stored, round)
          if (round >= 3) took.push(performance.now() - since)
        }
        times.set(what, [...(times.get(what) ?? []), median(took)])
      }
    }
    await open.close()
  } finally {
    await host.stop()
    await server.close()
  }
  return [...times].map(([what, [small, large]]) => ({
    what: `${what} at ${many.toLocaleString('en')} stored, PostgreSQL`,
    ours: formatMs(large!),
    baseline: `${formatMs(small!)} at ${few.toLocaleString('en')}`,
    ratio: large! / small!,
    goal: '≤ 2.5',
    met: large! / small! <= 2.5,
  }))
}
