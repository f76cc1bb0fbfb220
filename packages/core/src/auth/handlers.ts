import type { AuditContext } from '../audit/store.ts'
import { auditContext } from '../http/audit-context.ts'
import { addressKey } from '../http/address.ts'
import { externalSignInUrl } from './recent-sign-in.ts'
import { fail, Failure, invalid } from '../http/failures.ts'
import { cookieName, writeCookie } from '../http/message.ts'
import type { Html } from '../ui/html.ts'
import type { RefundRate } from '../http/rate-limit.ts'
import { redirect, reply, mount, type Handlers, type Mounted, type User } from '../http/route.ts'
import { timestamp, timestampOrNull } from '../ids.ts'
import { authContract } from './contract.ts'
import type { OperatorSession } from './operator.ts'
import { operatorPage, signInPage } from './pages.ts'
import { localPath, operatorPath } from './rules.ts'
import type { RevokedCredential } from './store.ts'
import { readSentCode, removeSentCode, formatSentCodeCookie } from './sent-code.ts'
import { sendSignInCode, signInWithCode, type SignInDeps } from './sign-in.ts'

/** The dependencies of the handlers. */
export interface AuthDeps extends SignInDeps {
  readonly refundRate: RefundRate
  readonly prefix: string
  readonly capabilities: { readonly ads: boolean; readonly telemetry: boolean }
  readonly link: (path: string) => string
  readonly developmentLinks: NonNullable<Parameters<typeof signInPage>[0]['developmentLinks']>
  /** The URL of an app's own sign-in that replaces the service's sign-in, or null. */
  readonly signInUrl: string | null
  readonly operator: OperatorSession
  /** Renders a person's next step towards the first upload. Returns null once the person has a trace. */
  readonly progress: (ownerId: string) => Promise<Html | null>
  /** Replaces secrets and personal data in a text that is to be stored. */
  readonly scrub: (text: string) => Promise<string>
}

/** Returns the `set-cookie` value that removes the session's cookie. */
export const removeSessionCookie = ({ secure }: Pick<AuthDeps, 'secure'>): string =>
  writeCookie(cookieName(secure), '', { maxAge: 0, secure })

async function revoke(hash: string | null, { store, forgetCredential }: AuthDeps): Promise<void> {
  if (hash === null) return
  await store.revokeCredential({ hash })
  forgetCredential(hash)
}

/** Returns the machines and browsers on which a user is signed in. */
export async function listMachines(user: User, now: number, { store }: Pick<AuthDeps, 'store'>) {
  const credentials = await store.listCredentials({ ownerId: user.id, now, currentHash: user.credential })
  return credentials.map(({ id, kind, status, label, createdAt, lastUsedAt, isCurrent }) => ({
    id,
    kind,
    status,
    label,
    createdAt: timestamp(createdAt),
    lastUsedAt: timestampOrNull(lastUsedAt),
    current: isCurrent,
  }))
}

type Revocation = Pick<AuthDeps, 'store' | 'forgetCredential'>

/**
 * Revokes the token, the session or the approved authorization of one of a user's machines or browsers. Returns null
 * when the user has no machine or browser with this id.
 */
export async function revokeMachine(
  user: User,
  id: string,
  { store, forgetCredential }: Revocation,
): Promise<RevokedCredential | null> {
  const revoked = await store.revokeCredentialById({ ownerId: user.id, id })
  if (revoked?.hash) forgetCredential(revoked.hash)
  return revoked
}

/** Signs a user out of every browser and device on behalf of an operator. Returns the number of ended sign-ins. */
export async function signOutUser(
  ownerId: string,
  audit: AuditContext,
  { store, forgetCredential }: Revocation,
): Promise<number> {
  const revoked = await store.revokeCredentials({ ownerId, kinds: 'all', keptHash: null, audit })
  for (const { hash } of revoked) if (hash !== null) forgetCredential(hash)
  return revoked.length
}

/** Signs out all other browsers of a user, and ends the authorizations whose token was not fetched. */
export async function signOutOtherBrowsers(user: User, { store, forgetCredential }: Revocation): Promise<void> {
  const params = { ownerId: user.id, kinds: 'browsers', keptHash: user.credential } as const
  for (const { hash } of await store.revokeCredentials(params)) if (hash !== null) forgetCredential(hash)
}

