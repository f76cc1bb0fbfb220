import { and, asc, desc, eq, gt, gte, inArray, isNull, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import type {
  AttemptEnd,
  AttemptFailure,
  EnqueueJobParams,
  IngestStore,
  ListAllJobsParams,
} from '../../ingest/store.ts'
import { unknownOrigin, type TraceOrigin } from '../../traces/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { jsonArgument, type Database, type Query } from './database.ts'
import { prepareEvent } from './events.ts'
import { writeIngestBatch } from './ingest-batch.ts'
import { countName, dayOf, prepareDailyCounts } from './overview.ts'
import { listClauses, readList, type ListColumns } from './list.ts'
import { build, insertSelect, jsonValues, parenthesize, ownerNum, prepare, type Param } from './statement.ts'
import { jobs, outcomes } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'
import {
  addWithinQuota,
  selectOwnerBelowUploadLimit,
  type JobLease,
  isLeasedToCaller,
  isOpen,
  onJobs,
  outcomeCount,
  ownerOfJob,
  waitingBytes,
  type WithLimit,
} from './jobs.ts'
import { libsqlJobClaims } from './job-claims.ts'
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
// The unary plus keeps SQLite from using the index on `owner`, so that SQLite searches by the id.
const isOwnJob = ({ ownerId, jobId }: { ownerId: Param; jobId: Param }): SQL =>
  sql`${jobs.id} = ${jobId} and +${jobs.owner} = ${ownerNum(ownerId)}`
const isRetriable = (failedSince: Param): SQL =>
  sql`${jobs.status} = 'failed' and ${jobs.finishedAt} >= ${failedSince} and (${jobs.parts} > 0 or ${jobs.total} = 0)`

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
  ({ id }) => sql`select ${dayOf(jobs.enqueuedAt)}, ${countName('uploads')}, 1 from ${jobs} where ${jobs.id} = ${id}`,
)
const discountUpload = prepareDailyCounts<{ ownerId: string; jobId: string }>(
  ({ ownerId, jobId }) => sql`select ${dayOf(jobs.enqueuedAt)}, ${countName('uploads')}, -1 from ${jobs}
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
const isKept = sql`${outcomes.outcome} in ('stored', 'updated')`
const ofJob = sql`from ${outcomes} where ${outcomes.job} = ${jobs.num}`
/** The columns of a finished job that count its outcomes. */
const totals = (usdPerMillionTokens: SQLWrapper) => ({
  traceCount: sql`(select count(*) ${ofJob} and ${isKept})`,
  rejectedCount: sql`(select count(*) ${ofJob} and not (${isKept}))`,
  estimatedUsd: sql`round((select coalesce(sum(${outcomes.tokens}), 0) ${ofJob} and ${isKept})
    * ${usdPerMillionTokens}) / 1000000.0`,
})
const isComplete = (params: { jobId: SQLWrapper; lease: SQLWrapper }): SQL =>
  sql`${isLeasedToCaller(params)} and ${jobs.total} = ${outcomeCount}`
const setDone = prepare<JobLease & { now: number; usdPerMillionTokens: number }>()((params) =>
  build
    .update(jobs)
    .set({
      status: 'done',
      finishedAt: sql`${params.now}`,
      lease: null,
      leaseUntil: null,
      errorMessage: null,
      errorStage: null,
      errorClass: null,
      ...totals(params.usdPerMillionTokens),
    })
    .where(isComplete(params)),
)
/** The failure of an attempt. Null keeps the failure of an earlier attempt. */
type FailureParams = { readonly [Name in keyof AttemptFailure]: AttemptFailure[Name] | null }
const noFailure: FailureParams = { errorStage: null, errorClass: null }
const failureColumns = ({ errorStage, errorClass }: { readonly [Name in keyof FailureParams]: SQLWrapper }) => ({
  errorStage: sql`coalesce(${errorStage}, ${jobs.errorStage})`,
  errorClass: sql`coalesce(${errorClass}, ${jobs.errorClass})`,
})
const setQueued = prepare<JobLease & FailureParams & { dueAt: number; uncounted: number; end: AttemptEnd | null }>()(
  (params) =>
    build
      .update(jobs)
      .set({
        status: 'queued',
        lease: null,
        leaseUntil: null,
        nextAt: sql`${params.dueAt}`,
        attempts: sql`${jobs.attempts} - ${params.uncounted}`,
        losses: 0,
        attemptEnd: sql`coalesce(${params.end}, ${jobs.attemptEnd})`,
        ...failureColumns(params),
      })
      .where(isLeasedToCaller(params)),
)
/**
 * Subtracts an attempt whose lease expired and whose job another worker has claimed since. Records how the attempt
 * ended.
 */
const uncountAttempt = prepare<JobLease & { end: AttemptEnd | null }>()(({ jobId, lease, end }) =>
  build
    .update(jobs)
    .set({
      attempts: sql`max(${jobs.attempts} - 1, 1)`,
      losses: sql`max(${jobs.losses} - 1, 0)`,
      attemptEnd: sql`coalesce(${end}, ${jobs.attemptEnd})`,
    })
    .where(sql`${jobs.id} = ${jobId} and ${isOpen(jobs)} and ${jobs.lease} <> ${lease}`),
)
const setFailed = prepare<JobLease & FailureParams & { now: number; message: string; usdPerMillionTokens: number }>()(
  (params) =>
    build
      .update(jobs)
      .set({
        status: 'failed',
        lease: null,
        leaseUntil: null,
        finishedAt: sql`${params.now}`,
        errorMessage: sql`${params.message}`,
        ...totals(params.usdPerMillionTokens),
        ...failureColumns(params),
      })
      .where(isLeasedToCaller(params)),
)

/** Returns the event of a job that the next statement ends, unless the owner of the job is being erased. */
const eventOfJob = (condition: SQL, data: SQL) => ({
  owner: jobs.owner,
  subject: users.id,
  data: sql`json_object('userId', ${users.id}, 'jobId', ${jobs.id}, ${data})`,
  from: sql`from ${jobs} cross join ${users} on ${users.num} = ${jobs.owner} and ${users.erasedAt} is null where ${condition}`,
})
const enqueueCompleted = prepareEvent<JobLease & { usdPerMillionTokens: number }>((params) => {
  const { traceCount, rejectedCount, estimatedUsd } = totals(params.usdPerMillionTokens)
  return eventOfJob(
    isComplete(params),
    sql`'traceCount', ${traceCount}, 'rejectedCount', ${rejectedCount}, 'estimatedUsd', cast(${estimatedUsd} as real)`,
  )
})
const enqueueFailed = prepareEvent<JobLease & { message: string }>((params) =>
  eventOfJob(isLeasedToCaller(params), sql`'errorMessage', ${params.message}`),
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
      return (await first(selectWaitingBytes(params)))?.bytes ?? 0
    },
    async withdrawJob(params) {
      const [, deleted] = await db.write([discountUpload(params), deleteUnclaimedJob(params)])
      return deleted.changed > 0
    },
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
      return readList(db, params.limit, query, (job) => job)
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
    writeBatch: (params) => writeIngestBatch(db, params),
    async completeJob({ claim: { jobId, lease }, usdPerMillionTokens, now, event }) {
      const [, done] = await db.write(
        [
          enqueueCompleted({ jobId, lease, usdPerMillionTokens, event }),
          setDone({ jobId, lease, usdPerMillionTokens, now }),
        ],
        onJobs,
      )
      return done.changed > 0
    },
    async releaseJob({ claim: { jobId, lease }, dueAt, end }) {
      await db.write(
        [uncountAttempt({ jobId, lease, end }), setQueued({ jobId, lease, dueAt, uncounted: 1, end, ...noFailure })],
        onJobs,
      )
    },
    async postponeJob({ claim: { jobId, lease }, dueAt, end, failure = noFailure }) {
      await change(setQueued({ jobId, lease, dueAt, uncounted: 0, end, ...failure }))
    },
    async failJob({ claim: { jobId, lease }, message, usdPerMillionTokens, now, failure = noFailure, event }) {
      await db.write(
        [
          enqueueFailed({ jobId, lease, message, event }),
          setFailed({ jobId, lease, message, usdPerMillionTokens, now, ...failure }),
        ],
        onJobs,
      )
    },
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
