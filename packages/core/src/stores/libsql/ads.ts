import { and, asc, desc, eq, gte, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  minImpressionDelayMs,
  type AdStore,
  type ImpressionCaps,
  type ImpressionResult,
  type ListDaysParams,
  type NewServe,
} from '../../ads/store.ts'
import { utcDay, uuidBytes } from '../../ids.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { libsqlCampaigns } from './campaigns.ts'
import { jsonArgument, writeNamed, createWriteBatcher, type Database } from './database.ts'
import { hasChanged, prepareEvent } from './events.ts'
import { deleteOwnersEntries, insertOutboxEntries } from './outbox.ts'
import { countName, prepareDailyCounts } from './overview.ts'
import { build, insertSelect, parenthesize, ownerNum, prepare } from './statement.ts'
import { adAddresses, adDays, adVotes, campaignDays, campaigns, serves } from './tables/ads.ts'
import { applications } from './tables/contributors.ts'
import { devices } from './tables/program.ts'
import { users } from './tables/sessions.ts'
import { addToDay, type ImpressionArgs, isServe, noPrice, onServes } from './serves.ts'
import { libsqlCampaignMonths } from './campaign-months.ts'
import { addRejection, libsqlSponsors } from './sponsors.ts'
import { libsqlAdClicks } from './ad-clicks.ts'
import { libsqlAdVotes } from './ad-votes.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

type InsertServeArgs = Omit<NewServe, 'id'> & { id: Uint8Array; ownerId: string; candidates: string }

const insertServe = prepare<InsertServeArgs>()(({ id, ownerId, device, servedAt, expiresAt, candidates }) =>
  insertSelect(
    serves,
    {
      id,
      owner: users.num,
      device,
      source: sql`j.value->>'source'`,
      campaign: sql`cast(j.value->>'campaign' as integer)`,
      fingerprint: sql`j.value->>'fingerprint'`,
      target: sql`j.value->>'target'`,
      networkUrl: sql`j.value->>'networkUrl'`,
      price: sql`cast(j.value->>'price' as integer)`,
      servedAt,
      expiresAt,
      last: sql`null`,
      outcome: sql`null`,
      seq: sql`null`,
      countedAt: sql`null`,
      click: sql`null`,
      clickedAt: sql`null`,
    },
    sql`from ${users} cross join json_each(${candidates}) j
      where ${users.id} = ${ownerId}
        and not exists (select 1 from ${devices} where ${devices.id} = ${device} and ${devices.owner} <> ${users.num})
        and not exists (
          select 1 from ${adVotes} where ${adVotes.owner} = ${users.num} and ${adVotes.vote} = 'down'
            and ${adVotes.fingerprint} = j.value->>'fingerprint')
      order by j.key limit 1 returning fingerprint`,
  ),
)

const selectIsOtherOwners = prepare<{ ownerId: string; device: string }>()(({ ownerId, device }) =>
  build
    .select({ isOtherOwners: sql<number>`1` })
    .from(devices)
    .where(sql`${devices.id} = ${device} and ${devices.owner} is not ${ownerNum(ownerId)}`),
)

const deleteServesBefore = prepare<{ id: Uint8Array }>()(({ id }) => deleteSome(serves, sql`${serves.id} < ${id}`))

