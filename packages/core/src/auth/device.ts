import { addressKey } from '../http/address.ts'
import { fail, Failure, invalid } from '../http/failures.ts'
import {
  reply,
  mount,
  type Handlers,
  type Reply,
  type Input,
  type RateName,
  type RouteShape,
  type User,
  type Mounted,
} from '../http/route.ts'
import { timestamp, toHex, uuid7 } from '../ids.ts'
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
import type { DeviceDecision, DeviceTokenResult } from './store.ts'

type Found<T> =
  | T
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'limited'; readonly headers: readonly (readonly [string, string])[] }

/** The request in which a user code was entered. */
type CodeEntry = Pick<Input<RouteShape>, 'address' | 'now' | 'report'> & { readonly user: User }

type ConsumedRate = readonly [name: RateName, key: string]

/**
 * Consumes one guess at a user code. Returns the consumed rates, or the refusal. One session may enter ten wrong codes
 * an hour. On a network with many wrong codes, each session has one guess every 15 seconds. This limit slows down
 * guessing with many sessions, and does not lock out other people on the same network.
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

type ConsumeGuess = typeof consumeGuess

/**
 * Consumes one view of a code in a link to the device page. Such links may come from another site, so they do not use
 * up guesses. After too many unknown codes from a network, links that are opened in this network show the form with the
 * code, and the person must submit the form.
 */
const consumeView: ConsumeGuess = async ({ address, now }, { consumeRate }) => {
  const network = addressKey(address)
  return (await consumeRate('device_view', network, now)) ?? [['device_view', network]]
}

const unknownCode = { outcome: 'unknown' } as const

/** Looks up a code by each of its hashes, starting with the newest secret's hash, until the code is found. */
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
 * Looks up an entered user code. A guess is consumed before the lookup and refunded if the code exists, so that
 * concurrent guesses stay within the limit.
 */
