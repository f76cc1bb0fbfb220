// Damages one text column of one table after another, and sends every request that reads the table. Prints one line of
// JSON, unless the driver aborts the process.
import { libsqlStores, migrate, openDatabase, raw, type SqlClient } from '@tributary/core/libsql'
import { fixture } from '@tributary/test-kit'
import { openLocal } from './local.ts'

const adminToken = 'operator-'.repeat(3)
const local = openLocal(':memory:')
const database = openDatabase(local)
/** The statements that ran since this was last emptied. */
let statements: string[] = []
const recording: SqlClient = {
  execute: (one) => (statements.push(one.sql), local.execute(one)),
  batch: (all, mode) => (statements.push(...all.map(({ sql }) => sql)), local.batch(all, mode)),
  close: () => local.close(),
}
await migrate(local)
const { ask, signIn, service, clock, mailer } = fixture({
  stores: libsqlStores(recording),
  adminToken,
  approval: 'automatic',
  country: () => 'US',
  yieldToEventLoop: async () => undefined,
  contactEmail: 'desk@example.com',
})
const operator = { authorization: `Bearer ${adminToken}` }
const { bearer, cookie, userId } = await signIn('ann@example.com')
const deviceId = '0192f3c5-7b1a-7c3d-9a52-0f4e6d8b2a71'

async function askOk(
  method: string,
  path: string,
  json?: unknown,
  headers = bearer as Record<string, string>,
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of many shapes
): Promise<any> {
  const answer = await ask(method, path, { headers, ...(json === undefined ? {} : { json }) })
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.json
}

/** Adds at least one row to each table that a request writes. */
async function fill() {
  const { termsVersion } = await askOk('GET', '/api/traces/upload-policy')
  await askOk('POST', '/api/account/terms', { termsVersion, residencyConfirmed: true })
  const about = {
    companyName: 'Acme',
    website: 'https://acme.example',
    email: 'a@acme.example',
    role: 'dev',
    authorized: true,
  }
  const { json: applied } = await ask('POST', '/api/account/application', { headers: bearer, json: about })
  await askOk('POST', '/api/account/contact', { name: 'Ann', email: 'ann@example.com', phone: '+15551234567' })
  await askOk('PUT', '/api/account/consent', { attribution: true, pixel: true })
  await ask('POST', '/api/waitlist', { headers: bearer, json: { email: 'ann@example.com', country: 'US' } })
  const traces = ['a', 'b', 'c'].map((sourceId) => ({
    source: 'codex_jsonl',
    sourceId,
    createdAt: '2026-01-01T00:00:00Z',
    messages: [{ role: 'user', content: `hello ${sourceId}` }],
  }))
  const { jobId } = await askOk('POST', '/api/ingest', { traces })
  await service.work()
  await askOk('POST', '/api/ingest/uploads', { bytes: 100 })
  const { traces: listed } = await askOk('GET', '/api/traces')
  const ids = listed.map(({ id }: { id: string }) => id)
  const { saleId } = await askOk('POST', '/api/admin/sales', { buyer: 'Acme', traceIds: [ids[0]], usd: 1 }, operator)
  await askOk('POST', '/api/program/claim', { deviceId })
  const { campaign } = await askOk(
    'POST',
    '/api/admin/campaigns',
    {
      name: 'Autumn',
      brandName: 'Acme',
      title: 'Databases',
      text: 'A database that answers',
      url: 'https://acme.example',
      cpmUsd: 10,
      budgetUsd: 10,
      topics: [],
    },
    operator,
  )
  const served = await askOk('GET', `/api/ad?d=${deviceId}`)
  clock.advance(20_000)
  const [seen, clicked] = [new URL(served.ad.impUrl).pathname, new URL(served.ad.clickUrl).pathname]
  await ask('GET', seen)
  await askOk('POST', '/api/ad/feedback', { deviceId, token: served.feedback.token, vote: 'up' })
  await askOk('POST', '/api/cli/telemetry', { schema: 1, deviceId, events: [{ name: 'started' }] })
  await askOk('POST', '/api/cli/feedback', { message: 'It works' })
  const { receipt } = await askOk(
    'POST',
    '/api/v1/feedback',
    {
      reporter: { agent_vendor: 'a', agent_product: 'b' },
      subject: { surface: 'c' },
      content: { title: 'd' },
      evidence: [{ type: 'http_summary', content: '422' }],
    },
    { 'idempotency-key': deviceId },
  )
  const { deviceCode } = await askOk('POST', '/api/cli/device/start', { machine: 'laptop' })
  const { challenge } = await askOk('POST', '/api/auth/email', { email: 'bob@example.com' })
  return {
    challenge,
    jobId,
    ids,
    saleId,
    campaign,
    receipt,
    deviceCode,
    seen,
    clicked,
    application: applied.application,
  }
}

