import { and, asc, desc, eq, inArray, lt, sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { ListedDelivery, Webhook, WebhookStore } from '../../events/webhooks/store.ts'
import { maxWebhooks } from '../../events/webhooks/store.ts'
import { stoppedReason } from '../../outbox/rules.ts'
import { recordAudit, type AuditedChange } from './audit.ts'
import { deleteSome, writeUntilDone } from './bounded-writes.ts'
import { jsonArgument, type Database, writeNamed } from './database.ts'
import { hasChanged } from './events.ts'
import {
  claimedColumns,
  claimedBy,
  sortByCreation,
  insertOutboxEntries,
  isBlocked,
  isDueEntry,
  onOutbox,
} from './outbox.ts'
import { build, insertSelect, prepare } from './statement.ts'
import { outbox } from './tables/outbox.ts'
import { webhooks } from './tables/webhooks.ts'

/** This text sorts after every id, because ids are hexadecimal. */
const afterEveryId = 'g'
const columns = {
  id: webhooks.id,
  url: webhooks.url,
  description: webhooks.description,
  events: webhooks.events,
  status: webhooks.status,
  disabledReason: webhooks.disabledReason,
  createdAt: webhooks.createdAt,
  updatedAt: webhooks.updatedAt,
}
type ById = { readonly id: string }

const selectWebhooks = prepare()(() => build.select(columns).from(webhooks).orderBy(asc(webhooks.num)))
const selectWebhook = prepare<ById>()(({ id }) => build.select(columns).from(webhooks).where(eq(webhooks.id, id)))
const selectByUrl = prepare<{ url: string }>()(({ url }) =>
  build.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.url, url)),
)

interface InsertArgs {
  readonly id: string
  readonly url: string
  readonly description: string
  readonly events: string | null
  readonly secret: string
  readonly now: number
}
const insertWebhook = prepare<InsertArgs>()(({ id, url, description, events, secret, now }) =>
  insertSelect(
    webhooks,
    {
      id,
      url,
      description,
      events: sql`${events}`,
      status: sql`'enabled'`,
      disabledReason: sql`null`,
      secret,
      previousSecret: sql`null`,
      previousUntil: sql`0`,
      createdAt: now,
      updatedAt: now,
    },
    sql`where (select count(*) from ${webhooks}) < ${sql.raw(String(maxWebhooks))} on conflict do nothing`,
  ),
)

/** Returns the state of an endpoint for the audit log: the events as `job.done, job.failed`, or null for all. */
const auditedState = ({
  url,
  description,
  events,
  status,
}: Record<'url' | 'description' | 'events' | 'status', SQLWrapper>): SQL =>
  sql`json_object('url', ${url}, 'description', ${description}, 'status', ${status},
    'events', iif(${events} is null, null, (select coalesce(group_concat(event.value, ', '), '') from json_each(${events}) event)))`
const selectCreated = prepare<ById>()(
  ({ id }) => sql<AuditedChange>`select ${webhooks.id}, null, ${auditedState(webhooks)} from ${webhooks}
    where ${webhooks.id} = ${id} and ${hasChanged}`,
)

interface UpdateArgs {
  readonly id: string
  readonly url: string | null
  readonly description: string | null
  readonly setEvents: number
  readonly events: string | null
  readonly status: 'enabled' | 'disabled' | null
  readonly now: number
}
/** Returns the condition that no other endpoint has the URL. */
const hasFreeUrl = ({ id, url }: { readonly id: SQLWrapper; readonly url: SQLWrapper }): SQL =>
  sql`not exists (select 1 from ${webhooks} other where other.url = ${url} and other.id <> ${id})`
