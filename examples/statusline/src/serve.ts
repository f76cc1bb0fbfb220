import { createHash } from 'node:crypto'
import { terminalSafe } from '@tributary/core'
import { codeOf, type FailedCall } from './service.ts'
import type { Cached, Problem } from './state.ts'

const minute = 60_000
const hour = 60 * minute
/** A line is shown for as long as the service says, within reason. */
const [shortest, longest] = [5000, hour]
const whenEmptyMs = minute

/**
 * Returns whether requests may go to an address: https, or plain http on this machine, where a service in development
 * runs.
 */
export function harmless(url: unknown): string | null {
  if (typeof url !== 'string' || url.length > 4096 || !URL.canParse(url)) return null
  const { protocol, hostname, href } = new URL(url)
  const near = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || (protocol === 'http:' && near) ? href : null
}

function lifetime(ttlMs: unknown): number {
  return typeof ttlMs === 'number' && Number.isFinite(ttlMs)
    ? Math.min(longest, Math.max(shortest, ttlMs))
    : whenEmptyMs
}

export type Served = { readonly ad: Cached | null; readonly againMs: number }

/**
 * Reads the reply of E16, which may come from anywhere. Null: it is not one. `ad` is null when the service has nothing
 * to show.
 */
export function served(json: Readonly<Record<string, unknown>>, askedAt: number, receivedAt: number): Served | null {
  const againMs = lifetime(json['ttlMs'])
  if (json['ad'] === null) return { ad: null, againMs }
  const ad = (typeof json['ad'] === 'object' ? json['ad'] : {}) as Record<string, unknown>
  const { text, brandName, url } = ad
  const shortUrl = harmless(ad['shortUrl'])
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
      impUrl: harmless(ad['impUrl']) ?? '',
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

/** What a person can do about a failure of E16. */
const advice: Record<string, string> = {
  unauthorized: 'you are not logged in, or your login has ended: npm run example:contributor -- login',
  device_not_owned: "this device is somebody else's: tributary-statusline claim --new makes another",
  rate_limited: 'the service asked to slow down',
  unavailable: 'the service is not available at the moment',
  unreachable: 'the service does not answer',
  invalid_reply: 'the service answered what is no ad',
}

/**
 * Returns how long to wait after a failure, in milliseconds. Failures that only another login or version repairs wait a
 * day.
 */
function pause(answer: FailedCall, code: string, failures: number): number {
  const asked = answer.retryAfterMs ?? 0
  if (code === 'unauthorized' || code === 'upgrade_required' || code === 'device_not_owned')
    return Math.max(asked, 24 * hour)
  return Math.min(24 * hour, Math.max(asked, Math.min(hour, 30_000 * 2 ** Math.min(failures, 10))))
}

export interface Setback {
  readonly problem: Problem
  readonly notBefore: number
}

/**
 * Returns what to remember of a failed call: the reason, for `status`, and when to try again. `failures` are those
 * before it.
 */
export function setback(answer: FailedCall, failures: number, now: number, code = codeOf(answer)): Setback {
  const { minVersion, upgradeCommand } = answer.body
  const message =
    code === 'upgrade_required'
      ? `this client is too old, at least ${safeText(minVersion)} is needed: ${safeText(upgradeCommand)}`
      : (advice[code] ?? `the service answered ${safeText(code)} (${answer.status})`)
  return { problem: { code: safeText(code), message, at: now }, notBefore: now + pause(answer, code, failures) }
}

const safeText = (value: unknown): string => terminalSafe(String(value ?? 'unknown'), 200)
