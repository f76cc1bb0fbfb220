import { and, asc, eq, isNotNull, sql, type SQL } from 'drizzle-orm'
import { firstOf, lastOf } from '../../lists.ts'
import type { RescrubStore, StoreRescrubbedParams } from '../../traces/rescrub/store.ts'
import { selectRevision } from './blocked-terms.ts'
import type { Database, Query } from './database.ts'
import { onJobs } from './jobs.ts'
import { build, ownerNum, prepare } from './statement.ts'
import { isPlaceWithin, placesPerRead, selectLastPlace } from './stored-traces.ts'
import { scrubContexts } from './tables/contributors.ts'
import { jobs, outcomes } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'
import { contents, rescrubPasses, traces } from './tables/traces.ts'

const selectProgress = prepare()(
  () =>
    sql<{ version: string | null; cursor: number; last: number; people: number }>`select
      (select ${rescrubPasses.version} from ${rescrubPasses} where ${rescrubPasses.num} = 1) as version,
      coalesce((select ${rescrubPasses.cursor} from ${rescrubPasses} where ${rescrubPasses.num} = 1), 0) as "cursor",
      coalesce((select max(${traces.num}) from ${traces}), 0) as last,
      (select count(*) from ${scrubContexts} where ${scrubContexts.due} = 1) as people`,
)

const countStale = prepare<{ ownerId: string; scrubVersion: string }>()(({ ownerId, scrubVersion }) =>
  build
    .select({ stale: sql<number>`count(*)` })
    .from(traces)
    .where(
      sql`${traces.owner} = ${ownerNum(ownerId)} and ${traces.saleCount} = 0
        and (${traces.scrubVersion} <> ${scrubVersion} or ${traces.identityRevision} <> ${selectRevision(ownerNum(ownerId))})`,
    ),
)

interface ClaimArgs {
  readonly lease: string
  readonly scrubVersion: string
  readonly now: number
  readonly leaseUntil: number
  /** The latest possible end of a lease. A lease that ends later was written before the clock was set back. */
  readonly latest: number
}
const claimPass = prepare<ClaimArgs>()(
  ({ lease, scrubVersion, now, leaseUntil, latest }) =>
    sql`insert into ${rescrubPasses} (num, version, "cursor", lease, lease_until) values (1, ${scrubVersion}, 0, ${lease}, ${leaseUntil})
      on conflict (num) do update set version = excluded.version,
        "cursor" = iif(${rescrubPasses.version} = excluded.version, ${rescrubPasses.cursor}, 0),
        lease = excluded.lease, lease_until = excluded.lease_until
      where ${rescrubPasses.lease} is null or ${rescrubPasses.lease} = excluded.lease
        or ${rescrubPasses.leaseUntil} <= ${now} or ${rescrubPasses.leaseUntil} > ${latest}`,
)

const extendLease = prepare<{ lease: string; leaseUntil: number }>()(({ lease, leaseUntil }) =>
  build
    .update(rescrubPasses)
    .set({ leaseUntil: sql`${leaseUntil}` })
    .where(and(eq(rescrubPasses.num, 1), eq(rescrubPasses.lease, lease))),
)
const moveCursor = prepare<{ lease: string; cursor: number }>()(({ lease, cursor }) =>
  build
    .update(rescrubPasses)
    .set({ cursor: sql`${cursor}` })
    .where(and(eq(rescrubPasses.num, 1), eq(rescrubPasses.lease, lease))),
)
const release = prepare<{ lease: string }>()(({ lease }) =>
  build
    .update(rescrubPasses)
    .set({ lease: null, leaseUntil: null })
    .where(and(eq(rescrubPasses.num, 1), eq(rescrubPasses.lease, lease))),
)

type Param = SQL | ReturnType<typeof sql.placeholder>
interface PersonArgs {
  readonly lease: string
  readonly ownerId: string
  readonly revision: number
}
const isHeld = (lease: Param): SQL =>
  sql`exists (select 1 from ${rescrubPasses} where ${rescrubPasses.num} = 1 and ${rescrubPasses.lease} = ${lease})`
