import type { Context } from 'aws-lambda'
import type { Logger, Service } from '@tributary/core'
import { deadline, defaultMarginMs } from './deadline.ts'

export interface ScheduleOptions {
  /** How long before the function's deadline it stops, in milliseconds; default 5,000. */
  readonly marginMs?: number
  readonly logger?: Logger
}

/** What an invocation came to; `more`: the deadline stopped it. */
export interface Scheduled {
  readonly done: number
  readonly failed: number
  readonly later: number
  readonly more: boolean
}

/**
 * What nobody asks for by a request or a message, for a schedule (EventBridge, once a minute): mails and everything else
 * that must go out, jobs whose message was lost or whose worker died, sweeps. Ends when nothing is due or shortly before
 * the deadline. It takes any event, since nothing of it matters. Rejects when the store does not answer.
 *
 * ```ts
 * export const handler = toScheduleHandler(service)
 * ```
 */
export function toScheduleHandler(
  service: Pick<Service, 'work'>,
  { marginMs = defaultMarginMs, logger }: ScheduleOptions = {},
): (event?: unknown, context?: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<Scheduled> {
  return async (_event, context) => {
    const { signal, clear } = deadline(context, marginMs)
    try {
      const worked = await service.work({ signal })
      if (worked.done + worked.failed + worked.later > 0) logger?.info({ ...worked }, 'jobs were found by looking')
      return { ...worked, more: signal.aborted }
    } finally {
      clear()
    }
  }
}
