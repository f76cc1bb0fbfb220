import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import { firstOf } from '../../lists.ts'
import { maxEntriesPerAction, type OutboxStore, type UndeliveredStatus } from '../../outbox/store.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { jsonArgument, type Database } from './database.ts'
import { build, jsonValues, prepare } from './statement.ts'
import { outbox } from './tables/outbox.ts'
import { webhooks } from './tables/webhooks.ts'

/** The values of an entry that waits for a worker. */
export const unclaimed = { status: 'waiting' as const, lease: null, leaseUntil: null, takenAt: null }

/**
 * The arguments of an operator's change, for the entries in a JSON list of ids or for the oldest entries. `target`
 * identifies the change in the audit log.
 */
interface ChangeArgs {
  readonly target: string
  readonly status: UndeliveredStatus
  readonly ids: string
  readonly until: number
}
type ChangeParam = { readonly [Name in keyof ChangeArgs]: SQLWrapper }
type ChosenArgs<Chosen> = Chosen extends 'listed' ? ChangeArgs : Omit<ChangeArgs, 'ids'>

const isUndelivered = ({ status, until }: Pick<ChangeParam, 'status' | 'until'>): SQL =>
  sql`${outbox.status} = ${status} and ${outbox.finishedAt} <= ${until}`
/** A delivery to a webhook is sent again only while the webhook is enabled, and a mail only if its text is stored. */
export const isResendable = sql`(${outbox.channel} <> 'mail' or ${outbox.payload} <> '') and (${outbox.channel} <> 'webhook' or exists (
  select 1 from ${webhooks} where ${webhooks.id} = ${outbox.recipient} and ${webhooks.status} = 'enabled'))`
const isListed = (params: Pick<ChangeParam, 'ids' | 'status' | 'until'>, more: SQL): SQL =>
  sql`${outbox.id} in ${jsonValues(params.ids)} and ${isUndelivered(params)} and ${more}`
const isAmongOldest = (params: Pick<ChangeParam, 'status' | 'until'>, more: SQL): SQL =>
  sql`${outbox.num} in (select ${outbox.num} from ${outbox} where ${isUndelivered(params)} and ${more}
    order by ${outbox.id} limit ${sql.raw(String(maxEntriesPerAction))})`

/** Returns the status and the number of the entries, and their channel if all have the same channel. */
const selectState = (status: SQLWrapper): SQL =>
  sql`json_object('status', ${status}, 'channel', iif(min(${outbox.channel}) = max(${outbox.channel}), min(${outbox.channel}), null),
    'entries', count(*))`
const selectChange = (
  { target, status }: Pick<ChangeParam, 'target' | 'status'>,
  stateAfter: SQL,
  chosen: SQL,
): SQL<AuditedChange> =>
  sql<AuditedChange>`select ${target}, ${selectState(status)}, ${stateAfter} from ${outbox} where ${chosen} having count(*) > 0`
const makeDue = (now: SQLWrapper, chosen: SQL) =>
  build
    .update(outbox)
    .set({ ...unclaimed, attempts: 0, dueAt: sql`${now}`, finishedAt: null })
    .where(chosen)
const waiting = selectState(sql`'waiting'`)
const anyOne = sql`true`

const selectResentListed = prepare<ChosenArgs<'listed'>>()((params) =>
  selectChange(params, waiting, isListed(params, isResendable)),
)
const selectResentOldest = prepare<ChosenArgs<'oldest'>>()((params) =>
  selectChange(params, waiting, isAmongOldest(params, isResendable)),
)
const resendListed = prepare<Omit<ChosenArgs<'listed'>, 'target'> & { now: number }>()((params) =>
  makeDue(params.now, isListed(params, isResendable)),
)
const resendOldest = prepare<Omit<ChosenArgs<'oldest'>, 'target'> & { now: number }>()((params) =>
  makeDue(params.now, isAmongOldest(params, isResendable)),
)
const selectDeletedListed = prepare<ChosenArgs<'listed'>>()((params) =>
  selectChange(params, sql`null`, isListed(params, anyOne)),
)
const selectDeletedOldest = prepare<ChosenArgs<'oldest'>>()((params) =>
  selectChange(params, sql`null`, isAmongOldest(params, anyOne)),
)
const deleteListed = prepare<Omit<ChosenArgs<'listed'>, 'target'>>()((params) =>
  build.delete(outbox).where(isListed(params, anyOne)),
)
const deleteOldest = prepare<Omit<ChosenArgs<'oldest'>, 'target'>>()((params) =>
  build.delete(outbox).where(isAmongOldest(params, anyOne)),
)

/**
 * Returns the arguments of a change of listed entries. In the audit log, a single entry is identified by its id, and
 * several entries by their status.
 */
const listedArgs = (params: Omit<ChangeArgs, 'ids' | 'target'>, ids: readonly string[]): ChangeArgs => ({
  ...params,
  ids: jsonArgument(ids),
  target: ids.length === 1 ? firstOf(ids) : params.status,
})

/** Returns the methods of the outbox store that resend or delete undelivered entries. */
export function libsqlOutboxChanges(db: Database): Pick<OutboxStore, 'resend' | 'deleteUndelivered'> {
  return {
    async resend({ audit, ids, ...params }) {
      const [, resent] =
        ids === null
          ? await db.write([
              recordAudit(audit, 'outbox.resend', selectResentOldest({ ...params, target: params.status })),
              resendOldest({ ...params, now: audit.at }),
            ])
          : await db.write([
              recordAudit(audit, 'outbox.resend', selectResentListed(listedArgs(params, ids))),
              resendListed({ ...params, ids: jsonArgument(ids), now: audit.at }),
            ])
      return resent.changed
    },
    async deleteUndelivered({ audit, ids, ...params }) {
      const [, deleted] =
        ids === null
          ? await db.write([
              recordAudit(audit, 'outbox.delete', selectDeletedOldest({ ...params, target: params.status })),
              deleteOldest(params),
            ])
          : await db.write([
              recordAudit(audit, 'outbox.delete', selectDeletedListed(listedArgs(params, ids))),
              deleteListed({ ...params, ids: jsonArgument(ids) }),
            ])
      return deleted.changed
    },
  }
}
