import { createService, type Mail, type Mailer, type Service, type ServiceOptions, type Stores } from '@tributary/core'
import { fixedClock, seededRandom, type FixedClock } from './clock.ts'

/** A mailer that keeps what it is given. */
export interface RecordingMailer extends Mailer {
  readonly mails: Mail[]
  /** The six digits of the newest mail to an address. */
  code(to: string): string
}

/** Makes one; it hands each mail on when there is somebody to hand it to. */
export function recordingMailer(onward?: Mailer): RecordingMailer {
  const mails: Mail[] = []
  return {
    mails,
    async send(mail) {
      mails.push(mail)
      await onward?.send(mail)
    },
    code(to) {
      const code = mails.findLast((mail) => mail.to === to)?.text.match(/\b\d{6}\b/)?.[0]
      if (!code) throw new Error(`no code was mailed to ${to}`)
      return code
    },
  }
}

/** A reply, read. `json` is its parsed body, or undefined; `cookies` by name, as set. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads it as the shape it expects, and fails where it differs
  readonly json: any
  readonly cookies: Readonly<Record<string, string>>
}

export interface Ask {
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as one of our pages' forms, with the headers a browser sends from our own page. */
  readonly form?: Readonly<Record<string, string>>
  /** The peer's address; default 192.0.2.1. */
  readonly address?: string
}

/** A person who signed in the way people do. */
export interface Signed {
  readonly userId: string
  readonly email: string
  readonly token: string
  /** Headers of a program that holds their token. */
  readonly bearer: { readonly authorization: string }
  /** Headers of their browser on one of our own pages: it may change things. */
  readonly cookie: { readonly cookie: string; readonly 'sec-fetch-site': string }
}

export interface Fixture {
  readonly service: Service
  readonly clock: FixedClock
  readonly mailer: RecordingMailer
  /** Asks `path` (below the mount prefix) through the public interface. */
  ask(method: string, path: string, options?: Ask): Promise<Answer>
  /** Signs a person in: a code by mail for the cookie, then a device login, approved by them, for the token. */
  signIn(email?: string): Promise<Signed>
}

/**
 * A whole service with a fixed clock, seeded randomness and a mailer that records, at http://127.0.0.1:8787 unless told
 * otherwise. Rates are off unless given, since a test signs in more often than people do.
 *
 * ```ts
 * const { ask, signIn } = fixture({ stores: memoryStores() })
 * const jane = await signIn('jane@example.com')
 * const reply = await ask('GET', '/api/cli/session', { headers: jane.bearer })
 * ```
 */
export function fixture(options: Partial<ServiceOptions> & { stores: Stores }): Fixture {
  const given = options.clock
  const clock = given && 'advance' in given ? (given as FixedClock) : fixedClock(given?.())
  const mailer = options.mailer && 'mails' in options.mailer ? (options.mailer as RecordingMailer) : recordingMailer(options.mailer)
  const baseUrl = options.baseUrl ?? 'http://127.0.0.1:8787'
  const service = createService({ random: seededRandom(), rates: 'off', ...options, baseUrl, clock, mailer })
  let people = 0

  async function ask(method: string, path: string, { headers = {}, json, form, address = '192.0.2.1' }: Ask = {}): Promise<Answer> {
    const body = form ? new URLSearchParams(form).toString() : json === undefined ? null : JSON.stringify(json)
    const sent = {
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' } : {}),
      ...headers,
    }
    const request = new Request(new URL(baseUrl).origin + service.prefix + path, { method, headers: sent, body })
    const response = await service.fetch(request, address)
    if (!response) throw new Error(`the service has no ${path}`)
    const text = await response.text()
    const cookies = Object.fromEntries(response.headers.getSetCookie().map((line) => {
      const at = line.indexOf('=')
      return [line.slice(0, at), line.slice(at + 1).split(';', 1)[0]!]
    }))
    const isJson = method !== 'HEAD' && response.headers.get('content-type') === 'application/json'
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined, cookies }
  }

  async function expectOk(answer: Promise<Answer>): Promise<Answer> {
    const got = await answer
    if (got.status !== 200) throw new Error(`signing in failed: ${got.status} ${got.text}`)
    return got
  }

  return {
    service, clock, mailer, ask,
    async signIn(email = `person-${++people}@example.com`) {
      const { json: { challenge } } = await expectOk(ask('POST', '/api/auth/email', { json: { email } }))
      const code = mailer.code(email.toLowerCase())
      const verified = await expectOk(ask('POST', '/api/auth/email/verify', { json: { email, code, challenge } }))
      const [[name, value]] = Object.entries(verified.cookies) as [[string, string]]
      const cookie = { cookie: `${name}=${value}`, 'sec-fetch-site': 'same-origin' }
      const started = await expectOk(ask('POST', '/api/cli/device/start', { json: { machine: 'test machine' } }))
      await expectOk(ask('POST', '/api/cli/device/approve', { headers: cookie, json: { userCode: started.json.userCode } }))
      const polled = await expectOk(ask('GET', `/api/cli/device/poll?deviceCode=${started.json.deviceCode}`))
      const { token, userId } = polled.json as { token: string; userId: string }
      return { userId, email: email.toLowerCase(), token, bearer: { authorization: `Bearer ${token}` }, cookie }
    },
  }
}
