import { eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { AdStore } from '../../ads/store.ts'
import { utcDay, uuidBytes } from '../../ids.ts'
import { type Database, writeNamed } from './database.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { adDays, campaignDays, campaigns, serves } from './tables/ads.ts'
import { addToDay, type ImpressionArgs, isServe, noPrice, onServes } from './serves.ts'

const decideClick = prepare<ImpressionArgs>()(({ id, now }) =>
  build
    .update(serves)
    .set({
      click: sql`case
        when ${serves.source} = 'promotional' then null
        when ${serves.seq} is null then 'click_early'
        when ${serves.clickedAt} is not null then 'click_replayed'
        else 'clicked' end`,
      clickedAt: sql`case when ${serves.seq} is not null then coalesce(${serves.clickedAt}, ${now}) end`,
    })
    .where(isServe(id)),
)

const addClickToDay = prepare<ImpressionArgs>()(({ id, today }) =>
  insertSelect(
    adDays,
    { owner: serves.owner, device: serves.device, day: today, outcome: serves.click, count: sql`1`, ...noPrice },
    sql`from ${serves} where ${isServe(id)} and ${serves.click} is not null ${addToDay}`,
  ),
)

const isClickedNow = (id: SQLWrapper): SQL => sql`${isServe(id)} and ${serves.click} = 'clicked'`

const addClickToCampaign = prepare<ImpressionArgs>()(({ id }) =>
  build
    .update(campaigns)
    .set({ clicks: sql`${campaigns.clicks} + 1` })
    .where(sql`${campaigns.num} = (select ${serves.campaign} from ${serves} where ${isClickedNow(id)})`),
)

const addClickToLedger = prepare<ImpressionArgs>()(({ id, today }) =>
  insertSelect(
    campaignDays,
    { campaign: serves.campaign, day: today, impressions: sql`0`, micros: sql`0`, clicks: sql`1` },
    sql`from ${serves} where ${isClickedNow(id)} and ${serves.campaign} is not null
      on conflict (campaign, day) do update set clicks = ${campaignDays.clicks} + 1`,
  ),
)

const selectTarget = prepare<{ id: Uint8Array }>()(({ id }) =>
  build
    .select({ target: sql<string | null>`coalesce(${serves.target}, ${campaigns.url})` })
    .from(serves)
    .leftJoin(campaigns, eq(campaigns.num, serves.campaign))
    .where(isServe(id)),
)

/** Returns the methods of the ad store that record clicks and find the address to which a click leads. */
export function libsqlAdClicks(db: Database): Pick<AdStore, 'recordClick' | 'findTarget'> {
  return {
    async recordClick({ serveId, now }) {
      const args = { id: uuidBytes(serveId), now, today: utcDay(now) }
      const { found } = await writeNamed(
        db,
        {
          click: decideClick(args),
          day: addClickToDay(args),
          campaign: addClickToCampaign(args),
          ledger: addClickToLedger(args),
          found: selectTarget(args),
        },
        onServes,
      )
      return found.rows[0]?.target ?? null
    },
    async findTarget({ serveId }) {
      const [row] = await db.read(selectTarget({ id: uuidBytes(serveId) }))
      return row?.target ?? null
    },
  }
}
