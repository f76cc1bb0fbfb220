import type { HostReply } from '../emulators/wire.ts'
import { Broken } from './target.ts'
import { findDifference, describeValue } from './matchers.ts'

/** A request in the form in which it was sent. */
export interface SentRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array | null
}

const decoder = new TextDecoder()
/** The maximum number of characters of a body that a failure shows. */
const maxShownCharacters = 600

/** A reply with the request that it answers, so that a failure names both. */
export class Answer {
  readonly sent: SentRequest
  readonly status: number
  readonly headers: HostReply['headers']
  readonly body: Uint8Array
  readonly text: string

  constructor(sent: SentRequest, { status, headers, body }: HostReply) {
    this.sent = sent
    this.status = status
    this.headers = headers
    this.body = body
    this.text = decoder.decode(body)
  }

  /** The parsed body. Throws when it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a check reads it as the shape it expects, and fails where it differs
  get json(): any {
    try {
      return JSON.parse(this.text)
    } catch {
      throw this.broken('a body of JSON', 'it is none')
    }
  }

  /** Returns every value of a header. */
  all(name: string): string[] {
    return this.headers.filter(([key]) => key === name).map(([, value]) => value)
  }

  /** Returns the value of a header, or null when it is missing. */
  header(name: string): string | null {
    return this.all(name)[0] ?? null
  }

  /**
   * Checks the status, and with `shape` also the JSON body, which must have exactly these fields. For a 400, `shape`
   * may omit `issues`, because the contract, against which each reply is checked, says which replies have issues.
   */
  is(status: number, shape?: unknown): this {
    const wanted = shape === undefined ? String(status) : `${status} ${describeValue(shape)}`
    if (this.status !== status) throw this.broken(wanted, `the status is ${this.status}`)
    if (shape === undefined) return this
    if (this.header('content-type') !== 'application/json')
      throw this.broken('content-type: application/json', `it is ${this.header('content-type')}`)
    const { issues, ...others } = this.json
    const hasIssues = typeof shape === 'object' && shape !== null && 'issues' in shape
    const difference = findDifference(shape, status === 400 && issues && !hasIssues ? others : this.json)
    if (difference !== null) throw this.broken(wanted, difference)
    return this
  }

  /**
   * Returns the line that sets a cookie of the service (`session`, `challenge`, `browser` or `flash`), or an empty
   * text.
   */
  setCookie(purpose: string): string {
    return this.all('set-cookie').find((line) => line.split('=', 1)[0]!.endsWith(`tributary_${purpose}`)) ?? ''
  }

  /** Returns the cookie as a browser sends it back. */
  cookie(purpose: string): string {
    return this.setCookie(purpose).split(';')[0]!
  }

  /**
   * Checks that a header was sent once and equals or matches the value. `null` means that the header must be missing.
   */
  has(name: string, value: string | RegExp | null): this {
    const got = this.all(name)
    const right =
      value === null
        ? got.length === 0
        : got.length === 1 && (typeof value === 'string' ? got[0] === value : value.test(got[0]!))
    if (!right)
      throw this.broken(
        `${name}: ${value === null ? 'not sent' : String(value)}`,
        got.length === 0 ? 'it is missing' : `it is ${got.map((one) => JSON.stringify(one)).join(' and ')}`,
      )
    return this
  }

  /** Fails the check unless `right` is true. `expected` describes the condition. */
  must(right: boolean, expected: string, because = 'it is not so'): this {
    if (!right) throw this.broken(expected, because)
    return this
  }

  /** Returns a failure of this request and reply. */
  broken(expected: string, because: string): Broken {
    const { method, target, headers, body } = this.sent
    return new Broken(
      redactSecrets(
        [
          `${method} ${target}`,
          ...(headers.length > 0
            ? [`  sent      ${headers.map(([name, value]) => `${name}: ${redactHeader(name, value)}`).join(' · ')}`]
            : []),
          ...(body ? [`            ${shortenBody(decoder.decode(body), body.length)}`] : []),
          `  expected  ${expected}`,
          `  got       ${this.status} ${shortenBody(this.text, this.body.length)}`,
          `            ${this.headers.map(([name, value]) => `${name}: ${redactHeader(name, value)}`).join(' · ')}`,
          `  because   ${because}`,
        ].join('\n'),
      ),
    )
  }
}

/** A future answer on which `is` can be called directly: `await ask('GET', '/healthz').is(200)`. */
export type PendingAnswer = Promise<Answer> & { readonly is: (status: number, shape?: unknown) => Promise<Answer> }

const secret = new Set(['authorization', 'cookie', 'set-cookie'])

/** Shortens a credential so that it can be recognized but not used. */
function redactHeader(name: string, value: string): string {
  return secret.has(name.toLowerCase()) && value.length > 20 ? `${value.slice(0, 16)}…` : value
}

/** Removes tokens and device codes from a text. */
function redactSecrets(text: string): string {
  return text.replace(/\b(trb_\w{6})\w{10,}/g, '$1…').replace(/(deviceCode(?:=|":"))(\w{6})\w{10,}/g, '$1$2…')
}

function shortenBody(body: string, bytes: number): string {
  return body.length > maxShownCharacters ? `${body.slice(0, maxShownCharacters)}… (${bytes} bytes)` : body
}
