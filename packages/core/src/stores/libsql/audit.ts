import type { AuditAction, AuditContext, AuditEntry, AuditStore } from '../../admin/audit/store.ts'
import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { SqlValue } from './client.ts'
import { raw, type Database, type Query, type Raw } from './database.ts'
import { audit } from './tables/audit.ts'
import { maxRowsPerWrite } from './bounded-writes.ts'

/** The rows that an operator's effect changes: the target, and its state before and after as JSON objects or null. */
export interface AuditedChange {
  readonly target: string
  readonly stateBefore: string | null
  readonly stateAfter: string | null
}

/**
 * Returns a statement for the batch of an operator's effect that adds an audit entry for each row of `changes`, whose columns are
 * target, state before and state after, in this order. A `changes` that reads what the effect is about to change comes before the
 * effect and selects a row exactly if the effect will change one.
 *
 * ```ts
 * await db.write([recordAudit(audit, 'job.retry', selectRetriable({ jobId })), retryJob({ jobId })])
 * ```
 */
export function recordAudit(
  { id, actor, requestId, address, at }: AuditContext,
  action: AuditAction,
  changes: Query<AuditedChange> | string,
  args: readonly SqlValue[] = [],
): Raw {
  const changed = typeof changes === 'string' ? raw(changes, args) : changes
  return raw(
    `with changed (target, state_before, state_after) as (${changed.text})
      insert into audit (id, at, actor, action, request_id, address, target, state_before, state_after)
      select ?, ?, ?, ?, ?, ?, target, state_before, state_after from changed`,
    [...changed.args, id, at, actor, action, requestId, address],
  )
}

/**
 * Returns the condition that no entry with this action names the target yet: for an effect that comes before its entry and may be
 * requested again under the same id.
 */
export const isNotAudited = (action: AuditAction, target: SQLWrapper): SQL =>
  sql`not exists (select 1 from ${audit} where ${audit.target} = ${target} and ${audit.action} = ${sql.raw(`'${action}'`)})`

/** As `isNotAudited`, in text. */
export const notAudited = (action: AuditAction, target: string): string =>
  `not exists (select 1 from audit where audit.target = ${target} and audit.action = '${action}')`

const columns =
  'num, id, at, actor, action, target, state_before as "before", state_after as "after", request_id as "requestId", address'

const oldest = `select num, at from audit where num > 0 order by num limit ${maxRowsPerWrite}`
// A prefix: an entry whose time is later, though it is older, stays with all that follow it.
const forget = `delete from audit where num in (select num from (${oldest}))
  and num < coalesce((select min(num) from (${oldest}) where at >= ?1), ${Number.MAX_SAFE_INTEGER})`

type Row = Omit<AuditEntry, 'before' | 'after'> & {
  readonly num: number
  readonly before: string | null
  readonly after: string | null
}

const stateOf = (text: string | null): AuditEntry['before'] =>
  text === null ? null : (JSON.parse(text) as AuditEntry['before'])

/** The audit over libSQL. */
export function libsqlAudit(db: Database): AuditStore {
  return {
    async list({ cursor, limit, actor, action }) {
      const narrowed = [...(actor === null ? [] : ['actor = ?']), ...(action === null ? [] : ['action = ?'])]
      const rows = await db.read<Row>(
        raw(`select ${columns} from audit where ${[...narrowed, 'num < ?'].join(' and ')} order by num desc limit ?`, [
          ...(actor === null ? [] : [actor]),
          ...(action === null ? [] : [action]),
          cursor ?? Number.MAX_SAFE_INTEGER,
          limit + 1,
        ]),
      )
      const page = rows.slice(0, limit)
      return {
        items: page.map(({ id, at, actor: by, action: done, target, before, after, requestId, address }) => ({
          id,
          at,
          actor: by,
          action: done,
          target,
          before: stateOf(before),
          after: stateOf(after),
          requestId,
          address,
        })),
        next: rows.length > limit ? page.at(-1)!.num : null,
      }
    },
    async forget(before) {
      return (await db.write([raw(forget, [before])]))[0]!.changed === maxRowsPerWrite
    },
  }
}
