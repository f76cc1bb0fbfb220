import type { Context } from 'aws-lambda'

/** A signal that is aborted some time before Lambda ends the function. */
export interface Deadline {
  readonly signal: AbortSignal
  /** To be called when the work is over: a timer must not outlive it. */
  clear(): void
}

/** What is left to give leases back in, in milliseconds: a slice that is being written, and a statement or two. */
export const defaultMarginMs = 5_000

/** The deadline of an invocation; without a context (a process of one's own) there is none. */
export function deadline(
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
