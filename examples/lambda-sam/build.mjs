import { bundleFunctions } from '@tributary/host-lambda/bundle'

// Each function by itself, with all it needs but the AWS SDK, which is in Lambda's runtime: `http.cjs` and what it loads later.
await bundleFunctions({
  entries: { http: 'src/http.ts', queue: 'src/queue.ts', schedule: 'src/schedule.ts' },
  outdir: 'dist',
})
