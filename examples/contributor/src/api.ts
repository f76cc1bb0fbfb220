import { Stop, type Terminal } from './terminal.ts'

export type Json = Record<string, unknown>

export interface Call {
  /** A JSON body. */
  readonly body?: unknown
  /** A body that is packed already. */
  readonly gzip?: Uint8Array
  /** Statuses beside 2xx that the caller looks at itself. */
  readonly expect?: readonly number[]
}

export interface Answer {
  readonly status: number
  readonly json: Json
  readonly headers: Headers
  readonly text: string
}

/** How often a call is tried again when the service is away or busy. */
const tries = 6
/** How long one try may take: a batch of traces takes minutes on a slow line. */
const patienceMs = 5 * 60_000
/** A service that asks for a longer wait than this is told of instead of waited for. */
const longestWait = 120_000

/** The service as this client sees it: one address and, once logged in, one token. */
export class Api {
  readonly base: string
  readonly token: string | null
  readonly #terminal: Terminal

  constructor(base: string, token: string | null, terminal: Terminal) {
    this.base = base.replace(/\/+$/, '')
    this.token = token
    this.#terminal = terminal
  }

  /**
   * Calls the service. 429 waits as long as `retry-after` says; 502, 503, 504 and a broken connection are tried again with growing
   * waits (every call of this client may be repeated). Any other failure ends the command with what the service said.
   */
  async call(method: string, path: string, { body, gzip, expect = [] }: Call = {}): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#once(method, path, body, gzip)
      if (answer && (answer.status < 400 || expect.includes(answer.status))) return answer
      const away = !answer || [502, 503, 504].includes(answer.status)
      const busy = answer?.status === 429
      const wait = Math.max(retryAfter(answer), busy ? 1000 : 500 * 2 ** (attempt - 1))
      if ((!away && !busy) || attempt >= tries || wait > longestWait) throw this.#failure(method, path, answer)
      this.#terminal.note(
        `${away ? 'The service does not answer' : 'The service asks to slow down'}; trying again in ${Math.ceil(wait / 1000)} s`,
      )
      await this.#terminal.wait(wait)
    }
  }

  async #once(method: string, path: string, body: unknown, gzip: Uint8Array | undefined): Promise<Answer | null> {
    const headers: Record<string, string> = { 'accept': 'application/json', 'x-cli-version': '0.1.0' }
    if (this.token) headers['authorization'] = `Bearer ${this.token}`
    if (body !== undefined || gzip) headers['content-type'] = 'application/json'
    if (gzip) headers['content-encoding'] = 'gzip'
    const payload = gzip ?? (body === undefined ? null : JSON.stringify(body))
    try {
      const response = await this.#terminal.fetch(this.base + path, {
        method,
        headers,
        body: payload as BodyInit | null,
        redirect: 'error',
        signal: AbortSignal.timeout(patienceMs),
      })
      const text = await response.text()
      return { status: response.status, json: asJson(text), headers: response.headers, text }
    } catch {
      return null
    }
  }

  #failure(method: string, path: string, answer: Answer | null): Stop {
    if (!answer)
      return new Stop(
        'unreachable',
        `No answer from ${this.base}. Is the service running there? (\`npm start\`, or name another with --url)`,
      )
    const code = typeof answer.json['error'] === 'string' ? answer.json['error'] : `http_${answer.status}`
    return new Stop(code, explained(code, answer) ?? `${method} ${path} failed: ${code} (${answer.status})`)
  }
}

/** What to do about the failures that a person meets. */
function explained(code: string, { json, status }: Answer): string | null {
  switch (code) {
    case 'unauthorized':
      return 'You are not logged in, or your login has ended. Log in with `login`.'
    case 'terms_required':
      return `The terms wait for your acceptance: ${String(json['acceptUrl'])}`
    case 'contributor_approval_required':
      return `Only approved contributors may upload; you are ${String(json['status'])}. Apply or look: ${String(json['applyUrl'])}`
    case 'upgrade_required':
      return `This client is too old; at least ${String(json['minVersion'])} is needed. ${String(json['upgradeCommand'])}`
    case 'not_found':
      return 'There is no such trace among yours.'
    case 'invalid_body':
      return `The service refused what was sent: ${JSON.stringify(json['issues'] ?? status)}`
    default:
      return null
  }
}

function retryAfter(answer: Answer | null): number {
  const seconds = Number(answer?.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : 0
}

function asJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Json) : {}
  } catch {
    return {}
  }
}
