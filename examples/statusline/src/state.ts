import { createHash, randomUUID } from 'node:crypto'
import { read, write } from './folder.ts'
import type { Session } from './surroundings.ts'

/** A sponsor's line as it was served. Times are ms of this machine's clock. */
export interface Cached {
  readonly serveId: string
  readonly text: string
  readonly brandName: string
  readonly shortUrl: string
  readonly impUrl: string
  /** SHA-256 hex of text, line feed, where a click leads: what the next request names as the creative before. */
  readonly fingerprint: string
  /** False for the program's own promotion: nobody pays for it, nothing is counted and nothing voted on. */
  readonly paid: boolean
  /** When the request left and when its answer came: the service served in between. */
  readonly askedAt: number
  readonly receivedAt: number
  readonly ttlMs: number
  readonly counted: boolean
  readonly vote: { readonly token: string; readonly expiresAt: string } | null
}

/** A stretch of use. Kept and sent only with consent. */
export interface Activity {
  readonly id: string
  readonly startedAt: number
  readonly lastAt: number
  readonly events: number
}

/** What went wrong last, for `status`. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly at: number
}

/** All that is kept for one service and one login. */
export interface State {
  readonly device: string
  readonly claimed: boolean
  readonly ad: Cached | null
  /** The latest sponsor that was counted, which is the one that a vote concerns. */
  readonly latest: Pick<Cached, 'serveId' | 'brandName' | 'text' | 'vote' | 'fingerprint'> | null
  readonly activity: Activity | null
  /** The service is not asked before this time. */
  readonly notBefore: number
  /** Failures in a row. */
  readonly failures: number
  readonly problem: Problem | null
}

/** A login's state file: another service or another person on this machine starts afresh. The token itself is not in the name. */
const file = ({ base, token }: Session): string =>
  `statusline-${createHash('sha256')
    .update(`${base}\n${token ?? ''}`)
    .digest('hex')
    .slice(0, 16)}.json`
const shownFile = (session: Session): string => `${file(session)}.shown`

/** The state, with what a hand or a cut-off write broke replaced by a fresh start. */
export function load(session: Session): State {
  const kept = read(session, file(session)) ?? {}
  const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
  const object = <T>(value: unknown): T | null => (typeof value === 'object' && value !== null ? (value as T) : null)
  return {
    device:
      typeof kept['device'] === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(kept['device']) ? kept['device'] : randomUUID(),
    claimed: kept['claimed'] === true,
    ad: object<Cached>(kept['ad']),
    latest: object<NonNullable<State['latest']>>(kept['latest']),
    activity: object<Activity>(kept['activity']),
    notBefore: number(kept['notBefore']),
    failures: number(kept['failures']),
    problem: object<Problem>(kept['problem']),
  }
}

/** Keeps a changed state. Returns what is now kept. */
export function save(session: Session, state: State, change: Partial<State>): State {
  const next = { ...state, ...change }
  write(session, file(session), next)
  return next
}

/**
 * Which serve was on the screen, and since when. In a file of its own: `show` writes only this one and the background only the
 * other, so neither overwrites what the other learned.
 */
export function shown(session: Session): { serveId: string; at: number } | null {
  const kept = read(session, shownFile(session))
  return typeof kept?.['serveId'] === 'string' && typeof kept['at'] === 'number'
    ? { serveId: kept['serveId'], at: kept['at'] }
    : null
}

export function markShown(session: Session, serveId: string): void {
  if (shown(session)?.serveId !== serveId) write(session, shownFile(session), { serveId, at: session.now() })
}

/** Whether a line may still be shown. One from the future is the work of a clock that was set back. */
export function fresh({ askedAt, ttlMs }: Cached, now: number): boolean {
  return now >= askedAt && now < askedAt + ttlMs
}
