import { desc, eq, inArray, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { AuditAction, AuditContext, AuditEntry, AuditState, AuditStore } from '../../audit/store.ts'
import { maxRowsPerWrite, writeOnce } from './bounded-writes.ts'
import { jsonArgument, raw, type Database, type Query, type Raw } from './database.ts'
import { listClauses, readList, type ListColumns } from './list.ts'
import { build, jsonValues, prepare } from './statement.ts'
import { audit } from './tables/audit.ts'

/** The rows that an operator's action changes: the target, and its state before and after as JSON objects or null. */
export interface AuditedChange {
  readonly target: string
  readonly stateBefore: string | null
  readonly stateAfter: string | null
}

/**
 * Returns a statement for the batch of an operator's action. It adds an audit entry for each row of `changes`, whose
 * columns are target, state before and state after, in this order. If `changes` reads rows that the action will change,
 * this statement must come before the action and select exactly these rows.
 *
 * ```ts
 * await db.write([recordAudit(audit, 'job.retry', selectRetriable({ jobId })), retryJob({ jobId })])
 * ```
 */
export function recordAudit(
  { id, actor, requestId, address, at }: AuditContext,
  action: AuditAction,
  changes: Query<AuditedChange>,
): Raw {
  return raw(
    `with changed (target, state_before, state_after) as (${changes.text})
      insert into "main"."audit" (id, at, actor, action, request_id, address, target, state_before, state_after)
      select ?, ?, ?, ?, ?, ?, target, state_before, state_after from changed`,
    [...changes.args, id, at, actor, action, requestId, address],
  )
}

/**
 * Returns the condition that no entry with this action names the target. The condition is for an action that runs
 * before its audit entry is inserted, and that may be requested again under the same id.
 */
export const isNotAudited = (action: AuditAction, target: SQLWrapper): SQL =>
  sql`not exists (select 1 from ${audit} where ${audit.target} = ${target} and ${audit.action} = ${sql.raw(`'${action}'`)})`

const auditColumns = {
  id: audit.id,
  at: audit.at,
  actor: audit.actor,
  // Only `recordAudit` writes entries.
  action: sql<AuditAction>`${audit.action}`,
  target: audit.target,
  before: audit.stateBefore,
  after: audit.stateAfter,
  requestId: audit.requestId,
  address: audit.address,
}
const auditList: ListColumns<'at' | 'actor' | 'action'> = {
  num: audit.num,
  at: audit.at,
  sorts: { at: audit.num, actor: audit.actor, action: audit.action },
  ids: [audit.id, audit.target, audit.requestId],
  addresses: [audit.actor],
  text: [audit.id, audit.actor, audit.action, audit.target, audit.requestId, audit.address],
}
const selectStatusChange = prepare<{ action: string; target: string; status: string }>()(({ action, target, status }) =>
  build
    .select(auditColumns)
    .from(audit)
    .where(
      sql`${audit.target} = ${target} and ${audit.action} = ${action}
          and json_extract(${audit.stateAfter}, '$.status') = ${status}
          and coalesce(json_extract(${audit.stateBefore}, '$.status'), '') <> ${status}`,
    )
    .orderBy(desc(audit.num))
    .limit(1),
)
const selectRead = prepare<{ target: string; actor: string; action: string; since: number }>()(
  ({ target, actor, action, since }) => sql<AuditedChange>`select ${target}, null, null where not exists (
    select 1 from ${audit} where ${audit.target} = ${target} and ${audit.actor} = ${actor} and ${audit.action} = ${action}
      and ${audit.at} >= ${since})`,
)

const oldestEntries = sql`(select ${audit.num} as num, ${audit.at} as at from ${audit} where ${audit.num} > 0
  order by ${audit.num} limit ${sql.raw(String(maxRowsPerWrite))})`

/**
 * Deletes the oldest entries, up to the first entry that is not old enough. A trigger refuses to delete any entry
 * except the oldest.
 */
const deleteEntriesBefore = prepare<{ before: number }>()(({ before }) =>
  build.delete(audit).where(
    sql`${audit.num} in (select num from ${oldestEntries}) and ${audit.num} < coalesce(
      (select min(num) from ${oldestEntries} where at >= ${before}), ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`,
  ),
)

const parseState = (json: string | null): AuditState => (json === null ? null : (JSON.parse(json) as AuditState))

type AuditRow = Omit<AuditEntry, 'before' | 'after'> & Readonly<Record<'before' | 'after', string | null>>
const toEntry = ({ before, after, ...entry }: AuditRow): AuditEntry => ({
  ...entry,
  before: parseState(before),
  after: parseState(after),
})

/** Returns the audit log over libSQL. `audit/store.ts` describes the guarantees. */
export function libsqlAudit(db: Database): AuditStore {
  return {
    async recordRead({ action, target, audit: by, unlessSince: since = Number.MAX_SAFE_INTEGER }) {
      await db.write([recordAudit(by, action, selectRead({ target, actor: by.actor, action, since }))])
    },
    listEntries({ actor, action, targets, ...params }) {
      const [only, ...rest] = targets ?? []
      const { place, where, order, limit } = listClauses(
        auditList,
        params,
        actor == null ? undefined : eq(audit.actor, actor),
        action == null ? undefined : eq(audit.action, action),
        // SQLite uses the index of one target, but for a list it would read all entries of the action.
        only !== undefined && rest.length === 0
          ? eq(audit.target, only)
          : targets && inArray(audit.target, jsonValues(sql`${jsonArgument(targets)}`)),
      )
      const query = build
        .select({ ...place, ...auditColumns })
        .from(audit)
        .where(where)
        .orderBy(...order)
        .limit(limit)
      return readList(db, auditList, params, query, toEntry)
    },
    async findStatusChange(params) {
      const [entry] = await db.read(selectStatusChange(params))
      return entry ? toEntry(entry) : null
    },
    deleteEntries: ({ before }) => writeOnce(db, [deleteEntriesBefore({ before })]),
  }
}
