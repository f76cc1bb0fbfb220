import type { AdStore, Campaign, ActiveCampaign } from '../../ads/store.ts'
import { notAudited, recordAudit } from './audit.ts'
import { jsonArgument, raw, type Database } from './database.ts'

const columns =
  'num, id, name, brand_name as brandName, title, text, url, favicon, fingerprint, topics, cpm_usd as cpmUsd, price, budget, ' +
  'daily_cap as dailyCap, starts_at as startsAt, ends_at as endsAt, created_at as createdAt, status, spent, impressions, clicks'

const created = `select id, null, json_object('name', name, 'brandName', brand_name, 'url', url, 'cpmUsd', cpm_usd, 'budgetUsd', budget / 1000000.0)
  from campaigns where id = ? and ${notAudited('campaign.create', 'campaigns.id')}`
const updated =
  "select id, json_object('status', status), json_object('status', ?) from campaigns where id = ? and status <> ?"

type Row<Of> = Omit<Of, 'topics'> & { topics: string }

const campaignOf = <Of extends Campaign>(row: Row<Of>): Of =>
  ({ ...row, topics: JSON.parse(row.topics) as string[] }) as unknown as Of

/** The part of the ads store that speaks of campaigns and secrets. */
export function libsqlCampaigns(
  db: Database,
): Pick<AdStore, 'listActiveCampaigns' | 'createCampaign' | 'listCampaigns' | 'setCampaignStatus' | 'rotateSecrets'> {
  return {
    async listActiveCampaigns(day) {
      const rows = await db.read<Row<ActiveCampaign>>(
        raw(
          `select ${columns}, ?1 as day, coalesce((select d.impressions from campaign_days d where d.campaign = num and d.day = ?1), 0) as impressionsToday
          from campaigns where status = 'active' order by num`,
          [day],
        ),
      )
      return rows.map((row) => campaignOf<ActiveCampaign>(row))
    },
    async createCampaign(one, audit) {
      const [, , added] = await db.write<Row<Campaign>>([
        raw(
          `insert into campaigns (id, name, brand_name, title, text, url, favicon, fingerprint, topics, cpm_usd, price, budget,
            daily_cap, starts_at, ends_at, created_at, status)
          values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'active') on conflict (id) do nothing`,
          [
            one.id,
            one.name,
            one.brandName,
            one.title,
            one.text,
            one.url,
            one.favicon,
            one.fingerprint,
            jsonArgument(one.topics),
            one.cpmUsd,
            one.price,
            one.budget,
            one.dailyCap,
            one.startsAt,
            one.endsAt,
            one.createdAt,
          ],
        ),
        recordAudit(audit, 'campaign.create', created, [one.id]),
        raw(`select ${columns} from campaigns where id = ?`, [one.id]),
      ])
      return campaignOf<Campaign>(added!.rows[0]!)
    },
    async listCampaigns({ cursor, limit }) {
      const rows = await db.read<Row<Campaign>>(
        raw(`select ${columns} from campaigns where num < ? order by num desc limit ?`, [
          cursor ?? Number.MAX_SAFE_INTEGER,
          limit + 1,
        ]),
      )
      const items = rows.slice(0, limit).map((row) => campaignOf<Campaign>(row))
      return { items, next: rows.length > limit ? items.at(-1)!.num : null }
    },
    async setCampaignStatus(id, status, audit) {
      const [, changed] = await db.write<Row<Campaign>>([
        recordAudit(audit, 'campaign.update', updated, [status, id, status]),
        raw(`update campaigns set status = ? where id = ? returning ${columns}`, [status, id]),
      ])
      const row = changed!.rows[0]
      return row ? campaignOf<Campaign>(row) : null
    },
    async rotateSecrets(fresh, now, since) {
      const [, , kept] = await db.write<{ secret: string }>([
        raw(
          'insert into ad_secrets (secret, made_at) select ?, ? where not exists (select 1 from ad_secrets where made_at > ?)',
          [fresh, now, since],
        ),
        raw('delete from ad_secrets where num <= (select num from ad_secrets order by num desc limit 1 offset 2)'),
        raw('select secret from ad_secrets order by num desc'),
      ])
      return kept!.rows.map(({ secret }) => secret)
    },
  }
}
