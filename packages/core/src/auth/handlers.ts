import { auditContext } from '../admin/audit/rules.ts'
import { addressKey } from '../http/address.ts'
import { within } from '../deadline.ts'
import { cookieName, readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import { fail, Failure } from '../http/failures.ts'
import { mount, reply, type Handlers, type Mounted, type User } from '../http/route.ts'
import type { RefundRate, ConsumeRate } from '../http/rate-limit.ts'
import { timestamp, timestampOrNull, toHex, uuid7 } from '../ids.ts'
import { describeMailFailure } from '../outbox/failure.ts'
import type { Digest, Logger, Mailer, Random } from '../ports.ts'
import { recognizeBrowser, rememberBrowser } from './browser.ts'
import { sessionsContract } from './contract.ts'
import type { OperatorSession } from './operator.ts'
import type { HmacCode } from './hmac.ts'
import {
  browserLabel,
  codeGuesses,
  codeLifeMs,
  dailyGuesses,
  isSecret,
  lifetimes,
  mailAddress,
  mailCode,
  ownPath,
  secret,
} from './rules.ts'
import { signInPage, operatorPage } from './pages.ts'
import { guessWindowMs, type Account, type SessionStore } from './store.ts'

/** What the handlers of this capability need. */
export interface SessionsDeps {
  readonly store: SessionStore
  readonly random: Random
  readonly digest: Digest
  readonly logger: Logger
  /** Null when mail cannot be sent or an app's own sign-in stands in for ours: sign-in by code then answers 503. */
  readonly mailer: Mailer | null
  readonly consumeRate: ConsumeRate
  readonly refundRate: RefundRate
  readonly prefix: string
  readonly secure: boolean
  readonly link: (path: string) => string
  /** Where an app's own sign-in is, if that stands in for ours. */
  readonly signInUrl: string | null
  readonly operator: OperatorSession
  /** Hashes codes that are short enough to guess. */
  readonly keyed: HmacCode
  /** Forgets a credential that was ended. */
  readonly forget: (hash: string) => void
  /** Takes secrets and personal data out of a text that is to be kept. */
  readonly scrub: (text: string) => Promise<string>
}

/** How long a caller waits for the mail server. A mail that takes longer may still arrive. */
const mailMs = 6_000

/** Who signs in: the request, the caller's address after `trustedProxies`, and the time of the request. */
interface Caller {
  readonly request: PlainRequest
  readonly address: string | null
  readonly now: number
}

type SetCookie = readonly ['set-cookie', string]

/**
 * Mails a code and returns the challenge that it belongs to. Whether anybody has the address makes no difference to anything
 * here. A browser that signed in as this address before has limits of its own, so that nobody else's requests use them up.
 */
async function send(
  email: string,
  { request, address, now }: Caller,
  deps: SessionsDeps,
): Promise<Failure<'unavailable' | 'rate_limited'> | { readonly challenge: string; readonly cookie: SetCookie }> {
  const { store, random, digest, mailer, consumeRate, logger, secure } = deps
  if (!mailer) return fail('unavailable')
  const to = mailAddress(email)
  const browserHash = await recognizeBrowser(request, to, deps)
  const limited =
    (browserHash ? null : await consumeRate('mail_code', addressKey(address), now)) ??
    (await consumeRate('mail_address', (browserHash ?? toHex(digest(to))).slice(0, 32), now))
  if (limited) return limited
  const code = mailCode(random)
  const challenge = secret(random)
  const challengeHash = toHex(digest(challenge))
  const [codeHash] = await codeHashes(to, code, deps)
  const expiresAt = now + codeLifeMs
  await store.createSignInCode({ challengeHash, codeHash, address: to, browserHash, createdAt: now, expiresAt })
  try {
    await within(mailMs, () =>
      mailer.send({
        to,
        subject: `${code} is your Tributary sign-in code`,
        text:
          `Your sign-in code is ${code}\n\n` +
          'Enter it in the browser or program where you asked for it: it works only there, once, for ten minutes.\n' +
          'Nobody from Tributary will ask you for it. If you did not want to sign in, ignore this mail.\n',
      }),
    )
  } catch (error) {
    // The caller hears the same either way: a mail server's refusal would tell which addresses exist.
    logger.error({ reason: describeMailFailure(error, to) }, 'a sign-in code could not be mailed')
  }
  const cookie = writeCookie(cookieName(secure, 'challenge'), challenge, { maxAge: codeLifeMs / 1000, secure })
  return { challenge, cookie: ['set-cookie', cookie] }
}

const codeHashes = (address: string, code: string, { keyed }: SessionsDeps): ReturnType<HmacCode> =>
  keyed(`${address}\n${code}`)

type Entered =
  | { readonly outcome: 'signed_in'; readonly user: Account; readonly cookies: readonly SetCookie[] }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'limited' | 'too_many_guesses'; readonly failure: Failure<'rate_limited'> }

