// `npm run load:lambda [-- --containers 10,100,1000 --seed 1 --rate 100 --retry-after 1|none]`: how long it takes until
// everything is stored, and what is lost, when many functions share one remote database that answers 429, late or not
// at all.
import { parseArgs } from 'node:util'
import { loadTable, runLoad, type LoadResult } from './model.ts'

const { values } = parseArgs({
  options: {
    'containers': { type: 'string', default: '10,100,1000' },
    'seed': { type: 'string', default: '1' },
    'rate': { type: 'string', default: '100' },
    'retry-after': { type: 'string', default: '1' },
    'batch': { type: 'string', default: '1' },
  },
})
const results: LoadResult[] = []
for (const containers of values.containers.split(',').map(Number)) {
  const result = await runLoad({
    containers,
    uploadsPerClient: 1,
    tracesPerUpload: 5,
    rampMs: 50 * containers,
    batchSize: Number(values.batch),
    database: {
      requestsPerSecond: Number(values.rate),
      refusedShare: 0,
      retryAfterSeconds: values['retry-after'] === 'none' ? null : Number(values['retry-after']),
      slowShare: 0.02,
      tooLateShare: 0.001,
      brokenShare: 0.005,
    },
    lostReplyShare: 0.01,
    scheduleMs: 60_000,
    limitMs: 400_000,
    seed: Number(values.seed),
  })
  results.push(result)
  console.error(
    JSON.stringify({ containers, logged: result.logged, memoryMegabytes: Math.round(result.memoryMegabytes) }),
  )
}
console.log(loadTable(results))
if (results.some(({ lost, duplicates, isComplete }) => lost > 0 || duplicates > 0 || !isComplete)) process.exitCode = 1
