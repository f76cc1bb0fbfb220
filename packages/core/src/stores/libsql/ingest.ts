import { and, asc, desc, eq, gt, gte, inArray, isNull, lt, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  retryWaitsMs,
  type ClaimJobParams,
  type CreateUploadParams,
  type EnqueueJobParams,
  type IngestStore,
  type NotAdded,
} from '../../ingest/store.ts'
import { clockSkewMs } from '../../ports.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { deleteSome, maxRowsPerWrite, writeUntilDone } from './bounded-writes.ts'
import { jsonArgument, type Database, type Query } from './database.ts'
import { hasChanged, prepareEvent } from './events.ts'
import { writeIngestBatch } from './ingest-batch.ts'
import { countName, dayOf, prepareDailyCounts } from './overview.ts'
import { build, insertSelect, jsonValues, nested, ownerNum, prepare, type Param } from './statement.ts'
import { jobs, outcomes, uploads } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'

/** The jobs that one deletion works on. */
const maxJobsPerDelete = 500

const jobFields = {
  id: jobs.id,
  source: jobs.source,
  status: jobs.status,
  total: jobs.total,
  traceCount: jobs.traceCount,
  rejectedCount: jobs.rejectedCount,
  estimatedUsd: jobs.estimatedUsd,
  errorMessage: jobs.errorMessage,
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

/** A job that may be claimed, beside the one that is. */
const candidate = alias(jobs, 'candidate')
type JobTable = typeof jobs | typeof candidate

const isOpen = (table: JobTable): SQL => sql`${table.status} in ('queued', 'parsing', 'ingesting')`
// A plus keeps SQLite from using the index of a column: the id leads.
const isOwnJob = ({ ownerId, jobId }: { ownerId: Param; jobId: Param }): SQL =>
  sql`${jobs.id} = ${jobId} and +${jobs.owner} = ${ownerNum(ownerId)}`
const isHeld = ({ jobId, lease }: { jobId: Param; lease: Param }): SQL =>
  sql`${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}`
const isRetriable = (failedSince: Param): SQL =>
  sql`${jobs.status} = 'failed' and ${jobs.finishedAt} >= ${failedSince} and (${jobs.parts} > 0 or ${jobs.total} = 0)`
const ownerOfJob = nested<string>(sql`select ${users.id} from ${users} where ${users.num} = ${jobs.owner}`)
const outcomeCount = nested<number>(sql`select count(*) from ${outcomes} where ${outcomes.job} = ${jobs.num}`)

/** Returns the bytes of a user's uploads that wait. */
const waitingBytes = (now: Param): SQL<number> =>
  sql`(select coalesce(sum(${jobs.bytes}), 0) from ${jobs} where ${jobs.owner} = ${users.num} and ${isOpen(jobs)})
    + (select coalesce(sum(${uploads.bytes}), 0) from ${uploads}
      where ${uploads.owner} = ${users.num} and ${uploads.job} is null and ${uploads.expiresAt} > ${now})`
const fromOwnerWithRoom = (params: { ownerId: Param; now: Param; bytes: Param; maxWaitingBytes: Param }): SQL =>
  sql`from ${users} where ${users.id} = ${params.ownerId}
    and (${params.maxWaitingBytes} is null or ${params.bytes} + ${waitingBytes(params.now)} <= ${params.maxWaitingBytes})`

type WithLimit<Params> = Required<Omit<Params, 'maxWaitingBytes' | 'traceparent'>> & { maxWaitingBytes: number | null }

const insertJob = prepare<WithLimit<EnqueueJobParams> & { traceparent: string | null }>()((job) =>
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
      nextAt: job.enqueuedAt,
      lease: sql`null`,
      leaseUntil: sql`null`,
      takenAt: sql`null`,
      traceparent: job.traceparent,
    },
    fromOwnerWithRoom({
      ownerId: job.ownerId,
      now: job.enqueuedAt,
      bytes: job.bytes,
      maxWaitingBytes: job.maxWaitingBytes,
    }),
  ),
)
const insertUpload = prepare<WithLimit<CreateUploadParams>>()((upload) =>
  insertSelect(
    uploads,
    {
      owner: users.num,
      id: upload.id,
      secret: sql`unhex(${upload.secretHash})`,
      bytes: upload.bytes,
      expiresAt: upload.expiresAt,
      job: sql`null`,
    },
    fromOwnerWithRoom(upload),
  ),
)
const countUpload = prepareDailyCounts<{ id: string }>(
  ({ id }) => sql`select ${dayOf(jobs.enqueuedAt)}, ${countName('uploads')}, 1 from ${jobs} where ${jobs.id} = ${id}`,
)
const discountUpload = prepareDailyCounts<{ ownerId: string; jobId: string }>(
  ({ ownerId, jobId }) => sql`select ${dayOf(jobs.enqueuedAt)}, ${countName('uploads')}, -1 from ${jobs}
    where ${isOwnJob({ ownerId: sql`${ownerId}`, jobId: sql`${jobId}` })} and ${jobs.startedAt} is null`,
)
const selectUser = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build.select({ num: users.num }).from(users).where(eq(users.id, ownerId)),
)
const selectWaitingBytes = prepare<{ ownerId: string; now: number }>()(({ ownerId, now }) =>
  build
    .select({ bytes: nested<number>(waitingBytes(now)) })
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
  ownerId: nested<string>(sql`coalesce(${ownerOfJob}, '')`),
  email: nested<string | null>(sql`select ${users.email} from ${users} where ${users.num} = ${jobs.owner}`),
}
const selectAllJobs = prepare<{ before: string; limit: number }>()(({ before, limit }) =>
  build.select(adminFields).from(jobs).where(lt(jobs.id, before)).orderBy(desc(jobs.id)).limit(limit),
)
const selectAllJobsOfStatus = prepare<{ before: string; limit: number; status: string }>()(
  ({ before, limit, status }) =>
    build
      .select(adminFields)
      .from(jobs)
      .where(sql`+${jobs.id} < ${before} and ${jobs.status} = ${status}`)
      .orderBy(desc(jobs.id))
      .limit(limit),
)
const makeRetriable = prepare<{ jobId: string; failedSince: number; now: number }>()(({ jobId, failedSince, now }) =>
  build
    .update(jobs)
    .set({
      status: 'queued',
      attempts: 0,
      nextAt: sql`${now}`,
      errorMessage: null,
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

type Look = { [Name in 'lease' | 'now' | 'leaseUntil']: Param }

/**
 * Returns whether a job is due and free. A lease that lasts longer than it can was made before the clock was set back.
 */
const isDue = (table: JobTable, { lease, now, leaseUntil }: Look): SQL =>
  sql`${isOpen(table)} and ${table.nextAt} <= ${now} and (${table.lease} is null
    or ${table.leaseUntil} not between ${now} and 2 * ${leaseUntil} - ${now} or ${table.lease} = ${lease})`

const waits = sql.raw(retryWaitsMs.map((ms, position) => `when ${position + 1} then ${ms}`).join(' '))
const skew = sql.raw(String(clockSkewMs))
/** Returns the condition that a job's time lies further ahead than it can have been set: the clock was set back. */
const isTooFarAhead = (now: Param): SQL =>
  sql`${isOpen(jobs)} and ${jobs.nextAt} > ${now} + ${skew}
    and ${jobs.nextAt} > ${now} + ${skew} + case ${jobs.attempts} ${waits} else 0 end`

/** The owners who have open jobs, by steps through the index: an owner's thousand jobs are one step. */
const waitingOwners = sql`waiting (owner) as (
  select min(${candidate.owner}) from ${jobs} ${candidate} where ${isOpen(candidate)} union all
  select (select min(${candidate.owner}) from ${jobs} ${candidate} where ${isOpen(candidate)} and ${candidate.owner} > waiting.owner)
    from waiting where waiting.owner is not null)`
/** Selects the due job of the owner whose last claim is the longest ago; an owner without a claim comes first. */
const nextByTurn = (look: Look & { exceptOwnerIds: Param }): SQL =>
  sql`with recursive ${waitingOwners} select num from (
      select (select ${candidate.num} from ${jobs} ${candidate} where ${candidate.owner} = waiting.owner and ${isDue(candidate, look)}
          order by ${candidate.nextAt}, ${candidate.num} limit 1) as num,
        (select max(${candidate.takenAt}) from ${jobs} ${candidate}
          where ${candidate.owner} = waiting.owner and ${candidate.takenAt} <= ${look.now} + ${skew}) as taken_at
      from waiting where waiting.owner is not null and waiting.owner not in
        (select ${users.num} from json_each(${look.exceptOwnerIds}) except_owner cross join ${users} on ${users.id} = except_owner.value))
    where num is not null order by taken_at, num limit 1`
/** Selects the job that the lease holds already, if its caller did not receive the reply; else the next one. */
const nextJob = (look: Look & { exceptOwnerIds: Param }): SQL =>
  sql`select coalesce((select ${jobs.num} from ${jobs} where ${jobs.lease} = ${look.lease} and ${isOpen(jobs)}),
    (${nextByTurn(look)})) as num`

type LookParams = Pick<ClaimJobParams, 'lease' | 'now' | 'leaseUntil'>

const selectHasDue = prepare<LookParams & { exceptOwnerIds: string }>()(
  (look) =>
    sql<object>`select 1 where (${nextJob(look)}) is not null or exists (select 1 from ${jobs} where ${isTooFarAhead(look.now)})`,
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
const claim = ({ lease, now, leaseUntil }: Look, num: SQL) =>
  build
    .update(jobs)
    .set({
      lease: sql`${lease}`,
      leaseUntil: sql`${leaseUntil}`,
      attempts: sql`${jobs.attempts} + (${jobs.lease} is not ${lease})`,
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
      dueAt: jobs.nextAt,
      traceparent: jobs.traceparent,
      ownerId: nested<string>(sql`coalesce(${ownerOfJob}, '')`),
      done: outcomeCount,
    })
const claimNext = prepare<LookParams & { exceptOwnerIds: string }>()((look) => claim(look, nextJob(look)))
const claimOne = prepare<LookParams & { jobId: string }>()((look) =>
  claim(look, sql`select ${jobs.num} from ${jobs} where ${jobs.id} = ${look.jobId} and ${isDue(jobs, look)}`),
)

interface Holder {
  readonly jobId: string
  readonly lease: string
}
const extendLease = prepare<Holder & { leaseUntil: number }>()((params) =>
  build
    .update(jobs)
    .set({ leaseUntil: sql`${params.leaseUntil}` })
    .where(isHeld(params)),
)
const isKept = sql`${outcomes.outcome} in ('stored', 'updated')`
const ofJob = sql`from ${outcomes} where ${outcomes.job} = ${jobs.num}`
const setDone = prepare<Holder & { now: number; usdPerMillionTokens: number }>()((params) =>
  build
    .update(jobs)
    .set({
      status: 'done',
      finishedAt: sql`${params.now}`,
      lease: null,
      leaseUntil: null,
      errorMessage: null,
      traceCount: sql`(select count(*) ${ofJob} and ${isKept})`,
      rejectedCount: sql`(select count(*) ${ofJob} and not (${isKept}))`,
      estimatedUsd: sql`round((select coalesce(sum(${outcomes.tokens}), 0) ${ofJob} and ${isKept})
        * ${params.usdPerMillionTokens}) / 1000000.0`,
    })
    .where(and(isHeld(params), eq(jobs.total, outcomeCount))),
)
const setQueued = prepare<Holder & { dueAt: number; uncounted: number }>()((params) =>
  build
    .update(jobs)
    .set({
      status: 'queued',
      lease: null,
      leaseUntil: null,
      nextAt: sql`${params.dueAt}`,
      attempts: sql`${jobs.attempts} - ${params.uncounted}`,
    })
    .where(isHeld(params)),
)
const setFailed = prepare<Holder & { now: number; message: string }>()((params) =>
  build
    .update(jobs)
    .set({
      status: 'failed',
      lease: null,
      leaseUntil: null,
      finishedAt: sql`${params.now}`,
      errorMessage: sql`${params.message}`,
    })
    .where(isHeld(params)),
)

/** Returns the event of a job that just ended, unless its person is being erased. */
const eventOfJob = (jobId: SQLWrapper, data: SQL) => ({
  owner: jobs.owner,
  subject: users.id,
  data: sql`json_object('userId', ${users.id}, 'jobId', ${jobs.id}, ${data})`,
  from: sql`from ${jobs} cross join ${users} on ${users.num} = ${jobs.owner} and ${users.erasedAt} is null
    where ${jobs.id} = ${jobId} and ${hasChanged}`,
})
const enqueueCompleted = prepareEvent<{ jobId: string }>(({ jobId }) =>
  eventOfJob(
    jobId,
    sql`'traceCount', ${jobs.traceCount}, 'rejectedCount', ${jobs.rejectedCount}, 'estimatedUsd', ${jobs.estimatedUsd}`,
  ),
)
const enqueueFailed = prepareEvent<{ jobId: string }>(({ jobId }) =>
  eventOfJob(jobId, sql`'errorMessage', ${jobs.errorMessage}`),
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

const selectUpload = prepare<{ secretHash: string }>()(({ secretHash }) =>
  build
    .select({ id: uploads.id, bytes: uploads.bytes, expiresAt: uploads.expiresAt, job: uploads.job })
    .from(uploads)
    .where(eq(uploads.secret, sql`unhex(${secretHash})`)),
)
const isOwnUpload = ({ ownerId, uploadId }: { ownerId: Param; uploadId: Param }): SQL =>
  sql`${uploads.id} = ${uploadId} and ${uploads.owner} = ${ownerNum(ownerId)}`
const setUploadJob = prepare<{ ownerId: string; uploadId: string; jobId: string; now: number }>()((params) =>
  build
    .update(uploads)
    .set({ job: sql`${params.jobId}` })
    .where(and(isOwnUpload(params), isNull(uploads.job), gt(uploads.expiresAt, params.now))),
)
const selectOwnUpload = prepare<{ ownerId: string; uploadId: string }>()((params) =>
  build.select({ job: uploads.job }).from(uploads).where(isOwnUpload(params)),
)
const unsetUploadJob = prepare<{ ownerId: string; uploadId: string; jobId: string }>()((params) =>
  build
    .update(uploads)
    .set({ job: null })
    .where(and(isOwnUpload(params), eq(uploads.job, params.jobId))),
)
const deleteUploadsBefore = prepare<{ expiredBefore: number }>()(({ expiredBefore }) =>
  deleteSome(uploads, lt(uploads.expiresAt, expiredBefore)),
)

/** Deletes outcomes of the jobs that a query selects. */
const deleteOutcomes = (selected: SQL) =>
  build.delete(outcomes).where(sql`(job, idx) in (select ${outcomes.job}, ${outcomes.idx} from (${selected}) selected
    cross join ${outcomes} on ${outcomes.job} = selected.num limit ${sql.raw(String(maxRowsPerWrite))})`)
/** Deletes the jobs that a query selects once their outcomes are deleted, so that the next call finds what one left. */
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

/** Returns the ingest store over libSQL; `ingest/store.ts` says what it guarantees. */
export function libsqlIngest(db: Database): IngestStore {
  const change = async (query: Query): Promise<boolean> => (await db.write([query]))[0]!.changed > 0
  const first = async <Row>(query: Query<Row>): Promise<Row | null> => (await db.read(query))[0] ?? null
  const add = async (ownerId: string, insert: Query, ...others: Query[]): Promise<NotAdded | null> => {
    const [inserted] = await db.write([insert, ...others])
    if (inserted!.changed > 0) return null
    return (await first(selectUser({ ownerId }))) === null ? 'unknown_owner' : 'over_quota'
  }

  return {
    enqueueJob: (job) =>
      add(
        job.ownerId,
        insertJob({ ...job, maxWaitingBytes: job.maxWaitingBytes ?? null, traceparent: job.traceparent ?? null }),
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
    listAllJobs({ status, cursor, limit }) {
      const before = cursor ?? 'g' // Above every id.
      return db.read(
        status === null ? selectAllJobs({ before, limit }) : selectAllJobsOfStatus({ before, limit, status }),
      )
    },
    async retryJob({ jobId, failedSince, audit }) {
      const [, retried] = await db.write([
        recordAudit(audit, 'job.retry', selectRetriable({ jobId, failedSince })),
        makeRetriable({ jobId, failedSince, now: audit.at }),
      ])
      const job = await first(selectJob({ jobId }))
      return job ? { retried: retried.changed > 0, job } : null
    },

    async claimJob({ lease, now, leaseUntil, jobId, exceptOwnerIds = [] }) {
      const look = { lease, now, leaseUntil }
      const except = jsonArgument(exceptOwnerIds)
      // Idle workers ask often: a look costs no write lock.
      const isFound =
        jobId === undefined ? selectHasDue({ ...look, exceptOwnerIds: except }) : selectIsDue({ ...look, jobId })
      if ((await first(isFound)) === null) return null
      const update = jobId === undefined ? claimNext({ ...look, exceptOwnerIds: except }) : claimOne({ ...look, jobId })
      const [, claimed] = await db.write([bringForward({ now }), update])
      const row = claimed.rows[0]
      return row ? { ...row, lease } : null
    },
    async hasDueJob({ lease, now, leaseUntil, exceptOwnerIds = [] }) {
      return (
        (await first(selectHasDue({ lease, now, leaseUntil, exceptOwnerIds: jsonArgument(exceptOwnerIds) }))) !== null
      )
    },
    renewLease: ({ claim: { jobId, lease }, leaseUntil }) => change(extendLease({ jobId, lease, leaseUntil })),
    writeBatch: (params) => writeIngestBatch(db, params),
    async completeJob({ claim: { jobId, lease }, usdPerMillionTokens, now, event }) {
      const [done] = await db.write([
        setDone({ jobId, lease, usdPerMillionTokens, now }),
        enqueueCompleted({ jobId, event }),
      ])
      return done.changed > 0
    },
    async releaseJob({ claim: { jobId, lease }, dueAt }) {
      await change(setQueued({ jobId, lease, dueAt, uncounted: 1 }))
    },
    async postponeJob({ claim: { jobId, lease }, dueAt }) {
      await change(setQueued({ jobId, lease, dueAt, uncounted: 0 }))
    },
    async failJob({ claim: { jobId, lease }, message, now, event }) {
      await db.write([setFailed({ jobId, lease, message, now }), enqueueFailed({ jobId, event })])
    },
    async listJobsNeedingUpload({ jobIds, failedSince }) {
      if (jobIds.length === 0) return []
      const since = Number.isFinite(failedSince) ? failedSince : Number.MAX_SAFE_INTEGER
      const rows = await db.read(selectJobsNeedingUpload({ jobIds: jsonArgument(jobIds), failedSince: since }))
      return rows.map(({ id }) => id)
    },

    findUploadOfJob: (params) => first(selectUploadOfJob(params)),
    async markUploadDeleted(params) {
      await change(clearParts(params))
    },

    createUpload: (upload) =>
      add(upload.ownerId, insertUpload({ ...upload, maxWaitingBytes: upload.maxWaitingBytes ?? null })),
    async findUpload(params) {
      const row = await first(selectUpload(params))
      return row && { id: row.id, bytes: row.bytes, expiresAt: row.expiresAt, taken: row.job !== null }
    },
    async claimUpload(params) {
      if (await change(setUploadJob(params))) return null
      const row = await first(selectOwnUpload(params))
      if (!row) return 'not_found'
      return row.job === null ? 'expired' : 'taken'
    },
    async releaseUpload(params) {
      await change(unsetUploadJob(params))
    },
    deleteExpiredUploads: (params) => writeUntilDone(db, [deleteUploadsBefore(params)]),

    async deleteFinishedJobs(params) {
      const [deletedOutcomes, deletedJobs] = await db.write([
        deleteFinishedOutcomes(params),
        deleteFinishedJobs(params),
      ])
      return deletedOutcomes.changed >= maxRowsPerWrite || deletedJobs.changed >= maxJobsPerDelete
    },

    async *exportJobs({ ownerId }) {
      for (let after = 0; ;) {
        const row = await first(selectNextOwnJob({ ownerId, after }))
        if (!row) return
        const { num, ...job } = row
        after = num
        yield { ...job, outcomes: await db.read(selectOutcomes({ num })) }
      }
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
