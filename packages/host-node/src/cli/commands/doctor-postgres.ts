import { openPostgres, type OpenPostgres } from '../../postgres.ts'
import { attempt, type Finding } from './doctor-finding.ts'
import { checkPasskeys } from './doctor-passkeys.ts'

/** The oldest version that was still supported when this was written. */
const oldestVersion = 140_000
const maxClockDriftMs = 1_000
/** The longest time for which an entry waits while a worker runs. Mails are collected for 15 minutes. */
const overdueMs = 30 * 60 * 1000

interface Server {
  readonly version: number
  readonly encoding: string
  readonly now: number
  readonly canCreate: boolean
  readonly isReplica: boolean
}

const selectServer = `select current_setting('server_version_num')::int as version,
  current_setting('server_encoding') as encoding, extract(epoch from clock_timestamp())::float8 * 1000 as now,
  has_schema_privilege(current_schema(), 'create') as "canCreate", pg_is_in_recovery() as "isReplica"`

/** Checks a PostgreSQL database: whether it answers, its version, its schema, and whether a worker keeps up. */
export async function checkPostgres(url: string, baseUrl?: string): Promise<Finding[]> {
  const opened = await openPostgres(url)
  try {
    let server: Server | undefined
    const reached = await attempt('database', async () => {
      const { rows } = await opened.pool.query<Server>(selectServer)
      server = rows[0]
      return new URL(url).host || 'socket'
    })
    if (!server) return [reached]
    const pending = await opened.migrate({ dryRun: true }).catch((error: unknown) => error as Error)
    const isMigrated = !(pending instanceof Error) && pending.ids.length === 0
    const { version, encoding, now, canCreate, isReplica } = server
    const driftMs = Math.abs(now - Date.now())
    return [
      reached,
      await attempt('version', async () => {
        if (version < oldestVersion) throw new Error(`${version}; expected PostgreSQL 14 or newer`)
        return String(Math.floor(version / 10_000))
      }),
      await attempt('encoding', async () => {
        if (encoding !== 'UTF8') throw new Error(`${encoding}; create the database with encoding UTF8`)
        return encoding
      }),
      await attempt('clock of the server', async () => {
        if (driftMs > maxClockDriftMs)
          throw new Error(`differs by ${driftMs.toFixed(0)} ms from this machine: set up NTP on both`)
        return 'the same as here'
      }),
      await attempt('migrated', async () => {
        if (pending instanceof Error) throw pending
        if (isMigrated) return 'up to date'
        const missing = canCreate ? '' : ' as a role that may create tables'
        throw new Error(
          `${pending.ids.length} pending (${pending.ids.join(', ')}); run \`tributary migrate\`${missing}`,
        )
      }),
      ...(isMigrated
        ? [
            await attempt('writable', () => requireWritable(opened, isReplica)),
            await attempt('jobs', () => requireNothingOverdue(opened, overdueJobs)),
            await attempt('outbox', () => requireNothingOverdue(opened, overdueEntries)),
            ...(await checkPasskeys(opened.stores, baseUrl)),
          ]
        : []),
    ]
  } finally {
    await opened.close()
  }
}

/** Checks every privilege that a statement needs, without changing the database. */
async function requireWritable({ pool }: OpenPostgres, isReplica: boolean): Promise<string> {
  if (isReplica) throw new Error('this is a replica: use the address of the primary')
  const { rows } = await pool.query<{ table: string }>(`select c.relname as table from pg_class c
    where c.relnamespace = (select relnamespace from pg_class where oid = 'users'::regclass)
      and c.relkind = 'r' and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
        and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete')) limit 1`)
  if (rows[0])
    throw new Error(
      `no privilege on ${rows[0].table}: grant select, insert, update, delete on all tables, and usage on all sequences, of the schema`,
    )
  return 'yes'
}

const overdueJobs = `select count(*)::int as count from jobs where status in ('queued', 'parsing', 'ingesting')
  and next_at < $1 and (lease is null or lease_until < $1)`
const overdueEntries = `select count(*)::int as count from outbox where finished_at is null
  and ((status = 'waiting' and due_at < $1) or (status = 'sending' and lease_until < $1))`

/** Throws when an entry has been due for too long. */
async function requireNothingOverdue({ pool }: OpenPostgres, query: string): Promise<string> {
  const { rows } = await pool.query<{ count: number }>(query, [Date.now() - overdueMs])
  if (rows[0]!.count > 0)
    throw new Error(
      `${rows[0]!.count} due for more than 30 minutes; no worker runs, or it has no mail server: run \`tributary worker\``,
    )
  return 'nothing is overdue'
}
