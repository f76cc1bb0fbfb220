import {
  serveRetentionMs,
  minImpressionDelayMs,
  voteWindowMs,
  type AdExport,
  type AdStore,
  type ImpressionResult,
  type ImpressionCaps,
  type RecordVoteResult,
} from '../../ads/store.ts'
import { uuidBytes } from '../../ids.ts'
import { libsqlCampaigns } from './campaigns.ts'
import { jsonArgument, raw, type Database } from './database.ts'
import { createWriteBatcher } from './batching.ts'
import { deleteOutboxOf } from './outbox.ts'
import { deleteSomeText, writeOnce } from './bounded-writes.ts'

const owner = '(select num from users where id = ?)'
const hour = 60 * 60 * 1000
const day = 24 * hour
/** Whether the cap is reached: the time of the cap-th last counted impression is then within the window. `?6` are the caps. */
const reached = (lastCounted: string, cap: keyof ImpressionCaps, window: number): string =>
  `?6 is not null and (select c.counted_at from ${lastCounted} desc limit 1 offset ?6->>'${cap}' - 1) > ?2 - ${window}`
const ofDevice = 'serves c where c.device = serves.device and c.seq is not null order by c.seq'
const ofPerson = 'serves c where c.owner = serves.owner and c.counted_at is not null order by c.counted_at'
const ofAddress = 'ad_addresses c where c.address = ?5 order by c.counted_at'
const addDay = 'on conflict do update set count = count + 1'

// ?1 owner's id, ?2 candidates, ?3 id, ?4 device, ?5 served at, ?6 expires at
const serve = `insert into serves (id, owner, device, source, campaign, fingerprint, target, network_url, price, served_at, expires_at)
  select ?3, u.num, ?4, j.value->>'source', j.value->>'campaign', j.value->>'fingerprint', j.value->>'target', j.value->>'networkUrl',
    j.value->>'price', ?5, ?6
  from users u cross join json_each(?2) j
  where u.id = ?1 and not exists (select 1 from devices d where d.id = ?4 and d.owner <> u.num)
    and not exists (select 1 from ad_votes v where v.owner = u.num and v.vote = 'down' and v.fingerprint = j.value->>'fingerprint')
  order by j.key limit 1 returning fingerprint`

// ?1 id, ?2 now, ?3 day, ?4 id as text, ?5 hash of the address, ?6 caps as JSON. Each statement reads what the one before left in the same transaction.
const count = [
  `update serves set last = case
      when outcome is not null then 'replayed'
      when ?2 < served_at + ${minImpressionDelayMs} then 'too_soon'
      when ?2 >= expires_at then 'expired'
      when not exists (select 1 from devices d where d.id = serves.device and d.owner = serves.owner) then 'unclaimed'
      when ${reached(ofDevice, 'devicePerHour', hour)} then 'capped'
      when ${reached(ofDevice, 'devicePerDay', day)} then 'capped'
      when campaign is not null and not exists (select 1 from campaigns c where c.num = serves.campaign
        and c.spent + serves.price <= c.budget and (c.daily_cap is null or c.daily_cap >
          coalesce((select d.impressions from campaign_days d where d.campaign = c.num and d.day = ?3), 0))) then 'capped'
      when ${reached(ofPerson, 'personPerHour', hour)} then 'capped_person'
      when ${reached(ofPerson, 'personPerDay', day)} then 'capped_person'
      when ${reached(ofAddress, 'addressPerHour', hour)} then 'capped_address'
      else 'counted' end
    where id = ?1`,
  `update serves set outcome = last, counted_at = case last when 'counted' then ?2 end, seq = case last when 'counted' then
      (select coalesce(max(c.seq), 0) + 1 from serves c where c.device = serves.device and c.seq is not null) end
    where id = ?1 and outcome is null and last <> 'too_soon'`,
  `insert into ad_days (owner, device, day, outcome, count) select owner, device, ?3, last, 1 from serves where id = ?1 ${addDay}`,
  `insert into ad_days (owner, device, day, outcome, count)
    select 0, '', ?3, 'unknown', 1 where not exists (select 1 from serves where id = ?1) ${addDay}`,
  `update campaigns set spent = spent + price, impressions = impressions + 1
    where num = (select campaign from serves where id = ?1 and last = 'counted')`,
  `insert into campaign_days (campaign, day, impressions, micros, clicks)
    select campaign, ?3, 1, price, 0 from serves where id = ?1 and last = 'counted' and campaign is not null
    on conflict do update set impressions = impressions + 1, micros = micros + excluded.micros`,
  `insert into ad_addresses (address, counted_at)
    select ?5, ?2 where ?5 is not null and exists (select 1 from serves where id = ?1 and last = 'counted')`,
  // In the order in which they counted; several at a time, so that what an idle hour left behind goes too.
  `delete from ad_addresses where num in (select num from ad_addresses where num > 0 order by num limit 8) and counted_at <= ?2 - ${hour}`,
  // The outbox knows its entries by text.
  `insert or ignore into outbox (id, owner, channel, recipient, subject, payload, created_at, due_at) select ?4, owner, 'impression', '', '', network_url, ?2, ?2 from serves
    where id = ?1 and last = 'counted' and network_url is not null`,
  'select last, campaign from serves where id = ?1',
]

