import { eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import { alias } from 'drizzle-orm/sqlite-core'
import type { NotAdded } from '../../ingest/store.ts'
import type { Database, Query } from './database.ts'
import { build, parenthesize, prepare, type Param } from './statement.ts'
import { jobs, outcomes, uploads } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'

/** An alias of `jobs` for a job that may be claimed, in a query that also names the current job. */
export const candidate = alias(jobs, 'candidate')
export type JobTable = typeof jobs | typeof candidate

/** Returns the condition that a job is not finished. */
export const isOpen = (table: JobTable): SQL => sql`${table.status} in ('queued', 'parsing', 'ingesting')`
/** Returns the condition that a job is leased to the caller. */
export const isLeasedToCaller = ({ jobId, lease }: { jobId: SQLWrapper; lease: SQLWrapper }): SQL =>
  sql`${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}`
/** The id of a job's owner. */
export const ownerOfJob = parenthesize<string>(sql`select ${users.id} from ${users} where ${users.num} = ${jobs.owner}`)
/** The number of traces of a job that have an outcome. */
export const outcomeCount = parenthesize<number>(
  sql`select count(*) from ${outcomes} where ${outcomes.job} = ${jobs.num}`,
)

/** Returns the total size of a user's waiting uploads, in bytes. */
export const waitingBytes = (now: Param): SQL<number> =>
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

/**
 * A job and the caller's lease on it. Every statement checks the lease, so that the statement has no effect once
 * another worker has claimed the job.
 */
export interface JobLease {
  readonly jobId: string
  readonly lease: string
}

/** The transactions of workers run one after the other, so that the order of traces is the order of their commits. */
export const onJobs = { locks: ['jobs'] }

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
