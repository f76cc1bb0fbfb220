import { utcDay } from '../ids.ts'
import type { ActiveCampaign, AdStore } from './store.ts'

/**
 * The list of active campaigns is valid for this time, in ms. A change on another host takes effect within this time.
 */
export const campaignCacheMs = 5000
/** The number of time slots within `ttlMs`. Outstanding serves are counted by slot. */
const slotsPerTtl = 10

/** The active campaigns, and the serves by this host whose impressions may still count. */
export interface CampaignCache {
  listActive(now: number): Promise<readonly ActiveCampaign[]>
  /** Returns the number of serves of this host that have neither counted nor expired. `num` is `Campaign.num`. */
  countOutstanding(num: number): number
  recordServe(num: number, now: number): void
  recordImpression(num: number, now: number): void
  /** Makes the next call of `listActive` read the store. Call this method after the operator changed a campaign. */
  invalidate(): void
}

/**
 * Creates a cache that keeps the list for `campaignCacheMs`; concurrent calls read the store once. `ttlMs` is the time
 * for which a serve may count.
 */
export function createCampaignCache(store: Pick<AdStore, 'listActiveCampaigns'>, ttlMs: number): CampaignCache {
  const slotMs = Math.max(1, ttlMs / slotsPerTtl)
  const outstanding = new Map<number, Map<number, number>>()
  let campaigns: ActiveCampaign[] = []
  let loadedAt = Number.NaN
  let generation = 0
  let loading: Promise<void> | null = null

  async function load(now: number): Promise<void> {
    const startedIn = generation
    campaigns = await store.listActiveCampaigns({ day: utcDay(now) })
    // A list that was requested before a change may not include the change. The calls that wait for the list receive
    // it, but it is not cached.
    loadedAt = startedIn === generation ? now : Number.NaN
    deleteExpiredSlots(now)
  }

  function deleteExpiredSlots(now: number): void {
    for (const [num, slots] of outstanding) {
      for (const slot of slots.keys()) if (Math.abs(now - slot * slotMs) > ttlMs + slotMs) slots.delete(slot)
      if (slots.size === 0) outstanding.delete(num)
    }
  }

  return {
    async listActive(now) {
      if (now >= loadedAt && now - loadedAt < campaignCacheMs) return campaigns
      loading ??= load(now).finally(() => (loading = null))
      await loading
      return campaigns
    },
    countOutstanding(num) {
      let sum = 0
      for (const count of outstanding.get(num)?.values() ?? []) sum += count
      return sum
    },
    recordServe(num, now) {
      const slots = outstanding.get(num) ?? new Map<number, number>()
      const slot = Math.floor(now / slotMs)
      outstanding.set(num, slots.set(slot, (slots.get(slot) ?? 0) + 1))
    },
    recordImpression(num, now) {
      const slots = outstanding.get(num)
      const oldest = [...(slots ?? [])].find(([, count]) => count > 0)
      if (oldest) slots?.set(oldest[0], oldest[1] - 1)
      const campaign = campaigns.find((active) => active.num === num)
      if (!campaign) return
      const today = utcDay(now)
      campaign.spent += campaign.price
      campaign.impressionsToday = campaign.day === today ? campaign.impressionsToday + 1 : 1
      campaign.day = today
    },
    invalidate() {
      generation++
      loadedAt = Number.NaN
    },
  }
}
