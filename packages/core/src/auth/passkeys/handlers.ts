import * as z from 'zod'
import type { AuditContext } from '../../audit/store.ts'
import { addressKey } from '../../http/address.ts'
import { auditContext } from '../../http/audit-context.ts'
import type { SignedInOperator } from '../../http/authenticate.ts'
import { fail, invalid } from '../../http/failures.ts'
import type { PlainRequest } from '../../http/message.ts'
import type { ConsumeRate, RefundRate } from '../../http/rate-limit.ts'
import { redirect, reply, mount, type Handlers, type Mounted } from '../../http/route.ts'
import { toHex, uuid7 } from '../../ids.ts'
import type { Digest, PasskeyExpectation, Passkeys, Random } from '../../ports.ts'
import type { ResolvedBrand } from '../../ui/brand.ts'
import type { OperatorSession } from '../operator.ts'
import { operatorPage } from '../pages.ts'
import { isRecent } from '../recent-sign-in.ts'
import { operatorPath } from '../rules.ts'
import { passkeysContract } from './contract.ts'
import { passkeyPage } from './pages.ts'
import { challengeMs, creationOptions, maxPasskeys, passkeyDomain, requestOptions } from './rules.ts'
import type { ChallengePurpose, PasskeyStore } from './store.ts'

export type { StoredPasskey } from './store.ts'

export interface PasskeysDeps {
  readonly operator: Pick<OperatorSession, 'signedIn' | 'awaitsPasskey' | 'nextSecret'>
  readonly store: PasskeyStore
  /** The verifier of passkeys. Null means that this service cannot verify passkeys. */
  readonly passkeys: Passkeys | null
  readonly baseUrl: string
  readonly prefix: string
  readonly brand: Pick<ResolvedBrand, 'name'>
  readonly digest: Digest
  readonly random: Random
  readonly consumeRate: ConsumeRate
  readonly refundRate: RefundRate
}

/** The reason why no passkey can be used at this service. */
export type PasskeyObstacle = 'no_verifier' | 'no_domain'

/**
 * Returns the verifier of passkeys with the domain for which passkeys are valid, or the reason why no passkey can be
 * verified.
 */
function findRelyingParty({ passkeys, baseUrl }: PasskeysDeps):
  | PasskeyObstacle
  | {
      readonly verifier: Passkeys
      readonly rpId: string
      readonly origin: string
    } {
  const rpId = passkeyDomain(baseUrl)
  if (passkeys === null) return 'no_verifier'
  return rpId === null ? 'no_domain' : { verifier: passkeys, rpId, origin: new URL(baseUrl).origin }
}

/** Returns why no passkey can be used at this service, or null. */
export function findObstacle(deps: PasskeysDeps): PasskeyObstacle | null {
  const party = findRelyingParty(deps)
  return typeof party === 'string' ? party : null
}

/** The parts of an answer that handlers read before the answer is verified. */
const Answer = z.looseObject({
  id: z.string().max(2048),
  response: z.looseObject({ transports: z.array(z.string().max(32)).max(10).catch([]) }),
})