const isSamePerson = ({ lease, ownerId, revision }: { readonly [Name in keyof PersonArgs]: Param }): SQL =>
  sql`${scrubContexts.owner} = ${ownerNum(ownerId)} and ${scrubContexts.revision} = ${revision} and ${isHeld(lease)}`
const movePersonCursor = prepare<PersonArgs & { cursor: number }>()((params) =>
  build
    .update(scrubContexts)
    .set({ cursor: sql`${params.cursor}` })
    .where(isSamePerson(params)),
)
const completePerson = prepare<PersonArgs>()((person) =>
  build.update(scrubContexts).set({ due: 0 }).where(isSamePerson(person)),
)

const selectChangedPerson = prepare()(() =>
  build
    .select({ ownerId: users.id, identityRevision: scrubContexts.revision, cursor: scrubContexts.cursor })
    .from(scrubContexts)
    .innerJoin(users, eq(users.num, scrubContexts.owner))
    .where(
      sql`${scrubContexts.due} = 1 and ${users.erasedAt} is null and not exists (
        select 1 from ${jobs} where ${jobs.owner} = ${scrubContexts.owner} and ${jobs.status} in ('queued', 'parsing', 'ingesting'))`,
    )
    .limit(1),
)

const isStale = ({ scrubVersion }: { readonly scrubVersion: Param }): SQL =>
  sql`${traces.saleCount} = 0
    and (${traces.scrubVersion} <> ${scrubVersion} or ${traces.identityRevision} <> ${selectRevision(sql`${traces.owner}`)})`
interface StaleArgs {
  readonly scrubVersion: string
  readonly after: number
  readonly until: number
  readonly limit: number
}
const staleFields = {
  num: traces.num,
  id: traces.id,
  ownerId: sql<string>`(select ${users.id} from ${users} where ${users.num} = ${traces.owner})`,
}
const selectStale = prepare<StaleArgs>()((params) =>
  build
    .select(staleFields)
    .from(traces)
    .where(and(isPlaceWithin(params), isNotNull(traces.owner), isStale(params)))
    .orderBy(asc(traces.num))
    .limit(params.limit),
)
const selectStaleOfOwner = prepare<StaleArgs & { ownerId: string }>()((params) =>
  build
    .select(staleFields)
    .from(traces)
    .where(and(eq(traces.owner, ownerNum(params.ownerId)), isPlaceWithin(params), isStale(params)))
    .orderBy(asc(traces.num))
    .limit(params.limit),
)

interface ExpectedArgs {
  readonly ownerId: string
  readonly id: string
  readonly oldVersion: string
  readonly oldRevision: number
  readonly hash: string
}
/**
 * Returns the condition that an unsold trace has not changed since the caller read it. The last statement of the batch
 * makes the condition false.
 */
const isExpected = (args: { readonly [Name in keyof ExpectedArgs]: Param }): SQL =>
  sql`${traces.id} = ${args.id} and +${traces.owner} = ${ownerNum(args.ownerId)} and ${traces.saleCount} = 0
    and ${traces.scrubVersion} = ${args.oldVersion} and ${traces.identityRevision} = ${args.oldRevision}
    and ${traces.hash} = unhex(${args.hash})`

