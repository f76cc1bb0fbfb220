import {
  retryWaitsMs,
  type AdminJob,
  type Claim,
  type PreparedTrace,
  type IngestStore,
  type JobRecord,
  type JobStatus,
  type NotAdded,
  type OutcomeRecord,
} from '../../ingest/store.ts'
import type { SqlValue } from './client.ts'
import { recordAudit } from './audit.ts'
import { jsonArgument, raw, type Database } from './database.ts'
import { writeIngestBatch } from './ingest-batch.ts'
import { deleteSomeText, writeUntilDone, maxRowsPerWrite } from './bounded-writes.ts'
import { clockSkewMs } from '../../ports.ts'

/** The short key of a person; no row, no owner: nothing equals null. */
const owner = '(select num from users where id = ?)'
const columns =
  'id, source, status, trace_count as traceCount, rejected_count as rejectedCount, estimated_usd as estimatedUsd, ' +
  'error_message as errorMessage, enqueued_at as enqueuedAt, started_at as startedAt, finished_at as finishedAt'
const adminColumns = `${columns}, attempts, total, coalesce((select u.id from users u where u.num = jobs.owner), '') as ownerId`
const outcomeColumns = 'idx as "index", source_id as sourceId, outcome, trace_id as traceId, redactions'
const open = "status in ('queued', 'parsing', 'ingesting')"
const held = 'id = ? and lease = ?'
const retriable = "status = 'failed' and finished_at >= ? and (parts > 0 or total = 0)"
const kept = "outcome in ('stored', 'updated')"
/** The jobs that one sweep works on. */
const sweepJobs = 500
const firstJobs = `select num from jobs where owner = ${owner} order by num limit ${sweepJobs}`
const finishedJobs = `select num from jobs where finished_at < ? and +status in ('done', 'failed') order by finished_at limit ${sweepJobs}`
/** Deletes outcomes of the jobs that a query selects. */
const deleteOutcomes = (selected: string): string => `delete from outcomes where (job, idx) in
  (select o.job, o.idx from (${selected}) j cross join outcomes o on o.job = j.num limit ${maxRowsPerWrite})`
/** Deletes the jobs that a query selects, each once its outcomes are gone, so that an interrupted sweep finds them again. */
const deleteJobs = (selected: string): string =>
  `delete from jobs where num in (${selected}) and not exists (select 1 from outcomes where job = jobs.num)`
// ?1 now, ?2 until, ?3 lease, ?4 people to leave out, a JSON list
const due = `${open} and next_at <= ?1 and (lease is null or lease_until not between ?1 and 2 * ?2 - ?1 or lease = ?3)`
const waits = retryWaitsMs.map((ms, at) => `when ${at + 1} then ${ms}`).join(' ')
/** Jobs whose time lies further ahead than it can have been set: the clock was set back. */
const ahead = `${open} and next_at > ?1 + ${clockSkewMs} and next_at > ?1 + ${clockSkewMs} + case attempts ${waits} else 0 end`
/** The people who have open jobs, by steps through the index: a person's thousand jobs are one step. */
const waiting = `waiting(owner) as (select min(owner) from jobs where ${open} union all
  select (select min(j.owner) from jobs j where ${open} and j.owner > waiting.owner) from waiting where waiting.owner is not null)`
/** The due job of the person of whom one was taken longest ago; who had none comes first. */
const nextInTurn = `with recursive ${waiting} select num from (
    select (select j.num from jobs j where j.owner = w.owner and ${due} order by j.next_at, j.num limit 1) as num,
      (select max(j.taken_at) from jobs j where j.owner = w.owner and j.taken_at <= ?1 + ${clockSkewMs}) as taken_at
    from waiting w
    where w.owner is not null and w.owner not in (select u.num from json_each(?4) e cross join users u on u.id = e.value))
  where num is not null order by taken_at, num limit 1`
/** The job that the lease holds already, if the caller did not hear so; else the next. */
const nextJob = `select coalesce((select num from jobs where lease = ?3 and ${open}), (${nextInTurn})) as num`

/** The bytes of uploads of the person `u` that wait at the time ?2. */
const waitingBytes = `(select coalesce(sum(j.bytes), 0) from jobs j where j.owner = u.num and ${open})
  + (select coalesce(sum(p.bytes), 0) from uploads p where p.owner = u.num and p.job is null and p.expires_at > ?2)`
