import {
  minImpressionDelayMs,
  voteWindowMs,
  type AdCandidate,
  type AdStore,
  type ImpressionCaps,
  type ImpressionResult,
  type NewServe,
  type RecordImpressionParams,
  type RecordVoteParams,
} from '../../ads/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { utcDay } from '../../ids.ts'
import type { MemoryOutbox } from './outbox.ts'
import { memoryDailyCounts, type MemoryDailyCounts } from './overview.ts'
import { addRejection, ledgerOfDay, memoryCampaigns, type StoredCampaign } from './campaigns.ts'

interface StoredServe extends NewServe, AdCandidate {
  readonly ownerId: string
  outcome: string | null
  seq: number | null
  countedAt: number | null
  clickedAt: number | null
}

/** A row of `ad_days`. */
interface StoredDay {
  readonly ownerId: string
  readonly device: string
  readonly day: number
  readonly outcome: string
  count: number
  micros: number
  unposted: number
}

const hour = 60 * 60 * 1000
const day = 24 * hour

/** The ad store in memory, and what the ledger beside it reads of it. */
export interface MemoryAds extends AdStore {
  /** Returns the days whose price is not in the ledger yet; the ledger sets `unposted` to 0. */
  listUnposted(): StoredDay[]
  /** Returns the day of a device that impressions count on, made if need be. */
  countedDay(ownerId: string, device: string, day: number): StoredDay
}

export interface MemoryAdsOptions {
  /** Returns who claimed a device, or null. */
  readonly ownerOf: (device: string) => string | null
  /** Returns whether a person is an approved contributor. */
  readonly isApproved: (ownerId: string) => boolean
  /** Returns whether there is such a person. */
  readonly known: (ownerId: string) => Promise<boolean>
  readonly outbox: MemoryOutbox
  readonly audit?: Pick<MemoryAudit, 'record'>
  readonly counts?: Pick<MemoryDailyCounts, 'add'>
}

