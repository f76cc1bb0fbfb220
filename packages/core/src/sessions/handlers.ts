import { addressKey } from '../http/address.ts'
import { within } from '../deadline.ts'
import { writeCookie } from '../http/cookies.ts'
import { fail, type Failure } from '../http/failures.ts'
import { reply, type Handlers } from '../http/route.ts'
import type { GiveBack, Spend } from '../http/spend.ts'
import { timestamp, timestampOrNull, toHex, uuid7 } from '../ids.ts'
import type { Digest, Logger, Mailer, Random } from '../ports.ts'
import type { sessionsContract } from './contract.ts'
import type { OperatorSession } from './operator.ts'
import type { Keyed } from './keyed.ts'
import { codeLifeMs, codeTries, cookieName, lifetimes, mailAddress, mailCode, ownPath, secret } from './rules.ts'
import { signInPage, operatorPage } from './pages.ts'
import type { Account, SessionStore } from './store.ts'

/** What the handlers of this capability need. */
export interface SessionsDeps {
  readonly store: SessionStore
  readonly random: Random
  readonly digest: Digest
  readonly logger: Logger
  /** Null when mail cannot be sent or an app's own sign-in stands in for ours: sign-in by code then answers 503. */
  readonly mailer: Mailer | null
  readonly spend: Spend
  readonly giveBack: GiveBack
  readonly prefix: string
  readonly secure: boolean
  readonly link: (path: string) => string
  /** Where an app's own sign-in is, if that stands in for ours. */
  readonly signInUrl: string | null
  readonly operator: OperatorSession
  /** Hashes codes that are short enough to guess. */
  readonly keyed: Keyed
  /** Forgets a credential that was ended. */
  readonly forget: (hash: string) => void
  /** Takes secrets and personal data out of a text that is to be kept. */
  readonly scrub: (text: string) => Promise<string>
}

/** How long a caller waits for the mail server. A mail that takes longer may still arrive. */
const mailMs = 6_000

/** Sends a code to an address. Whether anybody has it makes no difference to anything here. */
async function send(typed: string, now: number, deps: SessionsDeps): Promise<Failure<'unavailable' | 'rate_limited'> | null> {
  const { store, random, digest, mailer, spend, logger } = deps
  if (!mailer) return fail('unavailable')
  const address = mailAddress(typed)
  const limited = await spend('mail_address', toHex(digest(address)).slice(0, 32), now)
  if (limited) return limited
  const code = mailCode(random)
  const [hash] = await codeHashes(address, code, deps)
  await store.keepCode(address, hash, now, now + codeLifeMs)
  try {
    await within(mailMs, () => mailer.send({
      to: address, subject: `${code} is your Tributary sign-in code`,
      text: `Your sign-in code is ${code}\n\nType it on the page where you asked for it. It works once, for ten minutes.\n`
        + 'Nobody from Tributary will ask you for it. If you did not want to sign in, ignore this mail.\n',
    }))
  } catch (error) {
    // The caller hears the same either way: a mail server's refusal would tell which addresses exist.
    logger.error({ err: error }, 'a sign-in code could not be mailed')
  }
  return null
}

const codeHashes = (address: string, code: string, { keyed }: SessionsDeps): ReturnType<Keyed> => keyed(`${address}\n${code}`)

/** Signs in with a code: the person, and the cookie that says so; null when the code is not right. */
async function enter(typed: string, code: string, now: number, deps: SessionsDeps): Promise<{ user: Account; cookie: string } | null> {
  const { store, random, digest, secure } = deps
  const address = mailAddress(typed)
  const key = secret(random)
  const session = { id: uuid7(now, random), hash: toHex(digest(key)), expiresAt: now + lifetimes.session }
  const sent = code.replace(/[\s-]/g, '')
  const user = await store.takeCode(address, await codeHashes(address, sent, deps), codeTries, uuid7(now, random), session, now)
  return user && { user, cookie: writeCookie(cookieName(secure), key, { maxAge: lifetimes.session / 1000, secure }) }
}

/** The `set-cookie` value that takes a session's cookie away. */
export const cookieEnd = ({ secure }: Pick<SessionsDeps, 'secure'>): string => writeCookie(cookieName(secure), '', { maxAge: 0, secure })

