import type { Signed } from '../../fixtures/service.ts'
import { defineFlow } from '../flow.ts'
import { expectPerson, type ExpectedPerson, type ExpectedBuyer, type ExpectedTrace } from '../ledger.ts'
import { operator, Unfinished, type World } from '../world.ts'

/** Returns different traces as a client sends them, and the expected trace for each of them. */
export function makeTraces(label: string, count: number): { body: Record<string, unknown>; expected: ExpectedTrace[] } {
  const expected = Array.from({ length: count }, (_, at): ExpectedTrace => ({
    sourceId: `${label}-${at}`,
    content: `${label}: what does function ${at} do?`,
    state: 'stored',
    sales: 0,
    id: null,
  }))
  const traces = expected.map(({ sourceId, content }) => ({
    sourceId,
    createdAt: '2026-11-01T00:00:00Z',
    source: 'claude_code_jsonl',
    messages: [{ role: 'user', content }],
  }))
  return { body: { traces }, expected }
}

/** Uploads traces without faults, and adds them with their ids to the returned person. */
export async function storeTraces(world: World, signed: Signed, count: number): Promise<ExpectedPerson> {
  const person = expectPerson(world.ledger, signed)
  const { body, expected } = makeTraces('stored', count)
  const { json } = await world.askOk('POST', '/api/ingest', { headers: signed.bearer, json: body })
  world.messages.length = 0
  await world.setup.service.work()
  person.jobs.push(json.jobId as string)
  person.traces.push(...expected)
  const {
    json: { outcomes },
  } = await world.askOk('GET', `/api/ingest/jobs/${json.jobId}/outcomes`, { headers: signed.bearer })
  for (const { sourceId, traceId } of outcomes) expected.find((one) => one.sourceId === sourceId)!.id = traceId
  return person
}

const firstSaleSubject = 'Your traces were sold for the first time'

/** Expects the sale of a person's traces at a price in dollars. The person gets four fifths of the price. */
export function expectSale(
  world: World,
  sale: { person: ExpectedPerson; traces: readonly ExpectedTrace[]; buyer: string; usd: number },
): void {
  const { person, traces, buyer, usd } = sale
  world.ledger.sales.push({ buyer, traces })
  for (const trace of traces) trace.sales++
  person.entries.push(`sale ${usd * 800_000}`)
  if (!person.mails.includes(firstSaleSubject)) person.mails.push(firstSaleSubject)
}

/** Sells traces of a person without faults. */
export async function sellTraces(
  world: World,
  person: ExpectedPerson,
  traces: readonly ExpectedTrace[],
  buyer: string,
): Promise<void> {
  await world.askOk('POST', '/api/admin/sales', {
    headers: operator,
    json: { buyer, usd: 10, traceIds: traces.map(({ id }) => id) },
  })
  expectSale(world, { person, traces, buyer, usd: 10 })
}

/** Creates a buyer who receives mails, and sells a person's traces to it without faults. */
export async function sellToBuyer(
  world: World,
  person: ExpectedPerson,
  traces: readonly ExpectedTrace[],
): Promise<ExpectedBuyer> {
  const buyer = { name: 'buyer with a token', email: 'buyer@acme.example' }
  await world.askOk('POST', '/api/admin/buyers', { headers: operator, json: buyer })
  await sellTraces(world, person, traces, buyer.name)
  return buyer
}

/** Makes a job fail by deleting its upload. Returns the upload. */
async function failWithoutUpload(
  world: World,
  jobId: string,
  headers: Readonly<Record<string, string>>,
  work: () => Promise<unknown>,
): Promise<Uint8Array | null> {
  const key = `upload/${jobId}/0`
  const bytes = await world.blobs.get(key)
  await world.blobs.delete(key)
  const hasFailed = async (): Promise<boolean> =>
    (await world.askOk('GET', `/api/ingest/jobs/${jobId}`, { headers })).json.job.status === 'failed'
  for (let attempt = 0; attempt < 9 && !(await hasFailed()); attempt++) {
    await work()
    world.clock.advance(11 * 60_000)
  }
  if (!(await hasFailed())) throw new Unfinished('a job without its upload did not fail in nine rounds')
  return bytes
}

