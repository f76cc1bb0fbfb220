import { afterEach, describe, expect, test } from 'vitest'
import {
  admin,
  signInContributor,
  openAutoApprovingService,
  places,
  makeTraceInput,
  type Place,
} from '../../ingest/contributor.fixture.ts'
import { describeDays } from './rules.ts'

let place: Place
afterEach(() => place.close())

describe.each(Object.entries(places))('GET /api/admin/overview on %s', (_, openPlace) => {
  test('returns each UTC day, oldest first, with uploads, stored and sold traces, reports and waiting work', async () => {
    place = await openPlace()
    const made = openAutoApprovingService(place.stores)
    const who = await signInContributor(made)
    const message = 'my key is ghp_' + 'a1B2c3D4'.repeat(4) + 'e5F6, do not tell'
    const upload = (...traces: object[]) => made.ask('POST', '/api/ingest', { headers: who.bearer, json: { traces } })
    await upload(
      makeTraceInput('a', { messages: [{ role: 'user', content: message }] }),
      makeTraceInput('b'),
      makeTraceInput('b'),
    )
    await made.service.work()
    made.clock.advance(24 * 60 * 60 * 1000)
    const list = await made.ask('GET', '/api/traces', { headers: who.bearer })
    const traceIds = list.json.traces.map(({ id }: { id: string }) => id)
    await made.ask('POST', '/api/admin/sales', { headers: admin, json: { buyer: 'Lab', usd: 12.5, traceIds } })
    const report = {
      reporter: { agent_vendor: 'v', agent_product: 'p' },
      subject: { surface: 'GET /docs' },
      content: { title: 'A link is dead' },
    }
    await made.ask('POST', '/api/v1/feedback', { json: report })

    const { status, json } = await made.ask('GET', '/api/admin/overview?days=2', { headers: admin })
    expect(status).toBe(200)
    const today = new Date(made.clock()).toISOString().slice(0, 10)
    const yesterday = new Date(made.clock() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
    const none = {
      uploads: 0,
      tracesStored: 0,
      tracesRejected: 0,
      tokens: 0,
      redactions: {},
      wrongReplacements: {},
      impressions: 0,
    }
    expect(json.days).toEqual([
      {
        ...none,
        day: yesterday,
        uploads: 1,
        tracesStored: 2,
        tracesRejected: 1,
        tokens: expect.any(Number),
        redactions: { token: 1 },
        salesUsd: 0,
        spendUsd: 0,
        reports: 0,
      },
      { ...none, day: today, salesUsd: 12.5, spendUsd: 0, reports: 1 },
    ])
    expect(json.days[0].tokens).toBeGreaterThan(0)
    expect(json.waiting).toEqual({
      applications: 0,
      failedJobs: 0,
      reports: 1,
      outbox: 0,
      payoutRequests: 0,
      removals: 0,
      feedback: 0,
    })
  })

  test('returns 30 days by default, and 400 for fewer than 1 or more than 90', async () => {
    place = await openPlace()
    const made = openAutoApprovingService(place.stores)
    const ask = (query: string) => made.ask('GET', `/api/admin/overview${query}`, { headers: admin })
    expect((await ask('')).json.days).toHaveLength(30)
    expect((await ask('?days=90')).json.days).toHaveLength(90)
    for (const days of ['0', '91', '-1', 'x', '1.5', '']) expect((await ask(`?days=${days}`)).status).toBe(400)
    expect((await made.ask('GET', '/api/admin/overview')).status).toBe(401)
  })
})

describe('describeDays', () => {
  test('returns zeros for a day without counts, and converts micros to dollars', async () => {
    place = await places['a local file']!()
    const counts = [
      { day: 1, name: 'spendMicros', count: 1_500_000 },
      { day: 1, name: 'redactions.email', count: 3 },
      { day: 9, name: 'uploads', count: 1 },
    ] as const
    const [first, second, ...others] = describeDays(counts, 1, 2)
    expect(others).toEqual([])
    expect(first).toMatchObject({ day: '1970-01-02', spendUsd: 1.5, redactions: { email: 3 }, uploads: 0 })
    expect(second).toMatchObject({ day: '1970-01-03', spendUsd: 0, redactions: {}, uploads: 0 })
  })
})
