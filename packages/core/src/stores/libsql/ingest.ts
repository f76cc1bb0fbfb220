import { and, asc, desc, eq, gt, gte, inArray, sql, type SQL } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type { IngestStore, ListAllJobsParams } from '../../ingest/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { jsonArgument, type Database, type Query } from './database.ts'
import { listClauses, readList, type ListColumns } from './list.ts'
import { build, jsonValues, parenthesize, ownerNum, prepare, type Param } from './statement.ts'
import { jobs, outcomes } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'
import { isOpen, isOwnJob, onJobs, ownerOfJob } from './jobs.ts'
import { libsqlJobClaims } from './job-claims.ts'
import { libsqlJobQueue } from './job-queue.ts'
import { libsqlUploads } from './uploads.ts'
import { libsqlJobDeletion } from './job-deletion.ts'

const jobFields = {
  id: jobs.id,
  source: jobs.source,
  status: jobs.status,
  total: jobs.total,
  traceCount: jobs.traceCount,
  rejectedCount: jobs.rejectedCount,
  estimatedUsd: jobs.estimatedUsd,
  errorMessage: jobs.errorMessage,
  errorStage: jobs.errorStage,
  errorClass: jobs.errorClass,
  enqueuedAt: jobs.enqueuedAt,
  startedAt: jobs.startedAt,
  finishedAt: jobs.finishedAt,
}
const outcomeFields = {
  index: outcomes.idx,
  sourceId: outcomes.sourceId,
  outcome: outcomes.outcome,
  traceId: outcomes.traceId,
  redactions: outcomes.redactions,
}
const isRetriable = (failedSince: Param): SQL =>
  sql`${jobs.status} = 'failed' and ${jobs.finishedAt} >= ${failedSince} and (${jobs.parts} > 0 or ${jobs.total} = 0)`

const selectOwnJob = prepare<{ ownerId: string; jobId: string }>()((params) =>
  build.select(jobFields).from(jobs).where(isOwnJob(params)),
)
const selectJob = prepare<{ jobId: string }>()(({ jobId }) =>
  build.select(jobFields).from(jobs).where(eq(jobs.id, jobId)),
)
const selectOwnOutcomes = prepare<{ ownerId: string; jobId: string }>()((params) =>
  build
    .select(outcomeFields)
    .from(outcomes)
    .where(sql`${outcomes.job} = (select ${jobs.num} from ${jobs} where ${isOwnJob(params)})`)
    .orderBy(asc(outcomes.idx)),
)
const selectJobs = prepare<{ ownerId: string; cursor: string | null; limit: number }>()(({ ownerId, cursor, limit }) =>
  build
    .select(jobFields)
    .from(jobs)
    .where(
      sql`${jobs.owner} = ${ownerNum(ownerId)} and
        ${jobs.num} < iif(${cursor} is null, 9e15, (select ${jobs.num} from ${jobs} where ${jobs.id} = ${cursor}))`,
    )
    .orderBy(desc(jobs.num))
    .limit(limit),
)
const adminFields = {
  ...jobFields,
  attempts: jobs.attempts,
  attemptEnd: jobs.attemptEnd,
  ownerId: parenthesize<string>(sql`coalesce(${ownerOfJob}, '')`),
  email: parenthesize<string | null>(sql`select ${users.email} from ${users} where ${users.num} = ${jobs.owner}`),
}
const selectAnyJob = prepare<{ jobId: string }>()(({ jobId }) =>
  build.select(adminFields).from(jobs).where(eq(jobs.id, jobId)),
)
const jobList: ListColumns<NonNullable<ListAllJobsParams['sort']>> = {
  num: jobs.num,
  at: jobs.enqueuedAt,
  sorts: { enqueuedAt: jobs.num, total: jobs.total, rejectedCount: jobs.rejectedCount },
  ids: [jobs.id],
  owner: jobs.owner,
  text: [jobs.id, jobs.source, jobs.errorMessage],
}
const makeRetriable = prepare<{ jobId: string; failedSince: number; now: number }>()(({ jobId, failedSince, now }) =>
  build
    .update(jobs)
    .set({
      status: 'queued',
      attempts: 0,
      losses: 0,
      attemptEnd: null,
      nextAt: sql`${now}`,
      traceCount: 0,
      rejectedCount: 0,
      estimatedUsd: null,
      errorMessage: null,
      errorStage: null,
      errorClass: null,
      startedAt: null,
      finishedAt: null,
      lease: null,
      leaseUntil: null,
    })
    .where(and(eq(jobs.id, jobId), isRetriable(failedSince))),
)
const selectRetriable = prepare<{ jobId: string; failedSince: number }>()(
  ({ jobId, failedSince }) =>
    sql<AuditedChange>`select ${jobs.id}, json_object('status', ${jobs.status}), json_object('status', 'queued') from ${jobs}
      where ${jobs.id} = ${jobId} and ${isRetriable(failedSince)}`,
)
const selectJobsNeedingUpload = prepare<{ jobIds: string; failedSince: number }>()(({ jobIds, failedSince }) =>
  build
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        inArray(jobs.id, jsonValues(jobIds)),
        sql`(${isOpen(jobs)} or (${jobs.status} = 'failed' and ${gte(jobs.finishedAt, failedSince)}))`,
      ),
    ),
)
const selectUploadOfJob = prepare<{ ownerId: string; jobId: string }>()((params) =>
  build.select({ status: jobs.status, parts: jobs.parts }).from(jobs).where(isOwnJob(params)),
)
const clearParts = prepare<{ ownerId: string; jobId: string }>()((params) =>
  build
    .update(jobs)
    .set({ parts: 0 })
    .where(and(isOwnJob(params), eq(jobs.status, sql`'failed'`))),
)

