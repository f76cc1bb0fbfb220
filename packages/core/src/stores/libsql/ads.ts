import { and, asc, desc, eq, gte, sql } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type { AdStore, ListDaysParams, NewServe } from '../../ads/store.ts'
import { uuidBytes } from '../../ids.ts'
import { deleteSome, writeOnce } from './bounded-writes.ts'
import { libsqlCampaigns } from './campaigns.ts'
import { jsonArgument, createWriteBatcher, type Database } from './database.ts'
import { deleteOwnersEntries } from './outbox.ts'
import { build, insertSelect, ownerNum, prepare } from './statement.ts'
import { adDays, adVotes, serves } from './tables/ads.ts'
import { devices } from './tables/program.ts'
import { users } from './tables/sessions.ts'
import { libsqlCampaignMonths } from './campaign-months.ts'
import { libsqlSponsors } from './sponsors.ts'
import { libsqlAdClicks } from './ad-clicks.ts'
import { libsqlAdVotes } from './ad-votes.ts'
import { libsqlImpressions } from './impressions.ts'

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

    ...libsqlImpressions(db, writeBatched),
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
