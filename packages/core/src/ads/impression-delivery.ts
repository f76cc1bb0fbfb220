import { within } from '../deadline.ts'
import type { AdNetwork } from '../ports.ts'

/** The longest time that a network may take to accept an impression, in milliseconds. */
const reportTimeoutMs = 10_000

/** Requests the impression URLs of outbox entries one after the other. Resolves with the error of each failed entry. */
export type ImpressionDelivery = (
  entries: readonly { readonly id: string; readonly payload: string }[],
) => Promise<ReadonlyMap<string, unknown>>

/** Creates the outbox delivery of impressions to the network. */
export function createImpressionDelivery(network: AdNetwork): ImpressionDelivery {
  return async (entries) => {
    const errors = new Map<string, unknown>()
    for (const { id, payload } of entries) {
      await within(reportTimeoutMs, (signal) => network.report(payload, signal)).catch((error: unknown) =>
        errors.set(id, error),
      )
    }
    return errors
  }
}
