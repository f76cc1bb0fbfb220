import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { NewEvent } from '../../events/event.ts'
import type { Query } from './database.ts'
import { insertOutboxEntries } from './outbox.ts'
import { prepare } from './statement.ts'
import { webhooks } from './tables/webhooks.ts'

/**
 * The condition that the previous statement of the transaction changed a row. It is for an event that directly follows
 * its effect.
 */
export const hasChanged = sql`changes() > 0`

/** The source of an event, as parts of a statement. */
interface EventSource {
  /** The event's id. Default: the id of the parameter `event`. A source of several rows must name an id for each row. */
  readonly id?: SQLWrapper
  /**
   * The short key of the person whose data is in the event, so that the event is deleted with the person. Null if it
   * contains no person's data.
   */
  readonly owner: SQLWrapper
  /** The id of the item that the event is about: events of one subject are delivered in the order of their commits. */
  readonly subject: SQLWrapper
  /** The event's data as a JSON object. */
  readonly data: SQL
  /** The end of the statement, from `from` or `where` on. It selects a row for each effect that takes place. */
  readonly from: SQL
}

interface EventArgs {
  readonly eventId: string | null
  readonly eventType: string | null
  readonly eventAt: number
  readonly eventTime: string
  readonly isHeard: number
}

/**
 * Returns the id of the delivery to a webhook: the id of the event as a UUID version 8 (RFC 9562) that ends with the
 * webhook's number. So the delivery's id sorts by time, differs from the id of the event, and is the same whenever the
 * statement is repeated.
 */
const deliveryId = (eventId: SQLWrapper): SQL =>
  sql`substr(${eventId}, 1, 14) || '8' || substr(${eventId}, 16, 17) || printf('%04x', target.num % 65536)`

type Placeholders<Params> = { readonly [Name in keyof Params & string]: SQLWrapper }

/**
 * Returns a statement that writes an event to the outbox, for the app and each webhook that selected it, if its source
 * has a row. The statement belongs in the transaction of the effect. It writes nothing if the parameter `event` is
 * missing.
 *
 * ```ts
 * const enqueueApproved = prepareEvent<{ id: string }>(({ id }) => ({
 *   owner: things.owner,
 *   subject: things.id,
 *   data: sql`json_object('thingId', ${things.id})`,
 *   from: sql`from ${things} where ${things.id} = ${id} and ${hasChanged}`,
 * }))
 * await db.write([approve({ id }), enqueueApproved({ id, event })])
 * ```
 */
export function prepareEvent<Params extends object>(
  source: (params: Placeholders<Params>) => EventSource,
): (params: Params & { readonly event?: NewEvent | undefined }) => Query {
  const bind = prepare<EventArgs>()((params) => {
    const { eventId, eventType, eventAt, eventTime, isHeard } = params
    const { id = eventId, owner, subject, data, from } = source(params as unknown as Placeholders<Params>)
    return insertOutboxEntries(
      {
        id: sql`iif(target.num is null, effect.id, ${deliveryId(sql`effect.id`)})`,
        owner: sql`effect.owner`,
        channel: sql`iif(target.num is null, 'event', 'webhook')`,
        recipient: sql`target.id`,
        subject: eventType,
        payload: sql`json_object('id', effect.id, 'type', ${eventType}, 'createdAt', ${eventTime}, 'data', json(effect.data))`,
        createdAt: eventAt,
        orderKey: sql`effect.subject`,
      },
      sql`from (
          select null as num, '' as id where ${isHeard} = 1
          union all select ${webhooks.num}, ${webhooks.id} from ${webhooks} where ${webhooks.status} = 'enabled'
            and (${webhooks.events} is null or exists (select 1 from json_each(${webhooks.events}) where value = ${eventType}))
        ) target cross join (select ${id} as id, cast(${owner} as integer) as owner, ${subject} as subject, ${data} as data ${from}) effect
        where ${eventId} is not null`,
    )
  })
  return ({ event, ...params }) =>
    bind({
      ...params,
      eventId: event?.id ?? null,
      eventType: event?.type ?? null,
      eventAt: event?.createdAt ?? 0,
      eventTime: new Date(event?.createdAt ?? 0).toISOString(),
      isHeard: Number(event?.isHeard ?? false),
    })
}
