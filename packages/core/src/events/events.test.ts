import { makeAuditContext, makeId, makeSaleShares, type Fixture, type Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  signInContributor,
  openAutoApprovingService,
  places,
  makeTraceInput,
  type Place,
} from '../ingest/contributor.fixture.ts'
import { paidCampaign, type ServedAd } from '../ads/fixture.ts'
import { queueTimes } from '../queue/times.ts'
import { eventTypes, ServiceEventSchema, type EventType, type ServiceEvent } from './schema.ts'

describe.each(Object.entries(places))('onEvent on %s', (_, openPlace) => {
  let place: Place
  let made: Fixture
  let ann: Signed
  let received: ServiceEvent[]

  beforeEach(async () => {
    place = await openPlace()
    received = []
    made = openAutoApprovingService(place.stores, {
      approval: 'manual',
      onEvent(event) {
        received.push(ServiceEventSchema.parse(event) as ServiceEvent)
      },
    })
    ann = await made.signIn('ann@example.com')
  })
  afterEach(() => place.close())

  /** Sends a request that must succeed. */
  async function askOk(method: string, path: string, json?: unknown, headers: Record<string, string> = admin) {
    const answer = await made.ask(method, path, { headers, ...(json === undefined ? {} : { json }) })
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  /** Runs a worker, and returns the type and data of each event that arrived since the last call. */
  async function takeDelivered(): Promise<[EventType, unknown][]> {
    await made.service.work()
    return received.splice(0).map(({ type, data }) => [type, data])
  }
  const apply = async (): Promise<string> => {
    const application = {
      companyName: 'Acme',
      website: 'https://acme.example',
      email: 'a@acme.example',
      role: 'dev',
      authorized: true,
    }
    return (await askOk('POST', '/api/account/application', application, ann.bearer)).application.id
  }
  /** Creates a contributor who may upload, and discards the events that this causes. */
  async function signInUploader(): Promise<Signed> {
    await askOk('POST', '/api/account/terms', { termsVersion: '2026-12-01', residencyConfirmed: true }, ann.bearer)
    await askOk('POST', `/api/admin/applications/${await apply()}`, { decision: 'approve' })
    await takeDelivered()
    return ann
  }
  async function upload(...sourceIds: string[]): Promise<string> {
    const json = { deviceId: 'd', traces: sourceIds.map((sourceId) => makeTraceInput(sourceId)) }
    return (await askOk('POST', '/api/ingest', json, ann.bearer)).jobId
  }
  const listTraceIds = async (): Promise<string[]> =>
    (await askOk('GET', '/api/traces', undefined, ann.bearer)).traces.map(({ id }: { id: string }) => id)

  test('receives application.submitted, contributor.approved and contributor.rejected once for each review', async () => {
    const first = await apply()
    await askOk('POST', `/api/admin/applications/${first}`, { decision: 'reject', reason: 'not yet' })
    await made.ask('POST', `/api/admin/applications/${first}`, { headers: admin, json: { decision: 'approve' } })
    const second = await apply()
    await askOk('POST', `/api/admin/applications/${second}`, { decision: 'approve' })
    const { userId } = ann
    expect(await takeDelivered()).toEqual([
      ['application.submitted', { userId, applicationId: first }],
      ['contributor.rejected', { userId, applicationId: first }],
      ['application.submitted', { userId, applicationId: second }],
      ['contributor.approved', { userId, applicationId: second }],
    ])
  })

  test('receives application.submitted and contributor.approved for an automatic approval', async () => {
    made = openAutoApprovingService(place.stores, { onEvent: (event) => void received.push(event) })
    await signInContributor(made)
    expect((await takeDelivered()).map(([type]) => type)).toEqual(['application.submitted', 'contributor.approved'])
  })

  test('receives contributor.paused with the role that paused, and no event when a pause ends or is repeated', async () => {
    const { userId } = ann
    for (const paused of [true, true, false]) await askOk('PATCH', '/api/account', { paused }, ann.bearer)
    for (const paused of [true, true, false]) await askOk('POST', `/api/admin/contributors/${userId}`, { paused })
    expect(await takeDelivered()).toEqual([
      ['contributor.paused', { userId, by: 'contributor' }],
      ['contributor.paused', { userId, by: 'operator' }],
    ])
  })

  test('receives job.completed with the totals of the job, and traces.deleted with the deleted ids', async () => {
    const { userId } = await signInUploader()
    const jobId = await upload('one', 'two', 'two')
    const [[type, data] = [], ...others] = await takeDelivered().then(async (some) => [
      ...some,
      ...(await takeDelivered()),
    ])
    const { job } = await askOk('GET', `/api/ingest/jobs/${jobId}`, undefined, ann.bearer)
    expect([type, data, others]).toEqual([
      'job.completed',
      { userId, jobId, traceCount: 2, rejectedCount: 1, estimatedUsd: job.estimatedUsd },
      [],
    ])
    const ids = await listTraceIds()
    await askOk('DELETE', '/api/traces/bulk', { ids: [...ids, ids[0]] }, ann.bearer)
    await askOk('DELETE', '/api/traces/bulk', { ids }, ann.bearer)
    const [[deletedType, deletedData] = [], ...more] = await takeDelivered()
    const { traceIds } = deletedData as { traceIds: string[] }
    expect([deletedType, traceIds.toSorted(), more]).toEqual(['traces.deleted', ids.toSorted(), []])
  })

  test('receives job.failed with the message that the contributor sees', async () => {
    const { userId } = await signInUploader()
    const jobId = await upload('one')
    for (const key of await place.stores.blobs.stale(Number.MAX_SAFE_INTEGER, 10, ''))
      await place.stores.blobs.delete(key)
    for (let attempt = 0; attempt < 5; attempt++) {
      await made.service.work()
      made.clock.advance(20 * 60_000)
    }
    const errorMessage = 'The uploaded batch is no longer there. Please send it again.'
    expect(await takeDelivered()).toEqual([['job.failed', { userId, jobId, errorMessage }]])
  })

  test('receives sale.recorded and account.erased without ids of traces or e-mail addresses', async () => {
    const { userId } = await signInUploader()
    await upload('one', 'two')
    await takeDelivered()
    await takeDelivered()
    const traceIds = await listTraceIds()
    const headers = { ...admin, 'idempotency-key': 'sale 1' }
    const { saleId } = await askOk('POST', '/api/admin/sales', { buyer: 'Lab', usd: 12.5, traceIds }, headers)
    await askOk('POST', '/api/admin/sales', { buyer: 'Lab', usd: 12.5, traceIds }, headers)
    expect(await takeDelivered()).toEqual([['sale.recorded', { saleId, buyer: 'Lab', usd: 12.5, traceCount: 2 }]])
    await askOk('PATCH', '/api/account', { paused: true }, ann.bearer)
    await askOk('DELETE', '/api/account', undefined, ann.cookie)
    await made.service.work()
    // Events that were not delivered yet were deleted with the account.
    const delivered = await takeDelivered()
    expect(delivered.filter(([type]) => type !== 'trace.removal_requested')).toEqual([['account.erased', { userId }]])
    const removal = { id: expect.any(String), saleId, buyer: 'Lab', buyerTraceId: expect.any(String), reason: 'erased' }
    expect(delivered.filter(([type]) => type === 'trace.removal_requested').map(([, data]) => data)).toEqual([
      removal,
      removal,
    ])
    for (const id of traceIds) expect(JSON.stringify(delivered)).not.toContain(id)
  })

  test('receives sale.recorded once for a sale that is recorded again', async () => {
    const soldAt = made.clock()
    const sale = { id: makeId('sale', 1), buyer: 'Lab', usd: 12.5, soldAt }
    for (const n of [1, 2]) {
      const event = { id: makeId('event', n), type: 'sale.recorded', createdAt: soldAt, isHeard: true } as const
      const [shares, audit] = [makeSaleShares(), makeAuditContext()]
      await place.stores.dataset.recordSale({ sale, items: [], shares, audit, event })
    }
    expect(await takeDelivered()).toEqual([['sale.recorded', { saleId: sale.id, buyer: 'Lab', usd: 0, traceCount: 0 }]])
  })

  test('receives report.received with the open report that has the same meaning', async () => {
    const makeReport = (title: string) => ({
      reporter: { agent_vendor: 'example', agent_product: 'agent' },
      subject: { surface: 'POST /api/ingest' },
      content: { title },
    })
    const send = async (title: string) =>
      (await askOk('POST', '/api/v1/feedback', makeReport(title), {})).receipt.feedback_id
    const [first, again, other] = [await send('It fails'), await send('It fails'), await send('Something else')]
    expect(
      (await takeDelivered()).toSorted(([, a], [, b]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    ).toEqual(
      [
        ['report.received', { feedbackId: first, duplicateOf: null }],
        ['report.received', { feedbackId: again, duplicateOf: first }],
        ['report.received', { feedbackId: other, duplicateOf: null }],
      ].toSorted(([, a], [, b]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    )
  })

  test('receives campaign.exhausted with the last impression that the budget pays for', async () => {
    const { campaign } = await askOk('POST', '/api/admin/campaigns', { ...paidCampaign, topics: [], budgetUsd: 0.05 })
    await askOk('POST', '/api/program/claim', { deviceId: 'device-of-ann' }, ann.bearer)
    const events: unknown[][] = []
    for (let shown = 0; shown < 3; shown++) {
      const { nonce } = (await askOk('GET', '/api/ad?d=device-of-ann', undefined, ann.bearer)) as ServedAd
      made.clock.advance(2000)
      if (nonce !== null) await made.ask('POST', `/api/ad/imp/${nonce}`)
      events.push(await takeDelivered())
    }
    expect(events).toEqual([[], [['campaign.exhausted', { campaignId: campaign.id, budgetUsd: 0.05 }]], []])
  })

  test('receives later events of a subject only after a failed event succeeded, and events of other subjects meanwhile', async () => {
    const bob = await made.signIn('bob@example.com')
    let isDown = true
    const made2 = openAutoApprovingService(place.others, {
      clock: made.clock,
      onEvent(event) {
        received.push(event)
        if (isDown && 'userId' in event.data && event.data.userId === ann.userId) throw new Error('down')
      },
    })
    for (const paused of [true, false, true]) {
      await askOk('PATCH', '/api/account', { paused }, ann.bearer)
      made.clock.advance(1)
    }
    await askOk('PATCH', '/api/account', { paused: true }, bob.bearer)
    await made2.service.work()
    const takeSubjects = (): unknown[] =>
      received.splice(0).map(({ id, data }) => [id, (data as { userId: string }).userId])
    const first = takeSubjects()
    expect(first).toHaveLength(2)
    await made2.service.work()
    expect(takeSubjects()).toEqual([])
    isDown = false
    made.clock.advance(queueTimes.outbox.retryMs[0])
    await made2.service.work()
    const [again, later, ...more] = received
    expect(first).toContainEqual([again!.id, ann.userId])
    expect([again!.id < later!.id, more]).toEqual([true, []])
  })

  test('stores no event without onEvent', async () => {
    made = openAutoApprovingService(place.stores)
    await signInContributor(made)
    expect((await place.stores.outbox.list({ cursor: null, limit: 10 })).items).not.toContainEqual(
      expect.objectContaining({ channel: 'event' }),
    )
  })
})

test('ServiceEventSchema knows thirteen types and refuses an event without its data', () => {
  const event = { id: '019a0000-0000-7000-8000-000000000001', createdAt: '2026-11-22T00:00:00.000Z', data: {} }
  expect(eventTypes.map((type) => ServiceEventSchema.safeParse({ ...event, type }).success)).toEqual(
    Array.from({ length: 13 }, () => false),
  )
})
