import { Unavailable, type Logger } from '@tributary/core'

/**
 * The maximum number of calls of `work` in one invocation while the store does not answer, and the milliseconds between
 * two calls.
 */
const [maxCalls, pauseMs] = [3, 1_000]

/**
 * Calls `work`, and calls it again when it rejects with `Unavailable`. Otherwise a connection that broke once would
 * delay a message by its visibility timeout, or the schedule by a minute. Rejects with the error of the third call, or
 * of the last call before the signal is aborted.
 */
export async function retryOutage<T>(work: () => Promise<T>, signal: AbortSignal, logger?: Logger): Promise<T> {
  for (let call = 1; ; call++) {
    try {
      return await work()
    } catch (error) {
      if (!Unavailable.is(error) || call === maxCalls) throw error
      logger?.warn({ err: error, call }, 'lambda.work.retried')
      await pause(signal)
      // `pause` also resolves when the signal is aborted. Then no time is left for another call.
      if (signal.aborted) throw error
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
