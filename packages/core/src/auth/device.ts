import { addressKey } from '../http/address.ts'
import { fail, Failure } from '../http/failures.ts'
import { mount } from '../http/mount.ts'
import {
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
import type { AuthDeps } from './handlers.ts'
import { decidedPage, devicePage } from './pages.ts'
import {
  deviceLifeMs,
  generateSecret,
  generateToken,
  generateUserCode,
  isSecret,
  lifetimes,
  machineLabel,
  parseUserCode,
  pollInterval,
} from './rules.ts'
import type { DeviceDecision } from './store.ts'

type Found<T> =
  | T
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'limited'; readonly headers: readonly (readonly [string, string])[] }

/** The request that enters a user code. */
type CodeEntry = Pick<Input<RouteShape>, 'address' | 'now' | 'report'> & { readonly user: User }

type ConsumedRate = readonly [name: RateName, key: string]

/**
 * Consumes one guess at a user code; returns the consumed rates, or the refusal. One session may enter ten wrong codes
 * an hour. On a network with many wrong codes, each session has one guess every 15 seconds: that slows down guessing
 * with many sessions, and locks out nobody who shares the network.
 */
async function consumeGuess(
  { user, address, now }: CodeEntry,
  { consumeRate, refundRate }: AuthDeps,
): Promise<Failure<'rate_limited'> | ConsumedRate[]> {
  const session = user.credential ?? user.id
  const network = addressKey(address)
  const limited = await consumeRate('device_code', session, now)
  if (limited) return limited
  if (!(await consumeRate('device_code_network', network, now))) {
    return [
      ['device_code', session],
      ['device_code_network', network],
    ]
  }
  const tooSoon = await consumeRate('device_code_backoff', session, now)
  if (!tooSoon) {
    return [
      ['device_code', session],
      ['device_code_backoff', session],
    ]
  }
  await refundRate('device_code', session, now)
  return tooSoon
}

const unknownCode = { outcome: 'unknown' } as const

/** Looks a code up by each of its hashes, the newest secret's first, until one is known. */
async function findByAnyHash<T extends { outcome: string }>(
  hashes: readonly string[],
  find: (hash: string) => Promise<T>,
): Promise<T | typeof unknownCode> {
  for (const hash of hashes) {
    const found = await find(hash)
    if (found.outcome !== 'unknown') return found
  }
  return unknownCode
}

/**
 * Looks an entered user code up. A guess is consumed before the lookup and refunded if the code exists, so that
 * concurrent guesses stay within the limit.
 */
async function lookUpUserCode<T extends { outcome: string }>(
  entered: string,
  entry: CodeEntry,
  deps: AuthDeps,
  find: (userCodeHash: string, code: string) => Promise<T>,
): Promise<Found<T>> {
  const consumed = await consumeGuess(entry, deps)
  if (consumed instanceof Failure) return { outcome: 'limited', headers: consumed.headers }
  const code = parseUserCode(entered)
  const found = code === null ? unknownCode : await findByAnyHash(await deps.hmacCode(code), (hash) => find(hash, code))
  if (found.outcome === 'unknown') entry.report('auth.device.wrong_code')
  else for (const [rate, key] of consumed) await deps.refundRate(rate, key, entry.now)
  return found
}

function decide(
  entered: string,
  decision: 'approved' | 'denied',
  entry: CodeEntry,
  deps: AuthDeps,
): Promise<Found<DeviceDecision>> {
  const { user, now } = entry
  const session = { ownerId: user.id, sessionHash: user.credential }
  return lookUpUserCode(entered, entry, deps, (userCodeHash) =>
    deps.store.decideDeviceAuthorization({ ...session, userCodeHash, decision, now }),
  )
}

const failureCodes = {
  unknown: 'invalid_user_code',
  already_decided: 'already_decided',
  expired: 'expired_token',
} as const

/** Answers a decision that a client sends as JSON. */
async function decideByCode<Decision extends 'approved' | 'denied'>(
  entered: string,
  decision: Decision,
  entry: CodeEntry,
  deps: AuthDeps,
) {
  const decided = await decide(entered, decision, entry, deps)
  if (decided.outcome === 'decided') return { ok: true as const, status: decision, machine: decided.machine }
  return decided.outcome === 'limited' ? fail('rate_limited', {}, decided.headers) : fail(failureCodes[decided.outcome])
}

const pageStatuses = { unknown: 404, already_decided: 409, expired: 410, limited: 429 } as const

