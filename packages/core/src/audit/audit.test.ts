import {
  fixture,
  makeTraces,
  seedTraces,
  temporaryDatabase,
  type Answer,
  type Fixture,
  type Signed,
  type TemporaryDatabase,
} from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'
import type { AuditAction } from './store.ts'

const adminToken = 'operator-'.repeat(3)
const jane = { name: 'jane', token: 'jane-'.repeat(5) }
const bearer = { authorization: `Bearer ${jane.token}` }
const [addressOfJane, requestId] = ['198.51.100.4', 'request-of-jane']
const failedJob = '019a0000-0000-7000-8000-00000000000'
let database: TemporaryDatabase
let made: Fixture
let people: Signed[]
let cookie: { cookie: string }
let traceIds: string[]

beforeAll(async () => {
  database = await temporaryDatabase()
  made = fixture({
    stores: libsqlStores(database.client),
    adminToken,
    adminTokens: [jane],
    country: () => 'US',
    minPayoutUsd: 0,
  })
  people = [await made.signIn('ann@example.com'), await made.signIn('bob@example.com')]
  cookie = await signIn()
  for (const { bearer: own, email } of people) {
    const json = { companyName: 'Acme', website: 'https://acme.example', email, role: 'founder', authorized: true }
    await made.ask('POST', '/api/account/application', { headers: own, json })
    await made.ask('POST', '/api/waitlist', { headers: own, json: { email, country: 'US' } })
  }
  const traces = [...makeTraces(2, 'ann')]
  await seedTraces(database.client, people[0]!.userId, traces)
  traceIds = traces.map(({ id }) => id)
  for (const n of [1, 2]) {
    await database.client.execute({
      sql: `insert into jobs (id, owner, source, status, parts, total, enqueued_at, next_at, finished_at, error_message)
        values (?, (select num from users where id = ?), 'mixed', 'failed', 1, 1, 0, 0, ?, 'It broke.')`,
      args: [failedJob + n, people[0]!.userId, made.clock()],
    })
  }
})
afterAll(() => database.close())

async function signIn(): Promise<{ cookie: string }> {
  const { cookies } = await made.ask('POST', '/admin/sign-in', {
    form: { token: jane.token },
    address: addressOfJane,
    headers: { 'x-request-id': requestId },
  })
  return {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
  }
}

const given = { address: addressOfJane }
const ask = (method: string, path: string, json?: object): Promise<Answer> =>
  made.ask(method, path, { ...given, json, headers: { ...bearer, 'x-request-id': requestId } })
const submitForm = (path: string, fields: Record<string, string>): Promise<Answer> =>
  made.ask('POST', `/admin/${path}`, { ...given, form: fields, headers: { ...cookie, 'x-request-id': requestId } })
const readApplicationId = async (at: number): Promise<string> =>
  (await made.ask('GET', '/api/traces/access', { headers: people[at]!.bearer })).json.application.id as string
const campaign = {
  name: 'Autumn',
  brandName: 'Acme',
  title: 'Title',
  text: 'Text',
  url: 'https://acme.example',
  cpmUsd: 5,
  budgetUsd: 10,
}
const listCampaignIds = async (): Promise<string[]> =>
  (await ask('GET', '/api/admin/campaigns')).json?.items.map(({ id }: { id: string }) => id) as string[]
const readBuyerId = async (): Promise<string> => (await ask('GET', '/api/admin/buyers')).json.items[0].id as string
const readWebhookId = async (at: number): Promise<string> =>
  (await ask('GET', '/api/admin/webhooks')).json.items[at].id as string
/** Returns the delivery of the test event to a webhook, after its last attempt. */
async function makeDeadDelivery(webhook: string): Promise<string> {
  const sql = "update outbox set status = 'dead', finished_at = 0 where channel = 'webhook'"
  await database.client.execute({ sql, args: [] })
  return (await ask('GET', `/api/admin/webhooks/${webhook}/deliveries`)).json.items[0].id as string
}
/** Marks every mail as failed permanently, and returns the id of one mail. */
async function makeDeadMail(): Promise<string> {
  await database.client.execute("update outbox set status = 'dead', finished_at = 0 where channel = 'mail'")
  const { items } = (await ask('GET', '/api/admin/outbox?status=dead&limit=200')).json
  return items.find(({ channel }: { channel: string }) => channel === 'mail').id as string
}
/** Returns the field with which the confirmation of a payout identifies its contributor. */
const confirmed = () => ({ confirmed: people[1]!.userId })
const requestPayout = async (): Promise<string> =>
  (await made.ask('POST', '/api/account/payout-requests', { headers: people[1]!.bearer, json: {} })).json.request.id
