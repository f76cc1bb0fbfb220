import type { AuditContext } from '../admin/audit/store.ts'

/** Where an ad came from. Only `campaign` and `network` are paid. */
export type AdSource = 'campaign' | 'network' | 'promotional'

/** What is shown. All text is terminal-safe, `url` is where a click leads; addresses are https. */
export interface Creative {
  readonly text: string
  readonly brandName: string
  readonly title: string
  readonly url: string
  /** Where the click leads, if not to `url` itself. */
  readonly clickUrl: string
  readonly favicon: string | null
}

export type CampaignStatus = 'active' | 'paused'

/** An operator's paid campaign. Times are ms; money is whole millionths of a dollar; `dailyCap` is counted impressions a UTC day. */
export interface NewCampaign {
  readonly id: string
  readonly name: string
  readonly brandName: string
  readonly title: string
  readonly text: string
  readonly url: string
  readonly favicon: string | null
  readonly fingerprint: string
  /** Empty: any. */
  readonly topics: readonly string[]
  readonly cpmUsd: number
  /** Of one counted impression. */
  readonly price: number
  readonly budget: number
  readonly dailyCap: number | null
  readonly startsAt: number | null
  readonly endsAt: number | null
  readonly createdAt: number
}

export interface Campaign extends NewCampaign {
  readonly num: number
  readonly status: CampaignStatus
  readonly spent: number
  readonly impressions: number
  readonly clicks: number
}

/** An active campaign with what was counted on `day` (UTC days since 1970). Whoever holds it may count on. */
export interface ActiveCampaign extends Omit<Campaign, 'spent'> {
  spent: number
  day: number
  impressionsToday: number
}

/** One ad that may be served. `campaign` is `Campaign.num`, null for the others, which carry their own target. */
export interface AdCandidate {
  readonly source: AdSource
  readonly fingerprint: string
  readonly campaign: number | null
  readonly price: number
  readonly target: string | null
  /** The network's impression address: it goes into the outbox when our impression counts. */
  readonly networkUrl: string | null
}

/** A serve on its way in. `id` is a UUID version 7 of `servedAt`. */
export interface NewServe {
  readonly id: string
  readonly device: string
  readonly servedAt: number
  readonly expiresAt: number
}

export type ServeAdResult =
  | { readonly outcome: 'served'; readonly index: number }
  | { readonly outcome: 'device_not_owned' | 'none' }

/** Why an impression did not count. */
export type RejectionReason =
  | 'too_soon'
  | 'expired'
  | 'replayed'
  | 'unclaimed'
  | 'capped'
  | 'capped_person'
  | 'capped_address'
  | 'unknown'

/** How many impressions may count in any hour and in any 24 hours. */
export interface ImpressionCaps {
  readonly devicePerHour: number
  readonly devicePerDay: number
  readonly personPerHour: number
  readonly personPerDay: number
  readonly addressPerHour: number
}

/** An impression on its way in. */
export interface RecordImpressionParams {
  /** The serve. */
  readonly id: string
  readonly now: number
  /** A keyed hash of the caller's address; null when the host does not know it: the cap per address is then left out. */
  readonly addressHash: string | null
  /** Null: no caps. */
  readonly caps: ImpressionCaps | null
}

/** What became of an impression. `campaign` is `Campaign.num`. */
export type ImpressionResult =
  | { readonly outcome: 'counted'; readonly campaign: number | null }
  | { readonly outcome: RejectionReason }

export interface Vote {
  /** The serve. */
  readonly id: string
  readonly device: string
  readonly vote: 'up' | 'down'
  readonly reason: string | null
}

export type RecordVoteResult = 'recorded' | 'device_not_owned' | 'not_found' | 'expired' | 'superseded'

/** What a day of a device came to, by outcome: `counted`, the refusals, and of clicks `clicked`, `click_early`, `click_replayed`. */
export interface DayCount {
  /** UTC days since 1970. */
  readonly day: number
  readonly outcome: string
  readonly count: number
}

export interface AdExport {
  readonly days: readonly (DayCount & { readonly device: string })[]
  readonly votes: readonly {
    readonly device: string
    readonly fingerprint: string
    readonly vote: string
    readonly reason: string | null
    readonly votedAt: number
  }[]
  readonly serves: readonly {
    readonly id: string
    readonly device: string
    readonly source: AdSource
    readonly servedAt: number
    readonly outcome: string | null
    readonly countedAt: number | null
    readonly clickedAt: number | null
  }[]
}

