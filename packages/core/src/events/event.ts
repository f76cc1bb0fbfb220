import { uuid7 } from '../ids.ts'
import type { Random } from '../ports.ts'
import type { EventType } from './schema.ts'

/**
 * An event that a store writes to the outbox in the transaction of its effect, and only if the effect takes place. The
 * store adds the data; the port says which.
 */
export interface NewEvent<Type extends EventType = EventType> {
  /** UUID version 7. */
  readonly id: string
  readonly type: Type
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Whether the service has an `onEvent`; without one the event is not stored for it. */
  readonly isHeard: boolean
}

/** Makes an event for a store. */
export type MakeEvent = <Type extends EventType>(type: Type, now: number) => NewEvent<Type>

/** Returns the function by which handlers and workers make events. */
export const createEventMaker =
  ({ random, isHeard }: { readonly random: Random; readonly isHeard: boolean }): MakeEvent =>
  (type, now) => ({ id: uuid7(now, random), type, createdAt: now, isHeard })

/**
 * Returns the id of an event's delivery to a webhook: the event's as a UUID version 8 (RFC 9562) that ends with the
 * webhook's number, so that it sorts by time, differs from the event's and is the same whenever it is made.
 */
export const deliveryId = (eventId: string, webhookNum: number): string =>
  `${eventId.slice(0, 14)}8${eventId.slice(15, 32)}${(webhookNum % 65536).toString(16).padStart(4, '0')}`
