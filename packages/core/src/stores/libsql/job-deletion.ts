import { eq, sql, type SQL } from 'drizzle-orm'
import type { IngestStore } from '../../ingest/store.ts'
import { deleteSome, maxRowsPerWrite } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { build, ownerNum, prepare, type Param } from './statement.ts'
import { jobs, outcomes, uploads } from './tables/ingest.ts'

/** The maximum number of jobs that one deletion handles. */
const maxJobsPerDelete = 500

/** Deletes outcomes of the jobs that a query selects. */
const deleteOutcomes = (selected: SQL) =>
  build.delete(outcomes).where(sql`(job, idx) in (select ${outcomes.job}, ${outcomes.idx} from (${selected}) selected
    cross join ${outcomes} on ${outcomes.job} = selected.num limit ${sql.raw(String(maxRowsPerWrite))})`)
/**
 * Deletes the jobs that a query selects, if all their outcomes are deleted. The next call selects the remaining jobs.
 */
const deleteJobs = (selected: SQL) =>
  build
    .delete(jobs)
    .where(
      sql`${jobs.num} in (${selected}) and not exists (select 1 from ${outcomes} where ${outcomes.job} = ${jobs.num})`,
    )
const finishedJobs = (finishedBefore: Param): SQL =>
  sql`select ${jobs.num} from ${jobs} where ${jobs.finishedAt} < ${finishedBefore} and +${jobs.status} in ('done', 'failed')
    order by ${jobs.finishedAt} limit ${sql.raw(String(maxJobsPerDelete))}`
const jobsOfOwner = (ownerId: Param): SQL =>
  sql`select ${jobs.num} from ${jobs} where ${jobs.owner} = ${ownerNum(ownerId)}
    order by ${jobs.num} limit ${sql.raw(String(maxJobsPerDelete))}`
const deleteFinishedOutcomes = prepare<{ finishedBefore: number }>()(({ finishedBefore }) =>
  deleteOutcomes(finishedJobs(finishedBefore)),
)
const deleteFinishedJobs = prepare<{ finishedBefore: number }>()(({ finishedBefore }) =>
  deleteJobs(finishedJobs(finishedBefore)),
)
const deleteOwnOutcomes = prepare<{ ownerId: string }>()(({ ownerId }) => deleteOutcomes(jobsOfOwner(ownerId)))
const deleteOwnJobs = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteJobs(jobsOfOwner(ownerId)).returning({ id: jobs.id, parts: jobs.parts }),
)
const deleteOwnUploads = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(uploads, eq(uploads.owner, ownerNum(ownerId))).returning({ id: uploads.id }),
)

/** Returns the methods of the ingest store that delete jobs with their outcomes. */
export function libsqlJobDeletion(db: Database): Pick<IngestStore, 'deleteFinishedJobs' | 'eraseJobs'> {
  return {
    async deleteFinishedJobs(params) {
      const [deletedOutcomes, deletedJobs] = await db.write([
        deleteFinishedOutcomes(params),
        deleteFinishedJobs(params),
      ])
      return deletedOutcomes.changed >= maxRowsPerWrite || deletedJobs.changed >= maxJobsPerDelete
    },
    async eraseJobs({ ownerId }) {
      const [deletedOutcomes, deletedJobs, deletedUploads] = await db.write([
        deleteOwnOutcomes({ ownerId }),
        deleteOwnJobs({ ownerId }),
        deleteOwnUploads({ ownerId }),
      ])
      return {
        jobs: deletedJobs.rows,
        uploads: deletedUploads.rows.map(({ id }) => id),
        hasMore:
          deletedOutcomes.changed >= maxRowsPerWrite ||
          deletedJobs.changed >= maxJobsPerDelete ||
          deletedUploads.changed >= maxRowsPerWrite,
      }
    },
  }
}
