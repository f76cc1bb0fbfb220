import { eq, getTableColumns, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { AdStore, CloseMonthParams } from '../../ads/store.ts'
import { utcDay } from '../../ids.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { type Database, writeNamed } from './database.ts'
import { hasChanged } from './events.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { campaignCorrections, campaignDays, campaignMonths, campaignRejections, campaigns } from './tables/ads.ts'

interface CorrectionArgs {
  readonly id: string
  readonly campaignId: string
  readonly micros: number
  readonly reason: string
  readonly day: number
  readonly now: number
}

/** Selects the campaign, if the correction is new and is not a credit above the campaign's spend. */
const correctable = ({ id, campaignId, micros }: Readonly<Record<'id' | 'campaignId' | 'micros', SQLWrapper>>): SQL =>
  sql`from ${campaigns} where ${campaigns.id} = ${campaignId} and ${campaigns.spent} + ${micros} >= 0
    and not exists (select 1 from ${campaignCorrections} where ${campaignCorrections.id} = ${id})`

const selectCorrected = prepare<CorrectionArgs>()(
  (params) => sql<AuditedChange>`
    select ${campaigns.id}, json_object('spentUsd', ${campaigns.spent} / 1000000.0),
      json_object('spentUsd', (${campaigns.spent} + ${params.micros}) / 1000000.0) ${correctable(params)}`,
)
const insertCorrection = prepare<CorrectionArgs>()((params) =>
  insertSelect(
    campaignCorrections,
    {
      id: params.id,
      campaign: campaigns.num,
      day: params.day,
      micros: params.micros,
      reason: params.reason,
      at: params.now,
    },
    correctable(params),
  ),
)
const addToSpent = prepare<CorrectionArgs>()(({ campaignId, micros }) =>
  build
    .update(campaigns)
    .set({ spent: sql`${campaigns.spent} + ${micros}` })
    .where(sql`${campaigns.id} = ${campaignId} and ${hasChanged}`),
)
const selectCampaign = prepare<{ campaignId: string }>()(({ campaignId }) =>
  build.select(getTableColumns(campaigns)).from(campaigns).where(eq(campaigns.id, campaignId)),
)
const selectStored = prepare<{ id: string }>()(({ id }) =>
  build.select({ id: campaignCorrections.id }).from(campaignCorrections).where(eq(campaignCorrections.id, id)),
)

const closedSum = (column: SQLWrapper): SQL =>
  sql`coalesce((select sum(${column}) from ${campaignMonths} where ${campaignMonths.campaign} = ${campaigns.num}), 0)`
const sumUntil = (
  table: typeof campaignDays | typeof campaignRejections | typeof campaignCorrections,
  column: SQLWrapper,
  lastDay: SQLWrapper,
): SQL =>
  sql`coalesce((select sum(${column}) from ${table}
    where ${table.campaign} = ${campaigns.num} and ${table.day} <= ${lastDay}), 0)`

const insertMonths = prepare<CloseMonthParams & { readonly endsAt: number }>()(({ month, lastDay, now, endsAt }) => {
  const days = (column: SQLWrapper, closed: SQLWrapper): SQL =>
    sql`${sumUntil(campaignDays, column, lastDay)} - ${closedSum(closed)}`
  return insertSelect(
    campaignMonths,
    {
      campaign: campaigns.num,
      month,
      impressions: days(campaignDays.impressions, campaignMonths.impressions),
      clicks: days(campaignDays.clicks, campaignMonths.clicks),
      notCounted: sql`${sumUntil(campaignRejections, campaignRejections.count, lastDay)} - ${closedSum(campaignMonths.notCounted)}`,
      micros: days(campaignDays.micros, campaignMonths.micros),
      corrections: sql`${sumUntil(campaignCorrections, campaignCorrections.micros, lastDay)} - ${closedSum(campaignMonths.corrections)}`,
      closedAt: now,
    },
    sql`from ${campaigns} where ${campaigns.createdAt} < ${endsAt}
      and not exists (select 1 from ${campaignMonths}
        where ${campaignMonths.campaign} = ${campaigns.num} and ${campaignMonths.month} >= ${month})`,
  )
})

const dayMs = 24 * 60 * 60 * 1000

/** Returns the methods of the ad store that correct the spend of a campaign and close its months. */
export function libsqlCampaignMonths(db: Database): Pick<AdStore, 'correctCampaign' | 'closeMonth'> {
  return {
    async correctCampaign({ id, campaignId, micros, reason, audit }) {
      const params = { id, campaignId, micros, reason, day: utcDay(audit.at), now: audit.at }
      const { campaign, stored } = await writeNamed(db, {
        audit: recordAudit(audit, 'campaign.correct', selectCorrected(params)),
        correction: insertCorrection(params),
        spent: addToSpent(params),
        campaign: selectCampaign({ campaignId }),
        stored: selectStored({ id }),
      })
      const [found] = campaign.rows
      return found === undefined ? null : stored.rows.length > 0 ? found : 'too_large'
    },
    async closeMonth(params) {
      await db.write([insertMonths({ ...params, endsAt: (params.lastDay + 1) * dayMs })])
    },
  }
}