const click = [
  `update serves set click = case when source = 'promotional' then null when seq is null then 'click_early'
      when clicked_at is not null then 'click_replayed' else 'clicked' end,
      clicked_at = case when seq is not null then coalesce(clicked_at, ?2) end
    where id = ?1`,
  `insert into ad_days (owner, device, day, outcome, count)
    select owner, device, ?3, click, 1 from serves where id = ?1 and click is not null ${addDay}`,
  "update campaigns set clicks = clicks + 1 where num = (select campaign from serves where id = ?1 and click = 'clicked')",
  `insert into campaign_days (campaign, day, impressions, micros, clicks)
    select campaign, ?3, 0, 0, 1 from serves where id = ?1 and click = 'clicked' and campaign is not null
    on conflict do update set clicks = clicks + 1`,
]
const target =
  'select coalesce(s.target, c.url) as target from serves s left join campaigns c on c.num = s.campaign where s.id = ?1'

// ?1 owner's id, ?2 device, ?3 serve, ?4 now
const foreign = `exists (select 1 from devices d where d.id = ?2 and d.owner is not ${owner.replace('?', '?1')})`
const voted = `s.id = ?3 and s.device = ?2 and s.owner = ${owner.replace('?', '?1')} and s.seq is not null`
const late = `?4 >= s.served_at + ${voteWindowMs}`
const superseded = 'exists (select 1 from serves c where c.device = s.device and c.seq > s.seq)'

/** Sweeps as many as it serves: every so many serves this many old ones go. */
const sweepEvery = 256

