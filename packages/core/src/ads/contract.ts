import { ListQuery } from '../http/list.ts'
import * as z from 'zod'
import { DateTime, Name, Text, Timestamp, True, Usd, Uuid, Whole } from '../http/fields.ts'
import { toMicros } from '../money.ts'
import { route } from '../http/route.ts'
import { campaignStatuses, downvoteReasons, maxCampaignDays, topics, upvoteReasons } from './rules.ts'
import { terminalSafe } from './terminal.ts'

const Device = Text(1, 512)
const operator = { auth: 'admin', envelope: 'ok' } as const

const Ad = z
  .object({
    text: z.string().max(200),
    clickUrl: z.string(),
    shortUrl: z.string(),
    impUrl: z.string().describe('URL to request once the line was visible; empty when nothing is counted'),
    brandName: z.string(),
    title: z.string(),
    url: z.string(),
    favicon: z.string(),
  })
  .meta({ id: 'Ad' })

const AdVote = z
  .object({
    deviceId: Device,
    token: z.string().min(1).max(256),
    vote: z.enum(['up', 'down']),
    reason: z
      .enum([...upvoteReasons, ...downvoteReasons])
      .optional()
      .describe(`with up: ${upvoteReasons.join()}; with down: ${downvoteReasons.join()}`),
  })
  .refine(
    ({ vote, reason }) =>
      reason === undefined || (vote === 'up') === (upvoteReasons as readonly string[]).includes(reason),
    { path: ['reason'], error: 'not a reason for this vote' },
  )

const impression = {
  path: '/api/ad/imp/:nonce',
  auth: 'none',
  envelope: 'ok',
  embeddable: true,
  rates: ['events'],
  params: z.object({ nonce: z.string() }),
  summary: 'Record an impression',
  description: 'Counted once, for a claimed device. The reply is 204 whether or not it was counted.',
  reply: 'none',
  success: [204],
  failures: {},
} as const

export const adsContract = {
  serveAd: route({
    id: 'E16',
    method: 'GET',
    path: '/api/ad',
    auth: 'bearer',
    envelope: 'ad',
    requiresClientVersion: true,
    summary: 'Get a sponsor line',
    description: '`ad` is the sponsor line, or null when there is nothing to show.',
    headers: {
      'x-ad-device-context': {
        description:
          'AdDeviceContextV1: compact JSON of at most 2 KiB with `v` 1; `os`, `osVersion`, `arch`, `shell`, ' +
          '`terminal`, `editor`, `locale` and `timezone` of at most 64 characters each; `columns` and `rows`. ' +
          'An invalid field is ignored.',
        example: '{"v":1,"os":"linux","arch":"x64","terminal":"xterm","columns":120,"rows":40}',
      },
      'x-ad-attribution-context': {
        description:
          'AdAttributionContextV1: compact JSON of at most 2 KiB with `v` 1, `sessionId`, `startedAt`, ' +
          '`lastActivityAt` and `events`. Without it, after 30 idle minutes or after 24 hours, a session per ' +
          'UTC day is used.',
        example:
          '{"v":1,"sessionId":"s1","startedAt":"2026-11-20T11:50:00.000Z","lastActivityAt":"2026-11-20T12:00:00.000Z","events":7}',
      },
      'sec-gpc': {
        description:
          '`1`, like `dnt: 1`, withdraws consent for this call: an ad network gets the topic and a session of this one request.',
        example: '1',
      },
    },
    query: z.object({
      d: Device.describe('device id'),
      topic: z.enum(topics).optional(),
      prev: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional()
        .describe('SHA-256 of the previous line in hex: its text, a line feed, its target URL'),
    }),
    reply: z.object({
      ad: Ad.nullable(),
      nonce: z.string().nullable(),
      serveId: Uuid,
      ttlMs: Whole,
      matchType: z.enum(['contextual', 'general', 'promotional']).nullable(),
      feedback: z.object({ token: z.string(), expiresAt: DateTime }).nullable(),
    }),
    failures: { device_not_owned: 403 },
  }),
  adConfig: route({
    id: 'E17',
    method: 'GET',
    path: '/api/ad/config',
    auth: 'bearer',
    envelope: 'bare',
    summary: 'Get the settings for sponsor lines',
    description: "Returns the person's consent, for a device that they claimed.",
    query: z.object({ d: Device.describe('device id') }),
    unavailable: 'config_unavailable',
    reply: z.object({ attribution: z.boolean(), pixel: z.object({ enabled: z.boolean(), id: z.string() }) }),
    failures: { device_not_owned: 403, config_unavailable: 503 },
  }),
  voteAd: route({
    id: 'E18',
    method: 'POST',
    path: '/api/ad/feedback',
    auth: 'bearer',
    envelope: 'bare',
    requiresClientVersion: true,
    rates: ['ad_feedback'],
    summary: 'Vote on a sponsor line',
    description: 'Votes on the line that a device showed last. A line that was voted down is not shown again.',
    body: AdVote,
    reply: z.object({ ok: True, status: z.literal('recorded') }),
    failures: { device_not_owned: 403, feedback_not_found: 404, feedback_superseded: 409, feedback_expired: 410 },
  }),
  countImpression: route({ ...impression, method: 'GET' }),
  postImpression: route({ ...impression, method: 'POST' }),
  followAd: route({
    method: 'GET',
    path: '/go/:code',
    auth: 'none',
    envelope: 'ok',
    rates: ['events'],
    summary: 'Redirect to the sponsor',
    description: 'The click is counted once, after a counted impression.',
    params: z.object({ code: z.string() }),
    reply: 'none',
    success: [302],
    failures: { not_found: 404 },
  }),
  earnPage: route({
    method: 'GET',
    path: '/earn/:deviceId',
    auth: 'page',
    envelope: 'ok',
    summary: 'Show the impressions of a device',
    description: 'Shows the impressions of your device by day: counted, and not counted with the reasons.',
    params: z.object({ deviceId: z.string() }),
    reply: 'page',
    success: [200, 404],
    failures: {},
  }),
}

