import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { minImpressionDelayMs, type AdStore, type ImpressionCaps, type ImpressionResult } from '../../ads/store.ts'
import { utcDay, uuidBytes } from '../../ids.ts'
import { jsonArgument, writeNamed, type createWriteBatcher, type Database } from './database.ts'
import { hasChanged, prepareEvent } from './events.ts'
import { insertOutboxEntries } from './outbox.ts'
import { countName, prepareDailyCounts } from './overview.ts'
import { build, insertSelect, parenthesize, prepare } from './statement.ts'
import { adAddresses, adDays, campaignDays, campaigns, serves } from './tables/ads.ts'
import { applications } from './tables/contributors.ts'
import { devices } from './tables/program.ts'
import { addToDay, type ImpressionArgs, isServe, noPrice, onServes } from './serves.ts'
import { addRejection } from './sponsors.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

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

/** Returns the methods of the ad store that decide and count impressions. */
export function libsqlImpressions(
  db: Database,
  writeBatched: ReturnType<typeof createWriteBatcher>,
): Pick<AdStore, 'recordImpression' | 'recordUnknownImpression'> {
  return {
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
  }
}
