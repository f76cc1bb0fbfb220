import type { ListPage, ListParams } from '../http/list.ts'
import type { NewEvent } from '../events/event.ts'
import type { AuditContext } from '../audit/store.ts'

/** The source of an ad. Only `campaign` and `network` are paid. */
export type AdSource = 'campaign' | 'network' | 'promotional'

/** The texts and URLs of an ad. Texts are safe for terminals; URLs are https. */
export interface Creative {
  readonly text: string
  readonly brandName: string
  readonly title: string
  /** The URL that is displayed. */
  readonly url: string
  /** The URL that a click leads to. */
  readonly clickUrl: string
  readonly favicon: string | null
}

export type CampaignStatus = 'active' | 'paused'

/** The fields of a paid campaign that an operator enters. Times are ms; money is whole millionths of a dollar. */
export interface CampaignDetails {
  readonly name: string
  readonly brandName: string
  readonly title: string
  readonly text: string
  readonly url: string
  readonly favicon: string | null
  readonly fingerprint: string
  /** The topics. An empty list matches every topic. */
  readonly topics: readonly string[]
  readonly cpmUsd: number
  /** The price of one counted impression. */
  readonly price: number
  readonly budget: number
  /** The maximum number of counted impressions on a UTC day. Null means no cap. */
  readonly dailyCap: number | null
  readonly startsAt: number | null
  readonly endsAt: number | null
}

export interface NewCampaign extends CampaignDetails {
  readonly id: string
  readonly createdAt: number
}

export interface Campaign extends NewCampaign {
  readonly num: number
  readonly status: CampaignStatus
  readonly spent: number
  readonly impressions: number
  readonly clicks: number
}

/**
 * An active campaign and the impressions that counted on `day` (UTC days since 1970). A cache may add the impressions
 * that it has recorded itself.
 */
export interface ActiveCampaign extends Omit<Campaign, 'spent'> {
  spent: number
  day: number
  impressionsToday: number
}

/** An ad that may be served. `campaign` is `Campaign.num`, or null for other sources, which have their own target. */
export interface AdCandidate {
  readonly source: AdSource
  readonly fingerprint: string
  readonly campaign: number | null
  readonly price: number
  readonly target: string | null
  /** The network's impression URL, which is put into the outbox when the impression counts. */
  readonly networkUrl: string | null
}

/** A serve: an ad that is sent to a device. */
export interface NewServe {
  /** A UUID version 7 with the time `servedAt`. */
  readonly id: string
  readonly device: string
  readonly servedAt: number
  readonly expiresAt: number
}

export interface ServeAdParams extends NewServe {
  readonly ownerId: string
  /** The candidates in the order in which they are preferred. */
  readonly candidates: readonly AdCandidate[]
}

export type ServeAdResult =
  | { readonly outcome: 'served'; readonly index: number }
  | { readonly outcome: 'device_not_owned' | 'none' }

/** The reason why an impression did not count. */
export type RejectionReason =
  | 'too_soon'
  | 'expired'
  | 'replayed'
  | 'unclaimed'
  | 'datacenter'
  | 'capped'
  | 'capped_person'
  | 'capped_new'
  | 'capped_address'
  | 'unknown'

/** The maximum number of impressions that may count in any hour and in any 24 hours. */
export interface ImpressionCaps {
  readonly devicePerHour: number
  readonly devicePerDay: number
  readonly personPerHour: number
  readonly personPerDay: number
  /** The limit over all devices of a person who is not an approved contributor. */
  readonly newPersonPerDay: number
  readonly addressPerHour: number
}

export interface RecordImpressionParams {
  readonly serveId: string
  readonly now: number
  /**
   * A keyed hash of the caller's IP address. Null when the host does not know the address. Then the cap per address
   * does not apply.
   */
  readonly addressHash: string | null
  /** Whether the caller's address is one of a data center. */
  readonly isFromDatacenter: boolean
  /** The limits of counted impressions. Null means no limits. */
  readonly caps: ImpressionCaps | null
  /** The event that is stored if this impression uses up the campaign's budget. */
  readonly exhausted?: NewEvent<'campaign.exhausted'> | undefined
}

