import type { ResolvedBrand } from '../ui/brand.ts'
import type { Lazy } from '../lazy.ts'
import type { Languages } from '../ui/messages.ts'
import { within } from '../deadline.ts'
import { addressKey } from '../http/address.ts'
import { fail, type Failure } from '../http/failures.ts'
import { cookieName, readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import { toHex, uuid7 } from '../ids.ts'
import { mailMessages } from '../messages/mails.ts'
import { describeMailFailure, isUncertain } from '../outbox/failure.ts'
import type { ConsumeRate } from '../http/rate-limit.ts'
import type { Logger, Mailer } from '../ports.ts'
import type { HmacCode } from './hmac.ts'
import { recognizeBrowser, rememberBrowser, type KnownBrowserDeps } from './known-browser.ts'
import {
  browserLabel,
  codeGuesses,
  codeLifeMs,
  generateMailCode,
  generateSecret,
  isSecret,
  lifetimes,
  toMailbox,
  normalizeAddress,
  normalizeMailCode,
} from './rules.ts'
import type { OutboxStore } from '../outbox/store.ts'
import type { Measurements } from '../measurements.ts'
import type { AuthStore, StoredUser } from './store.ts'

export interface SignInDeps extends KnownBrowserDeps {
  readonly store: AuthStore
  readonly logger: Logger
  readonly brand: ResolvedBrand
  readonly languages: Lazy<Languages>
  /** Null when mail cannot be sent or an app's own sign-in is used. Then sign-in by code replies 503. */
  readonly mailer: Mailer | null
  /** Keeps the mails that were not sent, for the operator. */
  readonly outbox: Pick<OutboxStore, 'recordRefusedMail'>
  readonly measurements: Measurements
  readonly consumeRate: ConsumeRate
  /** Drops a revoked credential from the cache. */
  readonly forgetCredential: (hash: string) => void
}

/**
 * The time for which a request waits for the mail server, in milliseconds. A mail that takes longer may still arrive.
 */
const mailMs = 6_000

/** The sign-in request. `address` is the IP address after `trustedProxies`. */
export interface SignInRequest {
  readonly request: PlainRequest
  readonly address: string | null
  readonly now: number
  readonly requestId: string
}

type SetCookie = readonly ['set-cookie', string]

/**
 * Mails a sign-in code and returns its challenge, in the same way whether or not the address has an account. A browser
 * that signed in with this address before has its own rate limits, which other people's requests do not use up.
 */
export async function sendSignInCode(
  email: string,
  caller: SignInRequest,
  deps: SignInDeps,
): Promise<Failure<'unavailable' | 'rate_limited'> | { readonly challenge: string; readonly cookie: SetCookie }> {
  const { request, address, now } = caller
  const { store, random, digest, mailer, consumeRate, logger, secure } = deps
  if (!mailer) {
    logger.warn({ fix: 'set the option `mailer`, or `identity` for your own sign-in' }, 'auth.mailer.missing')
    return fail('unavailable')
  }
  const to = normalizeAddress(email)
  const browserHash = await recognizeBrowser(request, to, deps)
  const limited =
    (browserHash ? null : await consumeRate('mail_code', addressKey(address), now)) ??
    // No test can notice a change of `0` or `32`: any part of the hash identifies the address for the rate limiter.
    (await consumeRate('mail_address', (browserHash ?? toHex(digest(toMailbox(to)))).slice(0, 32), now))
  if (limited) return limited
  const code = generateMailCode(random, await store.countWrongGuesses({ address: to, now }))
  const language = (await deps.languages()).pick(request.headers['accept-language'])
  const { supportEmail } = deps.brand
  const support =
    supportEmail === undefined ? '' : `\n${language.text(mailMessages, 'mail.support', { email: supportEmail })}`
  const challenge = generateSecret(random)
  const challengeHash = toHex(digest(challenge))
  const [codeHash] = await hashCode(to, code, deps)
  const expiresAt = now + codeLifeMs
  await store.createSignInCode({ challengeHash, codeHash, address: to, createdAt: now, expiresAt })
  try {
    await within(mailMs, () =>
      mailer.send({
        to,
        subject: language.text(mailMessages, 'mail.code.subject', { code }),
        text: language.text(mailMessages, 'mail.code.text', { code }) + support,
      }),
    )
    deps.measurements.count('tributary_mails_total', { outcome: 'sent' })
  } catch (error) {
    // The reply is the same as for an accepted mail: a mail server's refusal would reveal which addresses exist.
    await recordRefusedCode(to, error, language.text(mailMessages, 'mail.code.refused'), caller, deps)
  }
  const cookie = writeCookie(cookieName(secure, 'challenge'), challenge, { maxAge: codeLifeMs / 1000, secure })
  return { challenge, cookie: ['set-cookie', cookie] }
}

/** Records in the log, the metrics and the outbox that the mail server did not accept the mail of a code. */
async function recordRefusedCode(
  recipient: string,
  cause: unknown,
  subject: string,
  { now, requestId }: SignInRequest,
  { outbox, measurements, logger, random }: SignInDeps,
): Promise<void> {
  const error = describeMailFailure(cause, recipient)
  const status = isUncertain(cause) ? 'unknown' : 'dead'
  measurements.count('tributary_mails_total', { outcome: status })
  logger.error({ reason: error, requestId }, 'auth.signin.mail_failed')
  const id = uuid7(now, random)
  await outbox
    .recordRefusedMail({ id, recipient, subject, status, error, requestId, now })
    .catch((reason: unknown) => logger.warn({ err: reason, requestId }, 'outbox.store.unavailable'))
}

const hashCode = (address: string, code: string, { hmacCode }: SignInDeps): ReturnType<HmacCode> =>
  hmacCode(`${address}\n${code}`)

export type SignInOutcome =
  | { readonly outcome: 'signed_in'; readonly user: StoredUser; readonly cookies: readonly SetCookie[] }
  | { readonly outcome: 'wrong' }
  | { readonly outcome: 'limited'; readonly failure: Failure<'rate_limited'> }

export interface EnteredCode {
  readonly email: string
  readonly code: string
  /** The challenge of the code. Default: the challenge in the cookie. */
  readonly challenge?: string | undefined
}

/** Signs in with a code. The first of `cookies` is the session's cookie. */
export async function signInWithCode(
  entered: EnteredCode,
  { request, address, now }: SignInRequest,
  deps: SignInDeps,
): Promise<SignInOutcome> {
  const { store, random, digest, consumeRate, secure, forgetCredential } = deps
  const email = normalizeAddress(entered.email)
  const rateKey = (await recognizeBrowser(request, email, deps)) ?? addressKey(address)
  const limited = await consumeRate('mail_verify', rateKey, now)
  if (limited) return { outcome: 'limited', failure: limited }
  const cookies = readCookies(request.headers['cookie'])
  const challenge = entered.challenge ?? cookies[cookieName(secure, 'challenge')] ?? ''
  if (!isSecret(challenge)) return { outcome: 'wrong' }
  const token = generateSecret(random)
  const session = { id: uuid7(now, random), hash: toHex(digest(token)), expiresAt: now + lifetimes.session }
  const replaced = cookies[cookieName(secure)] ?? ''
  const replacedHash = isSecret(replaced) ? toHex(digest(replaced)) : null
  const result = await store.verifySignInCode({
    challengeHash: toHex(digest(challenge)),
    address: email,
    codeHashes: await hashCode(email, normalizeMailCode(entered.code), deps),
    codeGuesses,
    userId: uuid7(now, random),
    session,
    label: browserLabel(request.headers['user-agent']),
    replacedHash,
    now,
  })
  if (result.outcome === 'wrong') return result
  if (replacedHash !== null) forgetCredential(replacedHash)
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