const selectUpdateChange = prepare<UpdateArgs>()(
  ({ id, url, description, setEvents, events, status }) =>
    sql<AuditedChange>`select * from (select ${webhooks.id}, ${auditedState(webhooks)} as before,
    ${auditedState({
      url: sql`coalesce(${url}, ${webhooks.url})`,
      description: sql`coalesce(${description}, ${webhooks.description})`,
      events: sql`iif(${setEvents} = 1, ${events}, ${webhooks.events})`,
      status: sql`coalesce(${status}, ${webhooks.status})`,
    })} as after
    from ${webhooks} where ${webhooks.id} = ${id} and ${hasFreeUrl({ id, url })}) where before <> after`,
)
const updateWebhook = prepare<UpdateArgs>()(({ id, url, description, setEvents, events, status, now }) =>
  build
    .update(webhooks)
    .set({
      url: sql`coalesce(${url}, ${webhooks.url})`,
      description: sql`coalesce(${description}, ${webhooks.description})`,
      events: sql`iif(${setEvents} = 1, ${events}, ${webhooks.events})`,
      status: sql`coalesce(${status}, ${webhooks.status})`,
      disabledReason: sql`iif(${status} is null, ${webhooks.disabledReason}, null)`,
      updatedAt: sql`${now}`,
    })
    .where(and(eq(webhooks.id, id), hasFreeUrl({ id, url })))
    .returning(columns),
)

const ofWebhook = (id: SQLWrapper): SQL => sql`${outbox.channel} = 'webhook' and ${outbox.recipient} = ${id}`
const stopped = sql`iif(${outbox.attempts} > 0, coalesce(${outbox.lastError} || '; ', ''), '') || ${sql.raw(`'${stoppedReason}'`)}`
/** Marks the waiting deliveries of a disabled endpoint as failed. */
const endWaiting = prepare<{ id: string; now: number }>()(({ id, now }) =>
  build
    .update(outbox)
    .set({ status: 'dead', finishedAt: sql`${now}`, lastError: stopped })
    .where(
      sql`${ofWebhook(id)} and ${outbox.finishedAt} is null and ${outbox.status} = 'waiting'
        and exists (select 1 from ${webhooks} where ${webhooks.id} = ${id} and ${webhooks.status} = 'disabled')`,
    ),
)
const setDisabled = prepare<{ id: string; reason: string; now: number }>()(({ id, reason, now }) =>
  build
    .update(webhooks)
    .set({ status: 'disabled', disabledReason: sql`${reason}`, updatedAt: sql`${now}` })
    .where(and(eq(webhooks.id, id), eq(webhooks.status, 'enabled'))),
)

const selectDeleted = prepare<ById>()(
  ({ id }) => sql<AuditedChange>`select ${webhooks.id}, ${auditedState(webhooks)}, null
    from ${webhooks} where ${webhooks.id} = ${id}`,
)
const deleteWebhook = prepare<ById>()(({ id }) => build.delete(webhooks).where(eq(webhooks.id, id)))
const deleteDeliveries = prepare<ById>()(({ id }) => deleteSome(outbox, ofWebhook(id)))

const selectRotated = prepare<ById>()(
  ({ id }) => sql<AuditedChange>`select ${webhooks.id}, null, null from ${webhooks} where ${webhooks.id} = ${id}`,
)
const setSecret = prepare<{ id: string; secret: string; previousUntil: number; now: number }>()(
  ({ id, secret, previousUntil, now }) =>
    build
      .update(webhooks)
      .set({
        previousSecret: sql`${webhooks.secret}`,
        secret: sql`${secret}`,
        previousUntil: sql`${previousUntil}`,
        updatedAt: sql`${now}`,
      })
      .where(eq(webhooks.id, id))
      .returning(columns),
)

const insertTest = prepare<{ id: string; deliveryId: string; payload: string; now: number }>()(
  ({ id, deliveryId, payload, now }) =>
    insertOutboxEntries(
      {
        id: deliveryId,
        owner: sql`null`,
        channel: sql`'webhook'`,
        recipient: webhooks.id,
        subject: sql`'webhook.test'`,
        payload,
        createdAt: now,
      },
      sql`from ${webhooks} where ${webhooks.id} = ${id} and ${webhooks.status} = 'enabled'`,
    ),
)

const selectTested = prepare<ById>()(
  ({ id }) =>
    sql<AuditedChange>`select ${webhooks.id}, null, null from ${webhooks} where ${webhooks.id} = ${id} and ${hasChanged}`,
)

