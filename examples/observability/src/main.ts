import { runOnce } from './once.ts'
import { startTelemetry } from './telemetry.ts'
import { start } from './server.ts'

// `npm run example:observability` starts a server. With `-- --once` it answers one request, prints its spans and exits.
if (process.argv.includes('--once')) await runOnce()
else {
  const stopTelemetry = startTelemetry()
  const { url, close } = await start(8787)
  console.log(`Serving ${url}, metrics at ${url}/metrics; spans are printed (Ctrl-C stops)`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close().then(stopTelemetry))
}
