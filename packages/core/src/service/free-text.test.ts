import { fixture, temporaryDatabase, type Fixture, type Signed, type TemporaryDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'
import type { TelemetryRecord } from '../ports.ts'
import { createScrubber } from '../scrubber/index.ts'

/**
 * The test sends a different secret through every input for free text, and reads every output, down to the bytes of the
 * database. Account data (an e-mail address, an application, a contact) is stored unchanged, so that the owner can be
 * answered. The test leaves it out, because it is not free text, and only the owner and the operator can read it.
 */
const adminToken = 'operator-of-the-ways'
const operator = { authorization: `Bearer ${adminToken}` }
const contactEmail = 'desk@example.com'

const planted: string[] = []
/** Returns a unique address that is short enough for every field. */
function plantSecret(): string {
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
  await post('/api/account/terms', { termsVersion: '2026-12-01', residencyConfirmed: true }, ann.bearer)
  await post(
    '/api/account/application',
    { companyName: 'Acme', website: 'https://acme.example', email: 'a@acme.example', role: 'dev', authorized: true },
    ann.bearer,
  )

  // Sends a batch to `POST /api/ingest`, with a trace that is refused and a trace that cannot be prepared, and a batch
  // through an upload URL.
  const makeTrace = (more: object) => ({
    sourceId: `run ${plantSecret()}`,
    createdAt: '2026-11-01T00:00:00Z',
    messages: [{ role: 'user', content: `mail ${plantSecret()}` }],
    ...more,
  })
  const batch = {
    traces: [
      makeTrace({
        model: `model of ${plantSecret()}`,
        parentTraceId: `parent ${plantSecret()}`,
        messages: [{ role: 'tool', content: JSON.stringify({ to: plantSecret(), key: `\u001b[1m${plantSecret()}` }) }],
      }),
      makeTrace({ messages: [{ content: 'card 4539 5787 6362 1486' }, { content: plantSecret() }] }),
      makeTrace({ messages: [{ content: `poison ${plantSecret()}` }] }),
    ],
  }
  jobs = [(await post('/api/ingest', batch, ann.bearer)).json.jobId]
  const body = new TextEncoder().encode(JSON.stringify({ traces: [makeTrace({})] }))
  const { url, uploadId } = (await post('/api/ingest/uploads', { bytes: body.length }, ann.bearer)).json
  await made.service.fetch(new Request(url, { method: 'PUT', body, headers: { 'content-type': 'application/json' } }))
  jobs.push((await post('/api/ingest', { uploadId }, ann.bearer)).json.jobId)

  // Sends telemetry with every field, and feedback with every field except the e-mail address for an answer.
  await post(
    '/api/cli/telemetry',
    {
      schema: 1,
      deviceId: `of ${plantSecret()}`,
      cliVersion: plantSecret(),
      platform: plantSecret(),
      arch: plantSecret(),
      command: `login ${plantSecret()}`,
      sentAt: plantSecret(),
      diagnostics: [{ adapter: plantSecret(), source: plantSecret(), unhandledTypes: [plantSecret()] }],
      events: [
        { name: plantSecret(), properties: { [plantSecret()]: plantSecret(), list: [{ deep: plantSecret() }] } },
      ],
    },
    ann.bearer,
  )
  await post(
    '/api/cli/feedback',
    {
      message: `from ${plantSecret()}`,
      deviceId: `of ${plantSecret()}`,
      cliVersion: plantSecret(),
      platform: plantSecret(),
      arch: plantSecret(),
      command: plantSecret(),
    },
    ann.bearer,
  )

  // Sends reports, observations and attachments of agents.
  const makeReporter = () => ({
    agent_vendor: plantSecret(),
    agent_product: plantSecret(),
    agent_version: plantSecret(),
  })
  const report = {
    reporter: makeReporter(),
    subject: { surface: plantSecret(), domain: plantSecret() },
    content: { title: plantSecret(), summary: plantSecret(), hypothesis: plantSecret() },
    evidence: [{ type: 'other', content: plantSecret() }],
  }
  const { receipt } = (await post('/api/v1/feedback', report)).json
  ;({ feedback_id: feedbackId, id: receiptId } = receipt)
  await post(`/api/v1/feedback/${feedbackId}/attachments`, {
    evidence: [{ type: 'log_excerpt', content: plantSecret() }],
  })
  await post('/api/v1/observations', {
    surface: plantSecret(),
    domain: plantSecret(),
    ...makeReporter(),
    summary: `${plantSecret()}\n${plantSecret()}`,
  })

  // Approves a device login with the label of a machine.
  const started = (await post('/api/cli/device/start', { machine: `laptop of ${plantSecret()}` })).json
  await post(
    '/api/cli/device/approve',
    { userCode: started.userCode },
    { ...ann.cookie, 'sec-fetch-site': 'same-origin' },
  )
  await made.ask('GET', `/api/cli/device/poll?deviceCode=${started.deviceCode}`)

  // Sends requests that are not valid.
  await made.ask('GET', `/api/traces/${plantSecret()}`, { headers: ann.bearer })
  await made.ask('GET', `/api/ad?topic=${plantSecret()}&d=x`, { headers: ann.bearer })
  await post('/api/ingest', { traces: [{ sourceId: 7, [plantSecret()]: plantSecret() }] }, ann.bearer)
  await made.service.work()
  await made.service.work()
})
afterAll(() => database.close())

