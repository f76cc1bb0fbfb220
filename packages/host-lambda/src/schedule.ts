import type { Context } from 'aws-lambda'
import type { Logger, Service } from '@tributary/core'
import { checkOptionNames } from '@tributary/core/adapter'
import type { EmfMeter } from './emf.ts'
import { createDeadline, defaultMarginMs } from './deadline.ts'
import { retryOutage } from './outage.ts'
import { toOpener, workOpened, type WithSecrets } from './secrets.ts'

export interface ScheduleOptions {
  /** The time before the function's deadline at which the handler stops, in milliseconds. Default: 5,000. */
  readonly marginMs?: number
  readonly logger?: Logger
  /** The meter, which is flushed at the end of each invocation. */
  readonly meter?: Pick<EmfMeter, 'flush'>
}

/** The result of an invocation. `more` is true when the deadline ended it. */
export interface Scheduled {
  readonly done: number
  readonly failed: number
  readonly later: number
  readonly more: boolean
}

/**
 * Makes the handler of a schedule (EventBridge, once a minute). It delivers the outbox, processes jobs whose message
 * was lost or whose worker died, and runs the sweeps, until nothing is due or shortly before the deadline. The event is
 * ignored. Rejects when the store, or the service's secrets, cannot be read three times in a row.
 *
 * ```ts
 * export const handler = toScheduleHandler(service)
 * ```
 */
export function toScheduleHandler(
  given: Pick<Service, 'work'> | WithSecrets<Pick<Service, 'work'>>,
  options: ScheduleOptions = {},
): (event?: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<Scheduled> {
  checkOptionNames(options, { marginMs: true, logger: true, meter: true })
  const { marginMs = defaultMarginMs, logger, meter } = options
  const work = workOpened(toOpener(given))
  return async (_event, context) => {
    const { signal, clear } = createDeadline(context, marginMs)
    try {
      const worked = await retryOutage(() => work({ signal }), signal, logger)
      if (worked.done + worked.failed + worked.later > 0) logger?.info({ ...worked }, 'lambda.schedule.jobs_processed')
      return { ...worked, more: signal.aborted }
    } finally {
      clear()
      meter?.flush()
    }
  }
}
