import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { ownerNum, parenthesize, type Param } from './statement.ts'
import { jobs, outcomes } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'

/** An alias of `jobs` for a job that may be claimed, in a query that also names the current job. */
export const candidate = alias(jobs, 'candidate')
export type JobTable = typeof jobs | typeof candidate

/** Returns the condition that a job is not finished. */
export const isOpen = (table: JobTable): SQL => sql`${table.status} in ('queued', 'parsing', 'ingesting')`
/**
 * Returns the condition that a job belongs to a user. The unary plus keeps SQLite from using the index on `owner`, so
 * that SQLite searches by the id.
 */
export const isOwnJob = ({ ownerId, jobId }: { ownerId: Param; jobId: Param }): SQL =>
  sql`${jobs.id} = ${jobId} and +${jobs.owner} = ${ownerNum(ownerId)}`
/** Returns the condition that a job is leased to the caller. */
export const isLeasedToCaller = ({ jobId, lease }: { jobId: SQLWrapper; lease: SQLWrapper }): SQL =>
  sql`${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}`
/** The id of a job's owner. */
export const ownerOfJob = parenthesize<string>(sql`select ${users.id} from ${users} where ${users.num} = ${jobs.owner}`)
/** The number of traces of a job that have an outcome. */
export const outcomeCount = parenthesize<number>(
  sql`select count(*) from ${outcomes} where ${outcomes.job} = ${jobs.num}`,
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
