import type { ClaimJobParams, EventData, IngestStore, JobRecord, NewEvent } from '@tributary/core'
import { clockSkewMs, estimate, retryWaitsMs } from '@tributary/core/stores'
import { and, asc, count, desc, eq, gt, inArray, isNull, lt, ne, not, notInArray, or, sql, type SQL } from 'drizzle-orm'
import { readFirst, type Database, type Postgres } from './database.ts'
import { enqueueEvent, recordAudit } from './effects.ts'
import { writeBatch } from './ingest-batch.ts'
import { lockOwner, selectOwnerNum } from './owner.ts'
import { jobs, outcomes, uploads, users } from './tables.ts'
import { uploadMethods } from './uploads.ts'
import { addWithinLimit, countWaitingBytes, isOpen } from './waiting.ts'

/** Jobs that one deletion works on. */
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
} satisfies Record<keyof JobRecord, unknown>
const outcomeFields = {
  index: outcomes.index,
  sourceId: outcomes.sourceId,
  outcome: outcomes.outcome,
  traceId: outcomes.traceId,
  redactions: outcomes.redactions,
}

const isOwn = ({ ownerId, jobId }: { ownerId: string; jobId: string }) =>
  and(eq(jobs.id, jobId), eq(jobs.owner, selectOwnerNum(ownerId)))
const isHeld = ({ jobId, lease }: { jobId: string; lease: string }) => and(eq(jobs.id, jobId), eq(jobs.lease, lease))
const withoutLease = { lease: null, leaseUntil: null }

const waits = sql.raw(retryWaitsMs.map((ms, at) => `when ${at + 1} then ${ms}`).join(' '))
/**
 * Returns the condition that a job is due and free. A time that lies further ahead than it is ever set was set before
 * the clock was set back.
 */
function isDue({ lease, now, leaseUntil, jobId, exceptOwnerIds = [] }: ClaimJobParams): SQL | undefined {
  const tooFarAhead = sql`${now + clockSkewMs}::bigint + case ${jobs.attempts} ${waits} else 0 end`
  const except = sql`(select ${users.num} from ${users} where ${inArray(users.id, [...exceptOwnerIds])})`
  return and(
    isOpen,
    or(sql`${jobs.dueAt} <= ${now}`, sql`${jobs.dueAt} > ${tooFarAhead}`),
    or(
      isNull(jobs.lease),
      eq(jobs.lease, lease),
      sql`${jobs.leaseUntil} not between ${now} and ${2 * leaseUntil - now}`,
    ),
    jobId === undefined ? undefined : eq(jobs.id, jobId),
    exceptOwnerIds.length === 0 ? undefined : notInArray(jobs.owner, except),
  )
}

/**
 * Selects the job that the lease holds already, else the job due longest of the owner whose last claim is the longest
 * ago.
 */
function selectNext(query: Postgres, params: ClaimJobParams) {
  const lastClaim = sql`(select max(other.claimed_at) from ${jobs} other
    where other.owner = ${jobs.owner} and other.claimed_at <= ${params.now + clockSkewMs})`
  return query
    .select({ id: jobs.id })
    .from(jobs)
    .where(isDue(params))
    .orderBy(
      sql`${jobs.lease} is not distinct from ${params.lease} desc`,
      sql`${lastClaim} nulls first`,
      asc(jobs.dueAt),
      asc(jobs.id),
    )
    .limit(1)
}

/** Writes the event of a job that just ended, unless its user is being erased. */
async function enqueueOfJob<Type extends 'job.completed' | 'job.failed'>(
  tx: Postgres,
  owner: number,
  event: NewEvent<Type> | undefined,
  dataOf: (userId: string) => EventData<Type>,
): Promise<void> {
  const isUser = and(eq(users.num, owner), isNull(users.erasedAt))
  const user = event && (await readFirst(tx.select().from(users).where(isUser)))
  if (user) await enqueueEvent<Type>(tx, event, { owner, subject: user.id, data: dataOf(user.id) as never })
}

/** Deletes jobs with their outcomes. */
async function deleteJobs(tx: Postgres, deleted: readonly { readonly id: string }[]): Promise<void> {
  if (deleted.length === 0) return
  const ids = deleted.map(({ id }) => id)
  await tx.delete(outcomes).where(inArray(outcomes.job, ids))
  await tx.delete(jobs).where(inArray(jobs.id, ids))
}

const adminFields = {
  ...jobFields,
  attempts: jobs.attempts,
  attemptEnd: jobs.attemptEnd,
  ownerId: sql<string>`coalesce(${users.id}, '')`,
  email: users.email,
}