const Line = (max: number) =>
  z
    .string()
    .max(max * 4)
    .overwrite((text) => terminalSafe(text, max * 4))
    .min(1)
    .max(max)
/** An https URL. It is normalized, because it is sent in a header, and a sent URL may contain line breaks. */
const Link = z
  .url({ protocol: /^https$/ })
  .overwrite((url) => (URL.canParse(url) ? new URL(url).href : url))
  .max(2048)
/** A price that is a whole number of micro-dollars for one impression. */
const Cpm = Usd.min(0).refine((usd) => toMicros(usd) % 1000 === 0, 'must have at most 3 decimals')

export const NewCampaign = z
  .object({
    name: Name(1, 128),
    brandName: Line(64),
    title: Line(100),
    text: Line(200),
    url: Link,
    favicon: Link.optional(),
    topics: z.array(z.enum(topics)).max(topics.length).describe('an empty list matches all'),
    cpmUsd: Cpm.describe('US dollars per thousand counted impressions'),
    budgetUsd: Usd.min(0),
    dailyCap: Whole.optional().describe('counted impressions per UTC day; more than 24 are spread over the day'),
    startsAt: Timestamp.optional(),
    endsAt: Timestamp.optional().meta({
      description: 'when set, the budget is spread evenly over the run',
      examples: ['2026-12-31T23:59:59.000Z'],
    }),
  })
  .refine(
    ({ startsAt, endsAt }) =>
      endsAt === undefined || startsAt === undefined || Date.parse(startsAt) < Date.parse(endsAt),
    { path: ['endsAt'], error: 'ends before it starts' },
  )
  .meta({ id: 'NewCampaign' })

export const Campaign = z
  .object({
    id: Uuid,
    status: z
      .enum(campaignStatuses)
      .describe('exhausted: the remaining budget is less than the price of an impression'),
    name: z.string(),
    brandName: z.string(),
    title: z.string(),
    text: z.string(),
    url: z.string(),
    favicon: z.string().nullable(),
    topics: z.array(z.enum(topics)),
    cpmUsd: z.number(),
    budgetUsd: z.number(),
    dailyCap: Whole.nullable(),
    startsAt: DateTime.nullable(),
    endsAt: DateTime.nullable(),
    createdAt: DateTime,
    spentUsd: z.number(),
    impressions: Whole.describe('counted'),
    clicks: Whole,
  })
  .meta({ id: 'Campaign' })