let reports = 0
let lastMerged = ''
const reportOf = (number: number) => ({
  reporter: { agent_vendor: 'v', agent_product: 'p' },
  subject: { surface: `surface ${number}` },
  content: { title: 't', summary: 's' },
})
async function sendFeedback(): Promise<string> {
  const { json } = await made.ask('POST', '/api/cli/feedback', {
    headers: people[0]!.bearer,
    json: { message: `Slow today, ${++reports}.` },
  })
  return json.id
}
async function report(): Promise<string> {
  const { json } = await made.ask('POST', '/api/v1/feedback', { json: reportOf(++reports) })
  return json.receipt.feedback_id as string
}

/** For each operator route that changes something: the action, and a function that causes the audit entry. */
const cases: Readonly<Record<string, readonly [action: AuditAction, act: () => Promise<Answer>]>> = {
  'createBuyer': ['buyer.create', () => ask('POST', '/api/admin/buyers', { name: 'Lab' })],
  'changeBuyer': [
    'buyer.set_email',
    async () => ask('PATCH', `/api/admin/buyers/${await readBuyerId()}`, { email: 'new@lab.example' }),
  ],
  'admin.buyers.address': [
    'buyer.set_email',
    async () => submitForm('buyers/address', { id: await readBuyerId(), email: 'other@lab.example' }),
  ],
  'admin.buyers.create': ['buyer.create', () => submitForm('buyers/create', { name: 'Org' })],
  'rotateBuyerToken': [
    'buyer.rotate_token',
    async () => ask('POST', `/api/admin/buyers/${await readBuyerId()}/rotate`),
  ],
  'admin.buyers.rotate': [
    'buyer.rotate_token',
    async () => submitForm('buyers/rotate', { id: await readBuyerId(), name: 'Org', confirmed: 'yes' }),
  ],
  'revokeBuyerToken': [
    'buyer.revoke_token',
    async () => ask('POST', `/api/admin/buyers/${await readBuyerId()}/revoke`),
  ],
  'admin.buyers.revoke': [
    'buyer.revoke_token',
    async () => {
      const id = await readBuyerId()
      await database.client.execute({ sql: "update buyers set token_hash = 'made' where id = ?", args: [id] })
      return submitForm('buyers/revoke', { id, name: 'Org', confirmed: 'yes' })
    },
  ],
  'adminReview': [
    'application.review',
    async () =>
      ask('POST', `/api/admin/applications/${await readApplicationId(0)}`, { decision: 'reject', reason: 'No' }),
  ],
  'admin.applications.review': [
    'application.review',
    async () => submitForm('applications/review', { id: await readApplicationId(1), decision: 'approve' }),
  ],
  'admin.contributors.review': [
    'application.review',
    async () => {
      const { bearer: own } = await made.signIn('cleo@example.com')
      const json = { companyName: 'Cleo', website: 'https://cleo.example', email: 'cleo@example.com', role: 'r' }
      const applied = await made.ask('POST', '/api/account/application', {
        headers: own,
        json: { ...json, authorized: true },
      })
      return submitForm('contributors/review', { id: applied.json.application.id, decision: 'approve' })
    },
  ],
  'adminPause': [
    'contributor.pause',
    () => ask('POST', `/api/admin/contributors/${people[0]!.userId}`, { paused: true }),
  ],
  'admin.contributors.pause': [
    'contributor.pause',
    () => submitForm('contributors/pause', { userId: people[0]!.userId, paused: 'no' }),
  ],
  'notifyWaitlist': ['waitlist.notify', () => ask('POST', '/api/admin/waitlist/notify', { country: 'US' })],
  'admin.waitlist.notify': [
    'waitlist.notify',
    async () => {
      await made.ask('POST', '/api/waitlist', {
        headers: people[0]!.bearer,
        // The address is new, because an entry with the same address would stay marked as notified on the day of the
        // mail.
        json: { email: 'ann@elsewhere.example', country: 'US' },
      })
      return submitForm('waitlist/notify', { country: 'US' })
    },
  ],
  'removeFromWaitlist': ['waitlist.remove', () => ask('DELETE', `/api/admin/waitlist/${people[0]!.userId}`)],
  'admin.waitlist.remove': ['waitlist.remove', () => submitForm('waitlist/remove', { userId: people[1]!.userId })],
  'adminRetryJob': ['job.retry', () => ask('POST', `/api/admin/jobs/${failedJob}1/retry`)],
  'admin.jobs.retry': ['job.retry', () => submitForm('jobs/retry', { jobId: `${failedJob}2` })],
  'recordSale': [
    'sale.record',
    () => ask('POST', '/api/admin/sales', { buyer: 'Lab', usd: 1, traceIds: [traceIds[0]] }),
  ],
  'admin.sales.sell': [
    'sale.record',
    async () => {
      const { dataset } = libsqlStores(database.client)
      const until = await dataset.findLastPlace()
      const { unique } = await dataset.listSaleCandidates({
        offer: { filter: {}, until },
        buyer: 'Lab 2',
        cursor: null,
      })
      const reviewed = { until: String(until), traces: String(unique.traces), tokens: String(unique.tokens) }
      return submitForm('sales/sell', { buyer: 'Lab 2', usd: '1', ...reviewed })
    },
  ],
  'recordCorrection': [
    'correction.record',
    () => ask('POST', '/api/admin/corrections', { userId: people[1]!.userId, usd: 5, reason: 'Bonus' }),
  ],
  'recordPayout': [
    'payout.record',
    () => ask('POST', '/api/admin/payouts', { userId: people[1]!.userId, usd: 1, reference: 'bank-1' }),
  ],
  'admin.payouts.correct': [
    'correction.record',
    () =>
      submitForm('payouts/correct', {
        userId: people[1]!.userId,
        usd: '-0.5',
        reason: 'Refund',
        ...confirmed(),
        overdraw: 'yes',
      }),
  ],
  'admin.payouts.record': [
    'payout.record',
    () => submitForm('payouts/record', { userId: people[1]!.userId, usd: '1', reference: 'bank-2', ...confirmed() }),
  ],
  'rejectPayoutRequest': [
    'payout_request.reject',
    async () =>
      ask('POST', `/api/admin/payout-requests/${await requestPayout()}`, { decision: 'reject', reason: 'No' }),
  ],
  'admin.payouts.reject': [
    'payout_request.reject',
    async () => submitForm('payouts/reject', { id: await requestPayout(), reason: 'No' }),
  ],
  'createCampaign': ['campaign.create', () => ask('POST', '/api/admin/campaigns', { ...campaign, topics: [] })],
  'admin.campaigns.create': [
    'campaign.create',
    () => submitForm('campaigns/create', { ...campaign, cpmUsd: '5', budgetUsd: '10' }),
  ],
  'updateCampaign': [
    'campaign.update',
    async () => ask('PATCH', `/api/admin/campaigns/${(await listCampaignIds())[0]}`, { status: 'paused' }),
  ],
  'admin.campaigns.status': [
    'campaign.update',
    async () => submitForm('campaigns/status', { id: (await listCampaignIds())[1]!, status: 'paused' }),
  ],
  'replaceCampaign': [
    'campaign.update',
    async () => ask('PUT', `/api/admin/campaigns/${(await listCampaignIds())[0]}`, { ...campaign, topics: ['ai'] }),
  ],
  'admin.campaigns.edit': [
    'campaign.update',
    async () =>
      submitForm('campaigns/edit', { id: (await listCampaignIds())[1]!, ...campaign, cpmUsd: '6', budgetUsd: '10' }),
  ],
  'rotateSponsorLink': [
    'campaign.rotate_sponsor_link',
    async () => ask('POST', `/api/admin/campaigns/${(await listCampaignIds())[0]}/sponsor-link`),
  ],
  'endCampaign': [
    'campaign.update',
    async () => ask('POST', `/api/admin/campaigns/${(await listCampaignIds())[0]}/end`),
  ],
  'admin.campaigns.end': [
    'campaign.update',
    async () => submitForm('campaigns/end', { id: (await listCampaignIds())[1]!, confirmed: 'yes' }),
  ],
  'admin.campaigns.correct': [
    'campaign.correct',
    async () => submitForm('campaigns/correct', { id: (await listCampaignIds())[1]!, usd: '1', reason: 'Setup fee' }),
  ],
  'admin.campaigns.rotate': [
    'campaign.rotate_sponsor_link',
    async () => submitForm('campaigns/rotate', { id: (await listCampaignIds())[1]!, confirmed: 'yes' }),
  ],
  'revokeSponsorLink': [
    'campaign.revoke_sponsor_link',
    async () => ask('DELETE', `/api/admin/campaigns/${(await listCampaignIds())[0]}/sponsor-link`),
  ],
  'admin.campaigns.revoke': [
    'campaign.revoke_sponsor_link',
    async () => submitForm('campaigns/revoke', { id: (await listCampaignIds())[1]!, confirmed: 'yes' }),
  ],
  'signOutContributor': [
    'contributor.sign_out',
    async () => {
      const { userId } = await made.signIn('joe@example.com')
      return ask('POST', `/api/admin/contributors/${userId}/sign-out`)
    },
  ],
  'admin.contributors.sign_out': [
    'contributor.sign_out',
    async () => {
      const { userId } = await made.signIn('joe@example.com')
      return submitForm('contributors/sign_out', { userId, confirmed: 'yes' })
    },
  ],
  'handleFeedback': [
    'feedback.handle',
    async () => ask('PATCH', `/api/admin/feedback/${await sendFeedback()}`, { handled: true }),
  ],
  'admin.feedback.handle': [
    'feedback.handle',
    async () => submitForm('feedback/handle', { id: await sendFeedback(), handled: 'yes' }),
  ],
  'correctCampaign': [
    'campaign.correct',
    async () =>
      ask('POST', `/api/admin/campaigns/${(await listCampaignIds())[0]}/corrections`, { usd: 1, reason: 'Setup fee' }),
  ],
  'triageReport': [
    'report.update',
    async () => ask('PATCH', `/api/admin/reports/${await report()}`, { status: 'spam' }),
  ],
  'admin.reports.status': [
    'report.update',
    async () => submitForm('reports/status', { id: await report(), status: 'spam' }),
  ],
  'mergeReport': [
    'report.merge',
    async () => ask('POST', `/api/admin/reports/${await report()}/merge`, { into: await report() }),
  ],
  'admin.reports.merge': [
    'report.merge',
    async () => submitForm('reports/merge', { id: (lastMerged = await report()), into: await report() }),
  ],
  'separateReport': ['report.separate', () => ask('POST', `/api/admin/reports/${lastMerged}/separate`)],
  'admin.reports.separate': [
    'report.separate',
    async () => {
      await made.ask('POST', '/api/v1/feedback', { json: reportOf(reports) })
      const { json } = await made.ask('POST', '/api/v1/feedback', { json: reportOf(reports) })
      return submitForm('reports/separate', { id: json.receipt.feedback_id })
    },
  ],
  'withdrawTrace': [
    'trace.withdraw',
    () => ask('POST', `/api/admin/traces/${traceIds[0]}/withdraw`, { reason: 'A name' }),
  ],
  'admin.buyers.withdraw': [
    'trace.withdraw',
    () => submitForm('buyers/withdraw', { id: traceIds[1]!, reason: 'A name', confirmed: 'yes' }),
  ],
  'createWebhook': ['webhook.create', () => ask('POST', '/api/admin/webhooks', { url: 'https://a.acme.example/' })],
  'admin.webhooks.create': ['webhook.create', () => submitForm('webhooks/create', { url: 'https://b.acme.example/' })],
  'rotateWebhookSecret': [
    'webhook.rotate_secret',
    async () => ask('POST', `/api/admin/webhooks/${await readWebhookId(0)}/rotate-secret`),
  ],
  'admin.webhooks.rotate': [
    'webhook.rotate_secret',
    async () => submitForm('webhooks/rotate', { id: await readWebhookId(1) }),
  ],
  'testWebhook': ['webhook.test', async () => ask('POST', `/api/admin/webhooks/${await readWebhookId(0)}/test`)],
  'admin.webhooks.test': ['webhook.test', async () => submitForm('webhooks/test', { id: await readWebhookId(1) })],
  'redeliverWebhook': [
    'webhook.redeliver',
    async () => {
      const id = await readWebhookId(0)
      return ask('POST', `/api/admin/webhooks/${id}/deliveries/${await makeDeadDelivery(id)}/redeliver`)
    },
  ],
  'admin.webhooks.redeliver': [
    'webhook.redeliver',
    async () => {
      const id = await readWebhookId(1)
      return submitForm('webhooks/redeliver', { id, deliveryId: await makeDeadDelivery(id) })
    },
  ],
  'updateWebhook': [
    'webhook.update',
    async () => ask('PATCH', `/api/admin/webhooks/${await readWebhookId(0)}`, { status: 'disabled' }),
  ],
  'admin.webhooks.edit': [
    'webhook.update',
    async () => submitForm('webhooks/edit', { id: await readWebhookId(1), url: 'https://c.acme.example/' }),
  ],
  'admin.webhooks.status': [
    'webhook.update',
    async () => submitForm('webhooks/status', { id: await readWebhookId(1), status: 'disabled' }),
  ],
  'deleteWebhook': ['webhook.delete', async () => ask('DELETE', `/api/admin/webhooks/${await readWebhookId(0)}`)],
  'admin.webhooks.delete': [
    'webhook.delete',
    async () => submitForm('webhooks/delete', { id: await readWebhookId(0) }),
  ],
  'resendOutbox': [
    'outbox.resend',
    async () => ask('POST', '/api/admin/outbox/resend', { status: 'dead', ids: [await makeDeadMail()] }),
  ],
  'admin.outbox.resend': [
    'outbox.resend',
    async () => submitForm('outbox/resend', { status: 'dead', id: await makeDeadMail() }),
  ],
  'deleteOutbox': [
    'outbox.delete',
    async () => ask('POST', '/api/admin/outbox/delete', { status: 'dead', ids: [await makeDeadMail()] }),
  ],
  'admin.outbox.delete': [
    'outbox.delete',
    async () => submitForm('outbox/delete', { status: 'dead', id: await makeDeadMail() }),
  ],
  'operatorSignIn': ['operator.sign_in', () => submitForm('sign-in', { token: jane.token })],
  'operatorSignOut': ['operator.sign_out', () => submitForm('sign-out', {})],
}