const authHandlers: Handlers<typeof authContract, AuthDeps> = {
  async sendCode({ body, ...caller }, deps) {
    const sent = await sendSignInCode(body.email, caller, deps)
    return sent instanceof Failure ? sent : reply(200, { ok: true, challenge: sent.challenge }, [sent.cookie])
  },

  async verifyCode({ body, ...caller }, deps) {
    const result = await signInWithCode(body, caller, deps)
    if (result.outcome === 'wrong') {
      caller.report('auth.signin.failed')
      return invalid('invalid_code', { path: ['code'], code: 'custom', message: 'wrong, expired or used before' })
    }
    if (result.outcome !== 'signed_in') return result.failure
    return reply(200, { ok: true, userId: result.user.id }, result.cookies)
  },

  async signOut({ user }, deps) {
    await revoke(user.credential, deps)
    return reply(200, { ok: true }, user.via === 'cookie' ? [['set-cookie', removeSessionCookie(deps)]] : [])
  },

  listMachines: async ({ user, now }, deps) => ({ ok: true, machines: await listMachines(user, now, deps) }),

  async revokeMachine({ user, params }, deps) {
    const revoked = await revokeMachine(user, params.id, deps)
    if (!revoked) return fail('not_found')
    const isOwnSession = revoked.hash !== null && revoked.hash === user.credential && user.via === 'cookie'
    return reply(200, { ok: true }, isOwnSession ? [['set-cookie', removeSessionCookie(deps)]] : [])
  },

  signInPage({ user, query, flash, request, now }, deps) {
    const next = localPath(query.next)
    const sentCode = query.step === 'code' ? readSentCode(request, now, deps.secure) : null
    // A person who is signed in may have asked for a code to sign in again, before deleting the account.
    if (user && !sentCode) return reply(303, null, [['location', next]])
    const externalUrl = externalSignInUrl(next, deps)
    if (externalUrl !== null) return reply(303, null, [['location', externalUrl]])
    return signInPage({
      prefix: deps.prefix,
      developmentLinks: deps.developmentLinks,
      next,
      available: deps.mailer !== null,
      email: sentCode?.email,
      isCodeSent: sentCode !== null,
      newCodeAt: sentCode?.isNewCode ? timestamp(sentCode.sentAt) : undefined,
      isSentHere: query.next !== undefined && next !== '/',
      isSignedOut: flash?.done === 'signed_out',
    })
  },

  async signInForm({ body, ...caller }, deps) {
    const next = localPath(body.fields.next)
    const { prefix, developmentLinks } = deps
    const frame = { prefix, developmentLinks, next, available: deps.mailer !== null, email: body.fields.email }
    if (!body.value) {
      const isEmailInvalid = body.issues.some(({ path }) => path[0] === 'email')
      const problem = isEmailInvalid ? 'email' : 'code'
      return reply(400, signInPage({ ...frame, problem, isCodeSent: !isEmailInvalid }))
    }
    const { email, code } = body.value
    if (code === undefined) {
      const sent = await sendSignInCode(email, caller, deps)
      // The reply is a redirect, so that the person finds the form for the code again after reading the mail.
      if (!(sent instanceof Failure))
        return reply(303, null, [
          ['location', `/sign-in?step=code&next=${encodeURIComponent(next)}`],
          sent.cookie,
          ['set-cookie', formatSentCodeCookie(email, caller.request, caller.now, deps.secure)],
        ])
      const status = sent.code === 'rate_limited' ? 429 : 503
      return reply(status, signInPage({ ...frame, problem: status === 429 ? 'limit' : 'off' }), sent.headers)
    }
    const result = await signInWithCode({ email, code }, caller, deps)
    if (result.outcome === 'signed_in')
      return redirect(next, null, [...result.cookies, ['set-cookie', removeSentCode(deps.secure)]])
    if (result.outcome === 'wrong') {
      caller.report('auth.signin.failed')
      return reply(400, signInPage({ ...frame, isCodeSent: true, problem: 'code' }))
    }
    return reply(429, signInPage({ ...frame, isCodeSent: true, problem: 'limit' }), result.failure.headers)
  },

  async signOutForm({ user }, deps) {
    await revoke(user?.credential ?? null, deps)
    return redirect('/sign-in', { done: 'signed_out' }, [['set-cookie', removeSessionCookie(deps)]])
  },

  async operatorSignIn(
    { body, address, requestId, report, now },
    { operator, prefix, random, consumeRate, refundRate },
  ) {
    const next = operatorPath(body.fields['next'])
    if (!body.fields['token'] && operator.check(null) !== 'off')
      return reply(401, operatorPage({ prefix, next, problem: 'empty' }))
    const rateKey = addressKey(address)
    // A guess is consumed before the comparison and refunded if the guess was right, so that concurrent guesses stay
    // within the limit.
    const limited = await consumeRate('operator', rateKey, now)
    if (limited) return reply(429, operatorPage({ prefix, next, problem: 'limit' }), limited.headers)
    const checked = operator.check(body.value?.token ?? null)
    if (checked === 'no') {
      report('auth.admin.denied')
      return reply(401, operatorPage({ prefix, next, problem: 'wrong' }))
    }
    await refundRate('operator', rateKey, now)
    if (checked === 'off') return fail('not_found')
    const cookie = await operator.start(auditContext({ actor: checked.name, requestId, address, now }, random))
    return redirect(next, null, [['set-cookie', cookie]])
  },

  async operatorSignOut({ request, requestId, address, now }, { operator }) {
    const cookie = await operator.end(request, { requestId, address, now })
    return redirect('/admin', { done: 'signed_out' }, [['set-cookie', cookie]])
  },

  stylesheet: async (_, { brand }) =>
    reply(200, (await import('../ui/style.ts')).stylesheet + brand.style, [
      ['content-type', 'text/css; charset=utf-8'],
      ['cache-control', 'public, max-age=3600'],
    ]),
}

/** Binds the routes of sign-in and sessions to their handlers. */
export const mountAuth = (deps: AuthDeps): Mounted[] => mount(authContract, authHandlers, deps)