const made = await fill()
const params: Record<string, string> = {
  id: made.ids[1],
  jobId: made.jobId,
  userId,
  deviceId,
  code: 'BCDFGHJK',
  nonce: 'n',
  secret: 's',
}
const byPath: Record<string, string> = {
  '/api/admin/campaigns/:id': made.campaign.id,
  '/api/admin/reports/:id': made.receipt.feedback_id,
  '/api/v1/receipts/:id': made.receipt.id,
  '/api/admin/applications/:id': made.application?.id ?? deviceId,
  '/api/v1/feedback/:id/attachments': made.receipt.feedback_id,
}
const bodies: Record<string, unknown> = {
  'PATCH /api/traces/:id': { sellExcluded: true },
  'POST /api/traces/bulk': { ids: made.ids, action: 'exclude' },
  'POST /api/traces/known': { hashes: ['a'.repeat(64)] },
  'PATCH /api/admin/campaigns/:id': { status: 'paused' },
  'PATCH /api/admin/reports/:id': { status: 'accepted' },
  'POST /api/admin/applications/:id': { decision: 'approve' },
  'POST /api/admin/contributors/:userId': { paused: false },
  'POST /api/v1/feedback/:id/attachments': { evidence: [{ type: 'http_summary', content: '500' }] },
  'POST /api/auth/email/verify': {
    email: 'bob@example.com',
    code: mailer.code('bob@example.com'),
    challenge: made.challenge,
  },
}
const queries: Record<string, string> = {
  '/api/ad': `?d=${deviceId}`,
  '/api/cli/device/poll': `?deviceCode=${made.deviceCode}`,
}
const credentials: Record<string, Record<string, string>> = {
  'admin': operator,
  'admin-page': {},
  'buyer': {},
  'buyer-page': {},
  bearer,
  'bearer-or-cookie': bearer,
  cookie,
  'page': cookie,
}
const { cookies } = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
credentials['admin-page'] = {
  cookie: Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
}

const calls = (await service.routes())
  .map(({ route }) => route)
  .filter(({ method, path }) => method === 'GET' || `${method} ${path}` in bodies)
  .map(({ method, path, auth }) => ({
    method,
    json: bodies[`${method} ${path}`],
    headers: credentials[auth] ?? {},
    path: path.startsWith('/api/ad/imp/')
      ? made.seen
      : path === '/go/:code'
        ? made.clicked
        : path.replace(/:(\w+)/g, (_, name: string) => byPath[path] ?? params[name] ?? deviceId) +
          (queries[path] ?? ''),
  }))

const listRows = <T>(text: string): Promise<T[]> => database.read<T>(raw(text))
const write = (...texts: string[]) => database.write(texts.map((text) => raw(text)))

const statuses: Record<string, number> = {}
async function send({ method, path, headers, json }: (typeof calls)[number]): Promise<void> {
  // A request rejects if a reply header would contain U+FFFD, which headers cannot contain. A host answers such a
  // request with 500.
  const status = await ask(method, path, { headers, ...(json === undefined ? {} : { json }) }).then(
    (answer) => answer.status,
    () => 500,
  )
  statuses[status] = (statuses[status] ?? 0) + 1
}

const reading = new Map<(typeof calls)[number], string>()
for (const call of calls) {
  statements = []
  await send(call)
  reading.set(call, statements.join(';'))
}

const columns: string[] = []
// Removes the triggers that keep the audit log unchanged, because they do not stop real damage.
for (const { name } of await listRows<{ name: string }>("select name from sqlite_master where type = 'trigger'"))
  await write(`drop trigger "${name}"`)
for (const { name } of await listRows<{ name: string }>(
  "select name from sqlite_master where type = 'table' and name not like 'sqlite%'",
)) {
  await write(`create table "kept ${name}" as select * from "${name}"`)
  for (const { name: column } of await listRows<{ name: string }>(
    `select name from pragma_table_info('${name}') where lower(type) = 'text'`,
  )) {
    columns.push(`${name}.${column}`)
    await write(
      `update or ignore "${name}" set "${column}" = cast(cast("${column}" as blob) || x'ff' as text) where "${column}" is not null`,
    )
    for (const [call, texts] of reading) if (texts.includes(name)) await send(call)
    await service.work().catch(() => undefined)
    await write(`delete from "${name}"`, `insert into "${name}" select * from "kept ${name}"`)
  }
}

/** Lone surrogates, which JSON sends as escapes that SQLite's JSON functions would decode to invalid UTF-8. */
const lone = 'a\ud800b'
const sent: [string, string, unknown][] = [
  ['POST', '/api/traces/known', { hashes: [lone, '\udfff'] }],
  [
    'POST',
    '/api/ingest',
    {
      traces: [
        {
          sourceId: lone,
          model: lone,
          parentTraceId: lone,
          createdAt: '2026-01-01T00:00:00Z',
          messages: [{ content: lone }],
        },
      ],
    },
  ],
  [
    'POST',
    '/api/v1/feedback',
    {
      reporter: { agent_vendor: lone, agent_product: lone },
      subject: { surface: lone },
      content: { title: lone },
      evidence: [{ type: 'http_summary', content: lone }],
    },
  ],
  ['POST', '/api/cli/telemetry', { schema: 1, deviceId: lone, events: [{ name: 'n', properties: { [lone]: lone } }] }],
  ['POST', '/api/cli/device/start', { machine: lone }],
  ['GET', '/api/admin/reports', undefined],
  ['GET', '/api/account/export', undefined],
]
const surrogates: number[] = []
for (const [method, path, json] of sent) {
  const headers = path.startsWith('/api/admin') ? operator : path.startsWith('/api/account') ? cookie : bearer
  surrogates.push((await ask(method, path, { headers, ...(json === undefined ? {} : { json }) })).status)
  await service.work()
}
console.log(JSON.stringify({ surrogates, columns: columns.length, statuses }))
local.close()