/** The outcome of an impression. `campaign` is `Campaign.num`. */
export type ImpressionResult =
  | { readonly outcome: 'counted'; readonly campaign: number | null }
  | { readonly outcome: RejectionReason }

export interface RecordClickParams {
  readonly serveId: string
  readonly now: number
}

export interface RecordVoteParams {
  readonly ownerId: string
  readonly serveId: string
  readonly device: string
  readonly vote: 'up' | 'down'
  readonly reason: string | null
  readonly now: number
}

export type RecordVoteResult = 'recorded' | 'device_not_owned' | 'not_found' | 'expired' | 'superseded'

export interface ListDaysParams {
  readonly ownerId: string
  readonly device: string
  /** The number of the UTC day since 1970. */
  readonly fromDay: number
}

/**
 * The number of times that a device had one outcome on one day. The outcome is `counted`, a rejection, or for clicks
 * `clicked`, `click_early` or `click_replayed`.
 */
export interface DayCount {
  /** The number of the UTC day since 1970. */
  readonly day: number
  readonly outcome: string
  readonly count: number
  /** The price of the `counted` impressions for sponsors, in micro-dollars. */
  readonly micros: number
}

export interface CreateCampaignParams {
  readonly campaign: NewCampaign
  readonly audit: AuditContext
}

export interface ReplaceCampaignParams {
  readonly id: string
  readonly details: CampaignDetails
  readonly audit: AuditContext
}

/** The counts of a campaign on a UTC day. */
export interface CampaignDay {
  /** The number of the UTC day since 1970. */
  readonly day: number
  readonly impressions: number
  readonly clicks: number
  /** The cost of the impressions, in micro-dollars. */
  readonly micros: number
}

/** The number of impressions of a campaign on one day that did not count for one reason. */
export interface CampaignRejections {
  /** The number of the UTC day since 1970. */
  readonly day: number
  readonly reason: RejectionReason
  readonly count: number
}

/** The amount that a campaign owes for a closed UTC month. The amount never changes. Money is micro-dollars. */
export interface CampaignMonth {
  /** The UTC month, such as `2026-11`. */
  readonly month: string
  readonly impressions: number
  readonly clicks: number
  readonly notCounted: number
  /** The cost of the impressions. */
  readonly micros: number
  /** The sum of the amounts that operators added, or subtracted as negative amounts. */
  readonly corrections: number
}

/** An amount that an operator added to the spend of a campaign, or subtracted from it. */
export interface CampaignCorrection {
  /** The correction's id, a UUID version 7. */
  readonly id: string
  /** The number of the UTC day since 1970. */
  readonly day: number
  /** The amount in micro-dollars, never 0. The amount of a credit is negative. */
  readonly micros: number
  readonly reason: string
}

export interface CorrectCampaignParams {
  /** The id of the correction. If several calls have the same id, only the first one takes effect. */
  readonly id: string
  readonly campaignId: string
  readonly micros: number
  readonly reason: string
  readonly audit: AuditContext
}

export interface CloseMonthParams {
  /** The UTC month, such as `2026-11`. */
  readonly month: string
  /** The last day of the month, in UTC days since 1970. */
  readonly lastDay: number
  readonly now: number
}

/**
 * A campaign as its sponsor sees it; days, reasons, closed months and corrections are sorted by time, oldest first. The
 * sum of the days and corrections is the campaign's spend.
 */
export interface SponsoredCampaign {
  readonly campaign: Campaign
  readonly days: readonly CampaignDay[]
  readonly rejections: readonly CampaignRejections[]
  readonly months: readonly CampaignMonth[]
  readonly corrections: readonly CampaignCorrection[]
}

