import { start } from './server.ts'
import { startTelemetry } from './telemetry.ts'

/** The trace of the caller, which the printed spans continue. */
export const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Starts a server, sends it one request that belongs to a trace, prints the spans of the request, and ends. */
export async function runOnce(): Promise<void> {
  const stopTelemetry = startTelemetry()
  const { url, close } = await start(0)
  await (
    await fetch(`${url}/api/cli/session`, { headers: { traceparent }, signal: AbortSignal.timeout(10_000) })
  ).text()
  await close()
  await stopTelemetry()
}
