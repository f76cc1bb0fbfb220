import { version, type Session } from './surroundings.ts'

export type Json = Record<string, unknown>

/** What the service answered; status 0 when nothing came. */
export interface Answer {
  readonly status: number
  readonly json: Json
  /** What `retry-after` asks for, or null. */
  readonly retryAfterMs: number | null
}

const patienceMs = 5000
/** No reply of the endpoints called here comes near. */
const longest = 64 * 1024

export interface Call {
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One call with the login. Never throws and never tries again: whoever calls decides when to. */
export async function call(
  session: Session,
  path: string,
  { method = 'GET', body, headers = {} }: Call = {},
): Promise<Answer> {
  const own: Record<string, string> = { 'accept': 'application/json', 'x-cli-version': version, ...headers }
  if (session.token) own['authorization'] = `Bearer ${session.token}`
  if (body !== undefined) own['content-type'] = 'application/json'
  return ask(session, session.base + path, {
    method,
    headers: own,
    body: body === undefined ? null : JSON.stringify(body),
  })
}

/** One request to an address that the service named, without the login: an impression's. */
export async function touch(session: Session, url: string): Promise<Answer> {
  return ask(session, url, { method: 'POST', headers: {}, body: null })
}

async function ask(
  session: Session,
  url: string,
  init: { method: string; headers: Record<string, string>; body: string | null },
): Promise<Answer> {
  try {
    const response = await session.fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(patienceMs) })
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null
    const text = await response.text()
    return { status: response.status, json: text.length > longest ? {} : object(text), retryAfterMs }
  } catch {
    return { status: 0, json: {}, retryAfterMs: null }
  }
}

function object(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Json) : {}
  } catch {
    return {}
  }
}

/** The code of a failure: the service's own word, else the status. */
export const codeOf = ({ status, json }: Answer): string =>
  status === 0
    ? 'unreachable'
    : typeof json['error'] === 'string'
      ? json['error']
      : json['needsLogin'] === true
        ? 'unauthorized'
        : `http_${status}`