export interface SetSponsorLinkParams {
  readonly id: string
  /** Hex SHA-256 of the token; null removes the link. */
  readonly tokenHash: string | null
  readonly audit: AuditContext
}

/** The status of a campaign as operators see it: `campaignStatus` in `rules.ts`. */
export type ShownCampaignStatus = 'scheduled' | 'active' | 'exhausted' | 'ended' | 'paused'

/** The filter of a list of campaigns, which are searched by their ID, name, brand, text and URL. */
export interface ListCampaignsParams extends ListParams<'createdAt' | 'name' | 'spentUsd'> {
  /** Lists only campaigns that have the status `is` at the time `at`. */
  readonly status?: { readonly is: ShownCampaignStatus; readonly at: number } | undefined
}

export interface SetCampaignStatusParams {
  readonly id: string
  readonly status: CampaignStatus
  readonly audit: AuditContext
}

export interface RotateSecretsParams {
  /** The secret that is added if a new secret is needed. */
  readonly fresh: string
  readonly now: number
  /** Secrets made at this time or before are old. */
  readonly since: number
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

/** The minimum time between a serve and an impression that counts, in milliseconds. */
export const minImpressionDelayMs = 1000
/** The time after a serve during which a vote is accepted, in milliseconds. */
export const voteWindowMs = 24 * 60 * 60 * 1000
export const defaultImpressionCaps: ImpressionCaps = {
  devicePerHour: 60,
  devicePerDay: 400,
  personPerHour: 120,
  personPerDay: 600,
  newPersonPerDay: 20,
  addressPerHour: 600,
}

/**
 * Stores serves with their impressions, clicks and votes, and campaigns with their ledger. Every method is atomic, even
 * with concurrent calls and hosts. A device belongs to no person at first; once a person has claimed it with
 * `ProgramStore`, it belongs only to that person.
 */
export interface AdStore {
  /**
   * Serves the first candidate whose creative the person did not vote down; `index` is its index. Stores nothing when
   * the device belongs to another person, when no candidate is left, or when there is no such person.
   */
  serveAd(params: Readonly<ServeAdParams>): Promise<ServeAdResult>
  /** Deletes serves made before a time, a bounded number at a time. Returns whether there may be more. */
  deleteServes(params: { readonly before: number }): Promise<boolean>
  /**
   * Counts the impression of a serve once, from `minImpressionDelayMs` after the serve until the serve expires. The
   * person must have claimed the device, and the caps, the campaign's budget and its daily cap must allow the
   * impression. Only one of several concurrent calls is `counted`. Every other call is recorded with the first reason
   * that applies, in this order: `unknown`, `replayed`, `too_soon`, `expired`, `unclaimed`, `datacenter`, `capped` (the
   * device's caps, or the campaign's money), `capped_person`, `capped_new` (the cap of people without an approved
   * application), `capped_address`. `too_soon` leaves the serve unchanged, the other reasons use it up. A campaign's
   * days count each reason except `unknown`. Only counted impressions use up caps. A counted impression also charges
   * the campaign and enqueues the network's URL under the id of the serve. The hash of the address is stored with no
   * data except the time; later impressions delete it after an hour.
   */
  recordImpression(params: Readonly<RecordImpressionParams>): Promise<ImpressionResult>
  /** Records an impression that does not belong to a serve. */
  recordUnknownImpression(params: { readonly now: number }): Promise<void>
  /** Returns the target of a serve, or null. Counts one click for a serve, and only after a counted impression. */
  recordClick(params: Readonly<RecordClickParams>): Promise<string | null>
  /** Returns the target of a serve, or null. */
  findTarget(params: { readonly serveId: string }): Promise<string | null>
  /**
   * Stores the person's vote on a serve whose impression counted, until `voteWindowMs` after the serve. The vote is
   * refused if a later impression of that device counted in the meantime. A later vote replaces the earlier vote. A
   * creative that was voted down is not served to that person again.
   */
  recordVote(params: Readonly<RecordVoteParams>): Promise<RecordVoteResult>
  /** Lists the outcomes of the person's device by day, newest day first. */
  listDays(params: Readonly<ListDaysParams>): Promise<DayCount[]>

