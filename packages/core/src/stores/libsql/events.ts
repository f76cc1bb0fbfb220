import { sql, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { NewEvent } from '../../events/event.ts'
import type { Query } from './database.ts'
import { insertOutboxEntries } from './outbox.ts'
import { prepare } from './statement.ts'

/** The condition that the statement before in the transaction changed a row: for an event that comes right after its effect. */
export const hasChanged = sql`changes() > 0`

/** What an event is about, as parts of a statement. */
interface EventSource {
  /** The short key of the person whose data is in the event, so that it goes with them; null: nobody's. */
  readonly owner: SQLWrapper
  /** The id of what the event is about: events of one subject are delivered in the order of their commits. */
  readonly subject: SQLWrapper
  /** The event's data as a JSON object. */
  readonly data: SQL
  /** The rest of the statement from `from` or `where`: one row if the effect takes place, else none. */
  readonly from: SQL
}

interface EventArgs {
  readonly eventId: string | null
  readonly eventType: string | null
  readonly eventAt: number
  readonly eventTime: string
  readonly isHeard: number
}

type Placeholders<Params> = { readonly [Name in keyof Params & string]: SQLWrapper }

/**
 * Returns a statement that writes an event to the outbox if its source has a row; for the transaction of the effect. Without an
 * event it writes nothing.
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
    const { owner, subject, data, from } = source(params as unknown as Placeholders<Params>)
    return insertOutboxEntries(
      {
        id: eventId,
        owner: sql`effect.owner`,
        channel: sql`'event'`,
        recipient: sql`''`,
        subject: eventType,
        payload: sql`json_object('id', ${eventId}, 'type', ${eventType}, 'createdAt', ${eventTime}, 'data', json(effect.data))`,
        createdAt: eventAt,
        orderKey: sql`effect.subject`,
      },
      sql`from (select ${owner} as owner, ${subject} as subject, ${data} as data ${from}) effect where ${isHeard}`,
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
