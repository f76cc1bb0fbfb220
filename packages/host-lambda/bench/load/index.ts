// `npm run load:lambda [-- --containers 10,100,1000 --seed 1 --rate 200 --concurrency 128 --retry-after 1|none]`:
// measures the time until everything is stored, and counts the lost traces, when many functions share one remote
// database that answers 429, late or not at all. `--limit SECONDS` ends each run, `--processes N` divides the
// containers.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadTable, runLoad, type LoadProgress, type LoadResult } from './model.ts'
import { serveGroup } from './process.ts'

function printProgress({ seconds, received, done, uploads, database: { requests, refused } }: LoadProgress): void {
  const share = requests === 0 ? 0 : Math.round((100 * refused) / requests)
  console.error(
    `${seconds.toFixed(0)} s: ${received} of ${uploads} uploads received, ${done} stored; ` +
      `${requests} database requests, ${share} % answered 429`,
  )
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'containers': { type: 'string', default: '10,100,1000' },
      'processes': { type: 'string', default: '2' },
      'seed': { type: 'string', default: '1' },
      'rate': { type: 'string', default: '200' },
      'concurrency': { type: 'string', default: '128' },
      'retry-after': { type: 'string', default: '1' },
      'batch': { type: 'string', default: '1' },
      'limit': { type: 'string', default: '300' },
    },
  })
  const results: LoadResult[] = []
  for (const containers of values.containers.split(',').map(Number)) {
    console.error(`${containers} containers`)
    const result = await runLoad({
      containers,
      processes: Number(values.processes),
      program: fileURLToPath(import.meta.url),
      onProgress: printProgress,
      uploadsPerClient: 1,
      tracesPerUpload: 5,
      rampMs: 50 * containers,
      batchSize: Number(values.batch),
      database: {
        requestsPerSecond: Number(values.rate),
        concurrentRequests: Number(values.concurrency),
        refusedShare: 0,
        retryAfterSeconds: values['retry-after'] === 'none' ? null : Number(values['retry-after']),
        slowShare: 0.02,
        tooLateShare: 0.001,
        brokenShare: 0.005,
      },
      lostReplyShare: 0.01,
      scheduleMs: 60_000,
      limitMs: 1000 * Number(values.limit),
      seed: Number(values.seed),
    })
    results.push(result)
    const { logged, memoryMegabytes } = result
    console.error(JSON.stringify({ containers, logged, memoryMegabytes: Math.round(memoryMegabytes) }))
  }
  console.log(loadTable(results))
  if (results.some(({ lost, duplicates, isComplete }) => lost > 0 || duplicates > 0 || !isComplete))
    process.exitCode = 1
}

// This program forks itself for each process of containers.
if (process.send) serveGroup()
else await main()