export const ingestFlows = [
  defineFlow({
    name: 'ingest',
    prepare: (world) => world.contributor(),
    async act(world, signed) {
      const person = expectPerson(world.ledger, signed)
      const { body, expected } = makeTraces('sent', 3)
      const traces = body['traces'] as unknown[]
      // The last trace has the content of the first trace under another name.
      const json = { traces: [...traces, { ...(traces[0] as object), sourceId: 'again' }] }
      const answer = await world.retry('POST', '/api/ingest', [202], { headers: signed.bearer, json })
      person.jobs.push(answer.json.jobId as string)
      person.traces.push(...expected)
      await world.workOnMessages()
    },
  }),

  defineFlow({
    name: 'upload',
    prepare: (world) => world.contributor(),
    async act(world, { bearer: headers, ...signed }) {
      const person = expectPerson(world.ledger, { bearer: headers, ...signed })
      const { body, expected } = makeTraces('put', 2)
      const bytes = JSON.stringify(body).length
      for (let round = 0; ; round++) {
        const started = await world.retry('POST', '/api/ingest/uploads', [200], { headers, json: { bytes } })
        await world.retry('PUT', new URL(started.json.url as string).pathname, [200], { json: body })
        const answer = await world.retry('POST', '/api/ingest', round === 0 ? [202, 409, 404] : [202], {
          headers,
          json: { uploadId: started.json.uploadId },
        })
        if (answer.status === 202) person.jobs.push(answer.json.jobId as string)
        // 409 means that an earlier attempt of this client used the upload, so its batch was accepted. 404 means that
        // the upload must be sent again.
        if (answer.status !== 404) break
      }
      person.traces.push(...expected)
      await world.workOnMessages()
    },
  }),

  defineFlow({
    name: 'stop',
    async prepare(world) {
      const person = expectPerson(world.ledger, await world.contributor())
      const { body, expected } = makeTraces('sent', 2)
      const { json } = await world.askOk('POST', '/api/ingest', { headers: person.signed.bearer, json: body })
      person.jobs.push(json.jobId as string)
      person.traces.push(...expected)
    },
    async act(world) {
      // The host stops while its worker is between two steps of the job. The next worker continues.
      const stop = new AbortController()
      world.onYield = () => stop.abort()
      await world.work(undefined, stop)
      world.onYield = () => undefined
      await world.workOnMessages()
    },
  }),

  defineFlow({
    name: 'failed job',
    async prepare(world) {
      const person = expectPerson(world.ledger, await world.contributor())
      const { body, expected } = makeTraces('sent', 2)
      const { json } = await world.askOk('POST', '/api/ingest', { headers: person.signed.bearer, json: body })
      const jobId = json.jobId as string
      person.jobs.push(jobId)
      person.traces.push(...expected)
      world.messages.length = 0
      return { jobId, headers: person.signed.bearer }
    },
    async act(world, { jobId, headers }) {
      const key = `upload/${jobId}/0`
      const bytes = await failWithoutUpload(world, jobId, headers, () => world.work(jobId))
      // The test restores the upload and retries the job as the operator. 409 means that an earlier retry took effect
      // and its reply was lost.
      await world.blobs.put(key, bytes!)
      await world.retry('POST', `/api/admin/jobs/${jobId}/retry`, [200, 409], { headers: operator })
      await world.workOnMessages()
    },
  }),

  defineFlow({
    name: 'deleted upload',
    async prepare(world) {
      const person = expectPerson(world.ledger, await world.contributor())
      const { bearer: headers } = person.signed
      const { json } = await world.askOk('POST', '/api/ingest', { headers, json: makeTraces('sent', 2).body })
      const jobId = json.jobId as string
      person.jobs.push(jobId)
      person.failedJobs.push(jobId)
      world.messages.length = 0
      const bytes = await failWithoutUpload(world, jobId, headers, () => world.setup.service.work({ jobId }))
      await world.blobs.put(`upload/${jobId}/0`, bytes!)
      return { jobId, headers }
    },
    act: async (world, { jobId, headers }) =>
      void (await world.retry('DELETE', `/api/ingest/jobs/${jobId}/upload`, [204], { headers })),
  }),

  defineFlow({
    name: 'delete',
    async prepare(world) {
      const person = await storeTraces(world, await world.contributor(), 3)
      await sellTraces(world, person, person.traces.slice(0, 1), 'buyer of one')
      return person
    },
    async act(world, { signed, traces }) {
      await world.retry('DELETE', '/api/traces/bulk', [200], {
        headers: signed.bearer,
        json: { ids: traces.map(({ id }) => id) },
      })
      for (const trace of traces) if (trace.sales === 0) trace.state = 'deleted'
      // A deleted trace is not stored again, even if another client sends it.
      const json = {
        traces: traces.map(({ sourceId, content }) => ({
          sourceId,
          createdAt: '2026-11-01T00:00:00Z',
          source: 'claude_code_jsonl',
          messages: [{ role: 'user', content }],
        })),
      }
      await world.askOk('POST', '/api/ingest', { headers: signed.bearer, json })
    },
  }),

  defineFlow({
    name: 'cleanup',
    async prepare(world) {
      const person = await storeTraces(world, await world.contributor(), 1)
      // A request stored this blob, but its process ended before it stored the job.
      await world.blobs.put('upload/01900000-0000-7000-8000-000000000000/0', new TextEncoder().encode('[]'))
      await world.askOk('POST', '/api/ingest/uploads', { headers: person.signed.bearer, json: { bytes: 10 } })
      world.clock.advance(24 * 60 * 60_000)
    },
    act: (world) => world.workOnMessages(),
  }),
]
