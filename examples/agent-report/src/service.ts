import { sendRequest, type RequestResult } from '@tributary/core/client'
import { isObject, type Json } from './report.ts'
import { toPlainText, Stop, type Terminal } from './terminal.ts'

/** A reply of a service. */
export interface Answer {
  readonly status: number
  readonly json: Json
}

/** If a service asks for a longer wait than this, the wait is reported as an error. */
const maxDelayMs = 120_000
/**
 * The statuses after which the same call may succeed later: the key is in use, too many calls, or the service is down.
 */
const temporary = [408, 409, 429, 502, 503, 504]

/**
 * Sends a request to a URL that the discovery document named. Retries while another attempt can help. A POST must have
 * an idempotency key, because the service may have received it although the connection broke. Throws `Stop`
 * (`unreachable`, or the code of the service) when the service stays down.
 */
export async function request(
  terminal: Terminal,
  url: URL,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const result = await sendRequest(
    url.href,
    { method, headers, isRepeatable: true, ...(body === undefined ? {} : { body }) },
    {
      fetch: terminal.fetch,
      timeoutMs: 15_000,
      retries: 5,
      maxDelayMs,
      sleep: (delayMs) => terminal.wait(delayMs),
      onRetry({ status }, delayMs) {
        const reason = status === 0 ? 'The service does not answer' : `The service is busy (${status})`
        terminal.note(`${reason}; trying again in ${Math.ceil(delayMs / 1000)} s`)
      },
    },
  )
  if (!result.ok && (result.status === 0 || temporary.includes(result.status))) throw makeUnavailable(url, result)
  const json = result.ok ? result.value : result.body
  return { status: result.status, json: isObject(json) ? json : {} }
}

/** Returns the code of a failure: the service's own code, or else `http_` and the status. */
export function readErrorCode({ status, json }: Answer): string {
  return typeof json['error'] === 'string' ? toPlainText(json['error']) : `http_${status}`
}

function makeUnavailable(url: URL, { status, error }: RequestResult & { readonly ok: false }): Stop {
  if (status === 0) {
    return new Stop(
      'unreachable',
      `No answer from ${url.origin}. Is the service running there? (\`npm start\`, or name another with --url)`,
    )
  }
  const code = toPlainText(error)
  return new Stop(code, `${url.pathname} still answers ${code} (${status}). Try later, with the same --key.`)
}