/** The ads in SQLite. */
export function libsqlAds(db: Database): AdStore {
  const gather = createWriteBatcher(db)
  let serves = 0

  return {
    ...libsqlCampaigns(db),

    async serveAd(ownerId, { id, device, servedAt, expiresAt }, candidates) {
      const list = jsonArgument(candidates)
      const [made] = await gather<{ fingerprint: string }>(
        raw(serve, [ownerId, list, uuidBytes(id), device, servedAt, expiresAt]),
      )
      if (++serves % sweepEvery === 0) {
        await db.write([
          raw(deleteSomeText('serves', 'id', 'id < ?', sweepEvery * 2), [floor(servedAt - serveRetentionMs)]),
        ])
      }
      const chosen = made!.rows[0]
      if (chosen)
        return {
          outcome: 'served',
          index: candidates.findIndex(({ fingerprint }) => fingerprint === chosen.fingerprint),
        }
      const [other] = await db.read(
        raw(`select 1 from devices where id = ? and owner is not ${owner}`, [device, ownerId]),
      )
      return { outcome: other ? 'device_not_owned' : 'none' }
    },

    async recordImpression({ id, now, addressHash, caps }): Promise<ImpressionResult> {
      const args = [uuidBytes(id), now, dayOf(now), id, addressHash, caps && jsonArgument(caps)]
      const results = await db.write<{ last: ImpressionResult['outcome']; campaign: number | null }>(
        count.map((text) => raw(text, args.slice(0, highest(text)))),
      )
      const row = results.at(-1)!.rows[0]
      if (row?.last === 'counted') return { outcome: 'counted', campaign: row.campaign }
      return { outcome: row ? (row.last as 'replayed') : 'unknown' }
    },

    async recordUnknownImpression(now) {
      await gather(
        raw(`insert into ad_days (owner, device, day, outcome, count) values (0, '', ?, 'unknown', 1) ${addDay}`, [
          dayOf(now),
        ]),
      )
    },

    async recordClick(id, now) {
      const args = [uuidBytes(id), now, dayOf(now)]
      const results = await db.write<{ target: string | null }>([
        raw(click[0]!, args.slice(0, 2)),
        raw(click[1]!, args),
        raw(click[2]!, args.slice(0, 1)),
        raw(click[3]!, args),
        raw(target, args.slice(0, 1)),
      ])
      return results.at(-1)!.rows[0]?.target ?? null
    },

    async findTarget(id) {
      const [row] = await db.read<{ target: string | null }>(raw(target, [uuidBytes(id)]))
      return row?.target ?? null
    },

    async recordVote(ownerId, { id, device, vote, reason }, now): Promise<RecordVoteResult> {
      const args = [ownerId, device, uuidBytes(id), now]
      const [kept, states] = await db.write<{ foreign: number; found: number; late: number; superseded: number }>([
        raw(
          `insert into ad_votes (serve, owner, device, fingerprint, vote, reason, voted_at)
            select s.id, s.owner, s.device, s.fingerprint, ?5, ?6, ?4 from serves s
            where ${voted} and not ${foreign} and not ${late} and not ${superseded}
            on conflict (serve) do update set vote = excluded.vote, reason = excluded.reason, voted_at = excluded.voted_at returning 1`,
          [...args, vote, reason],
        ),
        raw(
          `select ${foreign} as "foreign", s.id is not null as found, ${late} as late, ${superseded} as superseded
            from (select 1) left join serves s on ${voted}`,
          args,
        ),
      ])
      if (kept!.rows.length > 0) return 'recorded'
      const state = states!.rows[0]!
      if (state.foreign) return 'device_not_owned'
      if (!state.found) return 'not_found'
      return state.late ? 'expired' : 'superseded'
    },

    async listDays(ownerId, device, fromDay) {
      return db.read(
        raw(
          `select day, outcome, count from ad_days where owner = ${owner} and device = ? and day >= ? order by day desc, outcome`,
          [ownerId, device, fromDay],
        ),
      )
    },

    async export(ownerId): Promise<AdExport> {
      const [days, votes, served] = (await db.readAll([
        raw(`select device, day, outcome, count from ad_days where owner = ${owner} order by day, device, outcome`, [
          ownerId,
        ]),
        raw(
          `select device, fingerprint, vote, reason, voted_at as votedAt from ad_votes where owner = ${owner} order by voted_at`,
          [ownerId],
        ),
        raw(
          `select lower(hex(id)) as id, device, source, served_at as servedAt, outcome, counted_at as countedAt, clicked_at as clickedAt
          from serves where owner = ${owner} order by id`,
          [ownerId],
        ),
      ])) as unknown as [AdExport['days'], AdExport['votes'], AdExport['serves']]
      return { days, votes, serves: served.map((one) => ({ ...one, id: dashed(one.id) })) }
    },

    async erase(ownerId) {
      const theirs = `owner = ${owner}`
      return writeOnce(db, [
        deleteOutboxOf({ ownerId }),
        raw(deleteSomeText('serves', 'id', theirs), [ownerId]),
        raw(deleteSomeText('ad_votes', 'serve', theirs), [ownerId]),
        raw(deleteSomeText('ad_days', 'owner, device, day, outcome', theirs), [ownerId]),
      ])
    },
  }
}

/** How many arguments a text with numbered ones takes. */
const highest = (text: string): number =>
  Math.max(...Array.from(text.matchAll(/\?(\d)/g), ([, number]) => Number(number)))
const dayOf = (now: number): number => Math.floor(now / day)
const dashed = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** The least id that a serve of this time can have: ids begin with their time. */
function floor(ms: number): Uint8Array {
  return uuidBytes(Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0').padEnd(32, '0'))
}
