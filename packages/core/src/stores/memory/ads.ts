import {
  serveRetentionMs,
  minImpressionDelayMs,
  voteWindowMs,
  type AdStore,
  type AdCandidate,
  type RecordImpressionParams,
  type ImpressionResult,
  type NewServe,
  type Vote,
  type RecordVoteResult,
} from '../../ads/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import type { MemoryOutbox } from './outbox.ts'
import { dayOfCampaign, memoryCampaigns, type KeptCampaign } from './campaigns.ts'

interface Kept extends NewServe, AdCandidate {
  readonly ownerId: string
  outcome: string | null
  seq: number | null
  countedAt: number | null
  clickedAt: number | null
}

const hour = 60 * 60 * 1000
const day = 24 * hour
const dayOf = (now: number): number => Math.floor(now / day)

export interface MemoryAdsOptions {
  /** Who claimed a device, or null. */
  readonly ownerOf: (device: string) => string | null
  /** Whether there is such a person. */
  readonly known: (ownerId: string) => Promise<boolean>
  readonly outbox: MemoryOutbox
  readonly audit?: Pick<MemoryAudit, 'record'>
}

/** The ads in Maps. Every step is synchronous inside, so it is atomic. */
export function memoryAds({ ownerOf, known, outbox, audit = memoryAudit() }: MemoryAdsOptions): AdStore {
  const serves = new Map<string, Kept>()
  /** Counted serves by device, in the order in which they counted. */
  const counted = new Map<string, Kept[]>()
  /** Counted impressions of the last hour, in the order in which they counted. */
  const addresses: { readonly hash: string; readonly countedAt: number }[] = []
  const campaigns = new Map<number, KeptCampaign>()
  const votes = new Map<string, Vote & { ownerId: string; fingerprint: string; votedAt: number }>()
  const days = new Map<string, { ownerId: string; device: string; day: number; outcome: string; count: number }>()

  function note(ownerId: string, device: string, now: number, outcome: string): void {
    const key = JSON.stringify([ownerId, device, dayOf(now), outcome])
    const found = days.get(key)
    if (found) found.count++
    else days.set(key, { ownerId, device, day: dayOf(now), outcome, count: 1 })
  }

  const foreign = (ownerId: string, device: string): boolean => (ownerOf(device) ?? ownerId) !== ownerId
  const downed = (ownerId: string, fingerprint: string): boolean =>
    [...votes.values()].some(
      (vote) => vote.ownerId === ownerId && vote.vote === 'down' && vote.fingerprint === fingerprint,
    )

  /** The time of the n-th last counted impression of the device: if that is within the window, the cap is reached. */
  const nth = (device: string, cap: number): number =>
    counted.get(device)?.at(-cap)?.countedAt ?? Number.NEGATIVE_INFINITY
  const ofPerson = (ownerId: string, since: number): number =>
    [...counted.values()].flat().filter((one) => one.ownerId === ownerId && one.countedAt! > since).length

  function verdict(
    serve: Kept,
    { now, addressHash, caps }: RecordImpressionParams,
  ): Exclude<ImpressionResult['outcome'], 'unknown'> {
    if (serve.outcome !== null) return 'replayed'
    if (now < serve.servedAt + minImpressionDelayMs) return 'too_soon'
    if (now >= serve.expiresAt) return 'expired'
    if (ownerOf(serve.device) !== serve.ownerId) return 'unclaimed'
    if (
      caps &&
      (nth(serve.device, caps.devicePerHour) > now - hour || nth(serve.device, caps.devicePerDay) > now - day)
    )
      return 'capped'
    const campaign = serve.campaign === null ? null : campaigns.get(serve.campaign)!
    if (
      campaign &&
      (campaign.spent + serve.price > campaign.budget ||
        (campaign.dailyCap !== null && (campaign.days.get(dayOf(now))?.impressions ?? 0) >= campaign.dailyCap))
    )
      return 'capped'
    if (!caps) return 'counted'
    if (ofPerson(serve.ownerId, now - hour) >= caps.personPerHour) return 'capped_person'
    if (ofPerson(serve.ownerId, now - day) >= caps.personPerDay) return 'capped_person'
    const ofAddress = addresses.filter((one) => one.hash === addressHash && one.countedAt > now - hour).length
    return ofAddress >= caps.addressPerHour ? 'capped_address' : 'counted'
  }

  const targetOf = (serve: Kept): string | null => serve.target ?? campaigns.get(serve.campaign ?? 0)?.url ?? null

  function sweep(now: number): void {
    for (const [id, serve] of serves) {
      if (serve.servedAt >= now - serveRetentionMs) return
      serves.delete(id)
      const list = counted.get(serve.device)
      if (list?.[0] === serve) list.shift()
      if (list?.length === 0) counted.delete(serve.device)
    }
  }

  return {
    ...memoryCampaigns(campaigns, audit),

    async serveAd(ownerId, serving, candidates) {
      const person = await known(ownerId)
      if (foreign(ownerId, serving.device)) return { outcome: 'device_not_owned' }
      const index = person ? candidates.findIndex(({ fingerprint }) => !downed(ownerId, fingerprint)) : -1
      if (index < 0) return { outcome: 'none' }
      sweep(serving.servedAt)
      serves.set(serving.id, {
        ...serving,
        ...candidates[index]!,
        ownerId,
        outcome: null,
        seq: null,
        countedAt: null,
        clickedAt: null,
      })
      return { outcome: 'served', index }
    },

    async recordImpression(params): Promise<ImpressionResult> {
      const { id, now, addressHash } = params
      const serve = serves.get(id)
      const outcome = serve ? verdict(serve, params) : 'unknown'
      note(serve?.ownerId ?? '', serve?.device ?? '', now, outcome)
      if (serve?.outcome === null && outcome !== 'too_soon') serve.outcome = outcome
      if (outcome !== 'counted') return { outcome }
      if (addressHash !== null) addresses.push({ hash: addressHash, countedAt: now })
      while (addresses[0] && addresses[0].countedAt <= now - hour) addresses.shift()
      const list = counted.get(serve!.device) ?? []
      Object.assign(serve!, { countedAt: now, seq: (list.at(-1)?.seq ?? 0) + 1 })
      counted.set(serve!.device, [...list, serve!])
      const campaign = campaigns.get(serve!.campaign ?? 0)
      if (campaign) {
        const ledger = dayOfCampaign(campaign, dayOf(now))
        campaign.spent += serve!.price
        campaign.impressions++
        ledger.impressions++
        ledger.micros += serve!.price
      }
      const payload = serve!.networkUrl
      if (payload !== null)
        outbox.enqueueNow(
          { id, channel: 'impression', recipient: '', subject: '', payload, createdAt: now },
          serve!.ownerId,
        )
      return { outcome, campaign: serve!.campaign }
    },

    async recordUnknownImpression(now) {
      note('', '', now, 'unknown')
    },

    async recordClick(id, now) {
      const serve = serves.get(id)
      if (!serve) return null
      const outcome = serve.seq === null ? 'click_early' : serve.clickedAt === null ? 'clicked' : 'click_replayed'
      if (serve.source !== 'promotional') note(serve.ownerId, serve.device, now, outcome)
      if (outcome === 'clicked') {
        serve.clickedAt = now
        const campaign = campaigns.get(serve.campaign ?? 0)
        if (campaign) {
          campaign.clicks++
          dayOfCampaign(campaign, dayOf(now)).clicks++
        }
      }
      return targetOf(serve)
    },

    async findTarget(id) {
      const serve = serves.get(id)
      return serve ? targetOf(serve) : null
    },

    async recordVote(ownerId, vote, now): Promise<RecordVoteResult> {
      if (foreign(ownerId, vote.device)) return 'device_not_owned'
      const serve = serves.get(vote.id)
      if (!serve || serve.ownerId !== ownerId || serve.device !== vote.device || serve.seq === null) return 'not_found'
      if (now >= serve.servedAt + voteWindowMs) return 'expired'
      if (counted.get(serve.device)!.at(-1)!.seq! > serve.seq) return 'superseded'
      votes.set(vote.id, { ...vote, ownerId, fingerprint: serve.fingerprint, votedAt: now })
      return 'recorded'
    },

    async listDays(ownerId, device, fromDay) {
      return [...days.values()]
        .filter((one) => one.ownerId === ownerId && one.device === device && one.day >= fromDay)
        .map(({ day, outcome, count }) => ({ day, outcome, count }))
        .sort((a, b) => b.day - a.day || (a.outcome < b.outcome ? -1 : 1))
    },

    async export(ownerId) {
      const mine = <One extends { ownerId: string }>(all: Iterable<One>): One[] =>
        [...all].filter((one) => one.ownerId === ownerId)
      return {
        days: mine(days.values()).map(({ device, day, outcome, count }) => ({ device, day, outcome, count })),
        votes: mine(votes.values()).map(({ device, fingerprint, vote, reason, votedAt }) => ({
          device,
          fingerprint,
          vote,
          reason,
          votedAt,
        })),
        serves: mine(serves.values())
          .map(({ id, device, source, servedAt, outcome, countedAt, clickedAt }) => ({
            id,
            device,
            source,
            servedAt,
            outcome,
            countedAt,
            clickedAt,
          }))
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      }
    },

    async erase(ownerId) {
      outbox.deleteOfOwner(ownerId)
      for (const [id, serve] of serves) if (serve.ownerId === ownerId) serves.delete(id)
      for (const [device, list] of counted)
        counted.set(
          device,
          list.filter((serve) => serve.ownerId !== ownerId),
        )
      for (const map of [votes, days] as Map<string, { ownerId: string }>[])
        for (const [key, one] of map) if (one.ownerId === ownerId) map.delete(key)
      return false
    },
  }
}