async function lookUpUserCode<T extends { outcome: string }>(
  entered: string,
  entry: CodeEntry,
  deps: AuthDeps,
  find: (userCodeHash: string, code: string) => Promise<T>,
  consume: ConsumeGuess = consumeGuess,
): Promise<Found<T>> {
  const consumed = await consume(entry, deps)
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

/** Handles a decision that a client sends as JSON. */
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

/**
 * Returns the hash under which a device code is stored. The hash for an OAuth client contains the client's id, so that
 * the code is unknown to other clients (RFC 8628, section 3.4).
 */
function hashDeviceCode(deviceCode: string, clientId: string | undefined, { digest }: AuthDeps): string {
  return toHex(digest(clientId === undefined ? deviceCode : `${deviceCode}\n${clientId}`))
}

/**
 * Starts a device authorization under the name of a machine, or for an OAuth client if `clientId` is given. A poll
 * before `interval` seconds have passed is early.
 */
export async function startAuthorization(
  name: string,
  { interval, clientId, now }: { readonly interval: number; readonly clientId?: string; readonly now: number },
  deps: AuthDeps,
): Promise<{ readonly deviceCode: string; readonly userCode: string }> {
  const { store, random, hmacCode, scrub } = deps
  const deviceCode = generateSecret(random)
  const machine = await scrub(machineLabel(name))
  for (;;) {
    const userCode = generateUserCode(random)
    const [userCodeHash] = await hmacCode(userCode)
    const isStarted = await store.startDeviceAuthorization({
      id: uuid7(now, random),
      deviceCodeHash: hashDeviceCode(deviceCode, clientId, deps),
      userCodeHash,
      machine,
      createdAt: now,
      expiresAt: now + deviceLifeMs,
      interval,
    })
    if (isStarted) return { deviceCode, userCode }
  }
}

/** The result of a poll. The result includes the token if the authorization is approved. */
export type PolledToken =
  | { readonly outcome: 'approved'; readonly token: string; readonly userId: string }
  | Exclude<DeviceTokenResult, { readonly outcome: 'approved' }>

/**
 * Polls with a device code. A poll that keeps the interval is never limited, regardless of how many devices share its
 * IP address. Early polls and polls of unknown or ended authorizations are limited by address, before anything is
 * written.
 */
export async function pollDeviceCode(
  deviceCode: string | undefined,
  { address, clientId, now }: Pick<CodeEntry, 'address' | 'now'> & { readonly clientId?: string },
  deps: AuthDeps,
): Promise<PolledToken | Failure<'rate_limited'>> {
  const { store, random, digest, consumeRate } = deps
  const isCode = deviceCode !== undefined && isSecret(deviceCode)
  const deviceCodeHash = isCode ? hashDeviceCode(deviceCode, clientId, deps) : null
  const found = deviceCodeHash === null ? null : await store.findPolledAuthorization({ deviceCodeHash })
  const isDue = found?.status === 'pending' && now >= (found.nextPollAt ?? 0)
  const limited =
    isDue || found?.status === 'approved' ? null : await consumeRate('device_poll', addressKey(address), now)
  if (limited) return limited
  if (deviceCodeHash === null || !found) return { outcome: 'unknown' }
  const token = generateToken(random)
  const credential = { hash: toHex(digest(token)), expiresAt: now + lifetimes.token }
  const polled = await store.pollDeviceToken({ deviceCodeHash, token: credential, now })
  return polled.outcome === 'approved' ? { ...polled, token } : polled
}

const pageStatuses = { unknown: 404, already_decided: 409, expired: 410, limited: 429 } as const

/** The maximum number of characters of an entered code, including dashes and spaces. */
const maxEntered = 64

const deviceHandlers: Handlers<typeof deviceContract, AuthDeps> = {
  async startDevice({ body, now }, deps) {
    const { deviceCode, userCode } = await startAuthorization(body.machine, { interval: pollInterval, now }, deps)
    return {
      ok: true,
      deviceCode,
      userCode,
      verificationUrl: deps.link('/device'),
      verificationUrlComplete: deps.link(`/device?code=${userCode}`),
      expiresAt: timestamp(now + deviceLifeMs),
      interval: pollInterval,
    }
  },

  async pollDevice({ query, address, now }, deps) {
    const polled = await pollDeviceCode(query.deviceCode, { address, now }, deps)
    if (polled instanceof Failure) return polled
    switch (polled.outcome) {
      case 'pending':
        return reply(202, { ok: true, status: 'pending' })
      case 'approved':
        return { ok: true, status: 'approved', token: polled.token, userId: polled.userId }
      case 'slow_down':
        return fail('slow_down', {}, [['retry-after', String(polled.interval)]])
      case 'expired':
        return fail('expired_token')
      case 'unknown':
        return invalid('invalid_device_code', { path: ['deviceCode'], code: 'custom', message: 'unknown' })
      default:
        return fail('access_denied')
    }
  },

  approveDevice: ({ body, ...entry }, deps) => decideByCode(body.userCode, 'approved', entry, deps),

  denyDevice: ({ body, ...entry }, deps) => decideByCode(body.userCode, 'denied', entry, deps),

  async devicePage({ query, ...entry }, deps) {
    if (query.code === undefined) return devicePage(createFrame('', entry, deps))
    const shown = await showAuthorization(query.code, entry, deps, consumeView)
    // The limit is reached, so the page shows only the form with the link's code. Submitting the form counts as a
    // guess.
    return shown.outcome === 'limited' ? devicePage(createFrame(query.code, entry, deps)) : shown.page
  },

  async deviceForm({ body, ...entry }, deps) {
    const frame = createFrame(body.fields.code ?? '', entry, deps)
    if (!body.value) return reply(400, devicePage({ ...frame, problem: 'unknown' }))
    const { code, decision } = body.value
    if (code.trim() === '') return reply(400, devicePage({ ...frame, problem: 'empty' }))
    if (decision === undefined) {
      const shown = await showAuthorization(code, entry, deps)
      return shown.outcome === 'limited'
        ? reply(429, devicePage({ ...frame, problem: 'limited' }), shown.headers)
        : shown.page
    }
    const decided = await decide(code, decision, entry, deps)
    if (decided.outcome === 'decided') {
      const progress = decision === 'approved' ? await deps.progress(entry.user.id) : null
      return decidedPage({ ...frame, decision, machine: decided.machine, progress })
    }
    const page = devicePage({ ...frame, problem: decided.outcome })
    return reply(pageStatuses[decided.outcome], page, decided.outcome === 'limited' ? decided.headers : [])
  },
}

const createFrame = (entered: string, { user }: CodeEntry, { prefix, capabilities }: AuthDeps) => ({
  prefix,
  capabilities,
  email: user.email,
  enteredCode: entered.slice(0, maxEntered),
})

/** Returns the page with the authorization of an entered code, or with the reason why there is nothing to decide. */
async function showAuthorization(
  entered: string,
  entry: CodeEntry,
  deps: AuthDeps,
  consume?: ConsumeGuess,
): Promise<
  | { readonly outcome: 'shown'; readonly page: string | Reply<string> }
  | Extract<Found<never>, { readonly outcome: 'limited' }>
> {
  const frame = createFrame(entered, entry, deps)
  const show = (page: string | Reply<string>) => ({ outcome: 'shown', page }) as const
  const showProblem = (problem: 'unknown' | 'already_decided' | 'expired') =>
    show(reply(pageStatuses[problem], devicePage({ ...frame, problem })))
  if (entered.trim() === '') return show(devicePage({ ...frame, problem: 'empty' }))
  if (entered.length > maxEntered) return showProblem('unknown')
  const find = async (userCodeHash: string, code: string) => {
    const authorization = await deps.store.findDeviceAuthorization({ userCodeHash })
    return authorization ? { outcome: 'found' as const, authorization, code } : unknownCode
  }
  const found = await lookUpUserCode(entered, entry, deps, find, consume)
  if (found.outcome === 'limited') return found
  if (found.outcome === 'unknown') return showProblem('unknown')
  const { machine, status, createdAt, expiresAt } = found.authorization
  if (status !== 'pending') return showProblem('already_decided')
  if (expiresAt <= entry.now) return showProblem('expired')
  return show(
    devicePage({
      ...frame,
      authorization: {
        code: found.code,
        machine,
        requestedAt: timestamp(createdAt),
        minutesAgo: Math.floor((entry.now - createdAt) / 60_000),
      },
    }),
  )
}

/** Binds the routes of device authorization to their handlers. */
export const mountDeviceAuthorization = (deps: AuthDeps): Mounted[] => mount(deviceContract, deviceHandlers, deps)
