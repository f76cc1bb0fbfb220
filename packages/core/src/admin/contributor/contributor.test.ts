import { afterEach, describe, expect, test } from 'vitest'
import {
  admin,
  signInContributor,
  openAutoApprovingService,
  places,
  makeTraceInput,
  type Place,
} from '../../ingest/contributor.fixture.ts'

let place: Place
afterEach(() => place.close())

describe.each(Object.entries(places))('GET /api/admin/contributors/:userId on %s', (_, openPlace) => {
  test('returns application, machines, traces by state, jobs, earnings and audit, without the content of traces', async () => {
    place = await openPlace()
    const made = openAutoApprovingService(place.stores)
    const who = await signInContributor(made)
    await made.ask('POST', '/api/ingest', {
      headers: who.bearer,
      json: { traces: [makeTraceInput('a'), makeTraceInput('b'), makeTraceInput('c')] },
    })
    await made.service.work()
    const contact = { name: 'Ann Lee', email: 'pay@acme.example', phone: '+1 555 0100' }
    await made.ask('POST', '/api/account/contact', { headers: who.bearer, json: contact })
    const { traces } = (await made.ask('GET', '/api/traces', { headers: who.bearer })).json
    const [first, second] = traces.map(({ id }: { id: string }) => id)
    await made.ask('POST', '/api/traces/bulk', { headers: who.bearer, json: { action: 'exclude', ids: [first] } })
    await made.ask('POST', '/api/admin/sales', { headers: admin, json: { buyer: 'Lab', usd: 10, traceIds: [second] } })
    await made.ask('POST', `/api/admin/contributors/${who.userId}`, { headers: admin, json: { paused: true } })

    const { status, json, text } = await made.ask('GET', `/api/admin/contributors/${who.userId}`, { headers: admin })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      userId: who.userId,
      status: 'approved',
      operatorPaused: true,
      application: { status: 'approved' },
      contact,
      acceptedTerms: [{ version: '2026-12-01', acceptedAt: expect.stringContaining('T') }],
      traces: { total: 3, forSale: 1, excluded: 1, sold: 1 },
      jobs: [{ status: 'done', traceCount: 3 }],
      earnings: { balanceUsd: 0, pendingUsd: 8, lifetimeUsd: 8 },
      audit: [{ action: 'contributor.pause', target: who.userId }],
    })
    expect(json.machines.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['browser', 'machine'])
    expect(text).not.toContain('hello from')
    const { items } = (await made.ask('GET', '/api/admin/audit?action=contributor.read', { headers: admin })).json
    expect(items).toMatchObject([{ target: who.userId }])
  })

  test('lists the rejection of an earlier application when the person has applied again', async () => {
    place = await openPlace()
    const { ask, signIn } = openAutoApprovingService(place.stores, { approval: 'manual' })
    const who = await signIn()
    const application = {
      companyName: 'Acme',
      website: 'https://acme.example',
      email: 'ann@acme.example',
      role: 'founder',
      authorized: true,
    }
    const apply = async (): Promise<string> =>
      (await ask('POST', '/api/account/application', { headers: who.bearer, json: application })).json.application.id
    const rejected = await apply()
    const decision = { decision: 'reject', reason: 'not yet' }
    await ask('POST', `/api/admin/applications/${rejected}`, { headers: admin, json: decision })
    const pending = await apply()
    const { json } = await ask('GET', `/api/admin/contributors/${who.userId}`, { headers: admin })
    expect(json).toMatchObject({ application: { id: pending }, audit: [{ target: rejected }] })
  })

  test('returns 404 for an unknown user and 401 without an operator', async () => {
    place = await openPlace()
    const made = openAutoApprovingService(place.stores)
    expect((await made.ask('GET', '/api/admin/contributors/nobody', { headers: admin })).status).toBe(404)
    expect((await made.ask('GET', '/api/admin/contributors/nobody')).status).toBe(401)
  })
})

describe('POST /api/admin/contributors/:userId/sign-out', () => {
  test('ends the devices, browsers and unfetched authorizations of this contributor, but not of other users', async () => {
    place = await places['a local file']!()
    const { ask, signIn } = openAutoApprovingService(place.stores)
    const [jane, john] = [await signIn(), await signIn()]
    const authorize = async ({ cookie }: typeof jane): Promise<string> => {
      const { deviceCode, userCode } = (await ask('POST', '/api/cli/device/start', { json: { machine: 'laptop' } }))
        .json
      await ask('POST', '/api/cli/device/approve', { headers: cookie, json: { userCode } })
      return deviceCode
    }
    const codes = [await authorize(jane), await authorize(john)]
    const answers = (path: string, headers: readonly Record<string, string>[]) =>
      Promise.all(headers.map(async (sent) => (await ask('GET', path, { headers: sent })).status))
    const all = [jane.bearer, jane.cookie, john.bearer, john.cookie]
    expect(await answers('/api/account/machines', all)).toEqual([200, 200, 200, 200])
    const signedOut = await ask('POST', `/api/admin/contributors/${jane.userId}/sign-out`, { headers: admin })
    expect(signedOut.json).toEqual({ ok: true, ended: 3 })
    expect(await answers('/api/account/machines', all)).toEqual([401, 401, 200, 200])
    const [ended, kept] = await Promise.all(codes.map((code) => ask('GET', `/api/cli/device/poll?deviceCode=${code}`)))
    expect([ended!.status, ended!.json, kept!.status]).toEqual([409, { error: 'access_denied' }, 200])
  })
})
