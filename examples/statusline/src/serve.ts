import { createHash } from 'node:crypto'
import { terminalSafe } from '@tributary/core'
import { readErrorCode, type FailedCall } from './service.ts'
import type { Cached, Problem } from './state.ts'

const minute = 60_000
const hour = 60 * minute
/** The shortest and the longest time for which a line is shown, in milliseconds. */
const [shortest, longest] = [5000, hour]
const whenEmptyMs = minute

/**
 * Returns the normalized URL if requests may be sent to it, otherwise null. Allowed are https URLs, and http URLs of
 * this machine, where a service in development runs.
 */
export function readSafeUrl(url: unknown): string | null {
  if (typeof url !== 'string' || url.length > 4096 || !URL.canParse(url)) return null
  const { protocol, hostname, href } = new URL(url)
  const near = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && near) ? href : null
}

function clampTtl(ttlMs: unknown): number {
  return typeof ttlMs === 'number' && Number.isFinite(ttlMs)
    ? Math.min(longest, Math.max(shortest, ttlMs))
    : whenEmptyMs
}

export type ServeResult = { readonly ad: Cached | null; readonly againMs: number }

/**
 * Validates the reply of `GET /api/ad`. Returns null if it is invalid. `ad` is null if the service has nothing to show.
 */
export function parseServe(
  json: Readonly<Record<string, unknown>>,
  askedAt: number,
  receivedAt: number,
): ServeResult | null {
  const againMs = clampTtl(json['ttlMs'])
  if (json['ad'] === null) return { ad: null, againMs }
  const ad = (typeof json['ad'] === 'object' ? json['ad'] : {}) as Record<string, unknown>
  const { text, brandName, url } = ad
  const shortUrl = readSafeUrl(ad['shortUrl'])
  const serveId = json['serveId']
  if (typeof text !== 'string' || terminalSafe(text) === '' || !shortUrl || typeof serveId !== 'string') return null
  const feedback = json['feedback'] as { token?: unknown; expiresAt?: unknown } | null | undefined
  const vote =
    typeof feedback?.token === 'string' && typeof feedback.expiresAt === 'string'
      ? { token: feedback.token, expiresAt: feedback.expiresAt }
      : null
  return {
    againMs,
    ad: {
      serveId,
      text: terminalSafe(text),
      brandName: typeof brandName === 'string' ? terminalSafe(brandName, 64) : '',
      shortUrl,
      impUrl: readSafeUrl(ad['impUrl']) ?? '',
      paid: json['nonce'] !== null && json['matchType'] !== 'promotional',
      fingerprint: createHash('sha256')
        .update(`${text}\n${typeof url === 'string' ? url : ''}`)
        .digest('hex'),
      askedAt,
      receivedAt,
      ttlMs: againMs,
      counted: false,
      vote,
    },
  }
}

/** The advice to a person for each failure of `GET /api/ad`. */
const advice: Record<string, string> = {
  unauthorized: 'you are not logged in, or your login has ended. Run: npm run example:contributor -- login',
  device_not_owned: 'this device is claimed by somebody else. Create another one: tributary-statusline claim --new',
  rate_limited: 'too many requests',
  unavailable: 'the service is unavailable',
  unreachable: 'the service does not answer',
  invalid_reply: 'the service sent an invalid reply',
}

/**
 * Returns how long to wait after a failure, in milliseconds. The wait is a day if only a new login or a new version
 * solves the failure.
 */
function retryDelay(answer: FailedCall, code: string, failures: number): number {
  const asked = answer.retryAfterMs ?? 0
  if (code === 'unauthorized' || code === 'upgrade_required' || code === 'device_not_owned')
    return Math.max(asked, 24 * hour)
  return Math.min(24 * hour, Math.max(asked, Math.min(hour, 30_000 * 2 ** Math.min(failures, 10))))
}

export interface Failure {
  readonly problem: Problem
  readonly notBefore: number
}

/**
 * Returns the data to store after a failed call: the reason, for `status`, and when to try again. `failures` is the
 * number of earlier failures in a row.
 */
export function describeFailure(
  answer: FailedCall,
  failures: number,
  now: number,
  code = readErrorCode(answer),
): Failure {
  const { minVersion, upgradeCommand } = answer.body
  const message =
    code === 'upgrade_required'
      ? `this client is too old; ${toSafeText(minVersion)} or later is needed. Run: ${toSafeText(upgradeCommand)}`
      : (advice[code] ?? `the service answered ${toSafeText(code)} (${answer.status})`)
  return { problem: { code: toSafeText(code), message, at: now }, notBefore: now + retryDelay(answer, code, failures) }
}

const toSafeText = (value: unknown): string => terminalSafe(String(value ?? 'unknown'), 200)