const selectNextOwnJob = prepare<{ ownerId: string; after: number }>()(({ ownerId, after }) =>
  build
    .select({ num: jobs.num, ...jobFields })
    .from(jobs)
    .where(and(eq(jobs.owner, ownerNum(ownerId)), gt(jobs.num, after)))
    .orderBy(asc(jobs.num))
    .limit(1),
)
const selectOutcomes = prepare<{ num: number }>()(({ num }) =>
  build.select(outcomeFields).from(outcomes).where(eq(outcomes.job, num)).orderBy(asc(outcomes.idx)),
)

/** Returns the ingest store over libSQL. `ingest/store.ts` describes the guarantees. */
export function libsqlIngest(db: Database): IngestStore {
  const change = async (query: Query): Promise<boolean> => firstOf(await db.write([query], onJobs)).changed > 0
  const first = async <Row>(query: Query<Row>): Promise<Row | null> => (await db.read(query))[0] ?? null

  return {
    ...libsqlJobQueue(db),
    findJob: (params) => first(selectOwnJob(params)),
    async listOutcomes(params) {
      const [found, decided] = await db.readAll([selectOwnJob(params), selectOwnOutcomes(params)])
      return found.length > 0 ? decided : null
    },
    listJobs: ({ cursor = null, ...params }) => db.read(selectJobs({ ...params, cursor })),
    listAllJobs({ status, source, errorClass, ...params }) {
      const { place, where, order, limit } = listClauses(
        jobList,
        params,
        status && eq(jobs.status, status),
        source === undefined ? undefined : eq(jobs.source, source),
        errorClass && eq(jobs.errorClass, errorClass),
      )
      const query = build
        .select({ ...place, ...adminFields })
        .from(jobs)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, jobList, params, query, (job) => job)
    },
    findAnyJob: ({ jobId }) => first(selectAnyJob({ jobId })),
    async retryJob({ jobId, failedSince, audit }) {
      const [, retried] = await db.write([
        recordAudit(audit, 'job.retry', selectRetriable({ jobId, failedSince })),
        makeRetriable({ jobId, failedSince, now: audit.at }),
      ])
      const job = await first(selectJob({ jobId }))
      return job ? { retried: retried.changed > 0, job } : null
    },
    ...libsqlJobClaims(db),
    async listJobsNeedingUpload({ jobIds, failedSince }) {
      if (jobIds.length === 0) return []
      const rows = await db.read(selectJobsNeedingUpload({ jobIds: jsonArgument(jobIds), failedSince }))
      return rows.map(({ id }) => id)
    },

    findUploadOfJob: (params) => first(selectUploadOfJob(params)),
    async markUploadDeleted(params) {
      await change(clearParts(params))
    },
    ...libsqlUploads(db),
    ...libsqlJobDeletion(db),

    async *exportJobs({ ownerId }) {
      for (let after = 0; ;) {
        const row = await first(selectNextOwnJob({ ownerId, after }))
        if (!row) return
        const { num, ...job } = row
        after = num
        yield { ...job, outcomes: await db.read(selectOutcomes({ num })) }
      }
    },
  }
}