// ?1 owner, ?2 now, ?3 bytes, ?4 the most that may wait
const fits = `from users u where u.id = ?1 and (?4 is null or ?3 + ${waitingBytes} <= ?4)`

const statements = {
  enqueue: `insert into jobs (owner, id, source, status, total, parts, bytes, enqueued_at, next_at)
    select u.num, ?5, ?6, 'queued', ?7, ?8, ?3, ?2, ?2 ${fits}`,
  waitingBytes: `select ${waitingBytes} as bytes from users u where u.id = ?1`,
  user: 'select 1 from users where id = ?',
  withdraw: `delete from jobs where id = ? and owner = ${owner} and started_at is null`,
  find: `select ${columns} from jobs where id = ? and +owner = ${owner}`,
  outcomes: `select ${outcomeColumns} from outcomes where job = (select num from jobs where id = ? and +owner = ${owner}) order by idx`,
  list: `select ${columns} from jobs where owner = ${owner} order by num desc limit ?`,
  listAll: `select ${adminColumns} from jobs where id < ? order by id desc limit ?`,
  listStatus: `select ${adminColumns} from jobs where +id < ? and status = ? order by id desc limit ?`,
  retry: `update jobs set status = 'queued', attempts = 0, next_at = ?, error_message = null, started_at = null, finished_at = null,
    lease = null, lease_until = null where id = ? and ${retriable}`,
  auditRetry: `select id, json_object('status', status), json_object('status', 'queued') from jobs where id = ? and ${retriable}`,
  any: `select ${columns} from jobs where id = ?`,
  due: `select 1 where (${nextJob}) is not null or exists (select 1 from jobs where ${ahead})`,
  dueOne: `select 1 from jobs where id = ?4 and (${due} or (${ahead}))`,
  bringForward: `update jobs set next_at = ?1 where num in (select num from jobs where ${ahead} limit ${maxRowsPerWrite})`,
  take: takeWhere(nextJob),
  takeOne: takeWhere(`select num from jobs where id = ?4 and ${due}`),
  renew: `update jobs set lease_until = ? where ${held}`,
  finish: `update jobs set status = 'done', finished_at = ?, lease = null, lease_until = null, error_message = null,
    trace_count = (select count(*) from outcomes where job = jobs.num and ${kept}),
    rejected_count = (select count(*) from outcomes where job = jobs.num and not (${kept})),
    estimated_usd = round((select coalesce(sum(tokens), 0) from outcomes where job = jobs.num and ${kept}) * ?) / 1000000.0
    where ${held} and total = (select count(*) from outcomes where job = jobs.num)`,
  release: `update jobs set status = 'queued', lease = null, lease_until = null, next_at = ?, attempts = attempts - 1 where ${held}`,
  postpone: `update jobs set status = 'queued', lease = null, lease_until = null, next_at = ? where ${held}`,
  fail: `update jobs set status = 'failed', lease = null, lease_until = null, finished_at = ?, error_message = ? where ${held}`,
  needing: `select id from jobs where id in (select value from json_each(?)) and (${open} or (status = 'failed' and finished_at >= ?))`,
  uploadOfJob: `select status, parts from jobs where id = ? and +owner = ${owner}`,
  forgetUploadOfJob: `update jobs set parts = 0 where id = ? and +owner = ${owner} and status = 'failed'`,
  startUpload: `insert into uploads (owner, id, secret, bytes, expires_at) select u.num, ?5, unhex(?6), ?3, ?7 ${fits}`,
  findUpload:
    'select id, bytes, expires_at as expiresAt, job is not null as taken from uploads where secret = unhex(?)',
  takeUpload: `update uploads set job = ? where id = ? and owner = ${owner} and job is null and expires_at > ?`,
  whyNot: `select job is not null as taken from uploads where id = ? and owner = ${owner}`,
  returnUpload: `update uploads set job = null where id = ? and owner = ${owner} and job = ?`,
  forgetUploads: deleteSomeText('uploads', 'id', 'expires_at < ?'),
  own: `select num, parts, ${columns} from jobs where owner = ${owner} and num > ? order by num limit 1`,
  ownOutcomes: `select ${outcomeColumns} from outcomes where job = ? order by idx`,
  deleteOutcomes: deleteOutcomes(finishedJobs),
  deleteJobs: deleteJobs(finishedJobs),
  eraseOutcomes: deleteOutcomes(firstJobs),
  eraseJobs: `${deleteJobs(firstJobs)} returning id, parts`,
  eraseUploads: `${deleteSomeText('uploads', 'id', `owner = ${owner}`)} returning id`,
}

