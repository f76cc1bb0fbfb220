import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type { EnqueueJobParams, IngestStore, NotAdded } from '../../ingest/store.ts'
import { unknownOrigin, type TraceOrigin } from '../../traces/store.ts'
import type { Database, Query } from './database.ts'
import { isOpen, isOwnJob } from './jobs.ts'
import { countName, selectDay, prepareDailyCounts } from './overview.ts'
import { build, insertSelect, parenthesize, prepare, type Param } from './statement.ts'
import { jobs, uploads } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'

/** Returns the total size of a user's waiting uploads, in bytes. */
const waitingBytes = (now: Param): SQL<number> =>
  sql`(select coalesce(sum(${jobs.bytes}), 0) from ${jobs} where ${jobs.owner} = ${users.num} and ${isOpen(jobs)})
    + (select coalesce(sum(${uploads.bytes}), 0) from ${uploads}
      where ${uploads.owner} = ${users.num} and ${uploads.job} is null and ${uploads.expiresAt} > ${now})`

/**
 * Returns the `from` and `where` clauses of an insert. They select the owner, or no row if the waiting uploads would
 * exceed the limit.
 */
export const selectOwnerBelowUploadLimit = (params: {
  ownerId: Param
  now: Param
  bytes: Param
  maxWaitingBytes: Param
}): SQL =>
  sql`from ${users} where ${users.id} = ${params.ownerId}
    and (${params.maxWaitingBytes} is null or ${params.bytes} + ${waitingBytes(params.now)} <= ${params.maxWaitingBytes})`

/** The parameters of a statement that `selectOwnerBelowUploadLimit` guards. */
export type WithLimit<Params> = Required<Omit<Params, 'maxWaitingBytes' | 'traceparent'>> & {
  maxWaitingBytes: number | null
}
const selectUser = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.select({ num: users.num }).from(users).where(eq(users.id, ownerId)),
)

/** Runs an insert that `selectOwnerBelowUploadLimit` guards. Returns the reason why nothing was inserted, or null. */
export async function addWithinQuota(
  db: Database,
  ownerId: string,
  ...queries: [Query, ...Query[]]
): Promise<NotAdded | null> {
  const inserted = firstOf(await db.write(queries, { locks: [`owner/${ownerId}`] }))
  if (inserted.changed > 0) return null
  const [owner] = await db.read(selectUser({ ownerId }))
  return owner === undefined ? 'unknown_owner' : 'over_quota'
}

const insertJob = prepare<WithLimit<Omit<EnqueueJobParams, 'origin'>> & { traceparent: string | null } & TraceOrigin>()(
  (job) =>
    insertSelect(
      jobs,
      {
        owner: users.num,
        id: job.id,
        source: job.source,
        status: sql`'queued'`,
        total: job.total,
        parts: job.parts,
        bytes: job.bytes,
        traceCount: sql`0`,
        rejectedCount: sql`0`,
        estimatedUsd: sql`null`,
        errorMessage: sql`null`,
        enqueuedAt: job.enqueuedAt,
        startedAt: sql`null`,
        finishedAt: sql`null`,
        attempts: sql`0`,
        losses: sql`0`,
        attemptEnd: sql`null`,
        errorStage: sql`null`,
        errorClass: sql`null`,
        nextAt: job.enqueuedAt,
        lease: sql`null`,
        leaseUntil: sql`null`,
        takenAt: sql`null`,
        traceparent: job.traceparent,
        termsVersion: job.termsVersion,
        country: job.country,
      },
      selectOwnerBelowUploadLimit({
        ownerId: job.ownerId,
        now: job.enqueuedAt,
        bytes: job.bytes,
        maxWaitingBytes: job.maxWaitingBytes,
      }),
    ),
)
const countUpload = prepareDailyCounts<{ id: string }>(
  ({ id }) =>
    sql`select ${selectDay(jobs.enqueuedAt)}, ${countName('uploads')}, 1 from ${jobs} where ${jobs.id} = ${id}`,
)
const discountUpload = prepareDailyCounts<{ ownerId: string; jobId: string }>(
  ({ ownerId, jobId }) => sql`select ${selectDay(jobs.enqueuedAt)}, ${countName('uploads')}, -1 from ${jobs}
    where ${isOwnJob({ ownerId: sql`${ownerId}`, jobId: sql`${jobId}` })} and ${jobs.startedAt} is null`,
)
const selectWaitingBytes = prepare<{ ownerId: string; now: number }>()(({ ownerId, now }) =>
  build
    .select({ bytes: parenthesize<number>(waitingBytes(now)) })
    .from(users)
    .where(eq(users.id, ownerId)),
)
const deleteUnclaimedJob = prepare<{ ownerId: string; jobId: string }>()((params) =>
  build.delete(jobs).where(and(isOwnJob(params), isNull(jobs.startedAt))),
)

/** Returns the methods of the ingest store that add jobs within the limit of waiting uploads. */
export function libsqlJobQueue(db: Database): Pick<IngestStore, 'enqueueJob' | 'countWaitingBytes' | 'withdrawJob'> {
  return {
    enqueueJob: ({ origin = unknownOrigin, ...job }) =>
      addWithinQuota(
        db,
        job.ownerId,
        insertJob({
          ...job,
          ...origin,
          maxWaitingBytes: job.maxWaitingBytes ?? null,
          traceparent: job.traceparent ?? null,
        }),
        countUpload({ id: job.id }),
      ),
    async countWaitingBytes(params) {
      return (await db.read(selectWaitingBytes(params)))[0]?.bytes ?? 0
    },
    async withdrawJob(params) {
      const [, deleted] = await db.write([discountUpload(params), deleteUnclaimedJob(params)])
      return deleted.changed > 0
    },
  }
}
