import { createTestStores, fixture, makeApplication, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Stores } from '../stores.ts'
import { operator, paidCampaign, type ServedAd } from './fixture.ts'

/** Simulates one account that confirms impressions as fast as they are served, from one address, under the default limits. */
describe('impression fraud', () => {
  let stores: Stores
  let made: Fixture
  let mallory: Signed

  beforeEach(async () => {
    // This test does not cover the rate limits of calls, so these are off.
    const rates = { person: 'off', events: 'off' } as const
    stores = createTestStores()
    made = fixture({ stores, adminToken: operator.token, rates })
    mallory = await made.signIn('mallory@mail.example')
    await made.ask('POST', '/api/admin/campaigns', {
      headers: operator.bearer,
      json: { ...paidCampaign, topics: [], budgetUsd: 1000 },
    })
  })

  const claim = (deviceId: string) =>
    made.ask('POST', '/api/program/claim', { headers: mallory.bearer, json: { deviceId } })

  /** Requests a serve on each device and confirms each impression, `rounds` times. */
  async function confirmImpressions(devices: readonly string[], rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      const ads = await Promise.all(
        devices.map(
          async (device) =>
            (await made.ask('GET', `/api/ad?d=${device}`, { headers: mallory.bearer })).json as ServedAd,
        ),
      )
      made.clock.advance(1000)
      await Promise.all(ads.map(({ nonce }) => made.ask('POST', `/api/ad/imp/${nonce}`)))
    }
  }

  async function readSpending(): Promise<{ spentUsd: number; outcomes: Record<string, number> }> {
    const campaigns = (await made.ask('GET', '/api/admin/campaigns', { headers: operator.bearer })).json
    const { account } = (await made.ask('GET', '/api/account/export', { headers: mallory.bearer })).json
    const outcomes: Record<string, number> = {}
    for (const { outcome, count } of account.ads.days as { outcome: string; count: number }[])
      outcomes[outcome] = (outcomes[outcome] ?? 0) + count
    return { spentUsd: campaigns.items[0].spentUsd, outcomes }
  }

  // promise: impressions-claimed-devices-counted
  test('spends nothing on 100 invented devices', async () => {
    await confirmImpressions(
      Array.from({ length: 100 }, (_, n) => `invented-${n}`),
      2,
    )
    expect(await readSpending()).toEqual({ spentUsd: 0, outcomes: { unclaimed: 200 } })
  })

  test('pays for 20 impressions a day over all devices of an account that is not an approved contributor', async () => {
    const devices = Array.from({ length: 3 }, (_, n) => `device-${n}-of-mallory`)
    for (const device of devices) await claim(device)
    await confirmImpressions(devices, 9)
    expect(await readSpending()).toEqual({ spentUsd: 0.4, outcomes: { counted: 20, capped_new: 7 } })
    made.clock.advance(24 * 60 * 60 * 1000)
    await confirmImpressions(devices, 1)
    expect(await readSpending()).toEqual({ spentUsd: 0.46, outcomes: { counted: 23, capped_new: 7 } })
    const { text } = await made.ask('GET', `/earn/${devices[2]}`, { headers: mallory.cookie })
    expect(text).toContain('limit of an account that is not an approved contributor.</strong>')
  })

  // promise: impressions-within-limits-device
  test("stops spending at the user's cap with 100 devices, of which 10 can be claimed", { tags: 'slow' }, async () => {
    const application = makeApplication({ status: 'approved' })
    await stores.contributors.submitApplication({ ownerId: mallory.userId, application, now: 0 })
    const devices = Array.from({ length: 100 }, (_, n) => `device-${n}-of-mallory`)
    for (const device of devices) await claim(device)
    await confirmImpressions(devices, 1)
    await confirmImpressions(devices.slice(0, 10), 12)
    // 120 impressions at two cents count: 10 of the first round and 110 of the 120 afterwards.
    expect(await readSpending()).toEqual({
      spentUsd: 2.4,
      outcomes: { counted: 120, unclaimed: 90, capped_person: 10 },
    })
  })
})