function readAnswer(text: string): z.output<typeof Answer> | null {
  try {
    return Answer.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** Removes the challenge of a session, and returns the values that an answer must have, or null. */
async function takeExpectation(
  { sessionHash }: SignedInOperator,
  purpose: ChallengePurpose,
  now: number,
  deps: PasskeysDeps,
): Promise<(PasskeyExpectation & { readonly verifier: Passkeys }) | null> {
  const party = findRelyingParty(deps)
  const challenge = await deps.store.takeChallenge({ sessionHash, purpose, now })
  return typeof party === 'string' || challenge === null ? null : { ...party, challenge }
}

export type RegistrationResult =
  | Awaited<ReturnType<PasskeyStore['addPasskey']>>
  | 'reauthentication_required'
  | 'denied'

/** Registers a passkey of an operator who signed in with the token recently. */
export async function registerPasskey(
  { response, name }: { readonly response: string; readonly name: string },
  operator: SignedInOperator,
  audit: AuditContext,
  deps: PasskeysDeps,
): Promise<RegistrationResult> {
  if (!isRecent(operator.signedInAt, audit.at)) return 'reauthentication_required'
  const expected = await takeExpectation(operator, 'registration', audit.at, deps)
  const answer = readAnswer(response)
  const registered = expected && answer && (await expected.verifier.verifyRegistration(answer, expected))
  if (!registered) return 'denied'
  const passkey = {
    ...registered,
    id: uuid7(audit.at, deps.random),
    operator: operator.name,
    transports: answer.response.transports,
    rpId: expected.rpId,
    label: name,
  }
  const { sessionHash } = operator
  const result = await deps.store.addPasskey({ passkey, sessionHash, limit: maxPasskeys, audit })
  if (result === 'added') await deps.refundRate('operator', addressKey(audit.address), audit.at)
  return result
}

/** Removes a passkey for an operator who signed in recently. A viewer may remove only their own passkeys. */
export async function removePasskey(
  id: string,
  { name, role, sessionHash, signedInAt }: SignedInOperator,
  audit: AuditContext,
  { store }: PasskeysDeps,
): Promise<'removed' | 'not_found' | 'reauthentication_required'> {
  if (!isRecent(signedInAt, audit.at)) return 'reauthentication_required'
  const isRemoved = await store.removePasskey({ id, operator: role === 'viewer' ? name : null, sessionHash, audit })
  return isRemoved ? 'removed' : 'not_found'
}

/**
 * Confirms a session with a passkey of its operator. Returns the `set-cookie` value of the session's next secret, or
 * null.
 */
async function confirmSession(
  response: string,
  operator: SignedInOperator,
  audit: AuditContext,
  deps: PasskeysDeps,
): Promise<string | null> {
  const expected = await takeExpectation(operator, 'sign_in', audit.at, deps)
  const answer = readAnswer(response)
  if (!expected || !answer) return null
  const known = await deps.store.listPasskeys({ operator: operator.name })
  const passkey = known.find(({ credentialId, rpId }) => credentialId === answer.id && rpId === expected.rpId)
  const counter = passkey ? await expected.verifier.verifySignature(answer, expected, passkey) : null
  if (!passkey || counter === null) return null
  const { hash: nextSessionHash, cookie } = deps.operator.nextSecret(operator.name)
  const { sessionHash } = operator
  const isUsed = await deps.store.usePasskey({ id: passkey.id, counter, sessionHash, nextSessionHash, audit })
  return isUsed ? cookie : null
}

interface PageView {
  readonly request: PlainRequest
  readonly now: number
  readonly next: string
  readonly isSignedOut?: boolean
  readonly isDenied?: boolean
}

/** Renders an operator's sign-in: the form for the token, or the form for the passkey after the token was accepted. */
export async function operatorSignInPage(
  { request, now, next, isSignedOut = false, isDenied = false }: PageView,
  deps: PasskeysDeps,
): Promise<string> {
  const { prefix, operator } = deps
  const waiting = await operator.awaitsPasskey(request, now)
  if (!waiting) return operatorPage({ prefix, next, isSignedOut })
  const party = findRelyingParty(deps)
  const passkeys = await deps.store.listPasskeys({ operator: waiting.name })
  const isElsewhere = typeof party !== 'string' && passkeys.every(({ rpId }) => rpId !== party.rpId)
  const obstacle = typeof party === 'string' ? party : isElsewhere ? 'other_domain' : null
  const domains = [...new Set(passkeys.map(({ rpId }) => rpId))]
  return passkeyPage({ prefix, next, name: waiting.name, obstacle, domains, isDenied })
}

const passkeysHandlers: Handlers<typeof passkeysContract, PasskeysDeps> = {
  async makeChallenge({ body, request, address, now }, deps) {
    const { operator, store, consumeRate, random, digest, brand } = deps
    const waiting = await operator.awaitsPasskey(request, now)
    const signedIn = await operator.signedIn(request, now)
    // Only an operator, or a session that waits for its passkey, gets details about an invalid body.
    if (waiting === null && typeof signedIn === 'string') return fail('unauthorized')
    if (!body.value) return invalid('invalid_body', ...body.issues)
    const { purpose } = body.value
    const caller = purpose === 'registration' ? signedIn : waiting
    if (caller === null || typeof caller === 'string') return fail('unauthorized')
    if (purpose === 'registration' && !isRecent(caller.signedInAt, now)) return fail('reauthentication_required')
    const party = findRelyingParty(deps)
    if (typeof party === 'string') return fail('passkeys_unavailable')
    // The call is refunded when the challenge is answered correctly, so that only wrong answers are limited.
    const limited = await consumeRate('operator', addressKey(address), now)
    if (limited) return limited
    const { rpId } = party
    const [challenge, { name, sessionHash }] = [toHex(random(32)), caller]
    if (!(await store.setChallenge({ sessionHash, purpose, challenge, expiresAt: now + challengeMs, now })))
      return fail('unauthorized')
    const known = await store.listPasskeys({ operator: name })
    const passkeys = known.filter((passkey) => passkey.rpId === rpId)
    const userHandle = toHex(digest(`tributary operator\n${name}`))
    const options =
      purpose === 'registration'
        ? creationOptions({ challenge, rpId, passkeys, rpName: brand.name, userHandle, operator: name })
        : requestOptions({ challenge, rpId, passkeys })
    return { ok: true, options }
  },

  async signInWithPasskey({ body, request, requestId, address, report, now }, deps) {
    const next = operatorPath(body.fields['next'])
    const waiting = await deps.operator.awaitsPasskey(request, now)
    if (!waiting) {
      const signedIn = await deps.operator.signedIn(request, now)
      if (signedIn === 'off') return fail('not_found')
      return signedIn === 'no' ? reply(401, await operatorSignInPage({ request, now, next }, deps)) : redirect(next)
    }
    const audit = auditContext({ actor: waiting.name, requestId, address, now }, deps.random)
    const cookie = body.value ? await confirmSession(body.value.response, waiting, audit, deps) : null
    if (cookie === null) {
      report('auth.passkey.denied')
      return reply(401, await operatorSignInPage({ request, now, next, isDenied: true }, deps))
    }
    await deps.refundRate('operator', addressKey(address), now)
    return redirect(next, null, [['set-cookie', cookie]])
  },
}

/** Binds the routes of passkeys to their handlers. */
export const mountPasskeys = (deps: PasskeysDeps): Mounted[] => mount(passkeysContract, passkeysHandlers, deps)
