import { dayOf } from './rules.ts'
import type { AdStore, ActiveCampaign } from './store.ts'

/** How long the list of active campaigns is good: another host's change is seen here within this time. */
export const campaignCacheMs = 5000
const slots = 10

/** The active campaigns as this host knows them, and its own serves of them that may still count. */
export interface CampaignCache {
  listActive(now: number): Promise<readonly ActiveCampaign[]>
  /** Serves of this host that have neither counted nor expired. */
  countOutstanding(num: number): number
  recordServe(num: number, now: number): void
  recordImpression(num: number, now: number): void
  /** After the operator changed a campaign: the next look asks the store. */
  invalidate(): void
}

/** Keeps the list for `rosterMs`; many who look at once ask the store once. `ttlMs` is how long a serve may count. */
export function createCampaignCache(store: Pick<AdStore, 'listActiveCampaigns'>, ttlMs: number): CampaignCache {
  const slotMs = Math.max(1, ttlMs / slots)
  const open = new Map<number, Map<number, number>>()
  let list: ActiveCampaign[] = []
  let loadedAt = Number.NaN
  let generation = 0
  let loading: Promise<void> | null = null

  async function load(now: number): Promise<void> {
    const asked = generation
    const found = await store.listActiveCampaigns(dayOf(now))
    list = found
    // A list asked for before a change may be from before it: it serves those who waited, and nobody after.
    loadedAt = asked === generation ? now : Number.NaN
    expire(now)
  }

  function expire(now: number): void {
    for (const [num, bySlot] of open) {
      for (const slot of bySlot.keys()) if (Math.abs(now - slot * slotMs) > ttlMs + slotMs) bySlot.delete(slot)
      if (bySlot.size === 0) open.delete(num)
    }
  }

  function campaign(num: number): { spent: number; impressionsToday: number; day: number; price: number } | undefined {
    return list.find((one) => one.num === num)
  }

  return {
    async listActive(now) {
      if (now >= loadedAt && now - loadedAt < campaignCacheMs) return list
      loading ??= load(now).finally(() => (loading = null))
      await loading
      return list
    },
    countOutstanding(num) {
      let sum = 0
      for (const count of open.get(num)?.values() ?? []) sum += count
      return sum
    },
    recordServe(num, now) {
      let bySlot = open.get(num)
      if (!bySlot) open.set(num, (bySlot = new Map()))
      const slot = Math.floor(now / slotMs)
      bySlot.set(slot, (bySlot.get(slot) ?? 0) + 1)
    },
    recordImpression(num, now) {
      const bySlot = open.get(num)
      const oldest = [...(bySlot ?? [])].find(([, count]) => count > 0)
      if (oldest) bySlot!.set(oldest[0], oldest[1] - 1)
      const one = campaign(num)
      if (!one) return
      one.spent += one.price
      one.impressionsToday = one.day === dayOf(now) ? one.impressionsToday + 1 : 1
      one.day = dayOf(now)
    },
    invalidate() {
      generation++
      loadedAt = Number.NaN
    },
  }
}
