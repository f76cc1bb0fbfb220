import { and, asc, desc, eq, inArray, isNull, sql, type SQLWrapper } from 'drizzle-orm'
import type {
  AccountStore,
  ClaimJobParams,
  FindExportFileParams,
  NewAccountJob,
  PreparedExport,
  StartExportParams,
} from '../../contributors/account/store.ts'
import { personRateKeys } from '../../http/rate-limit.ts'
import { deleteSome, maxRowsPerWrite, writeUntilDone } from './bounded-writes.ts'
import { jsonArgument, type Database, type Query } from './database.ts'
import { revokeDeviceLogins } from './device-authorization.ts'
import { hasChanged, prepareEvent } from './events.ts'
import { deleteOwnersEntries } from './outbox.ts'
import { build, insertSelect, jsonValues, ownerNum, prepare, type Placeholders } from './statement.ts'
import { accountJobs } from './tables/account.ts'
import { audit } from './tables/audit.ts'
import { credentials, ratePermits, signInCodes, users } from './tables/sessions.ts'

/** Returns the columns of a new job. The database generates `num`. */
const newJob = (
  kind: 'erasure' | 'export',
  {
    id,
    now,
    secretHash = sql`null`,
    credential = sql`null`,
  }: Record<'id' | 'now', SQLWrapper> & Partial<Record<'secretHash' | 'credential', SQLWrapper>>,
) => ({
  id,
  owner: users.num,
  formerId: users.id,
  kind: sql.raw(`'${kind}'`),
  status: sql`'waiting'`,
  attempts: sql`0`,
  requestedAt: now,
  nextAt: now,
  lease: sql`null`,
  leaseUntil: sql`null`,
  secretHash,
  credential,
  bytes: sql`null`,
  parts: sql`0`,
  url: sql`null`,
  expiresAt: sql`null`,
})

const insertErasure = prepare<NewAccountJob>()(({ ownerId, id, now }) =>
  insertSelect(accountJobs, newJob('erasure', { id, now }), sql`from ${users} where ${users.id} = ${ownerId}`),
)

const deleteSignInCodes = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .delete(signInCodes)
    .where(eq(signInCodes.address, sql`(select ${users.email} from ${users} where ${users.id} = ${ownerId})`)),
)

const deleteCredentials = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(credentials, eq(credentials.owner, ownerNum(ownerId))),
)

/**
 * Replaces the user's id and e-mail address. The job's id makes the new id unique; the prefix shows a reader of the
 * database that the user was erased.
 */
const anonymizeUser = prepare<NewAccountJob>()(({ ownerId, id, now }) =>
  build
    .update(users)
    .set({ id: sql`'erased-' || ${id}`, email: null, erasedAt: sql`${now}` })
    .where(eq(users.id, ownerId)),
)

/** Returns the condition that an export, and the token or session that requested it, have not expired. */
const isUnexpired = (now: SQLWrapper) =>
  sql`(${accountJobs.expiresAt} is null or ${accountJobs.expiresAt} > ${now}) and (${accountJobs.credential} is null
    or exists (select 1 from ${credentials} where ${credentials.hash} = ${accountJobs.credential}
      and ${credentials.expiresAt} > ${now}))`

/** Inserts an export, unless the owner has an export that is being prepared or has not expired. */
const insertExport = prepare<StartExportParams>()(({ ownerId, id, now, secretHash, credential }) =>
  insertSelect(
    accountJobs,
    newJob('export', { id, now, secretHash, credential }),
    sql`from ${users} where ${users.id} = ${ownerId} and not exists (
      select 1 from ${accountJobs} where ${accountJobs.owner} = ${users.num} and ${accountJobs.kind} = 'export'
        and ${accountJobs.status} in ('waiting', 'ready') and ${isUnexpired(now)})`,
  ),
)

const exportStatus = sql<PreparedExport['status']>`case ${accountJobs.status} when 'waiting' then 'preparing'
  else ${accountJobs.status} end`
const exportColumns = {
  id: accountJobs.id,
  status: exportStatus,
  requestedAt: accountJobs.requestedAt,
  bytes: accountJobs.bytes,
  expiresAt: accountJobs.expiresAt,
  url: accountJobs.url,
  // An export always has a secret hash.
  secretHash: sql<string>`${accountJobs.secretHash}`,
}
const storedExportColumns = {
  id: accountJobs.id,
  attempt: accountJobs.attempts,
  parts: accountJobs.parts,
  url: accountJobs.url,
}
const isExport = eq(accountJobs.kind, 'export')

const selectLatestExport = prepare<{ ownerId: string; now: number }>()(({ ownerId, now }) =>
  build
    .select(exportColumns)
    .from(accountJobs)
    .where(and(eq(accountJobs.owner, ownerNum(ownerId)), isExport, isUnexpired(now)))
    .orderBy(desc(accountJobs.num))
    .limit(1),
)

