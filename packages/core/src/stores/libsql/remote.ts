import { within } from '../../deadline.ts'
import { Unavailable } from '../../unavailable.ts'

/** The maximum time for a statement or a batch at a remote database, including its answer. */
const statementMs = 5_000
/** The maximum number of requests that a client sends at a time. It is the default of `@libsql/client`. */
const requestsAtOnce = 20
/**
 * The delay in ms before a request that was answered 429 is sent again. The delay doubles each time, and `retry-after`
 * may ask for a longer one.
 */
const firstRetryMs = 100

export interface RemoteOptions {
  /** A `libsql://`, `https://` or `http://` address. A WebSocket address is used over HTTP. */
  readonly url: string
  readonly authToken?: string | undefined
  /** The platform's `fetch`. */
  readonly fetch: typeof fetch
  /** The deadline of one statement or batch in milliseconds. Default: 5,000. */
  readonly deadlineMs?: number
}

/**
 * Returns the configuration with which `createClient` of `@libsql/client` gives every call a deadline. A database that
 * accepts a connection and never answers is then an outage (`Unavailable`), not a call that never ends. A request that
 * is answered 429 did not run, so it is sent again while the deadline allows.
 *
 * ```ts
 * const client = createClient(remoteConfig({ url: 'libsql://db.example.com', fetch }))
 * ```
 */
export function remoteConfig({ url, authToken, fetch, deadlineMs = statementMs }: RemoteOptions): {
  url: string
  authToken?: string
  concurrency: number
  fetch: (request: Request) => Promise<Response>
} {
  return {
    // The client cannot set a deadline over a WebSocket.
    url: url.replace(/^ws(?=s?:)/i, 'http'),
    ...(authToken ? { authToken } : {}),
    // The client's own queue comes before `fetch`, so requests that wait there would have no deadline.
    concurrency: Number.POSITIVE_INFINITY,
    fetch: boundedFetch(fetch, deadlineMs),
  }
}

/**
 * Returns a `fetch` whose calls reject after `ms`. The time in the queue counts towards `ms`, and a call whose time ran
 * out in the queue is never sent.
 */
function boundedFetch(fetch: RemoteOptions['fetch'], ms: number): (request: Request) => Promise<Response> {
  const waiting = new Set<() => void>()
  let running = 0

  async function place(signal: AbortSignal): Promise<void> {
    while (running >= requestsAtOnce && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const look = (): void => {
          waiting.delete(look)
          signal.removeEventListener('abort', look)
          resolve()
        }
        waiting.add(look)
        signal.addEventListener('abort', look)
      })
    }
    signal.throwIfAborted()
    // The request is counted here, because the caller continues a step later. Until then, other callers would also see
    // room for a request.
    running++
  }

  return (request) =>
    within(ms, async (signal) => {
      await place(signal)
      try {
        const answer = await fetchUnlessRefused(fetch, request, ms, signal)
        // The client would keep the error of the body and lose the status, and the error may have the same code as an
        // error of SQL.
        if (answer.status === 429 || answer.status >= 500)
          throw new Unavailable(new Error(`the database answers with HTTP status ${answer.status}`))
        // The body is read here, because the deadline ends with this call and a server may disconnect in the middle of
        // the body.
        return answer.body === null ? answer : new Response(await answer.arrayBuffer(), answer)
      } finally {
        running--
        for (const look of waiting) {
          look()
          break
        }
      }
    })
}

/** Sends a request again while it is answered 429 and another wait fits into `ms`. */
async function fetchUnlessRefused(
  fetch: RemoteOptions['fetch'],
  request: Request,
  ms: number,
  signal: AbortSignal,
): Promise<Response> {
  let waitedMs = 0
  for (let delayMs = firstRetryMs; ; delayMs *= 2) {
    const answer = await fetch(request.clone(), { signal })
    const nextMs = Math.max(delayMs, 1000 * (Number(answer.headers.get('retry-after')) || 0))
    if (answer.status !== 429 || waitedMs + nextMs >= ms) return answer
    await answer.body?.cancel()
    await wait(nextMs, signal)
    waitedMs += nextMs
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), reject(signal.reason)), { once: true })
  })
}
