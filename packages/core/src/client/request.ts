/**
 * The result of a request. A request never throws: a failure of the network, a refusal and an HTML page of a proxy are
 * also results.
 */
export type RequestResult<Value = unknown, Code extends string = string> =
  | { readonly ok: true; readonly status: number; readonly value: Value; readonly headers: Headers }
  | {
      readonly ok: false
      /** The status of the reply, or 0 when there was no reply. */
      readonly status: number
      /** The error code of the service, or of the transport when the service did not answer. */
      readonly error: Code | TransportError
      /** The JSON body of the reply, or an empty object if the reply has no JSON body. */
      readonly body: Readonly<Record<string, unknown>>
      /** The time for which the service asks the client to wait, in milliseconds. */
      readonly retryAfterMs: number | null
    }

/** Failures that no contract lists: network errors, mistakes of the caller, and replies of another service. */
export type TransportError = 'network_error' | 'timeout' | 'aborted' | 'unexpected_reply' | `http_${number}`

export interface RequestOptions {
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch
  /** The timeout of one attempt in milliseconds, including reading the reply. Default: 30 000. */
  readonly timeoutMs?: number
  /** The maximum number of retries of a call that may be repeated. Default: 2. */
  readonly retries?: number
  /**
   * The maximum wait before another attempt, in milliseconds. If the service asks for a longer wait, the failure is
   * returned. Default: 60 000.
   */
  readonly maxDelayMs?: number
  /** A function that is called before each wait. */
  readonly onRetry?: (failure: RequestResult & { readonly ok: false }, delayMs: number) => void
  /** Waits before another attempt. Default: a timer that ends early when the signal aborts. */
  readonly sleep?: (delayMs: number, signal: AbortSignal | undefined) => Promise<void>
}

/** The arguments of `fetch` for a request. */
export interface OutgoingRequest {
  readonly method: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
  readonly signal?: AbortSignal
  /** Whether the request may safely be repeated: a GET, or a call with an idempotency key. */
  readonly isRepeatable: boolean
}

/** The statuses of failures that may be temporary. 0 means that there was no response. */
const passing = new Set([0, 408, 429, 502, 503, 504])

/**
 * Sends a request and reads its reply. Repeats a repeatable request after a temporary failure. Waits as long as
 * `retry-after` asks, and at least half a second, which is doubled for each further attempt. Redirects are not
 * followed.
 */
export async function sendRequest(
  url: string,
  request: OutgoingRequest,
  options: RequestOptions = {},
): Promise<RequestResult> {
  const { retries = 2, maxDelayMs = 60_000, sleep = wait } = options
  for (let attempt = 0; ; attempt++) {
    if (request.signal?.aborted) return failure(0, 'aborted')
    const result = await sendOnce(url, request, options)
    if (result.ok || !request.isRepeatable || attempt >= retries) return result
    // A 409 with `retry-after` means that another call with the same idempotency key is still running.
    const mayPass = passing.has(result.status) || (result.status === 409 && result.retryAfterMs !== null)
    const delayMs = Math.max(result.retryAfterMs ?? 0, 500 * 2 ** attempt)
    if (!mayPass || result.error === 'aborted' || delayMs > maxDelayMs) return result
    options.onRetry?.(result, delayMs)
    await sleep(delayMs, request.signal)
  }
}

async function sendOnce(url: string, request: OutgoingRequest, options: RequestOptions): Promise<RequestResult> {
  const { method, headers = {}, body, signal } = request
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 30_000)
  try {
    const response = await (options.fetch ?? fetch)(url, {
      method,
      headers: { accept: 'application/json, */*;q=0.5', ...headers },
      ...(body === undefined ? {} : { body: body as BodyInit }),
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
    return await readReply(response)
  } catch {
    if (signal?.aborted) return failure(0, 'aborted')
    return failure(0, timeout.aborted ? 'timeout' : 'network_error')
  }
}

async function readReply(response: Response): Promise<RequestResult> {
  const { status, headers } = response
  const type = headers.get('content-type') ?? ''
  if (response.ok && type.startsWith('application/jsonl') && response.body)
    return { ok: true, status, value: readLines(response.body), headers }
  const text = await response.text()
  const json = /^application\/(?:[\w.]+\+)?json\b/.test(type) ? parseJson(text) : undefined
  if (response.ok) {
    if (text === '') return { ok: true, status, value: null, headers }
    if (json !== undefined) return { ok: true, status, value: json, headers }
    if (type.startsWith('text/csv')) return { ok: true, status, value: text, headers }
    return failure(status, 'unexpected_reply')
  }
  const body = typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
  const code = body['needsLogin'] === true ? 'unauthorized' : body['error']
  return failure(status, typeof code === 'string' ? code : `http_${status}`, body, retryAfterMs(headers))
}

function failure(
  status: number,
  error: string,
  body: Readonly<Record<string, unknown>> = {},
  retryAfterMs: number | null = null,
): RequestResult & { readonly ok: false } {
  return { ok: false, status, error: error as TransportError, body, retryAfterMs }
}

/** Parses `retry-after`: seconds, or a date (RFC 9110, section 10.2.3), which is compared with the sender's clock. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim()
  if (!value) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isFinite(ms) ? Math.max(0, ms) : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Yields the values of JSON Lines as they arrive. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      for (const line of lines) if (line !== '') yield JSON.parse(line)
      if (done) return
    }
  } finally {
    await reader.cancel()
  }
}

function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs)
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
