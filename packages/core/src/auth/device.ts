import { addressKey } from '../http/address.ts'
import { fail, Failure } from '../http/failures.ts'
import {
  mount,
  reply,
  type Handlers,
  type Input,
  type RateName,
  type RouteShape,
  type User,
  type Mounted,
} from '../http/route.ts'
import { timestamp, toHex, uuid7 } from '../ids.ts'
import { Unavailable } from '../unavailable.ts'
import { deviceContract } from './contract.ts'
import type { SessionsDeps } from './handlers.ts'
import { decidedPage, devicePage } from './pages.ts'
import {
  deviceLifeMs,
  isSecret,
  lifetimes,
  machineLabel,
  mintToken,
  pollInterval,
  readUserCode,
  secret,
  userCode,
} from './rules.ts'
import type { Decided, DeviceLogin } from './store.ts'

type Guess<T> =
  | T
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'limited'; readonly headers: readonly (readonly [string, string])[] }

/** Who types a code. */
type Asker = Pick<Input<RouteShape>, 'address' | 'now' | 'report'> & { readonly user: User }

/**
 * Spends one guess at a user code; returns the spent calls, or the refusal. Ten wrong codes an hour are compared for one
 * session. From a network with many wrong codes each session has one guess in 15 seconds: that slows down whoever guesses
 * with many sessions, and keeps nobody out who shares the network.
 */
async function spendGuess(
  { user, address, now }: Asker,
  { consumeRate, refundRate }: SessionsDeps,
): Promise<Failure<'rate_limited'> | (readonly [RateName, string])[]> {
  const session = user.credential ?? user.id
  const limited = await consumeRate('device_code', session, now)
  if (limited) return limited
  const network = addressKey(address)
  const crowded = await consumeRate('device_code_network', network, now)
  if (!crowded)
    return [
      ['device_code', session],
      ['device_code_network', network],
    ]
  const early = await consumeRate('device_code_backoff', session, now)
  if (!early)
    return [
      ['device_code', session],
      ['device_code_backoff', session],
    ]
  await refundRate('device_code', session, now)
  return early
}

/**
 * Tries a typed user code. A guess is spent before the look and given back when the code was there, so that of many at once
 * no more are compared.
 */
async function guess<T extends { outcome: string }>(
  typed: string,
  asker: Asker,
  deps: SessionsDeps,
  look: (userHash: string, code: string) => Promise<T>,
): Promise<Guess<T>> {
  const spent = await spendGuess(asker, deps)
  if (spent instanceof Failure) return { outcome: 'limited', headers: spent.headers }
  const code = readUserCode(typed)
  let found: T | { readonly outcome: 'unknown' } = { outcome: 'unknown' }
  for (const hash of code === null ? [] : await deps.keyed(code))
    if (found.outcome === 'unknown') found = await look(hash, code!)
  if (found.outcome === 'unknown') asker.report('auth.device.wrong_code')
  else for (const [rate, key] of spent) await deps.refundRate(rate, key, asker.now)
  return found
}

function decide(
  typed: string,
  decision: 'approved' | 'denied',
  asker: Asker,
  deps: SessionsDeps,
): Promise<Guess<Decided>> {
  return guess(typed, asker, deps, (userHash) => deps.store.decideDevice(asker.user.id, userHash, decision, asker.now))
}

const codes = { unknown: 'invalid_user_code', already_decided: 'already_decided', expired: 'expired_token' } as const
const statuses = { unknown: 404, already_decided: 409, expired: 410, limited: 429 } as const