function expectClean(text: string): void {
  expect(planted.filter((one) => text.includes(one) || text.includes(encodeURIComponent(one)))).toEqual([])
}

const readAsContributor = async (path: string): Promise<string> =>
  (await made.ask('GET', path, { headers: ann.bearer })).text
const readAsOperator = async (path: string): Promise<string> =>
  (await made.ask('GET', path, { headers: operator })).text
const listTraceIds = async (): Promise<string[]> =>
  JSON.parse(await readAsContributor('/api/traces')).traces.map(({ id }: { id: string }) => id)

describe('free text with secrets and personal data, sent to every endpoint', () => {
  test('is accepted', async () => {
    expect(await listTraceIds()).toHaveLength(2)
    expect(sunk).toHaveLength(1)
    expect(made.mailer.mails.filter(({ to }) => to === contactEmail)).toHaveLength(2)
    expect(JSON.parse(await readAsOperator('/api/admin/feedback')).items).toHaveLength(1)
    expect(JSON.parse(await readAsOperator('/api/admin/reports')).items).toHaveLength(2)
    expect(JSON.parse(await readAsContributor('/api/account/machines')).machines.length).toBeGreaterThan(1)
    expect(planted.length).toBeGreaterThan(40)
  })

  test('is scrubbed in GET /api/traces/:id/download', async () => {
    for (const id of await listTraceIds()) {
      const document = await readAsContributor(`/api/traces/${id}/download`)
      expect(document).toContain('[EMAIL_1]')
      expectClean(document)
    }
  })

  test.each([
    ['the list of traces', () => readAsContributor('/api/traces')],
    ['the export of the account', () => readAsContributor('/api/account/export')],
    ['the machines', () => readAsContributor('/api/account/machines')],
    ['the dataset', () => readAsOperator('/api/admin/dataset')],
    ['the jobs for the operator', () => readAsOperator('/api/admin/jobs')],
    ['the feedback for the operator', () => readAsOperator('/api/admin/feedback')],
    ['the reports of agents for the operator', () => readAsOperator('/api/admin/reports')],
    ['what goes out, for the operator', () => readAsOperator('/api/admin/outbox')],
    ['the receipt of a report', () => readAsOperator(`/api/v1/receipts/${receiptId}`)],
  ])('is scrubbed in %s', async (_, read) => {
    const text = await read()
    expect(text.length).toBeGreaterThan(10)
    expectClean(text)
  })

  test.each<[string, () => Promise<string> | string]>([
    ['/traces', () => '/traces'],
    ['/traces/:id', async () => `/traces/${(await listTraceIds())[0]}`],
    ['/jobs/:jobId', () => `/jobs/${jobs[1]}`],
    ['/account', () => '/account'],
  ])('is scrubbed on the page %s', async (_, path) => {
    const { text } = await made.ask('GET', await path(), { headers: { ...ann.cookie, accept: 'text/html' } })
    expect(text).toMatch(/\[EMAIL_\d\]/)
    expectClean(text)
  })

  test('is scrubbed in the job and its outcomes, error message included', async () => {
    for (const id of jobs) {
      const outcomes = await readAsContributor(`/api/ingest/jobs/${id}/outcomes`)
      expect(JSON.parse(outcomes).outcomes.length).toBeGreaterThan(0)
      expectClean(outcomes)
      expectClean(await readAsContributor(`/api/ingest/jobs/${id}`))
    }
    const [first] = jobs
    expect(
      JSON.parse(await readAsContributor(`/api/ingest/jobs/${first}/outcomes`)).outcomes.map(
        ({ outcome }: { outcome: string }) => outcome,
      ),
    ).toEqual(['stored', 'rejected', 'rejected'])
  })

  test('is scrubbed in mails about feedback and reports', () => expectClean(JSON.stringify(made.mailer.mails)))
  test('is scrubbed for the telemetry sink', () => expectClean(JSON.stringify(sunk)))
  // promise: token-code-address-text
  test('is absent from the log', () => expectClean(logged.join('\n')))

  // promise: everything-tributary-keeps-goes
  test('is scrubbed in every table of the database', async () => {
    const { rows } = await database.client.execute(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
    )
    let cells = 0
    for (const { name } of rows)
      for (const row of (await database.client.execute(`select * from "${String(name)}"`)).rows)
        for (const cell of Object.values(row)) {
          cells++
          expectClean(cell instanceof ArrayBuffer ? await unpackText(new Uint8Array(cell)) : String(cell))
        }
    expect(cells).toBeGreaterThan(200)
  })
})

/** Returns a cell's bytes as text, decompressed if needed. */
async function unpackText(bytes: Uint8Array): Promise<string> {
  const unpacked =
    bytes[0] === 0x1f && bytes[1] === 0x8b
      ? new Response(new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip')))
      : new Response(bytes as BodyInit)
  return unpacked.text()
}
