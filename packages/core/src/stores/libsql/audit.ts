import type { AuditAction, AuditContext, AuditEntry, AuditStore } from '../../admin/audit/store.ts'
import type { SqlValue } from './client.ts'
import { raw, type Database, type Raw } from './database.ts'
import { sweepRows } from './slices.ts'

/**
 * Returns a statement for the batch of an operator's effect: it writes one entry for each row of `select`, whose columns are the target,
 * the state before and the state after (JSON objects, or null). Where `select` reads what the effect is about to change, the
 * statement comes before the effect and finds a row exactly if the effect will change one.
 *
 * ```ts
 * await db.write([recordAudit(audit, 'thing.rename', select, args), raw(rename, args)])
 * ```
 */
export function recordAudit(
  { id, actor, requestId, address, at }: AuditContext,
  action: AuditAction,
  select: string,
  args: readonly SqlValue[],
): Raw {
  return raw(
    `with changed (target, state_before, state_after) as (${select})
      insert into audit (id, at, actor, action, request_id, address, target, state_before, state_after)
      select ?, ?, ?, ?, ?, ?, target, state_before, state_after from changed`,
    [...args, id, at, actor, action, requestId, address],
  )
}

/** Condition for `recordAudit` after an effect that may be asked for again under the same id: no entry names the target yet. */
export const notAudited = (action: AuditAction, target: string): string =>
  `not exists (select 1 from audit where audit.target = ${target} and audit.action = '${action}')`

const columns =
  'num, id, at, actor, action, target, state_before as "before", state_after as "after", request_id as "requestId", address'

const oldest = `select num, at from audit where num > 0 order by num limit ${sweepRows}`
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
      return (await db.write([raw(forget, [before])]))[0]!.changed === sweepRows
    },
  }
}
