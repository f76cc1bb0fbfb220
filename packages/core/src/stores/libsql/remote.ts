import { within } from '../../deadline.ts'

/** How long a statement or a batch may take at a remote database, its answer included. */
export const statementMs = 5_000
/** Requests that one client has under way at once: as many as `@libsql/client` allows by default. */
const requestsAtOnce = 20

export interface RemoteOptions {
  /** `libsql://`, `https://` or `http://`; a WebSocket address is asked over HTTP. */
  readonly url: string
  readonly authToken?: string | undefined
  /** The platform's `fetch`. */
  readonly fetch: typeof fetch
  /** Milliseconds for one statement or batch; default 5,000. */
  readonly deadlineMs?: number
}

/**
 * Returns what `createClient` of `@libsql/client` takes for a remote database whose calls all have a deadline: a database that
 * accepts a connection and never answers is then an outage (`Unavailable`) and not a call that never ends.
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
    // Over a WebSocket the client has no place for a deadline.
    url: url.replace(/^ws(?=s?:)/i, 'http'),
    ...(authToken ? { authToken } : {}),
    // The client's own queue comes before `fetch`, so what waits in it would have no deadline.
    concurrency: Number.POSITIVE_INFINITY,
    fetch: boundedFetch(fetch, deadlineMs),
  }
}

/** Returns a `fetch` whose calls reject after `ms`. The wait for one of the places counts; a call that is late by then is never sent. */
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
  }

  return (request) =>
    within(ms, async (signal) => {
      await place(signal)
      running++
      try {
        const answer = await fetch(request, { signal })
        // Read here, since the deadline ends with this call and a server may break off in the middle.
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