const selectDeliveries = prepare<{ id: string; status: string | null; cursor: string; limit: number }>()(
  ({ id, status, cursor, limit }) =>
    build
      .select({
        id: outbox.id,
        eventType: outbox.subject,
        status: outbox.status,
        attempts: outbox.attempts,
        lastError: outbox.lastError,
        results: outbox.results,
        payload: outbox.payload,
        createdAt: outbox.createdAt,
        dueAt: outbox.dueAt,
        finishedAt: outbox.finishedAt,
      })
      .from(outbox)
      .where(and(ofWebhook(id), sql`(${status} is null or ${outbox.status} = ${status})`, lt(outbox.id, cursor)))
      .orderBy(desc(outbox.id))
      .limit(limit),
)
const selectDelivery = prepare<{ id: string; deliveryId: string }>()(({ id, deliveryId }) =>
  build
    .select({ status: outbox.status })
    .from(outbox)
    .where(and(eq(outbox.id, deliveryId), ofWebhook(id))),
)
const canBeRedelivered = (id: SQLWrapper, deliveryId: SQLWrapper): SQL =>
  sql`${outbox.id} = ${deliveryId} and ${ofWebhook(id)} and ${inArray(outbox.status, ['sent', 'dead'])}
    and exists (select 1 from ${webhooks} where ${webhooks.id} = ${id} and ${webhooks.status} = 'enabled')`
const selectRedelivered = prepare<{ id: string; deliveryId: string }>()(
  ({
    id,
    deliveryId,
  }) => sql<AuditedChange>`select ${id}, json_object('delivery', ${deliveryId}, 'status', ${outbox.status}),
    json_object('delivery', ${deliveryId}, 'status', 'waiting') from ${outbox} where ${canBeRedelivered(id, deliveryId)}`,
)
const setRedelivered = prepare<{ id: string; deliveryId: string; now: number }>()(({ id, deliveryId, now }) =>
  build
    .update(outbox)
    .set({ status: 'waiting', attempts: 0, dueAt: sql`${now}`, finishedAt: null, lease: null, leaseUntil: null })
    .where(canBeRedelivered(id, deliveryId)),
)

const selectDueWebhooks = prepare<{ now: number }>()(({ now }) =>
  build
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(
      sql`exists (select 1 from ${outbox} where ${ofWebhook(webhooks.id)} and ${outbox.finishedAt} is null
        and ${isDueEntry(now)} and not (${isBlocked}))`,
    ),
)
const claimDeliveries = prepare<{ id: string; lease: string; now: number; until: number; limit: number }>()(
  ({ id, lease, now, until, limit }) =>
    build
      .update(outbox)
      .set(claimedBy({ lease, now, until }))
      .where(
        sql`${outbox.num} in (
          select ${outbox.num} from ${outbox} where ${ofWebhook(id)} and ${outbox.finishedAt} is null
            and ${isDueEntry(now)} and not (${isBlocked})
          order by ${outbox.dueAt}, ${outbox.num} limit ${limit})`,
      )
      .returning(claimedColumns),
)
const selectSecrets = prepare<ById>()(({ id }) =>
  build
    .select({
      url: webhooks.url,
      secret: webhooks.secret,
      previousSecret: webhooks.previousSecret,
      previousUntil: webhooks.previousUntil,
    })
    .from(webhooks)
    .where(eq(webhooks.id, id)),
)

type DeliveryRow = Omit<ListedDelivery, 'results' | 'status'> & {
  readonly status: string
  readonly results: string | null
}
const toDelivery = ({ status, results, ...row }: DeliveryRow): ListedDelivery => ({
  ...row,
  status: status as ListedDelivery['status'],
  results: results === null ? [] : JSON.parse(results),
})

