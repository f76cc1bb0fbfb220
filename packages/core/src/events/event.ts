import type { EventType } from './schema.ts'

/**
 * An event about a change. A store writes the event to the outbox in the transaction of the change, and only if the
 * change takes place. The store adds the data; the documentation of the port says which data.
 */
export interface NewEvent<Type extends EventType = EventType> {
  /** UUID version 7. */
  readonly id: string
  readonly type: Type
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** Whether the service has an `onEvent`. If not, the event is not stored for `onEvent`. */
  readonly isHeard: boolean
}

/** Makes an event for a store. */
export type MakeEvent = <Type extends EventType>(type: Type, now: number) => NewEvent<Type>
