/** The smallest service that a developer would write with hono and zod. */
export const hello = `
import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import * as z from 'zod'
const Query = z.object({ name: z.string().min(1).max(64) })
const app = new Hono()
app.all('*', (c) => {
  const { name } = Query.parse({ name: c.req.query('name') ?? 'world' })
  return c.json({ ok: true, hello: name }, 401)
})
export const handler = handle(app)
`

/** The smallest service on zod, drizzle and libSQL, with a handler that does almost nothing. */
export const baseline = `
import { createClient } from '@libsql/client/web'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/libsql/web'
import * as z from 'zod'
const Query = z.object({ name: z.string().min(1).max(64) })
const db = drizzle(createClient({ url: process.env.TURSO_URL }))
export const handler = async (event) => {
  const { name } = Query.parse({ name: 'world' })
  if (event.rawPath.includes('poll')) await db.all(sql\`select 1\`)
  return { statusCode: 401, body: JSON.stringify({ ok: true, hello: name }) }
}
`

/**
 * Measures one cold start in a fresh process: the import, a request that does not use the database, and a request that
 * reads it. Each measurement is a pair: elapsed milliseconds, and milliseconds of processor time, which depend less on
 * other load of the machine.
 *
 * As on Lambda, HTTP and stdout are loaded before the measurement: the runtime requests events with an agent of
 * `node:http` (`RAPIDClient` of aws-lambda-nodejs-runtime-interface-client) before it imports a function.
 */
export const measure = `
import { Agent } from 'node:http'
new Agent({ keepAlive: true, maxSockets: 1 })
process.stdout.writable
const event = (rawPath, rawQueryString = '') => ({ version: '2.0', rawPath, rawQueryString, headers: { host: 'x', accept: '*/*' },
  isBase64Encoded: false,
  requestContext: { domainName: 'x', http: { method: 'GET', path: rawPath, sourceIp: '192.0.2.1' }, stage: '$default' } })
const context = { awsRequestId: '8476a536-e9f4-11e8-9739-2dfe598c3fcd' }
const processorTime = () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000
let [from, fromProcessor] = [performance.now(), processorTime()]
const takeLap = () => {
  const [at, atProcessor] = [performance.now(), processorTime()]
  const lap = [at - from, atProcessor - fromProcessor]
  ;[from, fromProcessor] = [at, atProcessor]
  return lap
}
const { handler } = await import(process.argv[2])
const imported = takeLap()
const { statusCode } = await handler(event('/api/cli/session'), context)
if (statusCode !== 401) throw new Error('expected 401, got ' + statusCode)
const first = takeLap()
await handler(event('/api/cli/device/poll', 'deviceCode=' + 'a'.repeat(43)), context)
const read = takeLap()
process.stdout.write(JSON.stringify({ imported, first, read, rss: process.memoryUsage().rss }), () => process.exit())
`