interface Typed {
  readonly email: string
  readonly code: string
  /** Default: the one in the challenge cookie. */
  readonly challenge?: string | undefined
}

/** Signs in with a code. The cookie of the session comes first. */
async function enter(typed: Typed, { request, address, now }: Caller, deps: SessionsDeps): Promise<Entered> {
  const { store, random, digest, consumeRate, secure, forget } = deps
  const email = mailAddress(typed.email)
  const limited = await consumeRate(
    'mail_verify',
    (await recognizeBrowser(request, email, deps)) ?? addressKey(address),
    now,
  )
  if (limited) return { outcome: 'limited', failure: limited }
  const sent = readCookies(request.headers['cookie'])
  const challenge = typed.challenge ?? sent[cookieName(secure, 'challenge')] ?? ''
  if (!isSecret(challenge)) return { outcome: 'wrong' }
  const token = secret(random)
  const session = { id: uuid7(now, random), hash: toHex(digest(token)), expiresAt: now + lifetimes.session }
  const replaced = sent[cookieName(secure)] ?? ''
  const replacedHash = isSecret(replaced) ? toHex(digest(replaced)) : null
  const code = typed.code.replace(/[\s-]/g, '')
  const result = await store.verifySignInCode({
    challengeHash: toHex(digest(challenge)),
    address: email,
    codeHashes: await codeHashes(email, code, deps),
    codeGuesses,
    dailyGuesses,
    userId: uuid7(now, random),
    session,
    label: browserLabel(request.headers['user-agent']),
    replacedHash,
    now,
  })
  if (result.outcome === 'wrong') return result
  if (result.outcome === 'too_many_guesses') return { ...result, failure: tooManyGuesses(result.until - now) }
  if (replacedHash !== null) forget(replacedHash)
  return {
    outcome: 'signed_in',
    user: result.user,
    cookies: [
      ['set-cookie', writeCookie(cookieName(secure), token, { maxAge: lifetimes.session / 1000, secure })],
      ['set-cookie', await rememberBrowser(request, email, deps)],
      ['set-cookie', writeCookie(cookieName(secure, 'challenge'), '', { maxAge: 0, secure })],
    ],
  }
}

function tooManyGuesses(waitMs: number): Failure<'rate_limited'> {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return fail('rate_limited', {}, [
    ['retry-after', String(seconds)],
    ['ratelimit-policy', `"code_guesses";q=${dailyGuesses};w=${guessWindowMs / 1000}`],
    ['ratelimit', `"code_guesses";r=0;t=${seconds}`],
  ])
}

/** The `set-cookie` value that takes a session's cookie away. */
export const cookieEnd = ({ secure }: Pick<SessionsDeps, 'secure'>): string =>
  writeCookie(cookieName(secure), '', { maxAge: 0, secure })

/** Returns the address of an app's own sign-in that comes back to a path of ours, or null where people sign in here. */
export function signInElsewhere(
  next: string,
  { signInUrl, link }: Pick<SessionsDeps, 'signInUrl' | 'link'>,
): string | null {
  if (signInUrl === null) return null
  const url = new URL(signInUrl)
  url.searchParams.set('next', link(next))
  return url.href
}

async function leave(credential: string | null, { store, forget }: SessionsDeps): Promise<void> {
  if (credential === null) return
  await store.end(credential)
  forget(credential)
}

/** Returns the machines and browsers that a person is signed in with. */
export async function listMachines(user: User, now: number, { store }: Pick<SessionsDeps, 'store'>) {
  const signedIn = await store.listSignedIn({ ownerId: user.id, now, currentHash: user.credential })
  return signedIn.map(({ id, kind, label, createdAt, lastUsedAt, isCurrent }) => ({
    id,
    kind,
    label,
    createdAt: timestamp(createdAt),
    lastUsedAt: timestampOrNull(lastUsedAt),
    current: isCurrent,
  }))
}

/** Revokes a token or session of a person. Returns its hash, or null when the person has none with this id. */
export async function revokeMachine(
  user: User,
  id: string,
  { store, forget }: Pick<SessionsDeps, 'store' | 'forget'>,
): Promise<string | null> {
  const hash = await store.revoke(user.id, id)
  if (hash !== null) forget(hash)
  return hash
}