async function leave(credential: string | null, { store, forget }: SessionsDeps): Promise<void> {
  if (credential === null) return
  await store.end(credential)
  forget(credential)
}

export const sessionsHandlers: Handlers<typeof sessionsContract, SessionsDeps> = {
  session: ({ user }) => ({ ok: true, userId: user.id }),

  async sendCode({ body, now }, deps) {
    return (await send(body.email, now, deps)) ?? { ok: true }
  },

  async verifyCode({ body, now }, deps) {
    const entered = await enter(body.email, body.code, now, deps)
    if (!entered) return fail('invalid_code')
    return reply(200, { ok: true, userId: entered.user.id }, [['set-cookie', entered.cookie]])
  },

  async signOut({ user }, deps) {
    await leave(user.credential, deps)
    return reply(200, { ok: true }, user.via === 'cookie' ? [['set-cookie', cookieEnd(deps)]] : [])
  },

  async listMachines({ user, now }, { store }) {
    const machines = await store.machines(user.id, now)
    return {
      ok: true,
      machines: machines.map(({ id, label, createdAt, lastUsedAt }) => ({
        id, label, createdAt: timestamp(createdAt), lastUsedAt: timestampOrNull(lastUsedAt),
      })),
    }
  },

  async revokeMachine({ user, params }, { store, forget }) {
    const hash = await store.revoke(user.id, params.id)
    if (hash === null) return fail('not_found')
    forget(hash)
    return { ok: true }
  },

  signInPage({ user, query }, deps) {
    const next = ownPath(query.next)
    if (user) return reply(303, null, [['location', next]])
    if (deps.signInUrl) {
      const url = new URL(deps.signInUrl)
      url.searchParams.set('next', deps.link(next))
      return reply(303, null, [['location', url.href]])
    }
    return signInPage({ prefix: deps.prefix, next, available: deps.mailer !== null })
  },

  async signInForm({ body, address, now }, deps) {
    const next = ownPath(body.fields.next)
    const frame = { prefix: deps.prefix, next, available: deps.mailer !== null, email: body.fields.email }
    const wrong = (name: string): boolean => body.issues.some(({ path }) => path[0] === name)
    if (!body.value) return reply(400, signInPage({ ...frame, problem: wrong('email') ? 'email' : 'code', asked: !wrong('email') }))
    const { email, code } = body.value
    const asked = code !== undefined
    const limited = await deps.spend(asked ? 'mail_verify' : 'mail_code', addressKey(address), now)
    if (limited) return reply(429, signInPage({ ...frame, asked, problem: 'limit' }), limited.headers)
    if (!asked) {
      const failure = await send(email, now, deps)
      if (!failure) return signInPage({ ...frame, asked: true })
      const status = failure.code === 'rate_limited' ? 429 : 503
      return reply(status, signInPage({ ...frame, problem: status === 429 ? 'limit' : 'off' }), failure.headers)
    }
    const entered = await enter(email, code, now, deps)
    if (!entered) return reply(400, signInPage({ ...frame, asked: true, problem: 'code' }))
    return reply(303, null, [['location', next], ['set-cookie', entered.cookie]])
  },

  async signOutForm({ user }, deps) {
    await leave(user?.credential ?? null, deps)
    return reply(303, null, [['location', '/sign-in'], ['set-cookie', cookieEnd(deps)]])
  },

  async operatorSignIn({ body, address, now }, { operator, prefix, spend, giveBack }) {
    const from = addressKey(address)
    // Counted before the look and given back when right, so that of many guesses at once no more are compared.
    const limited = await spend('operator', from, now)
    if (limited) return reply(429, operatorPage({ prefix, problem: 'limit' }), limited.headers)
    const answer = operator.check(body.value?.token ?? null)
    if (answer === 'no') return reply(401, operatorPage({ prefix, problem: 'wrong' }))
    await giveBack('operator', from, now)
    if (answer === 'off') return fail('not_found')
    return reply(303, null, [['location', '/admin'], ['set-cookie', await operator.start(answer.name, now)]])
  },

  async operatorSignOut({ request }, { operator }) {
    return reply(303, null, [['location', '/admin'], ['set-cookie', await operator.end(request)]])
  },

  stylesheet: async () => reply(200, (await import('../http/style.ts')).stylesheet, [['content-type', 'text/css; charset=utf-8'], ['cache-control', 'public, max-age=3600']]),
}
