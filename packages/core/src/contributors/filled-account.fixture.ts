import { fixture, type Answer, type Fixture, type Signed } from '@tributary/test-kit'
import { createStores } from '../stores/libsql/stores.ts'
import type { TwoClients } from '../stores/libsql/two-clients.fixture.ts'

const adminToken = 'operator-'.repeat(3)
/** The headers of the operator of `openFilledAccount`. */
export const operator = { authorization: `Bearer ${adminToken}` }

const day = 24 * 60 * 60 * 1000
const device = 'device-of-ann-1'

/** A service, and an account with data in each part of the export. */
export interface FilledAccount {
  readonly made: Fixture
  readonly ann: Signed
  /** Sends a request that must succeed. */
  readonly send: (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    json?: unknown,
  ) => Promise<Answer>
}

const makeSentTrace = (name: string) => ({
  sourceId: name,
  source: 'claude_code_jsonl',
  createdAt: '2026-11-01T10:00:00Z',
  model: 'model of the trace',
  agent: { name: 'agent of the trace', version: 'version of the trace' },
  outcome: { status: 'success', note: 'note of the trace' },
  messages: ['user', 'assistant'].map((role) => ({
    role,
    content: Array.from({ length: 40 }, (_, at) => `${name} ${role} word ${at}`).join(' '),
    createdAt: '2026-11-01T10:00:00Z',
  })),
})

/** Opens a service over a database, and fills an account with data of each kind through the public interface. */
export async function openFilledAccount({ databases }: Pick<TwoClients, 'databases'>): Promise<FilledAccount> {
  const made = fixture({ stores: createStores(databases[0]), adminToken, country: () => 'US' })
  const ann = await made.signIn('ann@example.com')
  const send: FilledAccount['send'] = async (method, path, headers, json) => {
    const answer = await made.ask(method, path, { headers, json })
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }
  await fillContributor(send, ann)
  const ids = await fillTraces(made, send, ann)
  await fillTelemetry(send, ann)
  await countImpression(made, send, ann)
  made.clock.advance(15 * day)
  await made.service.work()
  await fillMoney(send, ann)
  const withdrawal = { reason: `reason of the withdrawal for ${ann.email}` }
  for (const id of ids) await send('POST', `/api/admin/traces/${id}/withdraw`, operator, withdrawal)
  // Serves are deleted after a week.
  await countImpression(made, send, ann)
  const { userCode } = (await send('POST', '/api/cli/device/start', {}, { machine: 'approved machine' })).json
  await send('POST', '/api/cli/device/approve', ann.cookie, { userCode })
  await send('POST', '/api/account/exports', ann.bearer)
  await made.service.work()
  return { made, ann, send }
}

async function fillContributor(send: FilledAccount['send'], { bearer, cookie, email }: Signed): Promise<void> {
  await send('POST', '/api/account/terms', bearer, { termsVersion: '2026-12-01', residencyConfirmed: true })
  const application = {
    companyName: 'Acme',
    website: 'https://acme.example',
    email,
    role: 'founder',
    authorized: true,
  }
  for (const decision of ['reject', 'approve']) {
    const sent = await send('POST', '/api/account/application', bearer, application)
    await send('POST', `/api/admin/applications/${sent.json.application.id}`, operator, {
      decision,
      reason: `reason of the review of ${email}`,
    })
  }
  await send('POST', '/api/account/contact', cookie, { name: 'Ann Archer', email, phone: '+1 555 0199' })
  await send('PUT', '/api/account/consent', bearer, { attribution: true, pixel: true })
  for (const paused of [true, false]) await send('PATCH', '/api/account', bearer, { paused })
  await send('POST', '/api/waitlist', bearer, { email, country: 'DE' })
  await send('PUT', '/api/account/blocked-terms', bearer, { terms: ['elephant'] })
}

/** Sells a trace, keeps one and deletes one. Returns the ids of the sold and the kept trace. */
async function fillTraces({ service }: Fixture, send: FilledAccount['send'], { bearer }: Signed): Promise<string[]> {
  await send('POST', '/api/ingest', bearer, { traces: ['sold', 'kept', 'deleted'].map(makeSentTrace) })
  await service.work()
  const { traces } = (await send('GET', '/api/traces', bearer)).json as { traces: { id: string }[] }
  const [deleted, kept, sold] = traces as [{ id: string }, { id: string }, { id: string }]
  await send('POST', '/api/admin/sales', operator, { buyer: 'Lab', traceIds: [sold.id], usd: 100 })
  await send('DELETE', '/api/traces/bulk', bearer, { ids: [deleted.id] })
  return [sold.id, kept.id]
}

async function fillTelemetry(send: FilledAccount['send'], { bearer }: Signed): Promise<void> {
  const diagnostics = [{ adapter: 'cursor', totalEntries: 7 }]
  const events = [{ name: 'started', properties: { count: 3 } }]
  await send('POST', '/api/cli/telemetry', bearer, { schema: 1, deviceId: device, diagnostics, events })
  await send('POST', '/api/cli/feedback', { ...bearer, 'idempotency-key': 'feedback' }, { message: 'Hello' })
}

async function countImpression({ clock }: Fixture, send: FilledAccount['send'], { bearer }: Signed): Promise<void> {
  const campaign = { name: 'A', brandName: 'Acme', title: 'T', text: 'x', url: 'https://acme.example', topics: [] }
  await send('POST', '/api/admin/campaigns', operator, { ...campaign, cpmUsd: 20, budgetUsd: 9 })
  await send('POST', '/api/program/claim', bearer, { deviceId: device })
  const { ad, nonce, feedback } = (await send('GET', `/api/ad?d=${device}`, bearer)).json
  clock.advance(1000)
  await send('GET', `/api/ad/imp/${nonce}`, {})
  await send('GET', new URL(ad.clickUrl).pathname, {})
  await send('POST', '/api/ad/feedback', bearer, { deviceId: device, token: feedback.token, vote: 'up' })
}

async function fillMoney(send: FilledAccount['send'], { bearer, userId, email }: Signed): Promise<void> {
  const { request } = (await send('POST', '/api/account/payout-requests', bearer, {})).json
  const reason = `reason of the rejection of ${email}`
  await send('POST', `/api/admin/payout-requests/${request.id}`, operator, { decision: 'reject', reason })
  await send('POST', '/api/admin/corrections', operator, { userId, usd: -2.5, reason: `reason about ${email}` })
  await send('POST', '/api/admin/payouts', operator, { userId, usd: 30, reference: 'transfer-1' })
  await send('POST', '/api/account/payout-requests', bearer, {})
}
