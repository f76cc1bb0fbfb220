import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import { voteWindowMs, type AdStore } from '../../ads/store.ts'
import { uuidBytes } from '../../ids.ts'
import type { Database } from './database.ts'
import { insertSelect, ownerNum, prepare } from './statement.ts'
import { adVotes, serves } from './tables/ads.ts'
import { devices } from './tables/program.ts'
import { isServe, onServes } from './serves.ts'

interface VoteArgs {
  readonly id: Uint8Array
  readonly ownerId: string
  readonly device: string
  readonly now: number
}
type VoteParams = { readonly [Name in keyof VoteArgs]: SQLWrapper }

const later = alias(serves, 'later')
const isVotersServe = ({ id, device, ownerId }: VoteParams): SQL =>
  sql`${isServe(id)} and ${serves.device} = ${device} and ${serves.owner} = ${ownerNum(ownerId)} and ${serves.seq} is not null`
const isDeviceOfOther = ({ device, ownerId }: VoteParams): SQL =>
  sql`exists (select 1 from ${devices} where ${devices.id} = ${device} and ${devices.owner} is not ${ownerNum(ownerId)})`
const isVoteExpired = ({ now }: VoteParams): SQL => sql`${now} >= ${serves.servedAt} + ${sql.raw(`${voteWindowMs}`)}`
const isSuperseded = sql`exists (
  select 1 from ${serves} ${later} where ${later.device} = ${serves.device} and ${later.seq} > ${serves.seq})`

const insertVote = prepare<VoteArgs & { vote: 'up' | 'down'; reason: string | null }>()((params) =>
  insertSelect(
    adVotes,
    {
      serve: serves.id,
      owner: serves.owner,
      device: serves.device,
      fingerprint: serves.fingerprint,
      vote: params.vote,
      reason: params.reason,
      votedAt: params.now,
    },
    sql`from ${serves} where ${isVotersServe(params)} and not ${isDeviceOfOther(params)}
      and not ${isVoteExpired(params)} and not ${isSuperseded}
      on conflict (serve) do update set vote = excluded.vote, reason = excluded.reason, voted_at = excluded.voted_at`,
  ),
)

interface VoteState {
  readonly isDeviceOfOther: number
  readonly isFound: number
  readonly isExpired: number
  readonly isSuperseded: number
}
const selectVoteState = prepare<VoteArgs>()(
  (params) => sql<VoteState>`
    select ${isDeviceOfOther(params)} as "isDeviceOfOther", ${serves.id} is not null as "isFound",
      ${isVoteExpired(params)} as "isExpired", ${isSuperseded} as "isSuperseded"
    from (select 1) left join ${serves} on ${isVotersServe(params)}`,
)

/** Returns the method of the ad store that records votes. */
export function libsqlAdVotes(db: Database): Pick<AdStore, 'recordVote'> {
  return {
    async recordVote({ serveId, vote, reason, ...voter }) {
      const args = { ...voter, id: uuidBytes(serveId) }
      const [inserted, states] = await db.write(
        [insertVote({ ...args, vote, reason }), selectVoteState(args)],
        onServes,
      )
      if (inserted.changed > 0) return 'recorded'
      const state = firstOf(states.rows)
      if (state.isDeviceOfOther) return 'device_not_owned'
      if (!state.isFound) return 'not_found'
      return state.isExpired ? 'expired' : 'superseded'
    },
  }
}