/** An impression may come from a second after the serve, and not before. */
export const minImpressionDelayMs = 1000
/** A vote may come within a day of the serve. */
export const voteWindowMs = 24 * 60 * 60 * 1000
/** Serves are kept a week: for replays, late clicks and the caps. */
export const serveRetentionMs = 7 * 24 * 60 * 60 * 1000
export const defaultImpressionCaps: ImpressionCaps = {
  devicePerHour: 60,
  devicePerDay: 400,
  personPerHour: 120,
  personPerDay: 600,
  addressPerHour: 600,
}

/**
 * Serves and what becomes of them, campaigns and their ledger. Every method is one atomic step, whatever callers and hosts
 * race. Devices are those of the program: a device that somebody claimed is nobody else's.
 */
export interface AdStore {
  /**
   * Serves the first candidate whose creative the person did not vote down; `index` says which. Nothing is kept when the
   * device is another person's, when none is left, or when there is no such person.
   */
  serveAd(ownerId: string, serving: NewServe, candidates: readonly AdCandidate[]): Promise<ServeAdResult>
  /**
   * Counts the impression of a serve: once, from `soonestMs` after the serve until it expires, for a device that the person
   * who was served has claimed, under the caps and within the campaign's budget and daily cap. Of any number of calls at once
   * one is `counted`. Every other call is written down with the first reason that holds, in this order: `unknown`, `replayed`,
   * `too_soon`, `expired`, `unclaimed`, `capped` (the device's caps, or the campaign's money), `capped_person`,
   * `capped_address`. `too_soon` leaves the serve as it was, the rest use it up. Only counted impressions use up caps. The
   * campaign's ledger moves with a counted one, and the network's address goes into the outbox under the serve's id. The hash
   * of the address is kept beside the time alone, and is deleted after an hour, as later impressions count.
   */
  recordImpression(params: Readonly<RecordImpressionParams>): Promise<ImpressionResult>
  /** Writes down an impression that belongs to no serve. */
  recordUnknownImpression(now: number): Promise<void>
  /** The target of a serve, or null. Counted as a click once, and only after a counted impression. */
  recordClick(id: string, now: number): Promise<string | null>
  /** The target of a serve, or null; counts nothing. */
  findTarget(id: string): Promise<string | null>
  /**
   * Keeps the person's vote on a serve of theirs whose impression counted, for `voteMs`, unless a later one of that device
   * counted since. Another vote replaces it. A creative voted down is not served to that person again.
   */
  recordVote(ownerId: string, vote: Vote, now: number): Promise<RecordVoteResult>
  /** What the person's device came to by day, from `fromDay` on, newest day first. */
  listDays(ownerId: string, device: string, fromDay: number): Promise<DayCount[]>

  /** Every active campaign, with what was counted on `day`. */
  listActiveCampaigns(day: number): Promise<ActiveCampaign[]>
  /** Adds a campaign once, with an entry in the audit: with an id that is there already it returns the campaign as it is. */
  createCampaign(campaign: NewCampaign, audit: AuditContext): Promise<Campaign>
  /** Newest first; `next` is the cursor of the page after, or null. */
  listCampaigns(asked: {
    readonly cursor: number | null
    readonly limit: number
  }): Promise<{ items: Campaign[]; next: number | null }>
  /** Sets a campaign's status, with an entry in the audit if it changes. Null: there is no such campaign. */
  setCampaignStatus(id: string, status: CampaignStatus, audit: AuditContext): Promise<Campaign | null>

  /**
   * The secrets that nonces are signed with, newest first, two at most. `fresh` becomes the newest when there is none made
   * after `since`; of several hosts at once one adds its own.
   */
  rotateSecrets(fresh: string, now: number, since: number): Promise<string[]>

  export(ownerId: string): Promise<AdExport>
  /** Deletes the person's serves, votes, days and what is not yet out to a network; campaigns keep their sums. A bounded number of rows at a time; true when there may be more. */
  erase(ownerId: string): Promise<boolean>
}
