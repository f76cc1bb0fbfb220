import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, createFolder, post, signIn, startHost, waitForJob, type Host } from './host.ts'
import { compareWaits, observe, reportLoad, type Observed } from './observe.ts'
import type { Row } from './table.ts'

const parallel = 8
const megabytes = 20

/** Uploads a trace of 20 MB in messages of 20 kB. Returns its id. */
async function uploadTrace(host: Host): Promise<string> {
  const words = 'the function returns a value and then we read the error again, line by line '
  const content = `${words.repeat(Math.ceil(20_000 / words.length))}\n"quoted"`
  const messages = Array.from({ length: megabytes * 50 }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: `${n} ${content}`,
  }))
  const trace = { source: 'claude_code_jsonl', sourceId: 'large', createdAt: '2026-11-01T00:00:00Z', messages }
  const { text } = await post(`${host.url}/api/ingest`, Buffer.from(JSON.stringify({ traces: [trace] })), host.bearer)
  await waitForJob(host, (JSON.parse(text) as { jobId: string }).jobId)
  const { traces } = (await call(host.url, 'GET', '/api/traces', undefined, host.bearer)) as unknown as {
    traces: { id: string }[]
  }
  return traces[0]!.id
}

/** Downloads in separate processes, so that reading does not slow the observer. */
async function download({ url, bearer }: Host, id: string): Promise<void> {
  const address = `${url}/api/traces/${id}/download`
  const header = `authorization: ${bearer.authorization}`
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      const child = spawn('curl', ['-sS', '--fail', '-o', '/dev/null', '-H', header, address], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve))
      if (code !== 0) throw new Error(`curl ended with ${String(code)}`)
    }),
  )
}

/**
 * Measures how long other people wait while one person downloads a large trace eight times concurrently, repeated five
 * times.
 */
export async function downloads(rounds: number): Promise<Row[]> {
  const [idle, busy]: [Observed[], Observed[]] = [[], []]
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const place = createFolder()
    const host = await startHost(`${place.path}/bench.db`)
    const id = await uploadTrace(host)
    const { bearer } = await signIn(host.url, 'other@example.com')
    await observe(host, bearer, sleep(1_000))
    idle.push(await observe(host, bearer, sleep(4_000)))
    const before = host.memory().now
    const repeat = async (): Promise<void> => {
      for (let time = 0; time < 5; time++) await download(host, id)
    }
    busy.push(await observe(host, bearer, repeat()))
    const { seconds, peak } = busy.at(-1)!
    process.stderr.write(
      `${(seconds / 5).toFixed(2)} s each, ${((peak - before) / 1e6).toFixed(0)} MB above idle at the peak\n`,
    )
    reportLoad(round)
    await host.stop()
    place.remove()
  }
  return compareWaits(`${parallel} parallel downloads of ${megabytes} MB`, busy, idle)
}