export const deviceHandlers: Handlers<typeof deviceContract, SessionsDeps> = {
  async startDevice({ body, now }, { store, random, digest, keyed, link, scrub }) {
    const deviceCode = secret(random)
    const machine = await scrub(machineLabel(body.machine))
    for (;;) {
      const code = userCode(random)
      const expiresAt = now + deviceLifeMs
      const [userHash] = await keyed(code)
      const login = {
        deviceHash: toHex(digest(deviceCode)),
        userHash,
        machine,
        createdAt: now,
        expiresAt,
        interval: pollInterval,
      }
      if (!(await store.startDevice(login))) continue
      return {
        ok: true,
        deviceCode,
        userCode: code,
        verificationUrl: link('/device'),
        verificationUrlComplete: link(`/device?code=${code}`),
        expiresAt: timestamp(expiresAt),
        interval: pollInterval,
      }
    }
  },

  async pollDevice({ query, now }, { store, random, digest, logger }) {
    const { deviceCode } = query
    if (deviceCode === undefined || !isSecret(deviceCode)) return fail('invalid_device_code')
    const token = mintToken(random)
    const minted = { id: uuid7(now, random), hash: toHex(digest(token)), expiresAt: now + lifetimes.token }
    const polled = await store.pollDevice(toHex(digest(deviceCode)), minted, now).catch((error: unknown) => {
      if (!Unavailable.is(error)) throw error
      logger.warn({ err: error }, 'the store does not answer')
      return null
    })
    switch (polled?.outcome) {
      case undefined:
        return fail('device_login_unavailable')
      case 'pending':
        return reply(202, { ok: true, status: 'pending' })
      case 'approved':
        return { ok: true, status: 'approved', token, userId: polled.userId }
      case 'slow_down':
        return fail('slow_down', {}, [['retry-after', String(polled.interval)]])
      case 'expired':
        return fail('expired_token')
      case 'unknown':
        return fail('invalid_device_code')
      default:
        return fail('access_denied')
    }
  },

  async approveDevice({ body, ...asker }, deps) {
    const decided = await decide(body.userCode, 'approved', asker, deps)
    if (decided.outcome === 'decided') return { ok: true, status: 'approved', machine: decided.machine }
    return decided.outcome === 'limited' ? fail('rate_limited', {}, decided.headers) : fail(codes[decided.outcome])
  },

  async denyDevice({ body, ...asker }, deps) {
    const decided = await decide(body.userCode, 'denied', asker, deps)
    if (decided.outcome === 'decided') return { ok: true, status: 'denied', machine: decided.machine }
    return decided.outcome === 'limited' ? fail('rate_limited', {}, decided.headers) : fail(codes[decided.outcome])
  },

  async devicePage({ query, ...asker }, deps) {
    const { user, now } = asker
    const frame = { prefix: deps.prefix, email: user.email, typed: query.code ?? '' }
    if (query.code === undefined || query.code.trim() === '') return devicePage(frame)
    const found = await guess(query.code, asker, deps, async (userHash, code) => {
      const login: DeviceLogin | null = await deps.store.findDevice(userHash)
      return login ? { outcome: 'found' as const, login, code } : { outcome: 'unknown' as const }
    })
    if (found.outcome === 'limited') return reply(429, devicePage({ ...frame, problem: 'limited' }), found.headers)
    if (found.outcome === 'unknown') return reply(404, devicePage({ ...frame, problem: 'unknown' }))
    const { login, code } = found
    if (login.status !== 'pending') return reply(409, devicePage({ ...frame, problem: 'already_decided' }))
    if (login.expiresAt <= now) return reply(410, devicePage({ ...frame, problem: 'expired' }))
    return devicePage({
      ...frame,
      login: {
        code,
        machine: login.machine,
        asked: timestamp(login.createdAt),
        minutes: Math.floor((now - login.createdAt) / 60_000),
      },
    })
  },

  async deviceForm({ body, ...asker }, deps) {
    const frame = { prefix: deps.prefix, email: asker.user.email, typed: body.fields.code ?? '' }
    if (!body.value) return reply(400, devicePage({ ...frame, problem: 'unknown' }))
    const { code, decision } = body.value
    const decided = await decide(code, decision, asker, deps)
    if (decided.outcome === 'decided') return decidedPage({ ...frame, decision, machine: decided.machine })
    return reply(
      statuses[decided.outcome],
      devicePage({ ...frame, problem: decided.outcome }),
      decided.outcome === 'limited' ? decided.headers : [],
    )
  },
}

/** Binds the routes of device authorization to their handlers. */
export const mountDeviceLogin = (deps: SessionsDeps): Mounted[] => mount(deviceContract, deviceHandlers, deps)