/** Returns the ingest store over Postgres; `IngestStore` says what it guarantees. */
export function postgresIngest(db: Database): IngestStore {
  const changeHeld = async (
    claim: { jobId: string; lease: string },
    changes: Parameters<ReturnType<Postgres['update']>['set']>[0],
  ): Promise<boolean> =>
    (await db.run((query) => query.update(jobs).set(changes).where(isHeld(claim)).returning({ id: jobs.id }))).length >
    0

  return {
    enqueueJob: ({ ownerId, maxWaitingBytes, ...job }) =>
      addWithinLimit(db, { ownerId, bytes: job.bytes, now: job.enqueuedAt, maxWaitingBytes }, (tx, owner) =>
        tx.insert(jobs).values({ ...job, owner, dueAt: job.enqueuedAt }),
      ),
    countWaitingBytes: ({ ownerId, now }) => db.run((query) => countWaitingBytes(query, ownerId, now)),
    async withdrawJob(params) {
      const isUnclaimed = and(isOwn(params), isNull(jobs.startedAt))
      return (await db.run((query) => query.delete(jobs).where(isUnclaimed).returning({ id: jobs.id }))).length > 0
    },
    findJob: (params) => db.run((query) => readFirst(query.select(jobFields).from(jobs).where(isOwn(params)))),
    listOutcomes: (params) =>
      db.run(async (query) => {
        const job = await readFirst(query.select(jobFields).from(jobs).where(isOwn(params)))
        if (!job) return null
        return query.select(outcomeFields).from(outcomes).where(eq(outcomes.job, job.id)).orderBy(asc(outcomes.index))
      }),
    listJobs: ({ ownerId, limit, cursor = null }) =>
      db.run((query) =>
        query
          .select(jobFields)
          .from(jobs)
          .where(and(eq(jobs.owner, selectOwnerNum(ownerId)), cursor === null ? undefined : lt(jobs.id, cursor)))
          .orderBy(desc(jobs.id))
          .limit(limit),
      ),
    findAnyJob: ({ jobId }) =>
      db.run((query) =>
        readFirst(
          query.select(adminFields).from(jobs).leftJoin(users, eq(users.num, jobs.owner)).where(eq(jobs.id, jobId)),
        ),
      ),
    listAllJobs: ({ status, cursor, limit }) =>
      db.run((query) =>
        query
          .select(adminFields)
          .from(jobs)
          .leftJoin(users, eq(users.num, jobs.owner))
          .where(
            and(
              status === null ? undefined : eq(jobs.status, status),
              cursor === null ? undefined : lt(jobs.id, cursor),
            ),
          )
          .orderBy(desc(jobs.id))
          .limit(limit),
      ),
    retryJob: ({ jobId, failedSince, audit }) =>
      db.transact(async (tx) => {
        const job = await readFirst(tx.select().from(jobs).where(eq(jobs.id, jobId)).for('update'))
        if (!job) return null
        const retried = job.status === 'failed' && job.finishedAt! >= failedSince && (job.parts > 0 || job.total === 0)
        if (retried) {
          const queued = {
            status: 'queued',
            attempts: 0,
            losses: 0,
            attemptEnd: null,
            errorMessage: null,
            startedAt: null,
            finishedAt: null,
          } as const
          await tx
            .update(jobs)
            .set({ ...queued, ...withoutLease, dueAt: audit.at })
            .where(eq(jobs.id, jobId))
          const change = { before: { status: 'failed' }, after: { status: 'queued' } }
          await recordAudit(tx, audit, { action: 'job.retry', target: jobId, ...change })
        }
        const [stored] = await tx.select(jobFields).from(jobs).where(eq(jobs.id, jobId))
        return { retried, job: stored! }
      }),

    async claimJob(params) {
      const { lease, now, leaseUntil } = params
      const claimed = {
        status: 'parsing',
        lease,
        leaseUntil,
        claimedAt: now,
        attempts: sql`${jobs.attempts} + case when ${jobs.lease} is not distinct from ${lease} then 0 else 1 end`,
        losses: sql`${jobs.losses} + case when ${jobs.lease} <> ${lease} then 1 else 0 end`,
        attemptEnd: sql`case when ${jobs.lease} <> ${lease} then 'worker_lost' else ${jobs.attemptEnd} end`,
        startedAt: sql`coalesce(${jobs.startedAt}, ${now})`,
        dueAt: sql`least(${jobs.dueAt}, ${now})`,
      } as const
      // A job that another worker claims between the two statements is no longer due: look again.
      for (;;) {
        const next = await db.run((query) => readFirst(selectNext(query, params)))
        if (!next) return null
        const [job] = await db.run((query) =>
          query
            .update(jobs)
            .set(claimed)
            .where(and(eq(jobs.id, next.id), isDue(params)))
            .returning({
              jobId: jobs.id,
              total: jobs.total,
              parts: jobs.parts,
              attempt: jobs.attempts,
              losses: jobs.losses,
              dueAt: jobs.dueAt,
              traceparent: jobs.traceparent,
              ownerId: sql<string>`coalesce((select ${users.id} from ${users} where ${users.num} = ${jobs.owner}), '')`,
              done: sql<number>`(select count(*) from ${outcomes} where ${outcomes.job} = ${jobs.id})`.mapWith(Number),
            }),
        )
        if (job) return { ...job, lease }
      }
    },
    hasDueJob: async (params) => (await db.run((query) => readFirst(selectNext(query, params)))) !== null,
    renewLease: ({ claim, leaseUntil }) => changeHeld(claim, { leaseUntil }),
    writeBatch: (params) => db.transact((tx) => writeBatch(tx, params)),
    completeJob: ({ claim, usdPerMillionTokens, now, event }) =>
      db.transact(async (tx) => {
        const job = await readFirst(tx.select().from(jobs).where(isHeld(claim)).for('update'))
        if (!job) return false
        const isKept = inArray(outcomes.outcome, ['stored', 'updated'])
        const [decided] = await tx
          .select({
            all: count(),
            kept: sql`count(*) filter (where ${isKept})`.mapWith(Number),
            tokens: sql`coalesce(sum(${outcomes.tokens}) filter (where ${isKept}), 0)`.mapWith(Number),
          })
          .from(outcomes)
          .where(eq(outcomes.job, job.id))
        const { all, kept, tokens } = decided!
        if (all !== job.total) return false
        const totals = {
          traceCount: kept,
          rejectedCount: all - kept,
          estimatedUsd: estimate(tokens, usdPerMillionTokens),
        }
        await tx
          .update(jobs)
          .set({ status: 'done', finishedAt: now, errorMessage: null, ...withoutLease, ...totals })
          .where(eq(jobs.id, job.id))
        await enqueueOfJob(tx, job.owner, event, (userId) => ({ userId, jobId: job.id, ...totals }))
        return true
      }),
    async releaseJob({ claim, dueAt, end }) {
      const ended = end === null ? {} : { attemptEnd: end }
      const attempts = sql`greatest(${jobs.attempts} - 1, 1)`
      const losses = sql`greatest(${jobs.losses} - 1, 0)`
      const isOthers = and(eq(jobs.id, claim.jobId), ne(jobs.lease, claim.lease))
      await db.run((query) =>
        query
          .update(jobs)
          .set({ attempts, losses, ...ended })
          .where(isOthers),
      )
      await changeHeld(claim, {
        status: 'queued',
        ...withoutLease,
        dueAt,
        attempts: sql`${jobs.attempts} - 1`,
        losses: 0,
        ...ended,
      })
    },
    async postponeJob({ claim, dueAt, end }) {
      await changeHeld(claim, { status: 'queued', ...withoutLease, dueAt, losses: 0, attemptEnd: end })
    },
    failJob: ({ claim, message, now, event }) =>
      db.transact(async (tx) => {
        const [job] = await tx
          .update(jobs)
          .set({ status: 'failed', ...withoutLease, finishedAt: now, errorMessage: message })
          .where(isHeld(claim))
          .returning()
        if (!job) return
        await enqueueOfJob(tx, job.owner, event, (userId) => ({ userId, jobId: job.id, errorMessage: message }))
      }),
    async listJobsNeedingUpload({ jobIds, failedSince }) {
      if (jobIds.length === 0) return []
      const isKept = Number.isFinite(failedSince)
        ? and(eq(jobs.status, 'failed'), sql`${jobs.finishedAt} >= ${failedSince}`)
        : undefined
      const needed = and(inArray(jobs.id, [...jobIds]), or(isOpen, isKept))
      return (await db.run((query) => query.select({ id: jobs.id }).from(jobs).where(needed))).map(({ id }) => id)
    },

    ...uploadMethods(db),

    async deleteFinishedJobs({ finishedBefore }) {
      return db.transact(async (tx) => {
        const finished = await tx
          .select({ id: jobs.id })
          .from(jobs)
          .where(and(lt(jobs.finishedAt, finishedBefore), not(isOpen)))
          .limit(maxJobsPerDelete)
          .for('update')
        await deleteJobs(tx, finished)
        return finished.length === maxJobsPerDelete
      })
    },
    async *exportJobs({ ownerId }) {
      for (let after = ''; ;) {
        const isNext = and(eq(jobs.owner, selectOwnerNum(ownerId)), gt(jobs.id, after))
        const selectNextJob = (query: Postgres) =>
          query.select(jobFields).from(jobs).where(isNext).orderBy(asc(jobs.id)).limit(1)
        const job = await db.run((query) => readFirst(selectNextJob(query)))
        if (!job) return
        after = job.id
        const decided = await db.run((query) =>
          query.select(outcomeFields).from(outcomes).where(eq(outcomes.job, job.id)).orderBy(asc(outcomes.index)),
        )
        yield { ...job, outcomes: decided }
      }
    },
    eraseJobs: ({ ownerId }) =>
      db.transact(async (tx) => {
        const user = await lockOwner(tx, ownerId)
        if (!user) return { jobs: [], uploads: [], hasMore: false }
        const erased = await tx
          .select({ id: jobs.id, parts: jobs.parts })
          .from(jobs)
          .where(eq(jobs.owner, user.num))
          .limit(maxJobsPerDelete)
          .for('update')
        await deleteJobs(tx, erased)
        const erasedUploads = await tx.delete(uploads).where(eq(uploads.owner, user.num)).returning({ id: uploads.id })
        const hasMore = erased.length === maxJobsPerDelete
        return { jobs: erased, uploads: erasedUploads.map(({ id }) => id), hasMore }
      }),
  }
}