const selectExport = prepare<{ id: string; ownerId: string; now: number }>()(({ id, ownerId, now }) =>
  build
    .select(exportColumns)
    .from(accountJobs)
    .where(
      // The `+` stops SQLite from using the index on the owner. SQLite must use the index on the id.
      and(eq(accountJobs.id, id), sql`+${accountJobs.owner} = ${ownerNum(ownerId)}`, isExport, isUnexpired(now)),
    ),
)

const selectExportFile = prepare<FindExportFileParams>()(({ secretHash, now }) =>
  build
    // An export that is ready always has a size.
    .select({ ...storedExportColumns, bytes: sql<number>`${accountJobs.bytes}` })
    .from(accountJobs)
    .where(
      and(
        eq(accountJobs.secretHash, secretHash),
        eq(accountJobs.status, 'ready'),
        isNull(accountJobs.url),
        isUnexpired(now),
      ),
    ),
)

/**
 * Returns the condition that a job's lease can be claimed. A lease that ends too far in the future was written before
 * the clock was set back.
 */
const isClaimable = ({ lease, now, until }: Placeholders<ClaimJobParams>) =>
  sql`${accountJobs.status} = 'waiting' and ${accountJobs.nextAt} <= ${now} and (${accountJobs.lease} is null
    or ${accountJobs.leaseUntil} not between ${now} and 2 * ${until} - ${now} or ${accountJobs.lease} = ${lease})`

const selectClaimable = prepare<ClaimJobParams>()((claim) =>
  build.select({ num: accountJobs.num }).from(accountJobs).where(isClaimable(claim)).limit(1),
)

const claimJob = prepare<ClaimJobParams>()(({ lease, now, until }) =>
  build
    .update(accountJobs)
    .set({
      lease: sql`${lease}`,
      leaseUntil: sql`${until}`,
      attempts: sql`${accountJobs.attempts} + iif(${accountJobs.lease} is not ${lease}, 1, 0)`,
    })
    .where(
      sql`${accountJobs.num} = (select ${accountJobs.num} from ${accountJobs} where ${isClaimable({ lease, now, until })}
        order by ${accountJobs.nextAt}, ${accountJobs.num} limit 1)`,
    )
    .returning({
      id: accountJobs.id,
      kind: accountJobs.kind,
      formerId: accountJobs.formerId,
      attempt: accountJobs.attempts,
      ownerId: sql<string>`coalesce((select id from ${users} where num = ${sql`${accountJobs.owner}`}), '')`,
    }),
)

interface HeldJob {
  readonly id: string
  readonly lease: string
}
const isHeld = ({ id, lease }: Placeholders<HeldJob>) =>
  sql`${accountJobs.id} = ${id} and ${accountJobs.lease} = ${lease} and ${accountJobs.status} = 'waiting'`

const renewLease = prepare<HeldJob & { until: number }>()((params) =>
  build
    .update(accountJobs)
    .set({ leaseUntil: sql`${params.until}` })
    .where(isHeld(params)),
)

const releaseJob = prepare<HeldJob & { now: number }>()((params) =>
  build
    .update(accountJobs)
    .set({
      lease: null,
      leaseUntil: null,
      nextAt: sql`${params.now}`,
      attempts: sql`${accountJobs.attempts} - 1`,
    })
    .where(isHeld(params)),
)

const postponeJob = prepare<HeldJob & { dueAt: number }>()((params) =>
  build
    .update(accountJobs)
    .set({ lease: null, leaseUntil: null, nextAt: sql`${params.dueAt}` })
    .where(isHeld(params)),
)

type CompleteExportArgs = HeldJob & {
  readonly bytes: number
  readonly parts: number
  readonly url: string | null
  readonly expiresAt: number
}

const completeExport = prepare<CompleteExportArgs>()((params) =>
  build
    .update(accountJobs)
    .set({
      status: 'ready',
      lease: null,
      leaseUntil: null,
      bytes: sql`${params.bytes}`,
      parts: sql`${params.parts}`,
      url: sql`${params.url}`,
      expiresAt: sql`${params.expiresAt}`,
    })
    .where(
      sql`${isHeld(params)} and exists (
        select 1 from ${users} where ${users.num} = ${accountJobs.owner} and ${users.erasedAt} is null)`,
    ),
)

const failExport = prepare<HeldJob & { expiresAt: number }>()((params) =>
  build
    .update(accountJobs)
    .set({ status: 'failed', lease: null, leaseUntil: null, expiresAt: sql`${params.expiresAt}` })
    .where(isHeld(params)),
)

const replaceTarget = prepare<{ id: string; formerId: string }>()(({ id, formerId }) =>
  build
    .update(audit)
    .set({ target: sql`'erased-' || ${id}` })
    .where(
      sql`${audit.num} in (select ${audit.num} from ${audit} where ${audit.target} = ${formerId}
        and exists (select 1 from ${accountJobs} where ${accountJobs.id} = ${id}) limit ${sql.raw(String(maxRowsPerWrite))})`,
    ),
)

const deleteRatePermits = prepare<{ keys: string }>()(({ keys }) =>
  build.delete(ratePermits).where(inArray(ratePermits.key, jsonValues(keys))),
)