function takeWhere(job: string): string {
  return `update jobs set lease = ?3, lease_until = ?2, attempts = attempts + (lease is not ?3), status = 'parsing',
      started_at = coalesce(started_at, ?1), taken_at = ?1
    where num = (${job})
    returning id, total, parts, attempts, next_at as dueAt, (select u.id from users u where u.num = jobs.owner) as ownerId,
      (select count(*) from outcomes where job = jobs.num) as done`
}

interface TakenRow {
  id: string
  total: number
  parts: number
  attempts: number
  dueAt: number
  ownerId: string | null
  done: number
}

/** Ingest jobs over a libSQL database. */
export function libsqlIngest(db: Database): IngestStore {
  const change = async (text: string, args: SqlValue[]): Promise<boolean> =>
    (await db.write([raw(text, args)]))[0]!.changed > 0
  const holder = ({ jobId, lease }: Claim): SqlValue[] => [jobId, lease]
  const one = async <Row>(text: string, args: SqlValue[]): Promise<Row | null> =>
    (await db.read<Row>(raw(text, args)))[0] ?? null
  const add = async (ownerId: string, text: string, args: SqlValue[]): Promise<NotAdded | null> => {
    if (await change(text, [ownerId, ...args])) return null
    return (await one(statements.user, [ownerId])) === null ? 'unknown_owner' : 'over_quota'
  }

  return {
    enqueueJob: (ownerId, { id, source, total, parts, bytes, enqueuedAt }, maxWaitingBytes) =>
      add(ownerId, statements.enqueue, [enqueuedAt, bytes, maxWaitingBytes ?? null, id, source, total, parts]),
    async countWaitingBytes(ownerId, now) {
      return (await one<{ bytes: number }>(statements.waitingBytes, [ownerId, now]))?.bytes ?? 0
    },
    withdrawJob: (ownerId, jobId) => change(statements.withdraw, [jobId, ownerId]),
    findJob: (ownerId, jobId) => one<JobRecord>(statements.find, [jobId, ownerId]),
    async listOutcomes(ownerId, jobId) {
      const [jobs, outcomes] = await db.readAll([
        raw(statements.find, [jobId, ownerId]),
        raw(statements.outcomes, [jobId, ownerId]),
      ])
      return jobs!.length > 0 ? (outcomes as unknown as OutcomeRecord[]) : null
    },
    listJobs: (ownerId, limit) => db.read<JobRecord>(raw(statements.list, [ownerId, limit])),
    listAllJobs: (status, cursor, limit) => {
      const below = cursor ?? 'g' // after every id
      return db.read<AdminJob>(
        status === null ? raw(statements.listAll, [below, limit]) : raw(statements.listStatus, [below, status, limit]),
      )
    },
    async retryJob(jobId, since, audit) {
      const [, retried] = await db.write([
        recordAudit(audit, 'job.retry', statements.auditRetry, [jobId, since]),
        raw(statements.retry, [audit.at, jobId, since]),
      ])
      const job = await one<JobRecord>(statements.any, [jobId])
      return job ? { retried: retried!.changed > 0, job } : null
    },

    async claimJob({ lease, now, leaseUntil: until, jobId, exceptOwnerIds = [] }) {
      const [look, update] =
        jobId === undefined ? [statements.due, statements.take] : [statements.dueOne, statements.takeOne]
      const args: SqlValue[] = [now, until, lease, jobId ?? jsonArgument(exceptOwnerIds)]
      // Idle workers ask often: a look costs no write lock.
      if ((await one(look, args)) === null) return null
      const [, took] = await db.write<TakenRow>([raw(statements.bringForward, [now]), raw(update, args)])
      const row = took!.rows[0]
      if (!row) return null
      const { id, attempts, ownerId, ...rest } = row
      return { jobId: id, lease, ownerId: ownerId ?? '', attempt: attempts, ...rest }
    },
    async hasDueJob({ lease, now, leaseUntil: until, exceptOwnerIds = [] }) {
      return (await one(statements.due, [now, until, lease, jsonArgument(exceptOwnerIds)])) !== null
    },
    renewLease: (claim, until) => change(statements.renew, [until, ...holder(claim)]),
    writeBatch: (claim: Claim, slice: readonly PreparedTrace[], now: number, until: number) =>
      writeIngestBatch(db, claim, slice, now, until),
    completeJob: (claim, price, now) => change(statements.finish, [now, price, ...holder(claim)]),
    async releaseJob(claim, dueAt) {
      await change(statements.release, [dueAt, ...holder(claim)])
    },
    async postponeJob(claim, dueAt) {
      await change(statements.postpone, [dueAt, ...holder(claim)])
    },
    async failJob(claim, message, now) {
      await change(statements.fail, [now, message, ...holder(claim)])
    },
    async listJobsNeedingUpload(jobIds, since) {
      if (jobIds.length === 0) return []
      const bound = Number.isFinite(since) ? since : Number.MAX_SAFE_INTEGER
      return (await db.read<{ id: string }>(raw(statements.needing, [jsonArgument(jobIds), bound]))).map(({ id }) => id)
    },

    findUploadOfJob: ({ ownerId, jobId }) =>
      one<{ status: JobStatus; parts: number }>(statements.uploadOfJob, [jobId, ownerId]),
    async markUploadDeleted({ ownerId, jobId }) {
      await change(statements.forgetUploadOfJob, [jobId, ownerId])
    },

    createUpload: (ownerId, { id, secretHash, bytes, now, expiresAt }, maxWaitingBytes) =>
      add(ownerId, statements.startUpload, [now, bytes, maxWaitingBytes ?? null, id, secretHash, expiresAt]),
    async findUpload(secretHash) {
      const row = await one<{ id: string; bytes: number; expiresAt: number; taken: number }>(statements.findUpload, [
        secretHash,
      ])
      return row && { ...row, taken: row.taken === 1 }
    },
    async claimUpload(ownerId, uploadId, jobId, now) {
      if (await change(statements.takeUpload, [jobId, uploadId, ownerId, now])) return null
      const row = await one<{ taken: number }>(statements.whyNot, [uploadId, ownerId])
      if (!row) return 'not_found'
      return row.taken === 1 ? 'taken' : 'expired'
    },
    async releaseUpload(ownerId, uploadId, jobId) {
      await change(statements.returnUpload, [uploadId, ownerId, jobId])
    },
    async deleteExpiredUploads(before) {
      await writeUntilDone(db, [raw(statements.forgetUploads, [before])])
    },

    async deleteFinishedJobs({ finishedBefore }) {
      const [outcomes, jobs] = await db.write(
        [statements.deleteOutcomes, statements.deleteJobs].map((text) => raw(text, [finishedBefore])),
      )
      return outcomes!.changed >= maxRowsPerWrite || jobs!.changed >= sweepJobs
    },

    async *exportJobs(ownerId) {
      for (let after = 0; ;) {
        const row = await one<JobRecord & { num: number; parts: number }>(statements.own, [ownerId, after])
        if (!row) return
        const { num, parts: _, ...job } = row
        after = num
        yield { ...job, outcomes: await db.read<OutcomeRecord>(raw(statements.ownOutcomes, [num])) }
      }
    },
    async eraseJobs(ownerId) {
      const queries = [statements.eraseOutcomes, statements.eraseJobs, statements.eraseUploads].map((text) =>
        raw(text, [ownerId]),
      )
      const [outcomes, jobs, uploads] = await db.write<{ id: string; parts: number }>(queries)
      return {
        jobs: jobs!.rows.map(({ id, parts }) => ({ id, parts })),
        uploads: uploads!.rows.map(({ id }) => id),
        hasMore:
          outcomes!.changed >= maxRowsPerWrite || jobs!.changed >= sweepJobs || uploads!.changed >= maxRowsPerWrite,
      }
    },
  }
}