export const sessionsHandlers: Handlers<typeof sessionsContract, SessionsDeps> = {
  session: ({ user }) => ({ ok: true, userId: user.id }),

  async sendCode({ body, ...caller }, deps) {
    const sent = await send(body.email, caller, deps)
    return sent instanceof Failure ? sent : reply(200, { ok: true, challenge: sent.challenge }, [sent.cookie])
  },

  async verifyCode({ body, ...caller }, deps) {
    const entered = await enter(body, caller, deps)
    if (entered.outcome === 'wrong') {
      caller.report('auth.signin.failed')
      return fail('invalid_code')
    }
    if (entered.outcome !== 'signed_in') return entered.failure
    return reply(200, { ok: true, userId: entered.user.id }, entered.cookies)
  },

  async signOut({ user }, deps) {
    await leave(user.credential, deps)
    return reply(200, { ok: true }, user.via === 'cookie' ? [['set-cookie', cookieEnd(deps)]] : [])
  },

  listMachines: async ({ user, now }, deps) => ({ ok: true, machines: await listMachines(user, now, deps) }),

  async revokeMachine({ user, params }, deps) {
    const hash = await revokeMachine(user, params.id, deps)
    if (hash === null) return fail('not_found')
    const isOwnSession = hash === user.credential && user.via === 'cookie'
    return reply(200, { ok: true }, isOwnSession ? [['set-cookie', cookieEnd(deps)]] : [])
  },

  signInPage({ user, query }, deps) {
    const next = ownPath(query.next)
    if (user) return reply(303, null, [['location', next]])
    const elsewhere = signInElsewhere(next, deps)
    if (elsewhere !== null) return reply(303, null, [['location', elsewhere]])
    return signInPage({ prefix: deps.prefix, next, available: deps.mailer !== null })
  },

  async signInForm({ body, ...caller }, deps) {
    const next = ownPath(body.fields.next)
    const frame = { prefix: deps.prefix, next, available: deps.mailer !== null, email: body.fields.email }
    const wrong = (name: string): boolean => body.issues.some(({ path }) => path[0] === name)
    if (!body.value)
      return reply(400, signInPage({ ...frame, problem: wrong('email') ? 'email' : 'code', asked: !wrong('email') }))
    const { email, code } = body.value
    if (code === undefined) {
      const sent = await send(email, caller, deps)
      if (!(sent instanceof Failure)) return reply(200, signInPage({ ...frame, asked: true }), [sent.cookie])
      const status = sent.code === 'rate_limited' ? 429 : 503
      return reply(status, signInPage({ ...frame, problem: status === 429 ? 'limit' : 'off' }), sent.headers)
    }
    const entered = await enter({ email, code }, caller, deps)
    if (entered.outcome === 'signed_in') return reply(303, null, [['location', next], ...entered.cookies])
    if (entered.outcome === 'wrong') {
      caller.report('auth.signin.failed')
      return reply(400, signInPage({ ...frame, asked: true, problem: 'code' }))
    }
    const problem = entered.outcome === 'limited' ? 'limit' : 'guesses'
    return reply(429, signInPage({ ...frame, asked: true, problem }), entered.failure.headers)
  },

  async signOutForm({ user }, deps) {
    await leave(user?.credential ?? null, deps)
    return reply(303, null, [
      ['location', '/sign-in'],
      ['set-cookie', cookieEnd(deps)],
    ])
  },

  async operatorSignIn(
    { body, address, requestId, report, now },
    { operator, prefix, random, consumeRate, refundRate },
  ) {
    const from = addressKey(address)
    // Counted before the look and given back when right, so that of many guesses at once no more are compared.
    const limited = await consumeRate('operator', from, now)
    if (limited) return reply(429, operatorPage({ prefix, problem: 'limit' }), limited.headers)
    const answer = operator.check(body.value?.token ?? null)
    if (answer === 'no') {
      report('auth.admin.denied')
      return reply(401, operatorPage({ prefix, problem: 'wrong' }))
    }
    await refundRate('operator', from, now)
    if (answer === 'off') return fail('not_found')
    return reply(303, null, [
      ['location', '/admin'],
      ['set-cookie', await operator.start(auditContext({ actor: answer.name, requestId, address, now }, random))],
    ])
  },

  async operatorSignOut({ request, requestId, address, now }, { operator }) {
    return reply(303, null, [
      ['location', '/admin'],
      ['set-cookie', await operator.end(request, { requestId, address, now })],
    ])
  },

  stylesheet: async () =>
    reply(200, (await import('../http/style.ts')).stylesheet, [
      ['content-type', 'text/css; charset=utf-8'],
      ['cache-control', 'public, max-age=3600'],
    ]),
}

/** Binds the routes of sign-in, sessions and machines to their handlers. */
export const mountSessions = (deps: SessionsDeps): Mounted[] => mount(sessionsContract, sessionsHandlers, deps)