/** The most characters of a code as entered, with the dashes and spaces of a person. */
const maxEntered = 64

export const deviceHandlers: Handlers<typeof deviceContract, AuthDeps> = {
  async startDevice({ body, now }, { store, random, digest, hmacCode, link, scrub }) {
    const deviceCode = generateSecret(random)
    const machine = await scrub(machineLabel(body.machine))
    const expiresAt = now + deviceLifeMs
    for (;;) {
      const userCode = generateUserCode(random)
      const [userCodeHash] = await hmacCode(userCode)
      const isStarted = await store.startDeviceAuthorization({
        id: uuid7(now, random),
        deviceCodeHash: toHex(digest(deviceCode)),
        userCodeHash,
        machine,
        createdAt: now,
        expiresAt,
        interval: pollInterval,
      })
      if (!isStarted) continue
      return {
        ok: true,
        deviceCode,
        userCode,
        verificationUrl: link('/device'),
        verificationUrlComplete: link(`/device?code=${userCode}`),
        expiresAt: timestamp(expiresAt),
        interval: pollInterval,
      }
    }
  },

  async pollDevice({ query, now }, { store, random, digest, logger }) {
    const { deviceCode } = query
    if (deviceCode === undefined || !isSecret(deviceCode)) return fail('invalid_device_code')
    const token = generateToken(random)
    const credential = { hash: toHex(digest(token)), expiresAt: now + lifetimes.token }
    const params = { deviceCodeHash: toHex(digest(deviceCode)), token: credential, now }
    const polled = await store.pollDeviceToken(params).catch((error: unknown) => {
      if (!Unavailable.is(error)) throw error
      logger.warn({ err: error }, 'auth.device.store_unavailable')
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

  approveDevice: ({ body, ...entry }, deps) => decideByCode(body.userCode, 'approved', entry, deps),

  denyDevice: ({ body, ...entry }, deps) => decideByCode(body.userCode, 'denied', entry, deps),

  async devicePage({ query, ...entry }, deps) {
    const { user, now } = entry
    const { prefix, capabilities } = deps
    const frame = { prefix, capabilities, email: user.email, enteredCode: (query.code ?? '').slice(0, maxEntered) }
    if (query.code === undefined) return devicePage(frame)
    if (query.code.trim() === '') return devicePage({ ...frame, problem: 'empty' })
    if (query.code.length > maxEntered) return reply(404, devicePage({ ...frame, problem: 'unknown' }))
    const found = await lookUpUserCode(query.code, entry, deps, async (userCodeHash, code) => {
      const authorization = await deps.store.findDeviceAuthorization({ userCodeHash })
      return authorization ? { outcome: 'found' as const, authorization, code } : { outcome: 'unknown' as const }
    })
    if (found.outcome === 'limited') return reply(429, devicePage({ ...frame, problem: 'limited' }), found.headers)
    if (found.outcome === 'unknown') return reply(404, devicePage({ ...frame, problem: 'unknown' }))
    const { machine, status, createdAt, expiresAt } = found.authorization
    if (status !== 'pending') return reply(409, devicePage({ ...frame, problem: 'already_decided' }))
    if (expiresAt <= now) return reply(410, devicePage({ ...frame, problem: 'expired' }))
    return devicePage({
      ...frame,
      authorization: {
        code: found.code,
        machine,
        requestedAt: timestamp(createdAt),
        minutesAgo: Math.floor((now - createdAt) / 60_000),
      },
    })
  },

  async deviceForm({ body, ...entry }, deps) {
    const { prefix, capabilities } = deps
    const frame = { prefix, capabilities, email: entry.user.email, enteredCode: body.fields.code ?? '' }
    if (!body.value) return reply(400, devicePage({ ...frame, problem: 'unknown' }))
    const { code, decision } = body.value
    const decided = await decide(code, decision, entry, deps)
    if (decided.outcome === 'decided') {
      const progress = decision === 'approved' ? await deps.progress(entry.user.id) : null
      return decidedPage({ ...frame, decision, machine: decided.machine, progress })
    }
    const page = devicePage({ ...frame, problem: decided.outcome })
    return reply(pageStatuses[decided.outcome], page, decided.outcome === 'limited' ? decided.headers : [])
  },
}

/** Binds the routes of device authorization to their handlers. */
export const mountDeviceAuthorization = (deps: AuthDeps): Mounted[] => mount(deviceContract, deviceHandlers, deps)