/** Returns the store of webhooks over libSQL. `events/webhooks/store.ts` describes the guarantees. */
export function libsqlWebhooks(db: Database): WebhookStore {
  const serializeEvents = (events: Webhook['events']): string | null => (events === null ? null : jsonArgument(events))
  return {
    listWebhooks: () => db.read(selectWebhooks({})),
    async createWebhook({ webhook, audit }) {
      const { id, url } = webhook
      const { found, taken } = await writeNamed(db, {
        webhook: insertWebhook({ ...webhook, events: serializeEvents(webhook.events), now: audit.at }),
        audit: recordAudit(audit, 'webhook.create', selectCreated({ id })),
        found: selectWebhook({ id }),
        taken: selectByUrl({ url }),
      })
      return found.rows[0] ?? (taken.rows.length > 0 ? 'exists' : 'too_many')
    },
    async updateWebhook({ id, changes, audit }) {
      const { url = null, description = null, events, status = null } = changes
      const args = { id, url, description, status, now: audit.at }
      const update = { ...args, setEvents: Number(events !== undefined), events: serializeEvents(events ?? null) }
      const { updated, known } = await writeNamed(db, {
        audit: recordAudit(audit, 'webhook.update', selectUpdateChange(update)),
        updated: updateWebhook(update),
        waiting: endWaiting({ id, now: audit.at }),
        known: selectWebhook({ id }),
      })
      return updated.rows[0] ?? (known.rows.length > 0 ? 'exists' : null)
    },
    async deleteWebhook({ id, audit }) {
      const [, deleted] = await db.write([
        recordAudit(audit, 'webhook.delete', selectDeleted({ id })),
        deleteWebhook({ id }),
      ])
      await writeUntilDone(db, [deleteDeliveries({ id })])
      return deleted.changed > 0
    },
    async rotateSecret({ id, secret, previousUntil, audit }) {
      const [, rotated] = await db.write([
        recordAudit(audit, 'webhook.rotate_secret', selectRotated({ id })),
        setSecret({ id, secret, previousUntil, now: audit.at }),
      ])
      return rotated.rows[0] ?? null
    },
    async disableWebhook({ id, reason, now }) {
      await db.write([setDisabled({ id, reason, now }), endWaiting({ id, now })])
    },

    async sendTest({ id, deliveryId, payload, audit }) {
      const { sent, known } = await writeNamed(db, {
        sent: insertTest({ id, deliveryId, payload, now: audit.at }),
        audit: recordAudit(audit, 'webhook.test', selectTested({ id })),
        known: selectWebhook({ id }),
      })
      return known.rows.length === 0 ? null : sent.changed > 0
    },
    async listDeliveries({ id, status, cursor, limit }) {
      const [known, deliveries] = await db.readAll([
        selectWebhook({ id }),
        selectDeliveries({ id, status, cursor: cursor ?? afterEveryId, limit }),
      ])
      return known.length === 0 ? null : deliveries.map(toDelivery)
    },
    async redeliver({ id, deliveryId, audit }) {
      const { changed, delivery, webhook } = await writeNamed(db, {
        audit: recordAudit(audit, 'webhook.redeliver', selectRedelivered({ id, deliveryId })),
        changed: setRedelivered({ id, deliveryId, now: audit.at }),
        delivery: selectDelivery({ id, deliveryId }),
        webhook: selectWebhook({ id }),
      })
      if (changed.changed > 0) return 'redelivered'
      if (delivery.rows.length === 0) return null
      return webhook.rows[0]?.status === 'disabled' ? 'disabled' : 'pending'
    },

    async listDueWebhooks({ now }) {
      return (await db.read(selectDueWebhooks({ now }))).map(({ id }) => id)
    },
    async claimDeliveries(params) {
      const { id, now } = params
      // If a webhook was disabled during an attempt, the delivery of the attempt is waiting again now.
      const { claimed, found } = await writeNamed(
        db,
        {
          waiting: endWaiting({ id, now }),
          claimed: claimDeliveries(params),
          found: selectSecrets({ id }),
        },
        onOutbox,
      )
      const [secrets] = found.rows
      return secrets && claimed.rows.length > 0 ? { ...secrets, entries: sortByCreation(claimed.rows) } : null
    },
  }
}
