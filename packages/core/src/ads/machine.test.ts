import { createTestStores, makeAuditContext, isFullRun, seededRandom } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { uuid7 } from '../ids.ts'
import { borrowPglite } from '../stores/postgres/borrowed.fixture.ts'
import { postgresStores } from '../stores/postgres/index.ts'
import type { Stores } from '../stores.ts'
import { defaultImpressionCaps, minImpressionDelayMs, type AdCandidate, type Campaign } from './store.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour
const ttl = 5 * 60 * 1000

interface Serve {
  readonly id: string
  readonly device: string
  readonly servedAt: number
  readonly campaign: Campaign | null
  used: string | null
}

/**
 * Caps that are low enough to be reached in a few days. Runs rotate through the four entries, because one cap could
 * hide the others.
 */
const tightCaps = [{}, { personPerHour: 4, personPerDay: 12 }, { addressPerHour: 2 }, { newPersonPerDay: 5 }]

/**
 * Simulates random days with serves, impressions at unusual times (often sent twice), clicks, clock jumps in both
 * directions, and tight caps and budgets. The store is compared with the written rules of impressions, not with a
 * second implementation.
 */
async function runRandomSteps(stores: Stores, seed: number, steps: number): Promise<string[]> {
  const bytes = seededRandom(seed)
  const drawNumber = (sides: number): number => ((bytes(1)[0]! << 8) | bytes(1)[0]!) % sides
  const { ads } = stores
  const caps = { ...defaultImpressionCaps, newPersonPerDay: 600, ...tightCaps[seed % 4] }
  await stores.auth.upsertUser({ id: 'ann', email: null, now: 0 })
  for (const deviceId of ['device-0', 'device-1'])
    await stores.program.claimDevice({ ownerId: 'ann', deviceId, now: 0, maxDevices: null })
  const start = Date.UTC(2026, 10, 20)
  const campaigns = await Promise.all(
    [1, 2].map((n) =>
      ads.createCampaign({
        audit: makeAuditContext(),
        campaign: {
          id: uuid7(start, bytes),
          name: 'c',
          brandName: 'b',
          title: 't',
          text: `text ${n}`,
          url: `https://acme.example/${n}`,
          favicon: null,
          fingerprint: String(n).repeat(64),
          topics: [],
          cpmUsd: 1,
          price: 7,
          budget: n * 100,
          dailyCap: n === 2 ? 4 : null,
          startsAt: null,
          endsAt: null,
          createdAt: start,
        },
      }),
    ),
  )
  const serves: Serve[] = []
  const counted: { device: string; addressHash: string; at: number; campaign: number | null }[] = []
  const outcomes: string[] = []
  const faults: string[] = []
  let [now, latest] = [start, start]
  for (let step = 0; step < steps; step++) {
    now = Math.max(
      start,
      now +
        [0, 100, 999, 5000, 60_000, ttl, -30_000, -2 * hour, 3 * hour][drawNumber(9)]! * (drawNumber(40) === 0 ? 5 : 1),
    )
    latest = Math.max(latest, now)
    if (serves.length === 0 || drawNumber(3) === 0) {
      const campaign = [null, ...campaigns][drawNumber(3)]!
      const offer: AdCandidate = campaign
        ? {
            source: 'campaign',
            fingerprint: campaign.fingerprint,
            campaign: campaign.num,
            price: campaign.price,
            target: null,
            networkUrl: null,
          }
        : {
            source: 'network',
            fingerprint: 'f'.repeat(64),
            campaign: null,
            price: 0,
            target: 'https://a.example/',
            networkUrl: null,
          }
      const serve: Serve = {
        id: uuid7(now, bytes),
        device: `device-${drawNumber(10) === 0 ? 2 : drawNumber(2)}`,
        servedAt: now,
        campaign,
        used: null,
      }
      const { id, device } = serve
      const expiresAt = now + ttl
      const answer = await ads.serveAd({ ownerId: 'ann', id, device, servedAt: now, expiresAt, candidates: [offer] })
      if (answer.outcome !== 'served') faults.push(`seed ${seed} step ${step}: ${answer.outcome}, not served`)
      serves.push(serve)
      continue
    }
    const serve = serves.at(-1 - drawNumber(Math.min(serves.length, 6)))!
    const addressHash = `address-${drawNumber(2)}`
    const { outcome } = await ads.recordImpression({
      serveId: serve.id,
      now,
      addressHash,
      isFromDatacenter: false,
      caps,
    })
    outcomes.push(outcome)
    const where = `seed ${seed} step ${step}`
    // Regardless of what happened before, a used impression stays used, an early impression is not used up, and the
    // time limits apply.
    const allowed =
      serve.used !== null
        ? ['replayed']
        : now < serve.servedAt + minImpressionDelayMs
          ? ['too_soon']
          : now >= serve.servedAt + ttl
            ? ['expired']
            : serve.device === 'device-2'
              ? ['unclaimed']
              : ['counted', 'capped', 'capped_person', 'capped_new', 'capped_address']
    if (!allowed.includes(outcome)) faults.push(`${where}: ${outcome}, not ${allowed.join(' or ')}`)
    if (outcome !== 'too_soon' && outcome !== 'replayed') serve.used = outcome
    const countWithin = (all: readonly { readonly at: number }[], ms: number) =>
      all.filter(({ at }) => at > now - ms && at <= now).length
    const ofDevice = counted.filter((one) => one.device === serve.device)
    // The hash of an address is deleted after an hour, and setting the clock back does not restore it.
    const ofAddress = counted.filter((one) => one.addressHash === addressHash && one.at > latest - hour)
    const spent = counted.filter((one) => one.campaign === serve.campaign?.num).length * 7
    const today = counted.filter(
      (one) => one.campaign === serve.campaign?.num && Math.floor(one.at / day) === Math.floor(now / day),
    ).length
    const full =
      countWithin(ofDevice, hour) >= caps.devicePerHour ||
      countWithin(ofDevice, day) >= caps.devicePerDay ||
      countWithin(counted, hour) >= caps.personPerHour ||
      countWithin(counted, day) >= caps.personPerDay ||
      countWithin(counted, day) >= caps.newPersonPerDay ||
      countWithin(ofAddress, hour) >= caps.addressPerHour ||
      (serve.campaign !== null && (spent + 7 > serve.campaign.budget || today >= (serve.campaign.dailyCap ?? Infinity)))
    if (full && outcome === 'counted') faults.push(`${where}: counted above a cap`)
    if (outcome === 'counted')
      counted.push({ device: serve.device, addressHash, at: now, campaign: serve.campaign?.num ?? null })
    if (drawNumber(4) === 0) await ads.recordClick({ serveId: serve.id, now })
  }
  expect(faults).toEqual([])
  // The spend of each campaign equals its counted impressions to the millionth of a dollar, and equals the sum of its
  // days.
  for (const campaign of await ads.listActiveCampaigns({ day: Math.floor(now / day) })) {
    const own = counted.filter((one) => one.campaign === campaign.num)
    expect(campaign).toMatchObject({
      impressions: own.length,
      spent: own.length * 7,
      impressionsToday: own.filter(({ at }) => Math.floor(at / day) === campaign.day).length,
    })
    expect(campaign.clicks).toBeLessThanOrEqual(own.length)
  }
  const days = (
    await Promise.all([0, 1, 2].map((n) => ads.listDays({ ownerId: 'ann', device: `device-${n}`, fromDay: 0 })))
  ).flat()
  for (const outcome of new Set(outcomes)) {
    expect(days.filter((one) => one.outcome === outcome).reduce((sum, { count }) => sum + count, 0)).toBe(
      outcomes.filter((one) => one === outcome).length,
    )
  }
  return outcomes
}

test('impressions of random days with clock jumps satisfy the rules', async () => {
  const met = new Set<string>()
  // Together the three seeds produce every outcome.
  for (const seed of isFullRun ? Array.from({ length: 60 }, (_, index) => index + 1) : [1, 3, 14])
    for (const one of await runRandomSteps(createTestStores(), seed, 400)) met.add(one)
  expect([...met].sort()).toEqual([
    'capped',
    'capped_address',
    'capped_new',
    'capped_person',
    'counted',
    'expired',
    'replayed',
    'too_soon',
    'unclaimed',
  ])
})

test.each(isFullRun ? [101, 102, 103] : [101])(
  'libSQL and Postgres return the same results for random calls, seed %i',
  { tags: 'long' },
  async (seed) => {
    const steps = isFullRun ? 250 : 30
    const { pools, release } = await borrowPglite()
    try {
      expect(await runRandomSteps(postgresStores(pools[0]), seed, steps)).toEqual(
        await runRandomSteps(createTestStores(), seed, steps),
      )
    } finally {
      await release()
    }
  },
)
