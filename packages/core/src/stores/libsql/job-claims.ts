import { and, eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { AttemptEnd, AttemptFailure, ClaimJobParams, IngestStore } from '../../ingest/store.ts'
import { queueTimes } from '../../queue/times.ts'
import { clockSkewMs } from '../../ports.ts'
import { maxRowsPerWrite } from './bounded-writes.ts'
import { jsonArgument, type Database } from './database.ts'
import { prepareEvent } from './events.ts'
import { writeIngestBatch } from './ingest-batch.ts'
import { build, parenthesize, prepare, type Param } from './statement.ts'
import { jobs, outcomes } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'
import { deletedNames, traces } from './tables/traces.ts'
import {
  candidate,
  type JobLease,
  isLeasedToCaller,
  isOpen,
  type JobTable,
  onJobs,
  outcomeCount,
  ownerOfJob,
} from './jobs.ts'

/** The lease of the worker that looks for a job, the time, and the end of the lease. */
type Look = { [Name in 'lease' | 'now' | 'leaseUntil']: Param }

/**
 * Returns the condition that a job is due and not leased to another worker. A lease that ends too far in the future was
 * written before the clock was set back.
 */
const isDue = (table: JobTable, { lease, now, leaseUntil }: Look): SQL =>
  sql`${isOpen(table)} and ${table.nextAt} <= ${now} and (${table.lease} is null
    or ${table.leaseUntil} not between ${now} and 2 * ${leaseUntil} - ${now} or ${table.lease} = ${lease})`

const waits = sql.raw(queueTimes.ingest.retryMs.map((ms, position) => `when ${position + 1} then ${ms}`).join(' '))
const skew = sql.raw(String(clockSkewMs))
/**
 * Returns the condition that a job's time is further in the future than any time that the service sets, because the
 * clock was set back.
 */
const isTooFarAhead = (now: Param): SQL =>
  sql`${isOpen(jobs)} and ${jobs.nextAt} > ${now} + ${skew}
    and ${jobs.nextAt} > ${now} + ${skew} + case ${jobs.attempts} ${waits} else 0 end`

/**
 * Selects the owners who have open jobs. Each step reads the next owner from the index and skips the other jobs of the
 * same owner.
 */
const waitingOwners = sql`waiting (owner) as (
  select min(${candidate.owner}) from ${jobs} ${candidate} where ${isOpen(candidate)} union all
  select (select min(${candidate.owner}) from ${jobs} ${candidate} where ${isOpen(candidate)} and ${candidate.owner} > waiting.owner)
    from waiting where waiting.owner is not null)`
/** Selects the due job of the owner whose last claim was the longest ago. An owner without claims comes first. */
const selectNextByTurn = (look: Look & { exceptOwnerIds: Param }): SQL =>
  sql`with recursive ${waitingOwners} select num from (
      select (select ${candidate.num} from ${jobs} ${candidate} where ${candidate.owner} = waiting.owner and ${isDue(candidate, look)}
          order by ${candidate.nextAt}, ${candidate.num} limit 1) as num,
        (select max(${candidate.takenAt}) from ${jobs} ${candidate}
          where ${candidate.owner} = waiting.owner and ${candidate.takenAt} <= ${look.now} + ${skew}) as taken_at
      from waiting where waiting.owner is not null and waiting.owner not in
        (select ${users.num} from json_each(${look.exceptOwnerIds}) except_owner cross join ${users} on ${users.id} = except_owner.value))
    where num is not null order by taken_at nulls first, num limit 1`
/**
 * Selects the job that this lease already holds, because the reply to an earlier claim may be lost. Otherwise selects
 * the next job.
 */
const selectNextJob = (look: Look & { exceptOwnerIds: Param }): SQL =>
  sql`select coalesce((select ${jobs.num} from ${jobs} where ${jobs.lease} = ${look.lease} and ${isOpen(jobs)}),
    (${selectNextByTurn(look)})) as num`

type LookParams = Pick<ClaimJobParams, 'lease' | 'now' | 'leaseUntil'>

const selectHasDue = prepare<LookParams & { exceptOwnerIds: string }>()(
  (look) =>
    sql<object>`select 1 where (${selectNextJob(look)}) is not null or exists (select 1 from ${jobs} where ${isTooFarAhead(look.now)})`,
)
const selectIsDue = prepare<LookParams & { jobId: string }>()(
  (look) =>
    sql<object>`select 1 from ${jobs} where ${jobs.id} = ${look.jobId} and (${isDue(jobs, look)} or (${isTooFarAhead(look.now)}))`,
)
const bringForward = prepare<{ now: number }>()(({ now }) =>
  build
    .update(jobs)
    .set({ nextAt: sql`${now}` })
    .where(
      sql`${jobs.num} in (select ${jobs.num} from ${jobs} where ${isTooFarAhead(now)} limit ${sql.raw(String(maxRowsPerWrite))})`,
    ),
)
// Each search reads at most one row of an index. Without `source >= ''`, which is always true, SQLite would search by
// `traces_owner` and read all traces of the owner.
const formerTrace = sql`select 1 from ${traces} where ${traces.owner} = ${jobs.owner} and ${traces.source} >= ''`
const hasFormerNames = parenthesize<
  boolean | number
>(sql`select exists (${formerTrace} and ${traces.conversation} is null)
  or exists (${formerTrace} and ${traces.parent} is null and ${traces.parentTraceId} is not null)
  or exists (select 1 from ${deletedNames} where ${deletedNames.owner} = ${jobs.owner})`)
const leaseJob = ({ lease, now, leaseUntil }: Look, num: SQL) =>
  build
    .update(jobs)
    .set({
      lease: sql`${lease}`,
      leaseUntil: sql`${leaseUntil}`,
      attempts: sql`${jobs.attempts} + iif(${jobs.lease} is not ${lease}, 1, 0)`,
      losses: sql`${jobs.losses} + iif(${jobs.lease} <> ${lease}, 1, 0)`,
      attemptEnd: sql`iif(${jobs.lease} <> ${lease}, 'worker_lost', ${jobs.attemptEnd})`,
      status: 'parsing',
      startedAt: sql`coalesce(${jobs.startedAt}, ${now})`,
      takenAt: sql`${now}`,
    })
    .where(sql`${jobs.num} = (${num})`)
    .returning({
      jobId: jobs.id,
      total: jobs.total,
      parts: jobs.parts,
      attempt: jobs.attempts,
      losses: jobs.losses,
      hasFormerNames,
      dueAt: jobs.nextAt,
      traceparent: jobs.traceparent,
      ownerId: parenthesize<string>(sql`coalesce(${ownerOfJob}, '')`),
      done: outcomeCount,
    })
const claimNext = prepare<LookParams & { exceptOwnerIds: string }>()((look) => leaseJob(look, selectNextJob(look)))
const claimOne = prepare<LookParams & { jobId: string }>()((look) =>
  leaseJob(look, sql`select ${jobs.num} from ${jobs} where ${jobs.id} = ${look.jobId} and ${isDue(jobs, look)}`),
)
const selectTimes = prepare<{ jobId: string }>()(({ jobId }) =>
  build
    .select({ nextAt: jobs.nextAt, lease: jobs.lease, leaseUntil: jobs.leaseUntil })
    .from(jobs)
    .where(and(eq(jobs.id, jobId), isOpen(jobs))),
)
const extendLease = prepare<JobLease & { leaseUntil: number }>()((params) =>
  build
    .update(jobs)
    .set({ leaseUntil: sql`${params.leaseUntil}` })
    .where(isLeasedToCaller(params)),
)

const isKept = sql`${outcomes.outcome} in ('stored', 'updated')`
const ofJob = sql`from ${outcomes} where ${outcomes.job} = ${jobs.num}`
/** The columns of a finished job that count its outcomes. */
const sumOutcomes = (usdPerMillionTokens: SQLWrapper) => ({
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
      ...sumOutcomes(params.usdPerMillionTokens),
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
        ...sumOutcomes(params.usdPerMillionTokens),
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
  const { traceCount, rejectedCount, estimatedUsd } = sumOutcomes(params.usdPerMillionTokens)
  return eventOfJob(
    isComplete(params),
    sql`'traceCount', ${traceCount}, 'rejectedCount', ${rejectedCount}, 'estimatedUsd', cast(${estimatedUsd} as real)`,
  )
})
const enqueueFailed = prepareEvent<JobLease & { message: string }>((params) =>
  eventOfJob(isLeasedToCaller(params), sql`'errorMessage', ${params.message}`),
)

/** The methods of a worker. */
type WorkerMethod =
  | 'claimJob'
  | 'findClaimTime'
  | 'hasDueJob'
  | 'renewLease'
  | 'writeBatch'
  | 'completeJob'
  | 'releaseJob'
  | 'postponeJob'
  | 'failJob'

/** Returns the methods of the ingest store with which a worker leases the next job, writes its traces and ends it. */
export function libsqlJobClaims(db: Database): Pick<IngestStore, WorkerMethod> {
  return {
    async claimJob({ lease, now, leaseUntil, jobId, exceptOwnerIds = [] }) {
      const look = { lease, now, leaseUntil }
      const except = jsonArgument(exceptOwnerIds)
      // Idle workers query often, and this read needs no write lock.
      const isFound =
        jobId === undefined ? selectHasDue({ ...look, exceptOwnerIds: except }) : selectIsDue({ ...look, jobId })
      if ((await db.read(isFound)).length === 0) return null
      const update = jobId === undefined ? claimNext({ ...look, exceptOwnerIds: except }) : claimOne({ ...look, jobId })
      const [, claimed] = await db.write([bringForward({ now }), update], onJobs)
      const row = claimed.rows[0]
      return row ? { ...row, lease, hasFormerNames: Boolean(row.hasFormerNames) } : null
    },
    async findClaimTime(params) {
      const [times] = await db.read(selectTimes(params))
      return times ? { claimableAt: Math.max(times.nextAt, times.lease === null ? 0 : (times.leaseUntil ?? 0)) } : null
    },
    async hasDueJob({ lease, now, leaseUntil, exceptOwnerIds = [] }) {
      const look = { lease, now, leaseUntil, exceptOwnerIds: jsonArgument(exceptOwnerIds) }
      return (await db.read(selectHasDue(look))).length > 0
    },
    async renewLease({ claim: { jobId, lease }, leaseUntil }) {
      const [extended] = await db.write([extendLease({ jobId, lease, leaseUntil })], onJobs)
      return extended.changed > 0
    },
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
      await db.write([setQueued({ jobId, lease, dueAt, uncounted: 0, end, ...failure })], onJobs)
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
  }
}