const isErasureOf = (id: SQLWrapper) => and(sql`${accountJobs.id} = ${id}`, eq(accountJobs.kind, 'erasure'))
const selectErasure = prepare<{ id: string }>()(({ id }) =>
  build.select({ num: accountJobs.num }).from(accountJobs).where(isErasureOf(id)),
)
const deleteErasure = prepare<{ id: string }>()(({ id }) => build.delete(accountJobs).where(isErasureOf(id)))

const enqueueErased = prepareEvent<{ formerId: string }>(({ formerId }) => ({
  owner: sql`null`,
  subject: formerId,
  data: sql`json_object('userId', ${formerId})`,
  from: sql`where ${hasChanged}`,
}))

const selectExpiredExports = prepare<{ now: number; limit: number }>()(({ now, limit }) =>
  build
    .select(storedExportColumns)
    .from(accountJobs)
    .where(sql`${accountJobs.expiresAt} is not null and not (${isUnexpired(now)})`)
    .orderBy(asc(accountJobs.expiresAt))
    .limit(limit),
)

const deleteExports = prepare<{ ids: string }>()(({ ids }) =>
  build.delete(accountJobs).where(and(inArray(accountJobs.id, jsonValues(ids)), isExport)),
)

const selectExportsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  build
    .select({
      id: accountJobs.id,
      status: exportStatus,
      requestedAt: accountJobs.requestedAt,
      expiresAt: accountJobs.expiresAt,
    })
    .from(accountJobs)
    .where(and(eq(accountJobs.owner, ownerNum(ownerId)), isExport))
    .orderBy(asc(accountJobs.num)),
)

const deleteExportsOfOwner = prepare<{ ownerId: string }>()(({ ownerId }) =>
  deleteSome(accountJobs, and(eq(accountJobs.owner, ownerNum(ownerId)), isExport)).returning(storedExportColumns),
)

/** Returns the store of account exports and erasures over libSQL. `account/store.ts` describes the guarantees. */
export function libsqlAccount(db: Database): AccountStore {
  const change = async (query: Query): Promise<boolean> => {
    const [written] = await db.write([query])
    return written.changed > 0
  }

  return {
    async startErasure({ ownerId, id, now }) {
      const [queued] = await db.write([
        insertErasure({ ownerId, id, now }),
        deleteSignInCodes({ ownerId }),
        deleteCredentials({ ownerId }),
        revokeDeviceLogins({ ownerId }),
        deleteOwnersEntries({ ownerId }),
        anonymizeUser({ ownerId, id, now }),
      ])
      return queued.changed === 1
    },
    isErasing: async ({ id }) => (await db.read(selectErasure({ id }))).length > 0,
    async startExport(params) {
      const [, latest] = await db.write([insertExport(params), selectLatestExport(params)])
      return latest.rows[0] ?? null
    },
    async findExport({ ownerId, id, now }) {
      const [found] = await db.read(
        id === null ? selectLatestExport({ ownerId, now }) : selectExport({ id, ownerId, now }),
      )
      return found ?? null
    },
    async findExportFile(params) {
      const [found] = await db.read(selectExportFile(params))
      return found ?? null
    },

    async claimJob({ lease, now, until }) {
      // This read comes first, because idle workers query often and a read needs no write lock.
      if ((await db.read(selectClaimable({ lease, now, until }))).length === 0) return null
      const [claimed] = await db.write([claimJob({ lease, now, until })])
      const [row] = claimed.rows
      return row ? { ...row, lease } : null
    },
    renewLease: ({ job: { id, lease }, until }) => change(renewLease({ id, lease, until })),
    async releaseJob({ job: { id, lease }, now }) {
      await change(releaseJob({ id, lease, now }))
    },
    async postponeJob({ job: { id, lease }, dueAt }) {
      await change(postponeJob({ id, lease, dueAt }))
    },
    completeExport: ({ job: { id, lease }, bytes, parts, url, expiresAt }) =>
      change(completeExport({ id, lease, bytes, parts, url, expiresAt })),
    async failExport({ job: { id, lease }, expiresAt }) {
      await change(failExport({ id, lease, expiresAt }))
    },
    async completeErasure({ job: { id, formerId }, event }) {
      const keys = jsonArgument(personRateKeys(formerId))
      await writeUntilDone(db, [replaceTarget({ id, formerId }), deleteRatePermits({ keys })])
      await db.write([deleteErasure({ id }), enqueueErased({ formerId, event })])
    },

    listExpiredExports: ({ now, limit }) => db.read(selectExpiredExports({ now, limit })),
    async deleteExports({ ids }) {
      await change(deleteExports({ ids: jsonArgument(ids) }))
    },
    listExports: ({ ownerId }) => db.read(selectExportsOfOwner({ ownerId })),
    async eraseExports({ ownerId }) {
      const [deleted] = await db.write([deleteExportsOfOwner({ ownerId })])
      return { exports: deleted.rows, hasMore: deleted.changed >= maxRowsPerWrite }
    },
  }
}