const updateContents = prepare<ExpectedArgs & { messages: string; tools: string | null }>()((params) =>
  build
    .update(contents)
    .set({ messages: sql`${params.messages}`, tools: sql`${params.tools}` })
    .where(sql`${contents.trace} = (select ${traces.num} from ${traces} where ${isExpected(params)})`),
)
// An outcome of a different conversation with the same content keeps the name of its own conversation.
const renameOutcomes = prepare<ExpectedArgs & { sourceId: string }>()((params) =>
  build
    .update(outcomes)
    .set({ sourceId: sql`${params.sourceId}` })
    .where(
      sql`${outcomes.traceId} = ${params.id}
        and ${outcomes.sourceId} = (select ${traces.sourceId} from ${traces} where ${isExpected(params)})`,
    ),
)
interface UpdateArgs extends ExpectedArgs {
  readonly sourceId: string
  readonly title: string | null
  readonly model: string | null
  readonly parentTraceId: string | null
  readonly redactions: string
  readonly details: string
  readonly replacements: string
  readonly newVersion: string
  readonly newRevision: number
}
const updateTrace = prepare<UpdateArgs>()((params) =>
  build
    .update(traces)
    .set({
      sourceId: sql`${params.sourceId}`,
      title: sql`${params.title}`,
      model: sql`${params.model}`,
      parentTraceId: sql`${params.parentTraceId}`,
      redactions: sql`${params.redactions}`,
      details: sql`${params.details}`,
      replacements: sql`${params.replacements}`,
      scrubVersion: sql`${params.newVersion}`,
      identityRevision: sql`${params.newRevision}`,
      withheld: null,
    })
    .where(isExpected(params)),
)
const withholdTrace = prepare<ExpectedArgs & { newVersion: string; newRevision: number; reason: string }>()((params) =>
  build
    .update(traces)
    .set({
      scrubVersion: sql`${params.newVersion}`,
      identityRevision: sql`${params.newRevision}`,
      withheld: sql`${params.reason}`,
    })
    .where(isExpected(params)),
)

function storeQueries({ ownerId, id, expected, result }: Readonly<StoreRescrubbedParams>): Query[] {
  const args: ExpectedArgs = {
    ownerId,
    id,
    oldVersion: expected.scrubVersion,
    oldRevision: expected.identityRevision,
    hash: expected.contentHash,
  }
  if (result.kind === 'withheld') {
    const { reason, scrubVersion: newVersion, identityRevision: newRevision } = result
    return [withholdTrace({ ...args, reason, newVersion, newRevision })]
  }
  const { messages, tools, scrubVersion, identityRevision, ...fields } = result.trace
  const { sourceId, title, model, parentTraceId, redactions, replacements, details } = fields
  const names = { sourceId, title, model, parentTraceId, redactions, replacements, details }
  return [
    updateContents({ ...args, messages, tools }),
    renameOutcomes({ ...args, sourceId }),
    updateTrace({ ...args, ...names, newVersion: scrubVersion, newRevision: identityRevision }),
  ]
}

/** Returns the store of background re-scrubbing over libSQL. `traces/rescrub/store.ts` describes the guarantees. */
export function libsqlRescrub(db: Database): RescrubStore {
  return {
    async getProgress() {
      return firstOf(await db.read(selectProgress({})))
    },
    async countStaleTraces(params) {
      return firstOf(await db.read(countStale(params))).stale
    },
    async claimPass({ now, leaseUntil, ...params }) {
      const [claimed] = await db.write([claimPass({ ...params, now, leaseUntil, latest: 2 * leaseUntil - now })], {
        locks: [],
      })
      return claimed.changed === 1
    },
    async saveCursor({ lease, person, cursor, leaseUntil }) {
      const moved = person
        ? movePersonCursor({ lease, ownerId: person.ownerId, revision: person.identityRevision, cursor })
        : moveCursor({ lease, cursor })
      const [extended] = await db.write([extendLease({ lease, leaseUntil }), moved], onJobs)
      return extended.changed === 1
    },
    async releasePass(params) {
      await db.write([release(params)], { locks: [] })
    },
    async findChangedPerson() {
      const [row] = await db.read(selectChangedPerson({}))
      return row ?? null
    },
    async completePerson({ lease, person }) {
      await db.write([completePerson({ lease, ownerId: person.ownerId, revision: person.identityRevision })])
    },
    async listStaleTraces({ ownerId, scrubVersion, cursor, limit }) {
      const params = { scrubVersion, after: cursor, until: cursor + placesPerRead, limit }
      const stale = ownerId === null ? selectStale(params) : selectStaleOfOwner({ ...params, ownerId })
      const [places, found] = await db.readAll([selectLastPlace({}), stale])
      const last = firstOf(places).num
      const next = found.length === limit ? lastOf(found).num : Math.min(params.until, last)
      return { traces: found, next: cursor < last ? next : null }
    },
    async storeRescrubbed(params) {
      return lastOf(await db.write(storeQueries(params), onJobs)).changed === 1
    },
  }
}
