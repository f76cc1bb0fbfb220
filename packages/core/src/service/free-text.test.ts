import { fixture, temporaryDatabase, type Fixture, type Signed, type TemporaryDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'
import type { TelemetryRecord } from '../ports.ts'
import { createScrubber } from '../scrubber/index.ts'

/**
 * A secret of its own goes in by every way that free text comes in, and every way out is read, down to the bytes of the
 * database. What a way in keeps as it was sent is account data, which its owner gave to be answered: an e-mail address
 * to answer to, an application, a contact. Those are no free text, go to nobody but their owner and the operator, and
 * are not here.
 */
const adminToken = 'operator-of-the-ways'
const operator = { authorization: `Bearer ${adminToken}` }
const contactEmail = 'desk@example.com'

const planted: string[] = []
/** Returns a unique address that is short enough for every field. */
function secret(): string {
  const one = `jane${String.fromCharCode(97 + (planted.length % 26))}${planted.length}@acme-corp.io`
  planted.push(one)
  return one
}

let database: TemporaryDatabase
let made: Fixture
let ann: Signed
let jobs: string[]
const logged: string[] = []
const sunk: TelemetryRecord[] = []
let feedbackId: string
let receiptId: string

const log = (...given: unknown[]): void =>
  void logged.push(
    given
      .map((one) =>
        one instanceof Error
          ? String(one.stack)
          : JSON.stringify(one, (_, value: unknown) => (value instanceof Error ? value.stack : value)),
      )
      .join(' '),
  )
const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
  made.ask('POST', path, { json, headers })

beforeAll(async () => {
  database = await temporaryDatabase()
  const real = createScrubber({ reject: ['card'] })
  made = fixture({
    stores: libsqlStores(database.client),
    adminToken,
    contactEmail,
    approval: 'automatic',
    country: () => 'US',
    scrubber: real,
    logger: { info: log, warn: log, error: log },
    telemetrySink: { name: 'sink', take: async (reports) => void sunk.push(...reports) },
    tokenizer: {
      name: 'fails',
      count: (text) => {
        if (text.includes('poison')) throw new Error(`cannot count ${text}`)
        return text.length
      },
    },
  })
  ann = await made.signIn('ann@example.com')
  await post('/api/account/terms', { termsVersion: '2026-11-22', residencyConfirmed: true }, ann.bearer)
  await post(
    '/api/account/application',
    { companyName: 'Acme', website: 'https://acme.example', email: 'a@acme.example', role: 'dev', authorized: true },
    ann.bearer,
  )

  // E5, its upload by address, a trace that is refused, and one that cannot be prepared.
  const trace = (more: object) => ({
    sourceId: `run ${secret()}`,
    createdAt: '2026-11-01T00:00:00Z',
    messages: [{ role: 'user', content: `mail ${secret()}` }],
    ...more,
  })
  const batch = {
    traces: [
      trace({
        model: `model of ${secret()}`,
        parentTraceId: `parent ${secret()}`,
        messages: [{ role: 'tool', content: JSON.stringify({ to: secret(), key: `\u001b[1m${secret()}` }) }],
      }),
      trace({ messages: [{ content: 'card 4539 5787 6362 1486' }, { content: secret() }] }),
      trace({ messages: [{ content: `poison ${secret()}` }] }),
    ],
  }
  jobs = [(await post('/api/ingest', batch, ann.bearer)).json.jobId]
  const body = new TextEncoder().encode(JSON.stringify({ traces: [trace({})] }))
  const { url, uploadId } = (await post('/api/ingest/uploads', { bytes: body.length }, ann.bearer)).json
  await made.service.fetch(new Request(url, { method: 'PUT', body, headers: { 'content-type': 'application/json' } }))
  jobs.push((await post('/api/ingest', { uploadId }, ann.bearer)).json.jobId)

  // E1 in every field, E2 in every field but the address to answer to.
  await post(
    '/api/cli/telemetry',
    {
      schema: 1,
      deviceId: `of ${secret()}`,
      cliVersion: secret(),
      platform: secret(),
      arch: secret(),
      command: `login ${secret()}`,
      sentAt: secret(),
      diagnostics: [{ adapter: secret(), source: secret(), unhandledTypes: [secret()] }],
      events: [{ name: secret(), properties: { [secret()]: secret(), list: [{ deep: secret() }] } }],
    },
    ann.bearer,
  )
  await post(
    '/api/cli/feedback',
    {
      message: `from ${secret()}`,
      deviceId: `of ${secret()}`,
      cliVersion: secret(),
      platform: secret(),
      arch: secret(),
      command: secret(),
    },
    ann.bearer,
  )

  // E20, its observations and attachments.
  const reporter = () => ({ agent_vendor: secret(), agent_product: secret(), agent_version: secret() })
  const report = {
    reporter: reporter(),
    subject: { surface: secret(), domain: secret() },
    content: { title: secret(), summary: secret(), hypothesis: secret() },
    evidence: [{ type: 'other', content: secret() }],
  }
  const { receipt } = (await post('/api/v1/feedback', report)).json
  ;({ feedback_id: feedbackId, id: receiptId } = receipt)
  await post(`/api/v1/feedback/${feedbackId}/attachments`, { evidence: [{ type: 'log_excerpt', content: secret() }] })
  await post('/api/v1/observations', {
    surface: secret(),
    domain: secret(),
    ...reporter(),
    summary: `${secret()}\n${secret()}`,
  })

  // The machine's label of a device login, approved.
  const started = (await post('/api/cli/device/start', { machine: `laptop of ${secret()}` })).json
  await post(
    '/api/cli/device/approve',
    { userCode: started.userCode },
    { ...ann.cookie, 'sec-fetch-site': 'same-origin' },
  )
  await made.ask('GET', `/api/cli/device/poll?deviceCode=${started.deviceCode}`)

  // Words of a request that no route takes.
  await made.ask('GET', `/api/traces/${secret()}`, { headers: ann.bearer })
  await made.ask('GET', `/api/ad?topic=${secret()}&d=x`, { headers: ann.bearer })
  await post('/api/ingest', { traces: [{ sourceId: 7, [secret()]: secret() }] }, ann.bearer)
  await made.service.work()
  await made.service.work()
})
afterAll(() => database.close())

function expectClean(text: string): void {
  expect(planted.filter((one) => text.includes(one) || text.includes(encodeURIComponent(one)))).toEqual([])
}

const mine = async (path: string): Promise<string> => (await made.ask('GET', path, { headers: ann.bearer })).text
const theirs = async (path: string): Promise<string> => (await made.ask('GET', path, { headers: operator })).text
const ids = async (): Promise<string[]> =>
  JSON.parse(await mine('/api/traces')).traces.map(({ id }: { id: string }) => id)

describe('free text with secrets and personal data, sent to every endpoint', () => {
  test('is accepted', async () => {
    expect(await ids()).toHaveLength(2)
    expect(sunk).toHaveLength(1)
    expect(made.mailer.mails.filter(({ to }) => to === contactEmail)).toHaveLength(2)
    expect(JSON.parse(await theirs('/api/admin/feedback')).items).toHaveLength(1)
    expect(JSON.parse(await theirs('/api/admin/reports')).items).toHaveLength(2)
    expect(JSON.parse(await mine('/api/account/machines')).machines.length).toBeGreaterThan(1)
    expect(planted.length).toBeGreaterThan(40)
  })

  test('is scrubbed in GET /api/traces/:id/download', async () => {
    for (const id of await ids()) {
      const document = await mine(`/api/traces/${id}/download`)
      expect(document).toContain('[EMAIL_1]')
      expectClean(document)
    }
  })

  test.each([
    ['the list of traces', () => mine('/api/traces')],
    ['the export of the account', () => mine('/api/account/export')],
    ['the machines', () => mine('/api/account/machines')],
    ['the dataset', () => theirs('/api/admin/dataset')],
    ['the jobs for the operator', () => theirs('/api/admin/jobs')],
    ['the feedback for the operator (E2)', () => theirs('/api/admin/feedback')],
    ['the reports for the operator (E20)', () => theirs('/api/admin/reports')],
    ['what goes out, for the operator', () => theirs('/api/admin/outbox')],
    ['the receipt (E20)', () => theirs(`/api/v1/receipts/${receiptId}`)],
  ])('is scrubbed in %s', async (_, read) => {
    const text = await read()
    expect(text.length).toBeGreaterThan(10)
    expectClean(text)
  })

  test.each<[string, () => Promise<string> | string]>([
    ['/traces', () => '/traces'],
    ['/traces/:id', async () => `/traces/${(await ids())[0]}`],
    ['/jobs/:jobId', () => `/jobs/${jobs[1]}`],
    ['/account', () => '/account'],
  ])('is scrubbed on the page %s', async (_, path) => {
    const { text } = await made.ask('GET', await path(), { headers: { ...ann.cookie, accept: 'text/html' } })
    expect(text).toMatch(/\[EMAIL_\d\]/)
    expectClean(text)
  })

  test('is scrubbed in the job and its outcomes, error message included', async () => {
    for (const id of jobs) {
      const outcomes = await mine(`/api/ingest/jobs/${id}/outcomes`)
      expect(JSON.parse(outcomes).outcomes.length).toBeGreaterThan(0)
      expectClean(outcomes)
      expectClean(await mine(`/api/ingest/jobs/${id}`))
    }
    const [first] = jobs
    expect(
      JSON.parse(await mine(`/api/ingest/jobs/${first}/outcomes`)).outcomes.map(
        ({ outcome }: { outcome: string }) => outcome,
      ),
    ).toEqual(['stored', 'rejected', 'rejected'])
  })

  test('is scrubbed in mails about feedback and reports', () => expectClean(JSON.stringify(made.mailer.mails)))
  test('is scrubbed for the telemetry sink', () => expectClean(JSON.stringify(sunk)))
  test('is absent from the log', () => expectClean(logged.join('\n')))

  test('is scrubbed in every table of the database', async () => {
    const { rows } = await database.client.execute(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    let cells = 0
    for (const { name } of rows)
      for (const row of (await database.client.execute(`select * from "${String(name)}"`)).rows)
        for (const cell of Object.values(row)) {
          cells++
          expectClean(cell instanceof ArrayBuffer ? await readable(new Uint8Array(cell)) : String(cell))
        }
    expect(cells).toBeGreaterThan(200)
  })
})

/** Returns a cell's bytes as text, decompressed if needed. */
async function readable(bytes: Uint8Array): Promise<string> {
  const unpacked =
    bytes[0] === 0x1f && bytes[1] === 0x8b
      ? new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip')))
      : new Response(bytes as BodyInit)
  return unpacked.text()
}