/** The filter of the operator's list of campaigns. */
export const CampaignsQuery = ListQuery(['createdAt', 'name', 'spentUsd']).extend({
  status: z.enum(campaignStatuses).optional(),
})

export const CampaignDay = z.object({ day: z.iso.date(), impressions: Whole, clicks: Whole, spentUsd: z.number() })

export const campaignsContract = {
  listCampaigns: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/campaigns',
    tool: 'admin_list_campaigns',
    summary: 'List campaigns',
    description: 'Returns campaigns with their spend, newest first.',
    query: CampaignsQuery,
    reply: z.object({ ok: True, items: z.array(Campaign), nextCursor: z.string().nullable() }),
    failures: {},
  }),
  createCampaign: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/campaigns',
    summary: 'Create a campaign',
    idempotent: true,
    body: NewCampaign,
    reply: z.object({ ok: True, campaign: Campaign }),
    success: [201],
    failures: {},
  }),
  getCampaign: route({
    ...operator,
    method: 'GET',
    path: '/api/admin/campaigns/:id',
    tool: 'admin_get_campaign',
    summary: 'Get a campaign',
    description: `Returns a campaign with its latest ${maxCampaignDays} UTC days that have impressions or clicks, oldest first.`,
    params: z.object({ id: Uuid }),
    reply: z.object({
      ok: True,
      campaign: Campaign,
      days: z.array(CampaignDay),
      sponsorLinkAt: DateTime.nullable().describe("when the sponsor's link was made; null means that there is none"),
    }),
    failures: { not_found: 404 },
  }),
  replaceCampaign: route({
    ...operator,
    method: 'PUT',
    path: '/api/admin/campaigns/:id',
    summary: 'Edit a campaign',
    description:
      'Replaces all details; an optional field that is left out becomes empty. Status and counts do not change. ' +
      'Lines that were sent before keep their price.',
    params: z.object({ id: Uuid }),
    body: NewCampaign,
    reply: z.object({ ok: True, campaign: Campaign }),
    failures: { not_found: 404 },
  }),
  updateCampaign: route({
    ...operator,
    method: 'PATCH',
    path: '/api/admin/campaigns/:id',
    summary: 'Pause or resume a campaign',
    params: z.object({ id: Uuid }),
    body: z.object({ status: z.enum(['active', 'paused']) }),
    reply: z.object({ ok: True, campaign: Campaign }),
    failures: { not_found: 404 },
  }),
  endCampaign: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/campaigns/:id/end',
    summary: 'End a campaign',
    description: 'Sets `endsAt` to now, unless the campaign has ended.',
    params: z.object({ id: Uuid }),
    reply: z.object({ ok: True, campaign: Campaign }),
    failures: { not_found: 404 },
  }),
  correctCampaign: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/campaigns/:id/corrections',
    summary: "Correct a campaign's spend",
    description:
      'Adds an amount to the spend of the campaign, or subtracts it. The sponsor sees the amount and its reason in the ' +
      'current month. A credited amount can be spent again. The earnings of contributors do not change.',
    idempotent: true,
    params: z.object({ id: Uuid }),
    body: z.object({
      usd: Usd.refine((usd) => usd !== 0, 'must not be 0').describe('negative for a credit'),
      reason: Text(1, 500),
    }),
    reply: z.object({ ok: True, campaign: Campaign }),
    failures: { not_found: 404, correction_too_large: 409 },
  }),
  rotateSponsorLink: route({
    ...operator,
    method: 'POST',
    path: '/api/admin/campaigns/:id/sponsor-link',
    summary: "Create or rotate a campaign's sponsor link",
    description:
      'Creates a link with which the sponsor reads the campaign. The previous link stops working immediately.',
    params: z.object({ id: Uuid }),
    reply: z.object({
      ok: True,
      token: z.string().describe('`trbs_…`, shown only once'),
      url: z.string().describe('The URL of the page for the sponsor; with `.csv` at its end, the same data as CSV'),
    }),
    failures: { not_found: 404 },
  }),
  revokeSponsorLink: route({
    ...operator,
    method: 'DELETE',
    path: '/api/admin/campaigns/:id/sponsor-link',
    summary: "Revoke a campaign's sponsor link",
    params: z.object({ id: Uuid }),
    reply: z.object({ ok: True }),
    failures: { not_found: 404 },
  }),
}