/** Returns the ad store in memory. Every step is synchronous inside, so it is atomic. */
export function memoryAds({
  ownerOf,
  isApproved,
  known,
  outbox,
  audit = memoryAudit(),
  counts = memoryDailyCounts(),
}: MemoryAdsOptions): MemoryAds {
  const serves = new Map<string, StoredServe>()
  /** Counted serves by device, in the order in which they counted. */
  const counted = new Map<string, StoredServe[]>()
  /** Counted impressions of the last hour, in the order in which they counted. */
  const addresses: { readonly hash: string; readonly countedAt: number }[] = []
  const campaigns = new Map<number, StoredCampaign>()
  const votes = new Map<string, RecordVoteParams & { fingerprint: string }>()
  const days = new Map<string, StoredDay>()

  /** Adds an event to its day. `paid` is the price of one that counted. */
  function addToDay(ownerId: string, device: string, now: number, outcome: string, paid = 0): void {
    const stored = storedDay({ ownerId, device, day: utcDay(now), outcome })
    stored.count++
    stored.micros += paid
    stored.unposted += paid
  }

  function storedDay(named: Pick<StoredDay, 'ownerId' | 'device' | 'day' | 'outcome'>): StoredDay {
    const key = JSON.stringify([named.ownerId, named.device, named.day, named.outcome])
    const stored = days.get(key) ?? { ...named, count: 0, micros: 0, unposted: 0 }
    days.set(key, stored)
    return stored
  }

  const isDeviceOfOther = (ownerId: string, device: string): boolean => (ownerOf(device) ?? ownerId) !== ownerId
  const isVotedDown = (ownerId: string, fingerprint: string): boolean =>
    [...votes.values()].some(
      (vote) => vote.ownerId === ownerId && vote.vote === 'down' && vote.fingerprint === fingerprint,
    )

  /**
   * Returns the time of the n-th last counted impression of a device: the cap n is reached if it is within the window.
   */
  const nthLastCountedAt = (device: string, n: number): number =>
    counted.get(device)?.at(-n)?.countedAt ?? Number.NEGATIVE_INFINITY
  const countOfPerson = (ownerId: string, since: number): number =>
    [...counted.values()].flat().filter((serve) => serve.ownerId === ownerId && serve.countedAt! > since).length

  function isDeviceCapped({ device }: StoredServe, now: number, caps: ImpressionCaps): boolean {
    return (
      nthLastCountedAt(device, caps.devicePerHour) > now - hour ||
      nthLastCountedAt(device, caps.devicePerDay) > now - day
    )
  }

  function isCampaignExhausted({ campaign: num, price }: StoredServe, now: number): boolean {
    if (num === null) return false
    const { spent, budget, dailyCap, days: ledger } = campaigns.get(num)!
    return spent + price > budget || (dailyCap !== null && (ledger.get(utcDay(now))?.impressions ?? 0) >= dailyCap)
  }

  function decideOutcome(
    serve: StoredServe,
    { now, addressHash, isFromDatacenter, caps }: RecordImpressionParams,
  ): Exclude<ImpressionResult['outcome'], 'unknown'> {
    if (serve.outcome !== null) return 'replayed'
    if (now < serve.servedAt + minImpressionDelayMs) return 'too_soon'
    if (now >= serve.expiresAt) return 'expired'
    if (ownerOf(serve.device) !== serve.ownerId) return 'unclaimed'
    if (isFromDatacenter) return 'datacenter'
    if (caps && isDeviceCapped(serve, now, caps)) return 'capped'
    if (isCampaignExhausted(serve, now)) return 'capped'
    if (!caps) return 'counted'
    if (countOfPerson(serve.ownerId, now - hour) >= caps.personPerHour) return 'capped_person'
    const countOfDay = countOfPerson(serve.ownerId, now - day)
    if (countOfDay >= caps.personPerDay) return 'capped_person'
    if (!isApproved(serve.ownerId) && countOfDay >= caps.newPersonPerDay) return 'capped_new'
    const ofAddress = addresses.filter(({ hash, countedAt }) => hash === addressHash && countedAt > now - hour)
    return ofAddress.length >= caps.addressPerHour ? 'capped_address' : 'counted'
  }

  const targetOf = (serve: StoredServe): string | null =>
    serve.target ?? campaigns.get(serve.campaign ?? 0)?.url ?? null

  return {
    ...memoryCampaigns(campaigns, audit),

    listUnposted: () => [...days.values()].filter(({ unposted }) => unposted > 0),
    countedDay: (ownerId, device, onDay) => storedDay({ ownerId, device, day: onDay, outcome: 'counted' }),

    async serveAd({ ownerId, candidates, ...serve }) {
      const isKnown = await known(ownerId)
      if (isDeviceOfOther(ownerId, serve.device)) return { outcome: 'device_not_owned' }
      const index = isKnown ? candidates.findIndex(({ fingerprint }) => !isVotedDown(ownerId, fingerprint)) : -1
      if (index < 0) return { outcome: 'none' }
      const unused = { outcome: null, seq: null, countedAt: null, clickedAt: null }
      serves.set(serve.id, { ...serve, ...candidates[index]!, ...unused, ownerId })
      return { outcome: 'served', index }
    },

    async deleteServes({ before }) {
      for (const [id, serve] of serves) {
        if (serve.servedAt >= before) continue
        serves.delete(id)
        const ofDevice = counted.get(serve.device)
        if (ofDevice?.[0] === serve) ofDevice.shift()
        if (ofDevice?.length === 0) counted.delete(serve.device)
      }
      return false
    },

    async recordImpression(params): Promise<ImpressionResult> {
      const { serveId, now, addressHash } = params
      const serve = serves.get(serveId)
      const outcome = serve ? decideOutcome(serve, params) : 'unknown'
      addToDay(serve?.ownerId ?? '', serve?.device ?? '', now, outcome, outcome === 'counted' ? serve?.price : 0)
      if (!serve || outcome === 'unknown') return { outcome: 'unknown' }
      if (serve.outcome === null && outcome !== 'too_soon') serve.outcome = outcome
      const campaign = campaigns.get(serve.campaign ?? 0)
      if (outcome !== 'counted') {
        if (campaign) addRejection(campaign, utcDay(now), outcome)
        return { outcome }
      }
      if (addressHash !== null) addresses.push({ hash: addressHash, countedAt: now })
      while (addresses[0] && addresses[0].countedAt <= now - hour) addresses.shift()
      const ofDevice = counted.get(serve.device) ?? []
      Object.assign(serve, { countedAt: now, seq: (ofDevice.at(-1)?.seq ?? 0) + 1 })
      counted.set(serve.device, [...ofDevice, serve])
      if (campaign) {
        const ledger = ledgerOfDay(campaign, utcDay(now))
        campaign.spent += serve.price
        campaign.impressions++
        ledger.impressions++
        ledger.micros += serve.price
        if (campaign.spent + campaign.price > campaign.budget) {
          const data = { campaignId: campaign.id, budgetUsd: campaign.budget / 1_000_000 }
          outbox.enqueueEvent(params.exhausted, { ownerId: null, subject: campaign.id, data })
        }
      }
      counts.add(now, { impressions: 1, spendMicros: campaign ? serve.price : 0 })
      const { networkUrl: payload, ownerId } = serve
      if (payload !== null) {
        const entry = {
          id: serveId,
          channel: 'impression' as const,
          recipient: '',
          subject: '',
          payload,
          createdAt: now,
        }
        outbox.enqueueNow(entry, ownerId)
      }
      return { outcome, campaign: serve.campaign }
    },

    async recordUnknownImpression({ now }) {
      addToDay('', '', now, 'unknown')
    },

    async recordClick({ serveId, now }) {
      const serve = serves.get(serveId)
      if (!serve) return null
      const outcome = serve.seq === null ? 'click_early' : serve.clickedAt === null ? 'clicked' : 'click_replayed'
      if (serve.source !== 'promotional') addToDay(serve.ownerId, serve.device, now, outcome)
      if (outcome === 'clicked') {
        serve.clickedAt = now
        const campaign = campaigns.get(serve.campaign ?? 0)
        if (campaign) {
          campaign.clicks++
          ledgerOfDay(campaign, utcDay(now)).clicks++
        }
      }
      return targetOf(serve)
    },

    async findTarget({ serveId }) {
      const serve = serves.get(serveId)
      return serve ? targetOf(serve) : null
    },

    async recordVote(params) {
      const { ownerId, serveId, device, now } = params
      if (isDeviceOfOther(ownerId, device)) return 'device_not_owned'
      const serve = serves.get(serveId)
      if (!serve || serve.ownerId !== ownerId || serve.device !== device || serve.seq === null) return 'not_found'
      if (now >= serve.servedAt + voteWindowMs) return 'expired'
      if (counted.get(device)!.at(-1)!.seq! > serve.seq) return 'superseded'
      votes.set(serveId, { ...params, fingerprint: serve.fingerprint })
      return 'recorded'
    },

    async listDays({ ownerId, device, fromDay }) {
      return [...days.values()]
        .filter((entry) => entry.ownerId === ownerId && entry.device === device && entry.day >= fromDay)
        .map(({ day: number, outcome, count, micros }) => ({ day: number, outcome, count, micros }))
        .sort((a, b) => b.day - a.day || (a.outcome < b.outcome ? -1 : 1))
    },

    async export({ ownerId }) {
      const ofOwner = <Item extends { ownerId: string }>(all: Iterable<Item>): Item[] =>
        [...all].filter((item) => item.ownerId === ownerId)
      return {
        days: ofOwner(days.values()).map(({ ownerId: _, unposted: _unposted, ...entry }) => entry),
        votes: ofOwner(votes.values()).map(({ device, fingerprint, vote, reason, now }) => ({
          device,
          fingerprint,
          vote,
          reason,
          votedAt: now,
        })),
        serves: ofOwner(serves.values())
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

    async erase({ ownerId }) {
      outbox.deleteOfOwner(ownerId)
      for (const [device, ofDevice] of counted) {
        const ofOthers = ofDevice.filter((serve) => serve.ownerId !== ownerId)
        counted.set(device, ofOthers)
      }
      for (const map of [serves, votes, days] as Map<string, { ownerId: string }>[])
        for (const [key, item] of map) if (item.ownerId === ownerId) map.delete(key)
      return false
    },
  }
}
