import type { Logger } from '../ports.ts'
import { addressKey } from './address.ts'

/** Everything that the security log tells, by its stable name. */
export const securityEvents = {
  'auth.signin.failed': 'a sign-in code was wrong, expired or used',
  'auth.admin.denied': "a token was sent as an operator's and is none",
  'auth.token.revoked_used': 'a token or session was used after it was revoked or signed out',
  'auth.device.wrong_code': 'a signed-in person typed a device code that does not exist',
  'auth.cross_site.refused': "a page of another site tried to change something with a visitor's cookie",
  'rate.limited': 'a request was refused because a rate limit was reached',
} as const

export type SecurityEvent = keyof typeof securityEvents

/** Reports an event of the request at hand; `userId` where it is not the person who asks. */
export type ReportSecurity = (event: SecurityEvent, userId?: string) => void

/** What an event is recorded with. */
export interface SecurityContext {
  readonly userId: string | null
  readonly address: string | null
  readonly requestId: string
  /** The route's name. */
  readonly route: string
}

export interface SecurityLog {
  /** Counts an event, and logs it unless the same one from the same address was logged within ten seconds. */
  record(event: SecurityEvent, context: SecurityContext): void
  /** How often each event happened in this process. */
  readonly counts: Readonly<Record<SecurityEvent, number>>
}

export interface SecurityLogOptions {
  readonly logger: Logger
  /** Hashes an address under a secret, so that a log does not name it and still tells whether two lines are of one address. */
  readonly hashAddress: (key: string) => Promise<string>
}

const quietMs = 10_000
/** Addresses that are remembered as logged; beyond these the oldest are logged again. */
const mostRemembered = 10_000

/** Makes the one place where security events are counted and logged. A log line names a user id and a keyed hash of the address, nothing else of a person. */
export function securityLog({ logger, hashAddress }: SecurityLogOptions, clock: () => number): SecurityLog {
  const counts = Object.fromEntries(Object.keys(securityEvents).map((name) => [name, 0])) as Record<
    SecurityEvent,
    number
  >
  const loggedAt = new Map<string, number>()
  return {
    counts,
    record(event, { userId, address, requestId, route }) {
      counts[event] += 1
      const from = addressKey(address)
      const [key, now] = [`${event} ${from}`, clock()]
      const last = loggedAt.get(key)
      if (last !== undefined && now >= last && now - last < quietMs) return
      loggedAt.delete(key)
      loggedAt.set(key, now)
      if (loggedAt.size > mostRemembered) loggedAt.delete(loggedAt.keys().next().value!)
      const log = (addressHash: string | null): void =>
        logger.warn({ event, userId, addressHash, requestId, route }, securityEvents[event])
      hashAddress(from).then(
        (hash) => log(hash.slice(0, 16)),
        () => log(null),
      )
    },
  }
}
