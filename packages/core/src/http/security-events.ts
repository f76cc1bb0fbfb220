import type { Logger } from '../ports.ts'
import { dropOldest } from '../lists.ts'
import { addressKey } from './address.ts'

/** The security events by stable name. */
export const securityEvents = {
  'auth.signin.failed': 'a sign-in code was wrong, expired or used',
  'auth.admin.denied': 'an operator token was wrong',
  'auth.passkey.denied': "an operator's passkey was not valid",
  'auth.token.revoked_used': 'a revoked token or ended session was used',
  'auth.device.wrong_code': 'a signed-in person entered an unknown device code',
  'auth.cross_site.refused': "another site sent a request with a visitor's cookie",
  'rate.limited': 'a request exceeded a rate limit',
} as const

export type SecurityEvent = keyof typeof securityEvents

/** Reports an event of the current request. `userId` is set if the event concerns a person other than the caller. */
export type ReportSecurity = (event: SecurityEvent, userId?: string) => void

/** The request to which an event belongs. */
export interface SecurityContext {
  readonly userId: string | null
  readonly address: string | null
  readonly requestId: string
  /** The path pattern of the route, such as `/api/traces/:id`. */
  readonly route: string
}

export interface SecurityLog {
  /** Counts an event. Logs it unless the same event of the same address was logged in the last ten seconds. */
  record(event: SecurityEvent, context: SecurityContext): void
  /** The number of times that each event happened in this process. */
  readonly counts: Readonly<Record<SecurityEvent, number>>
}

export interface SecurityLogOptions {
  readonly logger: Logger
  /**
   * Hashes an address under a secret, so that log lines do not contain the address, but lines of one address can be
   * recognized.
   */
  readonly hashAddress: (key: string) => Promise<string>
}

const quietMs = 10_000
/**
 * The maximum number of logged addresses that are kept in memory. When there are more, events of the oldest addresses
 * are logged again.
 */
const maxRemembered = 10_000

/**
 * Makes the log of security events. A line contains a user id and a keyed hash of the address, and no other data of a
 * person.
 */
export function createSecurityLog({ logger, hashAddress }: SecurityLogOptions, clock: () => number): SecurityLog {
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
      dropOldest(loggedAt, maxRemembered)
      const log = (addressHash: string | null): void =>
        logger.warn({ event, userId, addressHash, requestId, route }, event)
      hashAddress(from).then(
        (hash) => log(hash.slice(0, 16)),
        () => log(null),
      )
    },
  }
}
