import { within } from '../deadline.ts'
import type { Delivery } from '../outbox/worker.ts'
import type { ServiceEvent } from './schema.ts'

/**
 * Receives events. It is called after the commit of the effect, at least once for each event. The events of one subject
 * (a contributor, a sale, a report, a campaign) are delivered one after the other, and the events of different subjects
 * in parallel. If a call rejects or does not resolve within 30 seconds, the event is delivered again with growing
 * delays, for about 19 hours. Meanwhile, later events of its subject wait.
 */
export type OnEvent = (event: ServiceEvent) => void | Promise<void>

const timeoutMs = 30_000

/** Creates the outbox delivery of events to the app. All entries of one call have different subjects. */
export function createEventDelivery(onEvent: OnEvent): Delivery {
  return async (entries) => {
    const errors = new Map<string, unknown>()
    await Promise.all(
      entries.map(async ({ id, payload }) => {
        try {
          await within(timeoutMs, async () => onEvent(JSON.parse(payload) as ServiceEvent))
        } catch (error) {
          errors.set(id, error)
        }
      }),
    )
    return errors
  }
}
