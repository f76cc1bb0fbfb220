import { asc, eq, getTableColumns, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { AdStore } from '../../ads/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { type Database, writeNamed } from './database.ts'
import { type ImpressionArgs, isServe } from './serves.ts'
import { build, insertSelect, prepare } from './statement.ts'
import {
  campaignCorrections,
  campaignDays,
  campaignMonths,
  campaignRejections,
  campaigns,
  serves,
  sponsorLinks,
} from './tables/ads.ts'

/** Counts a rejected impression on the day of its campaign. */
export const addRejection = prepare<ImpressionArgs>()(({ id, today }) =>
  insertSelect(
    campaignRejections,
    { campaign: serves.campaign, day: today, reason: serves.last, count: sql`1` },
    sql`from ${serves} where ${isServe(id)} and ${serves.campaign} is not null and ${serves.last} <> 'counted'
      on conflict (campaign, day, reason) do update set count = ${campaignRejections.count} + 1`,
  ),
)

interface LinkArgs {
  readonly id: string
  readonly tokenHash: string | null
  readonly now: number
}

const campaignNum = (id: SQLWrapper): SQL =>
  sql`(select ${campaigns.num} from ${campaigns} where ${campaigns.id} = ${id})`

const selectRotated = prepare<{ id: string }>()(
  ({ id }) => sql<AuditedChange>`select ${campaigns.id}, null, null from ${campaigns} where ${campaigns.id} = ${id}`,
)
const selectRevoked = prepare<{ id: string }>()(
  ({ id }) => sql<AuditedChange>`select ${campaigns.id}, null, null from ${campaigns}
    where ${campaigns.id} = ${id}
      and exists (select 1 from ${sponsorLinks} where ${sponsorLinks.campaign} = ${campaigns.num})`,
)

const deleteLink = prepare<{ id: string }>()(({ id }) =>
  build.delete(sponsorLinks).where(eq(sponsorLinks.campaign, campaignNum(id))),
)

const insertLink = prepare<LinkArgs>()(({ id, tokenHash, now }) =>
  insertSelect(
    sponsorLinks,
    { campaign: campaigns.num, tokenHash, madeAt: now },
    sql`from ${campaigns} where ${campaigns.id} = ${id} and ${tokenHash} is not null`,
  ),
)

const selectId = prepare<{ id: string }>()(({ id }) =>
  build.select({ id: campaigns.id }).from(campaigns).where(eq(campaigns.id, id)),
)

/** Selects the campaign whose sponsor has this token. */
const sponsored = (tokenHash: SQLWrapper): SQL =>
  sql`(select ${sponsorLinks.campaign} from ${sponsorLinks} where ${sponsorLinks.tokenHash} = ${tokenHash})`

const selectCampaign = prepare<{ tokenHash: string }>()(({ tokenHash }) =>
  build
    .select(getTableColumns(campaigns))
    .from(campaigns)
    .where(eq(campaigns.num, sponsored(tokenHash))),
)

const selectDays = prepare<{ tokenHash: string }>()(({ tokenHash }) =>
  build
    .select({
      day: campaignDays.day,
      impressions: campaignDays.impressions,
      clicks: campaignDays.clicks,
      micros: campaignDays.micros,
    })
    .from(campaignDays)
    .where(eq(campaignDays.campaign, sponsored(tokenHash)))
    .orderBy(asc(campaignDays.day)),
)

const selectRejections = prepare<{ tokenHash: string }>()(({ tokenHash }) =>
  build
    .select({
      day: campaignRejections.day,
      reason: campaignRejections.reason,
      count: campaignRejections.count,
    })
    .from(campaignRejections)
    .where(eq(campaignRejections.campaign, sponsored(tokenHash)))
    .orderBy(asc(campaignRejections.day), asc(campaignRejections.reason)),
)

const selectMonths = prepare<{ tokenHash: string }>()(({ tokenHash }) =>
  build
    .select({
      month: campaignMonths.month,
      impressions: campaignMonths.impressions,
      clicks: campaignMonths.clicks,
      notCounted: campaignMonths.notCounted,
      micros: campaignMonths.micros,
      corrections: campaignMonths.corrections,
    })
    .from(campaignMonths)
    .where(eq(campaignMonths.campaign, sponsored(tokenHash)))
    .orderBy(asc(campaignMonths.month)),
)

const selectCorrections = prepare<{ tokenHash: string }>()(({ tokenHash }) =>
  build
    .select({
      id: campaignCorrections.id,
      day: campaignCorrections.day,
      micros: campaignCorrections.micros,
      reason: campaignCorrections.reason,
    })
    .from(campaignCorrections)
    .where(eq(campaignCorrections.campaign, sponsored(tokenHash)))
    .orderBy(asc(campaignCorrections.day), asc(campaignCorrections.id)),
)

/** Returns the methods of the ad store for the data that sponsors read. */
export function libsqlSponsors(db: Database): Pick<AdStore, 'setSponsorLink' | 'findSponsored'> {
  return {
    async setSponsorLink({ id, tokenHash, audit }) {
      const { found } = await writeNamed(db, {
        audit:
          tokenHash === null
            ? recordAudit(audit, 'campaign.revoke_sponsor_link', selectRevoked({ id }))
            : recordAudit(audit, 'campaign.rotate_sponsor_link', selectRotated({ id })),
        before: deleteLink({ id }),
        link: insertLink({ id, tokenHash, now: audit.at }),
        found: selectId({ id }),
      })
      return found.rows.length > 0
    },
    async findSponsored({ tokenHash }) {
      const [[campaign], days, rejections, months, corrections] = await db.readAll([
        selectCampaign({ tokenHash }),
        selectDays({ tokenHash }),
        selectRejections({ tokenHash }),
        selectMonths({ tokenHash }),
        selectCorrections({ tokenHash }),
      ])
      return campaign ? { campaign, days, rejections, months, corrections } : null
    },
  }
}
