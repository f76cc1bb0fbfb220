import type { AdStore, Candidate, NewCampaign } from '@tributary/core'
import { expect, test } from 'vitest'
import { madeHash, madeId } from '../seed.ts'

/** A fresh place to keep ads. ann and bob are people there; bob claimed `bobs-device`. */
export interface AdsPlace {
  /** Two doors to the same data, as two hosts have them. */
  readonly stores: readonly [AdStore, AdStore]
  /** The outbox's impressions: ids and addresses, in the order of ids. */
  queued(): Promise<readonly (readonly [id: string, address: string])[]>
  close(): Promise<void>
}

/** When the tests' serves happen: madeId's times are near. */
export const start = 1_700_000_000_000
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const ttl = 5 * minute
export const dayOf = (at: number): number => Math.floor(at / day)

export const network = (number: number, networkUrl: string | null = null): Candidate =>
  ({ source: 'network', fingerprint: madeHash('ad', number), campaign: null, price: 0, target: `https://sponsor.example/${number}`, networkUrl })

export function campaign(number: number, changes: Partial<NewCampaign> = {}): NewCampaign {
  return {
    id: madeId('campaign', number), name: `campaign ${number}`, brandName: 'Acme', title: 'Acme', text: `text ${number}`,
    url: `https://acme.example/${number}`, favicon: null, fingerprint: madeHash('campaign', number), topics: [], cpmUsd: 20, price: 20_000,
    budget: 10_000_000, dailyCap: null, startsAt: null, endsAt: null, createdAt: start, ...changes,
  }
}

export const candidate = ({ num, fingerprint, price }: { num: number; fingerprint: string; price: number }): Candidate =>
  ({ source: 'campaign', fingerprint, campaign: num, price, target: null, networkUrl: null })

/** The id of serve `number`: a UUID version 7 of its time, as the service makes them. */
export const serveId = (number: number, at: number): string => {
  const made = madeId('serve', number)
  const time = at.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${made.slice(13)}`
}

/** Serves one ad and gives its id. */
export async function served(store: AdStore, number: number, at = start, ad: Candidate = network(number), device = 'device-1', owner = 'ann'): Promise<string> {
  const id = serveId(number, at)
  expect(await store.serve(owner, { id, device, servedAt: at, expiresAt: at + ttl }, [ad])).toEqual({ outcome: 'served', index: 0 })
  return id
}

/** The laws of `AdStore` on impressions and clicks; part of `adStoreLaws`. */
export function impressionLaws(place: () => AdsPlace): void {
  const store = (): AdStore => place().stores[0]
  const outcome = async (id: string, now: number) => (await store().count(id, now)).outcome
  const days = async (owner = 'ann', device = 'device-1') => Object.fromEntries((await store().days(owner, device, 0)).map((one) => [one.outcome, one.count]))

  test('an impression counts once, from a second after the serve until it expires', async () => {
    const id = await served(store(), 1)
    expect(await outcome(id, start + 999)).toBe('too_soon')
    expect(await outcome(id, start - 5 * minute)).toBe('too_soon')
    expect(await store().count(id, start + 1000)).toEqual({ outcome: 'counted', campaign: null })
    expect(await outcome(id, start + 1001)).toBe('replayed')
    const late = await served(store(), 2)
    expect(await outcome(late, start + ttl)).toBe('expired')
    expect(await outcome(late, start + ttl - 1)).toBe('replayed')
    expect(await outcome(await served(store(), 3), start + ttl - 1)).toBe('counted')
    expect(await outcome(madeId('never', 1), start)).toBe('unknown')
    await store().refuse(start)
    expect(await days()).toEqual({ counted: 2, too_soon: 2, replayed: 2, expired: 1 })
    expect(await days('bob')).toEqual({})
  })

  test('of 200 at once on one serve one counts, over two hosts', async () => {
    const id = await served(store(), 1)
    const said = await Promise.all(Array.from({ length: 200 }, (_, n) => place().stores[n % 2]!.count(id, start + 1000 + n)))
    expect(said.filter((one) => one.outcome === 'counted')).toHaveLength(1)
    expect(said.filter((one) => one.outcome === 'replayed')).toHaveLength(199)
    expect(await days()).toEqual({ counted: 1, replayed: 199 })
  })

  test('a device counts 60 in an hour and 400 in a day, whoever holds it; another device is untouched', async () => {
    const at = async (number: number, now: number, owner = 'ann', device = 'device-1') =>
      outcome(await served(store(), number, now - 1000, network(number), device, owner), now)
    for (let n = 0; n < 60; n++) expect(await at(n, start + n * 1000, n % 2 ? 'bob' : 'ann')).toBe('counted')
    expect(await at(60, start + minute)).toBe('capped')
    expect(await at(61, start + minute, 'ann', 'device-2')).toBe('counted')
    // A clock that steps back opens nothing.
    expect(await at(62, start - 2 * hour)).toBe('capped')
    expect(await at(63, start + hour - 1)).toBe('capped')
    expect(await at(64, start + hour)).toBe('counted')
    let counted = 61
    for (let n = 100; counted < 400; n++) if (await at(n, start + hour + (n - 99) * 61_000) === 'counted') counted++
    expect(await at(900, start + 20 * hour)).toBe('capped')
    expect(await at(901, start + day)).toBe('counted')
    expect(await at(902, start + day)).toBe('capped')
    // Some 900 durable writes one after the other: a slow disk takes longer than other tests may.
  }, 60_000)

  test('a capped impression uses the serve up', async () => {
    const one = await store().addCampaign(campaign(1, { budget: 0 }))
    const id = await served(store(), 1, start, candidate(one))
    expect(await outcome(id, start + 1000)).toBe('capped')
    expect(await outcome(id, start + 1000)).toBe('replayed')
  })

  test('a network\'s own address is queued with the impression that counted, once, and with no other', async () => {
    const [early, counts, without] = [
      await served(store(), 1, start, network(1, 'https://network.example/1')), await served(store(), 2, start, network(2, 'https://network.example/2')),
      await served(store(), 3),
    ]
    await outcome(early, start)
    await Promise.all([...Array.from({ length: 20 }, () => outcome(counts, start + 1000)), outcome(without, start + 1000)])
    expect(await place().queued()).toEqual([[counts, 'https://network.example/2']])
  })

  test('a click leads to the stored target, and counts once after a counted impression', async () => {
    const one = await store().addCampaign(campaign(1))
    const id = await served(store(), 1, start, candidate(one))
    expect(await store().click(id, start)).toBe('https://acme.example/1')
    await outcome(id, start + 1000)
    expect(await store().target(id)).toBe('https://acme.example/1')
    expect(await Promise.all(Array.from({ length: 10 }, (_, n) => place().stores[n % 2]!.click(id, start + day)))).toEqual(Array.from({ length: 10 }, () => 'https://acme.example/1'))
    expect((await store().campaigns({ cursor: null, limit: 1 })).items[0]).toMatchObject({ clicks: 1, impressions: 1 })
    expect(await days()).toEqual({ counted: 1, click_early: 1, clicked: 1, click_replayed: 9 })
    expect(await store().click(await served(store(), 2), start)).toBe('https://sponsor.example/2')
    expect([await store().click(madeId('never', 1), start), await store().target(madeId('never', 1))]).toEqual([null, null])
  })

  test('a promotion\'s click leads on and is not written down', async () => {
    const id = await served(store(), 1, start, { ...network(1), source: 'promotional' })
    expect(await store().click(id, start)).toBe('https://sponsor.example/1')
    expect(await days()).toEqual({})
  })
}
