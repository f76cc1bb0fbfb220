import type { Context } from 'aws-lambda'

/** A signal that is aborted before Lambda ends the function. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Clears the timer. Call it when the work is done. */
  clear(): void
}

/** The milliseconds for releasing leases: enough for the batch that is being written and two more statements. */
export const defaultMarginMs = 5_000

/** Makes the deadline of an invocation. Without a context there is no deadline. */
export function createDeadline(
  context: Pick<Context, 'getRemainingTimeInMillis'> | undefined,
  marginMs: number,
  outer?: AbortSignal,
): Deadline {
  const end = new AbortController()
  const abort = (): void => end.abort()
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort, { once: true })
  const left = context ? context.getRemainingTimeInMillis() - marginMs : null
  if (left !== null && left <= 0) abort()
  const timer = left === null ? undefined : setTimeout(abort, left)
  return {
    signal: end.signal,
    clear() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}
