import type { AccountJob, AccountStore, PreparedExport, StoredExport } from '../../contributors/account/store.ts'
import type { SqlValue } from './client.ts'
import { jsonArgument, raw, type Database } from './database.ts'
import { deleteOutboxOf } from './outbox.ts'
import { deleteSomeText, maxRowsPerWrite } from './bounded-writes.ts'

const owner = '(select num from users where id = ?)'
const columns =
  "id, case status when 'waiting' then 'preparing' else status end as status, requested_at as requestedAt, bytes, " +
  'expires_at as expiresAt, url, secret'
const held = "id = ? and lease = ? and status = 'waiting'"
// ?1 now, ?2 until, ?3 lease. A lease further ahead than one can be set is from a clock that was set back.
const due =
  "status = 'waiting' and next_at <= ?1 and (lease is null or lease_until not between ?1 and 2 * ?2 - ?1 or lease = ?3)"

const statements = {
  erasure: `insert into account_jobs (id, owner, former_id, kind, status, requested_at, next_at)
    select ?1, num, id, 'erasure', 'waiting', ?3, ?3 from users where id = ?2`,
  endCodes: 'delete from sign_in_codes where address = (select email from users where id = ?)',
  endCredentials: deleteSomeText('credentials', 'hash', `owner = ${owner}`),
  // The prefix is for people who look at the database; the id of the job makes it one that nobody has.
  unname: "update users set id = 'erased-' || ?1, email = null, erased_at = ?3 where id = ?2",
  start: `insert into account_jobs (id, owner, former_id, kind, status, requested_at, next_at, secret)
    select ?1, num, id, 'export', 'waiting', ?3, ?3, ?4 from users where id = ?2 and not exists (
      select 1 from account_jobs where owner = users.num and kind = 'export' and (status = 'waiting' or (status = 'ready' and expires_at > ?3)))`,
  latest: `select ${columns} from account_jobs where owner = ${owner} and kind = 'export' and (expires_at is null or expires_at > ?) order by num desc limit 1`,
  find: `select ${columns} from account_jobs where id = ? and +owner = ${owner} and kind = 'export' and (expires_at is null or expires_at > ?)`,
  file: "select id, bytes, attempts as attempt, parts, url from account_jobs where secret = ? and status = 'ready' and url is null and expires_at > ?",
  due: `select 1 from account_jobs where ${due} limit 1`,
  take: `update account_jobs set lease = ?3, lease_until = ?2, attempts = attempts + (lease is not ?3)
    where num = (select num from account_jobs where ${due} order by next_at, num limit 1)
    returning id, kind, former_id as formerId, attempts as attempt, coalesce((select u.id from users u where u.num = account_jobs.owner), '') as ownerId`,
  renew: `update account_jobs set lease_until = ? where ${held}`,
  release: `update account_jobs set lease = null, lease_until = null, next_at = ?, attempts = attempts - 1 where ${held}`,
  postpone: `update account_jobs set lease = null, lease_until = null, next_at = ? where ${held}`,
  complete: `update account_jobs set status = 'ready', lease = null, lease_until = null, bytes = ?, parts = ?, url = ?, expires_at = ?
    where ${held} and exists (select 1 from users where num = account_jobs.owner and erased_at is null)`,
  fail: `update account_jobs set status = 'failed', lease = null, lease_until = null, expires_at = ? where ${held}`,
  completeErasure: `delete from account_jobs where id = ? and kind = 'erasure'`,
  expired: `select id, attempts as attempt, parts, url from account_jobs where expires_at is not null and expires_at <= ? order by expires_at limit ?`,
  delete: "delete from account_jobs where id in (select value from json_each(?)) and kind = 'export'",
  own: `select id, case status when 'waiting' then 'preparing' else status end as status, requested_at as requestedAt, expires_at as expiresAt
    from account_jobs where owner = ${owner} and kind = 'export' order by num`,
  eraseOwn: `${deleteSomeText('account_jobs', 'num', `owner = ${owner} and kind = 'export'`)} returning id, attempts as attempt, parts, url`,
}

/** Exports and erasures of accounts over libSQL; what it guarantees is in `account/store.ts`. */
export function libsqlAccount(db: Database): AccountStore {
  const change = async (text: string, args: SqlValue[]): Promise<boolean> =>
    (await db.write([raw(text, args)]))[0]!.changed > 0
  const holder = ({ id, lease }: AccountJob): SqlValue[] => [id, lease]

  return {
    async startErasure({ ownerId, id, now }) {
      const [queued] = await db.write([
        raw(statements.erasure, [id, ownerId, now]),
        raw(statements.endCodes, [ownerId]),
        raw(statements.endCredentials, [ownerId]),
        deleteOutboxOf({ ownerId }),
        raw(statements.unname, [id, ownerId, now]),
      ])
      return queued!.changed === 1
    },
    async startExport({ ownerId, id, now, secret }) {
      const [, latest] = await db.write<PreparedExport>([
        raw(statements.start, [id, ownerId, now, secret]),
        raw(statements.latest, [ownerId, now]),
      ])
      return latest!.rows[0] ?? null
    },
    async findExport({ ownerId, id, now }) {
      const [row] = await db.read<PreparedExport>(
        id === null ? raw(statements.latest, [ownerId, now]) : raw(statements.find, [id, ownerId, now]),
      )
      return row ?? null
    },
    async findFile({ secret, now }) {
      const [row] = await db.read<StoredExport & { bytes: number }>(raw(statements.file, [secret, now]))
      return row ?? null
    },

    async takeJob({ lease, now, until }) {
      // Idle workers ask often: a look costs no write lock.
      const args: SqlValue[] = [now, until, lease]
      if ((await db.read(raw(statements.due, args))).length === 0) return null
      const [taken] = await db.write<Omit<AccountJob, 'lease'>>([raw(statements.take, args)])
      const row = taken!.rows[0]
      return row
        ? { id: row.id, kind: row.kind, ownerId: row.ownerId, formerId: row.formerId, attempt: row.attempt, lease }
        : null
    },
    renewLease: ({ job, until }) => change(statements.renew, [until, ...holder(job)]),
    async releaseJob({ job, now }) {
      await change(statements.release, [now, ...holder(job)])
    },
    async postponeJob({ job, dueAt }) {
      await change(statements.postpone, [dueAt, ...holder(job)])
    },
    completeExport: ({ job, bytes, parts, url, expiresAt }) =>
      change(statements.complete, [bytes, parts, url, expiresAt, ...holder(job)]),
    async failExport({ job, expiresAt }) {
      await change(statements.fail, [expiresAt, ...holder(job)])
    },
    async completeErasure({ job }) {
      await change(statements.completeErasure, [job.id])
    },

    expiredExports: ({ now, limit }) => db.read<StoredExport>(raw(statements.expired, [now, limit])),
    async deleteExports({ ids }) {
      await change(statements.delete, [jsonArgument(ids)])
    },
    exports: (ownerId) => db.read(raw(statements.own, [ownerId])),
    async eraseExports(ownerId) {
      const [gone] = await db.write<StoredExport>([raw(statements.eraseOwn, [ownerId])])
      return {
        exports: gone!.rows.map(({ id, attempt, parts, url }) => ({ id, attempt, parts, url })),
        hasMore: gone!.changed >= maxRowsPerWrite,
      }
    },
  }
}
