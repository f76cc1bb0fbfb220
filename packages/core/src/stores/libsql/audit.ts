import { and, desc, eq, inArray, lt, sql, type Placeholder, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { AuditAction, AuditContext, AuditEntry, AuditState, AuditStore } from '../../audit/store.ts'
import { maxRowsPerWrite, writeOnce } from './bounded-writes.ts'
import { jsonArgument, raw, type Database, type Query, type Raw } from './database.ts'
import { build, jsonValues, prepare } from './statement.ts'
import { audit } from './tables/audit.ts'

/** The rows that an operator's effect changes: the target, and its state before and after as JSON objects or null. */
export interface AuditedChange {
  readonly target: string
  readonly stateBefore: string | null
  readonly stateAfter: string | null
}

/**
 * Returns a statement for the batch of an operator's effect that adds an audit entry for each row of `changes`, whose
 * columns are target, state before and state after, in this order. A `changes` that reads what the effect is about to
 * change comes before the effect and selects a row exactly if the effect will change one.
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
 * Returns the condition that no entry with this action names the target yet: for an effect that comes before its entry
 * and may be requested again under the same id.
 */
export const isNotAudited = (action: AuditAction, target: SQLWrapper): SQL =>
  sql`not exists (select 1 from ${audit} where ${audit.target} = ${target} and ${audit.action} = ${sql.raw(`'${action}'`)})`

interface PageArgs {
  readonly before: number
  readonly limit: number
}

/** Selects a page of entries, newest first. */
const selectPage = (condition: SQL | undefined, before: Placeholder, limit: Placeholder) =>
  build
    .select({
      num: audit.num,
      id: audit.id,
      at: audit.at,
      actor: audit.actor,
      // Entries are written by `recordAudit` alone.
      action: sql<AuditAction>`${audit.action}`,
      target: audit.target,
      before: audit.stateBefore,
      after: audit.stateAfter,
      requestId: audit.requestId,
      address: audit.address,
    })
    .from(audit)
    .where(and(condition, lt(audit.num, before)))
    .orderBy(desc(audit.num))
    .limit(limit)

const selectEntries = prepare<PageArgs>()(({ before, limit }) => selectPage(undefined, before, limit))
const selectEntriesByActor = prepare<PageArgs & { actor: string }>()(({ actor, before, limit }) =>
  selectPage(eq(audit.actor, actor), before, limit),
)
const selectEntriesByAction = prepare<PageArgs & { action: string }>()(({ action, before, limit }) =>
  selectPage(eq(audit.action, action), before, limit),
)
const selectEntriesByActorAndAction = prepare<PageArgs & { actor: string; action: string }>()(
  ({ actor, action, before, limit }) =>
    selectPage(and(eq(audit.actor, actor), eq(audit.action, action)), before, limit),
)

interface TargetsArgs extends PageArgs {
  readonly targets: string
  readonly actor: string | null
  readonly action: string | null
}
const selectEntriesByTargets = prepare<TargetsArgs>()(({ targets, actor, action, before, limit }) =>
  selectPage(
    and(
      inArray(audit.target, jsonValues(targets)),
      sql`${audit.actor} = coalesce(${actor}, ${audit.actor})`,
      sql`${audit.action} = coalesce(${action}, ${audit.action})`,
    ),
    before,
    limit,
  ),
)
const selectRead = prepare<{ target: string; actor: string; action: string; since: number }>()(
  ({ target, actor, action, since }) => sql<AuditedChange>`select ${target}, null, null where not exists (
    select 1 from ${audit} where ${audit.target} = ${target} and ${audit.actor} = ${actor} and ${audit.action} = ${action}
      and ${audit.at} >= ${since})`,
)

const oldestEntries = sql`(select ${audit.num} as num, ${audit.at} as at from ${audit} where ${audit.num} > 0
  order by ${audit.num} limit ${sql.raw(String(maxRowsPerWrite))})`

/**
 * Deletes the oldest entries up to the first that is not old enough: only the oldest entry can be deleted at any time.
 */
const deleteEntriesBefore = prepare<{ before: number }>()(({ before }) =>
  build.delete(audit).where(
    sql`${audit.num} in (select num from ${oldestEntries}) and ${audit.num} < coalesce(
      (select min(num) from ${oldestEntries} where at >= ${before}), ${sql.raw(String(Number.MAX_SAFE_INTEGER))})`,
  ),
)

const stateOf = (json: string | null): AuditState => (json === null ? null : (JSON.parse(json) as AuditState))

/** Returns the statement for what narrows a list. */
function selectOf(page: PageArgs, actor: string | null, action: string | null, targets: readonly string[] | undefined) {
  if (targets !== undefined) return selectEntriesByTargets({ ...page, actor, action, targets: jsonArgument(targets) })
  if (actor === null) return action === null ? selectEntries(page) : selectEntriesByAction({ ...page, action })
  return action === null
    ? selectEntriesByActor({ ...page, actor })
    : selectEntriesByActorAndAction({ ...page, actor, action })
}

/** Returns the audit log over libSQL; `admin/audit/store.ts` says what it guarantees. */
export function libsqlAudit(db: Database): AuditStore {
  return {
    async recordRead({ action, target, audit: by, unlessSince: since = Number.MAX_SAFE_INTEGER }) {
      await db.write([recordAudit(by, action, selectRead({ target, actor: by.actor, action, since }))])
    },
    async listEntries({ cursor, limit, actor, action, targets }) {
      const page = { before: cursor ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }
      const rows = await db.read(selectOf(page, actor, action, targets))
      const kept = rows.slice(0, limit)
      return {
        items: kept.map(({ num, before, after, ...entry }): AuditEntry => ({
          ...entry,
          before: stateOf(before),
          after: stateOf(after),
        })),
        next: rows.length > limit ? kept.at(-1)!.num : null,
      }
    },
    deleteEntries: ({ before }) => writeOnce(db, [deleteEntriesBefore({ before })]),
  }
}