const listEntries = async (query = ''): Promise<{ id: string; action: string }[]> =>
  (await made.ask('GET', `/api/admin/audit?limit=200${query}`, { headers: { authorization: `Bearer ${adminToken}` } }))
    .json.items as never

/**
 * Returns whether a route needs an authenticator. The entries of such routes are tested in
 * auth/passkeys/passkeys.test.ts.
 */
const isOfPasskeys = ({ path }: { readonly path: string }): boolean => path.startsWith('/admin/keys/')

describe('GET /api/admin/audit', () => {
  // promise: change-operator-makes-page
  test('is tested here for every operator route that changes something', async () => {
    const routes = (await made.service.routes()).filter(
      ({ route }) => route.auth.startsWith('admin') && !['GET', 'HEAD'].includes(route.method) && !isOfPasskeys(route),
    )
    expect(Object.keys(cases).sort()).toEqual(routes.map(({ name }) => name).sort())
  })

  test.each(Object.keys(cases))(
    'returns one entry for %s, with operator, action, time, request and address',
    async (name) => {
      const [action, act] = cases[name]!
      const before = (await listEntries()).length
      const { status } = await act()
      const after = await listEntries()
      expect([name, status < 400, after.length - before]).toEqual([name, true, 1])
      expect(after[0]).toMatchObject({
        action,
        actor: 'jane',
        requestId,
        address: addressOfJane,
        at: new Date(made.clock()).toISOString(),
      })
    },
  )

  // promise: changes-audit-log-same
  test('returns no entry for an action that is refused or changes nothing', async () => {
    cookie = await signIn()
    const before = await listEntries()
    const replies = [
      await ask('POST', `/api/admin/applications/${await readApplicationId(0)}`, { decision: 'approve' }),
      await ask('POST', '/api/admin/contributors/nobody', { paused: true }),
      await ask('POST', `/api/admin/contributors/${people[0]!.userId}`, {}),
      await ask('POST', `/api/admin/contributors/${people[0]!.userId}`, { paused: false }),
      await ask('POST', `/api/admin/jobs/${failedJob}1/retry`),
      await ask('PATCH', `/api/admin/campaigns/${(await listCampaignIds())[0]}`, { status: 'paused' }),
      await submitForm('sign-in', { token: 'wrong' }),
      await submitForm('waitlist/notify', { country: 'US' }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([409, 404, 400, 200, 409, 200, 401, 303])
    expect(await listEntries()).toEqual(before)
  })

  test('filters by operator and by action, and returns 400 for unknown operators and actions', async () => {
    const all = await listEntries()
    expect((await listEntries('&actor=jane')).length).toBe(all.length)
    expect(await listEntries('&actor=operator')).toEqual([])
    expect(await listEntries('&actor=jane&action=sale.record')).toEqual(
      all.filter(({ action }) => action === 'sale.record'),
    )
    expect((await ask('GET', '/api/admin/audit?action=sale')).status).toBe(400)
  })

  test('contains no text of a user after their erasure', async () => {
    await made.ask('DELETE', '/api/account', { headers: people[1]!.cookie })
    const text = JSON.stringify(await listEntries())
    for (const word of ['bob@example.com', 'ann@example.com', 'founder']) expect(text).not.toContain(word)
  })
})

/** Returns the visible text of a page. */
const readWords = (page: string): string =>
  page
    .replaceAll(/<\/?(?:bdi|strong|a|span|code)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

/** Returns the URL of the next page of a list, if there is one. */
const nextOf = (page: string): string | undefined =>
  /href="([^"]*)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&')

describe('GET /admin/audit', () => {
  test('lists the changes of operators, filtered by action', async () => {
    const page = await made.ask('GET', '/admin/audit', { headers: cookie })
    let [all, next] = [page.text, nextOf(page.text)]
    while (next !== undefined) {
      const { text } = await made.ask('GET', next, { headers: cookie })
      ;[all, next] = [all + text, nextOf(text)]
    }
    const words = readWords(all)
    for (const part of [
      'jane sold 1 trace to Lab for $1.00',
      'jane approved the application of Acme',
      'jane paid out $1.00 to ',
      'jane resumed ann@example.com',
      'jane created the campaign Autumn',
      'jane notified 1 person on the waitlist of United States',
      '730 days',
      'Events All',
      'jane deleted 1 delivery',
      'jane signed in',
      `IP address ${addressOfJane}`,
      `Request ID ${requestId}`,
      'Paused Yes → No',
      'Status Pending → Approved',
    ])
      expect(words).toContain(part)
    for (const pattern of [
      /jane set report .+ \([\da-f]{8}\) to Spam/,
      /jane merged report .+ \([\da-f]{8}\) into report .+ \([\da-f]{8}\)/,
    ])
      expect(words).toMatch(pattern)
    const narrowed = await made.ask('GET', '/admin/audit?action=job.retry', { headers: cookie })
    expect([narrowed.text.includes(`${failedJob}1`), readWords(narrowed.text).includes('sold 1 trace')]).toEqual([
      true,
      false,
    ])
  })

  test('lists the changes of a subject, by e-mail address or ID', async () => {
    const readSubject = async (subject: string): Promise<string> =>
      readWords(
        (await made.ask('GET', `/admin/audit?subject=${encodeURIComponent(subject)}`, { headers: cookie })).text,
      )
    for (const subject of ['ANN@example.com', people[0]!.userId]) {
      const page = await readSubject(subject)
      for (const part of ['jane paused ann@example.com', 'jane rejected the application of Acme'])
        expect(page).toContain(part)
      expect(page).not.toContain('created the campaign')
    }
    const [campaignId] = await listCampaignIds()
    expect(await readSubject(campaignId!)).toContain('jane created the campaign')
    expect(await readSubject('nobody@example.com')).toContain('Nothing matches.')
  })

  test('shows the downloads of operators', async () => {
    await ask('GET', '/api/admin/waitlist/export')
    await ask('GET', '/api/admin/waitlist/export?country=US')
    await ask('GET', '/api/admin/dataset')
    const page = readWords((await made.ask('GET', '/admin/audit', { headers: cookie })).text)
    for (const part of ['the waitlist', 'the waitlist of United States', 'all traces that are not excluded'])
      expect(page).toContain(`jane downloaded ${part} `)
  })
})