/** Returns the smallest id that a serve of this time can have. An id starts with its time. */
const firstServeId = (ms: number): Uint8Array =>
  uuidBytes(Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0').padEnd(32, '0'))
interface DecideOutcomeArgs extends ImpressionArgs {
  readonly addressHash: string | null
  readonly isFromDatacenter: number
  /** `ImpressionCaps` as JSON, or null. */
  readonly caps: string | null
}

const earlier = alias(serves, 'earlier')
const countedOfDevice = sql`${serves} ${earlier} where ${earlier.device} = ${serves.device} and ${earlier.seq} is not null`
const countedOfPerson = sql`${serves} ${earlier} where ${earlier.owner} = ${serves.owner} and ${earlier.countedAt} is not null`

/**
 * Returns the condition that a cap is reached. A cap of N is reached if the N-th latest counted impression is within
 * the window.
 */
function isCapReached(
  { now, caps }: { readonly now: SQLWrapper; readonly caps: SQLWrapper },
  cap: { readonly name: keyof ImpressionCaps; readonly windowMs: number },
  counted: { readonly from: SQL; readonly at: SQLWrapper; readonly order: SQLWrapper },
): SQL {
  return sql`${caps} is not null and (
    select ${counted.at} from ${counted.from} order by ${counted.order} desc
    limit 1 offset cast(${caps}->>${sql.raw(`'${cap.name}'`)} as integer) - 1) > ${now} - ${sql.raw(`${cap.windowMs}`)}`
}

const decideOutcome = prepare<DecideOutcomeArgs>()(({ id, now, today, addressHash, isFromDatacenter, caps }) => {
  const args = { now, caps }
  const ofDevice = { from: countedOfDevice, at: earlier.countedAt, order: earlier.seq }
  const ofPerson = { from: countedOfPerson, at: earlier.countedAt, order: earlier.countedAt }
  const ofAddress = {
    from: sql`${adAddresses} where ${adAddresses.address} = ${addressHash}`,
    at: adAddresses.countedAt,
    order: adAddresses.countedAt,
  }
  const isApproved = sql`exists (
    select 1 from ${applications} where ${applications.owner} = ${serves.owner} and ${applications.status} = 'approved')`
  const isClaimed = sql`exists (
    select 1 from ${devices} where ${devices.id} = ${serves.device} and ${devices.owner} = ${serves.owner})`
  const impressionsToday = sql`coalesce((
    select ${campaignDays.impressions} from ${campaignDays}
    where ${campaignDays.campaign} = ${campaigns.num} and ${campaignDays.day} = ${today}), 0)`
  const isWithinBudget = sql`exists (
    select 1 from ${campaigns} where ${campaigns.num} = ${serves.campaign}
      and ${campaigns.spent} + ${serves.price} <= ${campaigns.budget}
      and (${campaigns.dailyCap} is null or ${campaigns.dailyCap} > ${impressionsToday}))`
  return build
    .update(serves)
    .set({
      last: sql`case
        when ${serves.outcome} is not null then 'replayed'
        when ${now} < ${serves.servedAt} + ${sql.raw(`${minImpressionDelayMs}`)} then 'too_soon'
        when ${now} >= ${serves.expiresAt} then 'expired'
        when not ${isClaimed} then 'unclaimed'
        when ${isFromDatacenter} = 1 then 'datacenter'
        when ${isCapReached(args, { name: 'devicePerHour', windowMs: hour }, ofDevice)} then 'capped'
        when ${isCapReached(args, { name: 'devicePerDay', windowMs: day }, ofDevice)} then 'capped'
        when ${serves.campaign} is not null and not ${isWithinBudget} then 'capped'
        when ${isCapReached(args, { name: 'personPerHour', windowMs: hour }, ofPerson)} then 'capped_person'
        when ${isCapReached(args, { name: 'personPerDay', windowMs: day }, ofPerson)} then 'capped_person'
        when not ${isApproved} and ${isCapReached(args, { name: 'newPersonPerDay', windowMs: day }, ofPerson)}
          then 'capped_new'
        when ${isCapReached(args, { name: 'addressPerHour', windowMs: hour }, ofAddress)} then 'capped_address'
        else 'counted' end`,
    })
    .where(isServe(id))
})
const isCountedNow = (id: SQLWrapper): SQL => sql`${isServe(id)} and ${serves.last} = 'counted'`

const useUpServe = prepare<ImpressionArgs>()(({ id, now }) =>
  build
    .update(serves)
    .set({
      outcome: sql`${serves.last}`,
      countedAt: sql`case ${serves.last} when 'counted' then ${now} end`,
      seq: sql`case ${serves.last} when 'counted' then (
        select coalesce(max(${earlier.seq}), 0) + 1 from ${countedOfDevice}) end`,
    })
    .where(sql`${isServe(id)} and ${serves.outcome} is null and ${serves.last} <> 'too_soon'`),
)

const pricePaid = sql`iif(${serves.last} = 'counted', ${serves.price}, 0)`

const addOutcomeToDay = prepare<ImpressionArgs>()(({ id, today }) =>
  insertSelect(
    adDays,
    {
      owner: serves.owner,
      device: serves.device,
      day: today,
      outcome: serves.last,
      count: sql`1`,
      micros: pricePaid,
      unposted: pricePaid,
    },
    sql`from ${serves} where ${isServe(id)} ${addToDay}`,
  ),
)

// Owner 0 and device '' mean that the owner and the device are unknown.
const addUnknownToDay = prepare<{ today: number; id: Uint8Array | null }>()(({ today, id }) =>
  insertSelect(
    adDays,
    { owner: sql`0`, device: sql`''`, day: today, outcome: sql`'unknown'`, count: sql`1`, ...noPrice },
    sql`where not exists (select 1 from ${serves} where ${isServe(id)}) ${addToDay}`,
  ),
)

// The price of the serve is charged, because the price of the campaign may have changed since.
const chargeCampaign = prepare<ImpressionArgs>()(({ id }) =>
  build
    .update(campaigns)
    .set({
      spent: sql`${campaigns.spent} + (select ${serves.price} from ${serves} where ${isCountedNow(id)})`,
      impressions: sql`${campaigns.impressions} + 1`,
    })
    .where(sql`${campaigns.num} = (select ${serves.campaign} from ${serves} where ${isCountedNow(id)})`),
)

/** Enqueues the event that the charged campaign is exhausted: its budget does not cover another impression. */
const enqueueExhausted = prepareEvent<{ id: Uint8Array }>(({ id }) => ({
  owner: sql`null`,
  subject: campaigns.id,
  data: sql`json_object('campaignId', ${campaigns.id}, 'budgetUsd', ${campaigns.budget} / 1000000.0)`,
  from: sql`from ${campaigns} where ${campaigns.num} = (select ${serves.campaign} from ${serves} where ${isCountedNow(id)})
    and ${hasChanged} and ${campaigns.spent} + ${campaigns.price} > ${campaigns.budget}`,
}))

const addToLedger = prepare<ImpressionArgs>()(({ id, today }) =>
  insertSelect(
    campaignDays,
    { campaign: serves.campaign, day: today, impressions: sql`1`, micros: serves.price, clicks: sql`0` },
    sql`from ${serves} where ${isCountedNow(id)} and ${serves.campaign} is not null
      on conflict (campaign, day) do update set impressions = ${campaignDays.impressions} + 1,
        micros = ${campaignDays.micros} + excluded.micros`,
  ),
)

const countImpression = prepareDailyCounts<ImpressionArgs>(
  ({ id, today }) => sql`select ${today}, ${countName('impressions')}, 1 from ${serves} where ${isCountedNow(id)}
    union all select ${today}, ${countName('spendMicros')}, ${serves.price} from ${serves}
      where ${isCountedNow(id)} and ${serves.campaign} is not null`,
)

const insertAddress = prepare<ImpressionArgs & { addressHash: string | null }>()(({ id, now, addressHash }) =>
  insertSelect(
    adAddresses,
    { address: addressHash, countedAt: now },
    sql`where ${addressHash} is not null and exists (select 1 from ${serves} where ${isCountedNow(id)})`,
  ),
)

// Deletes the oldest addresses in the order in which they were inserted. One impression deletes up to eight addresses,
// because no addresses are deleted while no impressions arrive.
const deleteOldAddresses = prepare<ImpressionArgs>()(({ now }) =>
  build.delete(adAddresses).where(
    sql`${adAddresses.num} in (
        select ${adAddresses.num} from ${adAddresses} where ${adAddresses.num} > 0 order by ${adAddresses.num} limit 8)
      and ${adAddresses.countedAt} <= ${now} - ${sql.raw(`${hour}`)}`,
  ),
)

const enqueueNetworkUrl = prepare<ImpressionArgs & { entryId: string }>()(({ id, now, entryId }) =>
  insertOutboxEntries(
    {
      id: entryId,
      owner: serves.owner,
      channel: sql`'impression'`,
      recipient: sql`''`,
      subject: sql`''`,
      payload: serves.networkUrl,
      createdAt: now,
    },
    sql`from ${serves} where ${isCountedNow(id)} and ${serves.networkUrl} is not null`,
  ),
)

const selectOutcome = prepare<ImpressionArgs>()(({ id }) =>
  build
    .select({ outcome: parenthesize<ImpressionResult['outcome']>(sql`${serves.last}`), campaign: serves.campaign })
    .from(serves)
    .where(isServe(id)),
)

const dayColumns = { day: adDays.day, outcome: adDays.outcome, count: adDays.count, micros: adDays.micros }
const selectDays = prepare<ListDaysParams>()(({ ownerId, device, fromDay }) =>
  build
    .select(dayColumns)
    .from(adDays)
    .where(and(eq(adDays.owner, ownerNum(ownerId)), eq(adDays.device, device), gte(adDays.day, fromDay)))
    .orderBy(desc(adDays.day), asc(adDays.outcome)),
)

const selectDaysOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({ device: adDays.device, ...dayColumns })
    .from(adDays)
    .where(eq(adDays.owner, ownerNum(ownerId)))
    .orderBy(asc(adDays.day), asc(adDays.device), asc(adDays.outcome)),
)
const selectVotesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({
      device: adVotes.device,
      fingerprint: adVotes.fingerprint,
      vote: adVotes.vote,
      reason: adVotes.reason,
      votedAt: adVotes.votedAt,
    })
    .from(adVotes)
    .where(eq(adVotes.owner, ownerNum(ownerId)))
    .orderBy(asc(adVotes.votedAt)),
)
const selectServesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({
      id: sql<string>`lower(hex(${serves.id}))`,
      device: serves.device,
      source: serves.source,
      servedAt: serves.servedAt,
      outcome: serves.outcome,
      countedAt: serves.countedAt,
      clickedAt: serves.clickedAt,
    })
    .from(serves)
    .where(eq(serves.owner, ownerNum(ownerId)))
    .orderBy(asc(serves.id)),
)
const addDashes = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

const deleteServesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(serves, eq(serves.owner, ownerNum(ownerId))),
)
const deleteVotesOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(adVotes, eq(adVotes.owner, ownerNum(ownerId))),
)
const deleteDaysOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(adDays, eq(adDays.owner, ownerNum(ownerId))),
)

/** Returns the ad store over libSQL. `ads/store.ts` describes the guarantees. */
export function libsqlAds(db: Database): AdStore {
  const writeBatched = createWriteBatcher(db, { locks: [] })

  return {
    ...libsqlCampaigns(db),
    ...libsqlSponsors(db),
    ...libsqlCampaignMonths(db),

    async serveAd({ ownerId, id, device, servedAt, expiresAt, candidates }) {
      const args = { id: uuidBytes(id), ownerId, device, servedAt, expiresAt, candidates: jsonArgument(candidates) }
      const inserted = firstOf(await writeBatched<{ fingerprint: string }>(insertServe(args)))
      const chosen = inserted.rows[0]
      if (chosen) {
        const index = candidates.findIndex(({ fingerprint }) => fingerprint === chosen.fingerprint)
        return { outcome: 'served', index }
      }
      const [other] = await db.read(selectIsOtherOwners({ ownerId, device }))
      return { outcome: other ? 'device_not_owned' : 'none' }
    },

    deleteServes: ({ before }) => writeOnce(db, [deleteServesBefore({ id: firstServeId(before) })]),

    async recordImpression({
      serveId,
      now,
      addressHash,
      isFromDatacenter,
      caps,
      exhausted,
    }): Promise<ImpressionResult> {
      const args = { id: uuidBytes(serveId), now, today: utcDay(now) }
      // Each statement reads the rows that earlier statements wrote in the same transaction.
      const { decided } = await writeNamed(
        db,
        {
          outcome: decideOutcome({
            ...args,
            addressHash,
            isFromDatacenter: Number(isFromDatacenter),
            caps: caps && jsonArgument(caps),
          }),
          serve: useUpServe(args),
          outcomeOfDay: addOutcomeToDay(args),
          unknownOfDay: addUnknownToDay(args),
          campaign: chargeCampaign(args),
          exhausted: enqueueExhausted({ id: args.id, event: exhausted }),
          ledger: addToLedger(args),
          rejection: addRejection(args),
          impressions: countImpression(args),
          address: insertAddress({ ...args, addressHash }),
          oldAddresses: deleteOldAddresses(args),
          networkUrl: enqueueNetworkUrl({ ...args, entryId: serveId }),
          decided: selectOutcome(args),
        },
        onServes,
      )
      const row = decided.rows[0]
      if (!row) return { outcome: 'unknown' }
      return row.outcome === 'counted' ? { outcome: 'counted', campaign: row.campaign } : { outcome: row.outcome }
    },

    async recordUnknownImpression({ now }) {
      await writeBatched(addUnknownToDay({ today: utcDay(now), id: null }))
    },
    ...libsqlAdClicks(db),
    ...libsqlAdVotes(db),

    listDays: (params) => db.read(selectDays(params)),

    async export({ ownerId }) {
      const [days, votes, served] = await db.readAll([
        selectDaysOfOwner({ ownerId }),
        selectVotesOfOwner({ ownerId }),
        selectServesOfOwner({ ownerId }),
      ])
      return { days, votes, serves: served.map((serve) => ({ ...serve, id: addDashes(serve.id) })) }
    },

    erase: ({ ownerId }) =>
      writeOnce(db, [
        deleteOwnersEntries({ ownerId }),
        deleteServesOfOwner({ ownerId }),
        deleteVotesOfOwner({ ownerId }),
        deleteDaysOfOwner({ ownerId }),
      ]),
  }
}
