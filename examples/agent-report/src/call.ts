import { isObject, type Json } from './report.ts'
import { plain, Stop, type Terminal } from './terminal.ts'

export interface Answer {
  readonly status: number
  readonly json: Json
}

/** How often a call is made when the service is away or busy. */
const tries = 6
/** A service that asks for a longer wait than this is told of instead of waited for. */
const longestWait = 120_000
/** A service that says nothing for so long is away. */
const patience = 15_000
/** The same call may do better later: somebody else holds the key, too many calls, or not there just now. */
const passing = [408, 409, 429, 502, 503, 504]

/**
 * Makes a call until it is answered with something that another try would not change. Waits grow from half a second, and are as
 * long as `retry-after` says where it says longer. A POST must carry an idempotency key: a connection that broke may have
 * delivered it. Throws `Stop` (`unreachable`, or the code of the service) when the service stays away.
 */
export async function call(terminal: Terminal, url: URL, init: RequestInit = {}): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const response = await once(terminal, url, init)
    if (response && !passing.includes(response.status)) return response
    const asked = response?.retryMs ?? 0
    const wait = Math.max(asked, 500 * 2 ** (attempt - 1))
    if (attempt >= tries || wait > longestWait) throw gone(url, response)
    terminal.note(
      `${response ? `The service asks for patience (${response.status})` : 'The service does not answer'}; trying again in ${Math.ceil(wait / 1000)} s`,
    )
    await terminal.wait(wait)
  }
}

async function once(terminal: Terminal, url: URL, init: RequestInit): Promise<(Answer & { retryMs: number }) | null> {
  try {
    // Where the report goes was decided already: no reply may send it elsewhere.
    const response = await terminal.fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(patience) })
    return {
      status: response.status,
      json: objectOf(await response.text()),
      retryMs: retryMs(response.headers.get('retry-after')),
    }
  } catch {
    return null
  }
}

/** The milliseconds that a `retry-after` names, in seconds or as a date (RFC 9110, section 10.2.3). */
function retryMs(header: string | null): number {
  if (header === null) return 0
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}

function objectOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The code of a failure, in the service's word where it has one. */
export function codeOf({ status, json }: Answer): string {
  return typeof json['error'] === 'string' ? plain(json['error']) : `http_${status}`
}

function gone(url: URL, answer: Answer | null): Stop {
  if (!answer)
    return new Stop(
      'unreachable',
      `No answer from ${url.origin}. Is the service running there? (\`npm start\`, or name another with --url)`,
    )
  return new Stop(
    codeOf(answer),
    `${url.pathname} stays at ${codeOf(answer)} (${answer.status}). Try later, with the same --key.`,
  )
}
