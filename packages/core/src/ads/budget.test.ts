import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMigratedFile, fixture, type Fixture } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLocal } from '../../../host-node/src/sqlite/local.ts'
import { libsqlStores } from '../stores/libsql/index.ts'
import { operator, paidCampaign, type ServedAd } from './fixture.ts'

/** Two hosts, each with its own client, campaign cache and clock, on one database file. */
describe('concurrent impressions of one campaign on two hosts', () => {
  let home: string
  let clients: ReturnType<typeof openLocal>[]
  let hosts: Fixture[]
  let bearer: Record<string, string>

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'tributary-budget-'))
    await createMigratedFile(join(home, 'a.db'))
    clients = [openLocal(join(home, 'a.db')), openLocal(join(home, 'a.db'))]
    hosts = clients.map((client) =>
      fixture({
        stores: libsqlStores(client),
        adminToken: operator.token,
        ads: { secret: 'one secret of both hosts', caps: { newPersonPerDay: 1000 } },
      }),
    )
    // It is late in the day, so that the daily cap is not spread over the following hours.
    for (const { clock } of hosts) clock.set(Date.parse('2026-11-20T23:30:00Z'))
    bearer = (await hosts[0]!.signIn('ann@mail.example')).bearer
    for (let n = 0; n < 10; n++)
      await hosts[0]!.ask('POST', '/api/program/claim', { headers: bearer, json: { deviceId: `device-of-ann-${n}` } })
  })
  afterEach(async () => {
    for (const client of clients) client.close()
    await rm(home, { recursive: true })
  })

  test.each<[string, object, number, number]>([
    ['budget', { budgetUsd: 0.0101 }, 30, 9_990],
    ['daily cap', { budgetUsd: 1, dailyCap: 25 }, 25, 8_325],
  ])("spend exactly the campaign's %s, to the millionth of a dollar", async (_, limits, impressions, spent) => {
    await hosts[0]!.ask('POST', '/api/admin/campaigns', {
      headers: operator.bearer,
      json: { ...paidCampaign, topics: [], cpmUsd: 0.333, ...limits },
    })
    const nonces: string[] = []
    await Promise.all(
      hosts.flatMap(({ ask }) =>
        Array.from({ length: 40 }, async (_, n) => {
          const served = (await ask('GET', `/api/ad?d=device-of-ann-${n % 10}`, { headers: bearer })).json as ServedAd
          if (served.nonce !== null) nonces.push(served.nonce)
        }),
      ),
    )
    // Each host counts only its own serves, so the two hosts together serve more than the budget pays for.
    expect(nonces.length).toBeGreaterThan(impressions)
    for (const { clock } of hosts) clock.advance(1000)
    await Promise.all(nonces.flatMap((nonce) => hosts.map(({ ask }) => ask('POST', `/api/ad/imp/${nonce}`))))
    const {
      items: [campaign],
    } = (await hosts[1]!.ask('GET', '/api/admin/campaigns', { headers: operator.bearer })).json
    expect([campaign.impressions, Math.round(campaign.spentUsd * 1e6)]).toEqual([impressions, spent])
    const [ledger] = (
      await clients[0]!.execute({
        sql: 'select sum(impressions) as impressions, sum(micros) as micros from campaign_days',
        args: [],
      })
    ).rows
    expect([Number(ledger!['impressions']), Number(ledger!['micros'])]).toEqual([impressions, spent])
  })
})
