import { listClauses, readList, type ListColumns } from './list.ts'
import { firstOf } from '../../lists.ts'
import { asc, desc, eq, getTableColumns, inArray, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { AdStore, CampaignDetails, CampaignStatus, NewCampaign, RotateSecretsParams } from '../../ads/store.ts'
import { isNotAudited, recordAudit, type AuditedChange } from './audit.ts'
import { jsonArgument, type Database, writeNamed } from './database.ts'
import { build, insertSelect, jsonValues, prepare } from './statement.ts'
import { adSecrets, campaignDays, campaigns, sponsorLinks } from './tables/ads.ts'

const columns = getTableColumns(campaigns)

const insertCampaign = prepare<NewCampaign>()((campaign) =>
  insertSelect(
    campaigns,
    {
      id: campaign.id,
      name: campaign.name,
      brandName: campaign.brandName,
      title: campaign.title,
      text: campaign.text,
      url: campaign.url,
      favicon: campaign.favicon,
      fingerprint: campaign.fingerprint,
      topics: campaign.topics,
      cpmUsd: campaign.cpmUsd,
      price: campaign.price,
      budget: campaign.budget,
      dailyCap: campaign.dailyCap,
      startsAt: campaign.startsAt,
      endsAt: campaign.endsAt,
      createdAt: campaign.createdAt,
      status: sql`'active'`,
      spent: sql`0`,
      impressions: sql`0`,
      clicks: sql`0`,
    },
    sql`where true on conflict (id) do nothing`,
  ),
)

const selectCreated = prepare<{ id: string }>()(
  ({ id }) => sql<AuditedChange>`
    select ${campaigns.id}, null, json_object('name', ${campaigns.name}, 'brandName', ${campaigns.brandName},
      'url', ${campaigns.url}, 'cpmUsd', ${campaigns.cpmUsd}, 'budgetUsd', ${campaigns.budget} / 1000000.0)
    from ${campaigns} where ${campaigns.id} = ${id} and ${isNotAudited('campaign.create', campaigns.id)}`,
)

const selectChange = prepare<{ id: string; status: CampaignStatus }>()(
  ({ id, status }) => sql<AuditedChange>`
    select ${campaigns.id}, json_object('status', ${campaigns.status}), json_object('status', ${status})
    from ${campaigns} where ${campaigns.id} = ${id} and ${campaigns.status} <> ${status}`,
)

const isOpen = (id: SQLWrapper, now: SQLWrapper): SQL =>
  sql`${campaigns.id} = ${id} and (${campaigns.endsAt} is null or ${campaigns.endsAt} > ${now})`
const isoTime = (ms: SQLWrapper): SQL => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`
const selectEnd = prepare<{ id: string; now: number }>()(
  ({ id, now }) => sql<AuditedChange>`
    select ${campaigns.id}, json_object('endsAt', ${isoTime(campaigns.endsAt)}), json_object('endsAt', ${isoTime(now)})
    from ${campaigns} where ${isOpen(id, now)}`,
)
const setEnd = prepare<{ id: string; now: number }>()(({ id, now }) =>
  build
    .update(campaigns)
    .set({ endsAt: sql`${now}` })
    .where(isOpen(id, now)),
)

/** Returns the details of a campaign that the audit log shows, as a JSON object. */
const auditedDetails = (
  details: Readonly<Record<Exclude<keyof CampaignDetails, 'fingerprint' | 'price' | 'topics'>, SQLWrapper>>,
  topics: SQLWrapper,
): SQL => {
  return sql`json_object('name', ${details.name}, 'brandName', ${details.brandName}, 'title', ${details.title},
    'text', ${details.text}, 'url', ${details.url}, 'favicon', ${details.favicon}, 'topics', ${topics},
    'cpmUsd', ${details.cpmUsd}, 'budgetUsd', ${details.budget} / 1000000.0, 'dailyCap', ${details.dailyCap},
    'startsAt', ${isoTime(details.startsAt)}, 'endsAt', ${isoTime(details.endsAt)})`
}

type ReplaceArgs = CampaignDetails & { readonly id: string }
/** Selects the stored and the new values of the details that differ. Selects nothing if all details are equal. */
const selectReplaced = prepare<ReplaceArgs>()(
  (given) => sql<AuditedChange>`
    select ${campaigns.id}, json_group_object(was.key, was.value), json_group_object(given.key, given.value)
    from ${campaigns} cross join json_each(${auditedDetails(columns, columns.topics)}, '$') was
      join json_each(${auditedDetails(given, sql.param(given.topics, campaigns.topics))}, '$') given on given.key = was.key
    where ${campaigns.id} = ${given.id} and given.value is not was.value group by ${campaigns.id}`,
)

const replaceDetails = prepare<ReplaceArgs>()((given) =>
  build
    .update(campaigns)
    .set({
      name: sql`${given.name}`,
      brandName: sql`${given.brandName}`,
      title: sql`${given.title}`,
      text: sql`${given.text}`,
      url: sql`${given.url}`,
      favicon: sql`${given.favicon}`,
      fingerprint: sql`${given.fingerprint}`,
      topics: sql`${sql.param(given.topics, campaigns.topics)}`,
      cpmUsd: sql`${given.cpmUsd}`,
      price: sql`${given.price}`,
      budget: sql`${given.budget}`,
      dailyCap: sql`${given.dailyCap}`,
      startsAt: sql`${given.startsAt}`,
      endsAt: sql`${given.endsAt}`,
    })
    .where(eq(campaigns.id, given.id))
    .returning(columns),
)

const selectDays = prepare<{ id: string; maxDays: number }>()(({ id, maxDays }) =>
  build
    .select({
      day: campaignDays.day,
      impressions: campaignDays.impressions,
      clicks: campaignDays.clicks,
      micros: campaignDays.micros,
    })
    .from(campaignDays)
    .where(sql`${campaignDays.campaign} = (select ${campaigns.num} from ${campaigns} where ${campaigns.id} = ${id})`)
    .orderBy(desc(campaignDays.day))
    .limit(maxDays),
)

const updateStatus = prepare<{ id: string; status: CampaignStatus }>()(({ id, status }) =>
  build
    .update(campaigns)
    .set({ status: sql`${status}` })
    .where(eq(campaigns.id, id))
    .returning(columns),
)

const selectCampaign = prepare<{ id: string }>()(({ id }) =>
  build.select(columns).from(campaigns).where(eq(campaigns.id, id)),
)

const selectLink = prepare<{ id: string }>()(({ id }) =>
  build
    .select({ madeAt: sponsorLinks.madeAt })
    .from(sponsorLinks)
    .where(sql`${sponsorLinks.campaign} = (select ${campaigns.num} from ${campaigns} where ${campaigns.id} = ${id})`),
)

const campaignList: ListColumns<'createdAt' | 'name' | 'spentUsd'> = {
  num: campaigns.num,
  at: campaigns.createdAt,
  sorts: { createdAt: campaigns.num, name: campaigns.name, spentUsd: campaigns.spent },
  ids: [campaigns.id],
  text: [campaigns.id, campaigns.name, campaigns.brandName, campaigns.title, campaigns.text, campaigns.url],
}
const selectNames = prepare<{ ids: string }>()(({ ids }) =>
  build
    .select({ id: campaigns.id, name: campaigns.name })
    .from(campaigns)
    .where(inArray(campaigns.id, jsonValues(ids))),
)
/** Returns the status of a campaign as `campaignStatus` does. */
const statusAt = (at: number): SQL => sql`case
  when ${campaigns.endsAt} <= ${at} then 'ended'
  when ${campaigns.spent} + ${campaigns.price} > ${campaigns.budget} then 'exhausted'
  when ${campaigns.status} = 'paused' then 'paused'
  when ${campaigns.startsAt} > ${at} then 'scheduled'
  else 'active' end`

const selectActive = prepare<{ day: number }>()(({ day }) =>
  build
    .select({
      ...columns,
      impressionsToday: sql<number>`coalesce((
        select ${campaignDays.impressions} from ${campaignDays}
        where ${campaignDays.campaign} = ${campaigns.num} and ${campaignDays.day} = ${day}), 0)`,
    })
    .from(campaigns)
    .where(eq(campaigns.status, 'active'))
    .orderBy(asc(campaigns.num)),
)

const insertSecretIfOld = prepare<RotateSecretsParams>()(({ fresh, now, since }) =>
  insertSelect(
    adSecrets,
    { secret: fresh, madeAt: now },
    sql`where not exists (select 1 from ${adSecrets} where ${adSecrets.madeAt} > ${since})`,
  ),
)
const deleteAllButTwoSecrets = prepare()(() =>
  build
    .delete(adSecrets)
    .where(sql`${adSecrets.num} <= (select num from ${adSecrets} order by num desc limit 1 offset 2)`),
)
const selectSecrets = prepare()(() =>
  build.select({ secret: adSecrets.secret }).from(adSecrets).orderBy(desc(adSecrets.num)),
)

type CampaignMethods =
  | 'listActiveCampaigns'
  | 'createCampaign'
  | 'listCampaigns'
  | 'listCampaignNames'
  | 'findCampaign'
  | 'replaceCampaign'
  | 'setCampaignStatus'
  | 'endCampaign'
  | 'rotateSecrets'

/** Returns the methods of the ad store for campaigns and secrets. */
export function libsqlCampaigns(db: Database): Pick<AdStore, CampaignMethods> {
  return {
    async listActiveCampaigns({ day }) {
      return (await db.read(selectActive({ day }))).map((campaign) => ({ ...campaign, day }))
    },
    async createCampaign({ campaign, audit }) {
      const { id } = campaign
      const { found } = await writeNamed(db, {
        campaign: insertCampaign(campaign),
        audit: recordAudit(audit, 'campaign.create', selectCreated({ id })),
        found: selectCampaign({ id }),
      })
      return firstOf(found.rows)
    },
    listCampaigns({ status, ...params }) {
      const isInStatus = status && sql`${statusAt(status.at)} = ${status.is}`
      const { place, where, order, limit } = listClauses(campaignList, params, isInStatus)
      const query = build
        .select({ value: place.value, ...columns })
        .from(campaigns)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, campaignList, params, query, (campaign, num) => ({ num, ...campaign }))
    },
    listCampaignNames: ({ ids }) => db.read(selectNames({ ids: jsonArgument(ids) })),
    async findCampaign({ id, maxDays }) {
      const [[campaign], days, [link]] = await db.readAll([
        selectCampaign({ id }),
        selectDays({ id, maxDays }),
        selectLink({ id }),
      ])
      return campaign ? { campaign, days: days.reverse(), sponsorLinkAt: link?.madeAt ?? null } : null
    },
    async replaceCampaign({ id, details, audit }) {
      const [, updated] = await db.write([
        recordAudit(audit, 'campaign.update', selectReplaced({ id, ...details })),
        replaceDetails({ id, ...details }),
      ])
      return updated.rows[0] ?? null
    },
    async setCampaignStatus({ id, status, audit }) {
      const [, updated] = await db.write([
        recordAudit(audit, 'campaign.update', selectChange({ id, status })),
        updateStatus({ id, status }),
      ])
      return updated.rows[0] ?? null
    },
    async endCampaign({ id, audit }) {
      const end = { id, now: audit.at }
      const { found } = await writeNamed(db, {
        audit: recordAudit(audit, 'campaign.update', selectEnd(end)),
        ended: setEnd(end),
        found: selectCampaign({ id }),
      })
      return found.rows[0] ?? null
    },
    async rotateSecrets(params) {
      const { kept } = await writeNamed(db, {
        added: insertSecretIfOld(params),
        older: deleteAllButTwoSecrets({}),
        kept: selectSecrets({}),
      })
      return kept.rows.map(({ secret }) => secret)
    },
  }
}