  /** Lists every active campaign with the impressions that counted on a UTC day since 1970. */
  listActiveCampaigns(params: { readonly day: number }): Promise<ActiveCampaign[]>
  /** Creates a campaign with an audit entry. If its id exists, returns the existing campaign unchanged. */
  createCampaign(params: Readonly<CreateCampaignParams>): Promise<Campaign>
  /** Lists campaigns, newest first. */
  listCampaigns(params: Readonly<ListCampaignsParams>): Promise<ListPage<Campaign>>
  /** Returns the names of the given campaigns. Campaigns that do not exist are left out. */
  listCampaignNames(params: {
    readonly ids: readonly string[]
  }): Promise<readonly { readonly id: string; readonly name: string }[]>
  /**
   * Returns a campaign, its latest `maxDays` days on which something counted, oldest first, and the time at which its
   * sponsor's link was created, if there is a link. Returns null if there is no such campaign.
   */
  findCampaign(params: { readonly id: string; readonly maxDays: number }): Promise<{
    readonly campaign: Campaign
    readonly days: readonly CampaignDay[]
    readonly sponsorLinkAt: number | null
  } | null>
  /**
   * Replaces a campaign's details, with an audit entry of the details that change. Status and counts are kept, and an
   * impression costs the price at the time when the ad was served. Returns null when there is no such campaign.
   */
  replaceCampaign(params: Readonly<ReplaceCampaignParams>): Promise<Campaign | null>
  /** Sets a campaign's status, with an audit entry if it changes. Returns null when there is no such campaign. */
  setCampaignStatus(params: Readonly<SetCampaignStatusParams>): Promise<Campaign | null>
  /**
   * Ends a campaign now unless it has ended already, with an audit entry. Returns null when there is no such campaign.
   */
  endCampaign(params: { readonly id: string; readonly audit: AuditContext }): Promise<Campaign | null>
  /**
   * Replaces the link with which a sponsor reads a campaign, or revokes it, with an audit entry. The previous link
   * becomes invalid immediately. Revoking a link that does not exist changes nothing. Returns false when the campaign
   * does not exist.
   */
  setSponsorLink(params: Readonly<SetSponsorLinkParams>): Promise<boolean>
  /**
   * Returns the campaign of a sponsor's token with all its days. All data are read from the same snapshot, so the sums
   * of the days equal the sums of the campaign. Returns null when no link has this token.
   */
  findSponsored(params: { readonly tokenHash: string }): Promise<SponsoredCampaign | null>

  /**
   * Adds an amount to the spend of a campaign, or subtracts it, with an audit entry. A credit can be spent again.
   * Returns null when there is no such campaign, and `too_large` when a credit exceeds the campaign's spend.
   */
  correctCampaign(params: Readonly<CorrectCampaignParams>): Promise<Campaign | 'too_large' | null>
  /**
   * Closes a month, once, for every campaign that was created by the end of the month. Its figures include everything
   * that was recorded up to its last day and is not in an earlier closed month. Months are closed in order; a month
   * before a closed month is left out.
   */
  closeMonth(params: Readonly<CloseMonthParams>): Promise<void>

  /**
   * Returns the secrets with which nonces are signed, newest first, at most two. Adds `fresh` when all secrets are old.
   * When several hosts call concurrently, only one host adds its secret.
   */
  rotateSecrets(params: Readonly<RotateSecretsParams>): Promise<string[]>

  export(params: { readonly ownerId: string }): Promise<AdExport>
  /**
   * Deletes the person's serves, votes, days and outbox entries, a bounded number of rows at a time; campaigns keep
   * their sums. Returns whether there may be more.
   */
  erase(params: { readonly ownerId: string }): Promise<boolean>
}
