/**
 * Runs a remote call and rejects with a `TimeoutError` after `ms` milliseconds, even when the call ignores its signal.
 * The signal is aborted at the same time, so that the call's connection ends too.
 */
export async function within<Result>(ms: number, call: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const stop = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new DOMException(`no answer within ${ms} ms`, 'TimeoutError')
      reject(error)
      stop.abort(error)
    }, ms)
  })
  try {
    return await Promise.race([call(stop.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
