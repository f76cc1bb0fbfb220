import { createHash, randomUUID } from 'node:crypto'
import { readConfig, writeConfig } from './config-files.ts'
import type { Session } from './runtime.ts'

/** A sponsor's line as it was served. Times are ms of this machine's clock. */
export interface Cached {
  readonly serveId: string
  readonly text: string
  readonly brandName: string
  readonly shortUrl: string
  readonly impUrl: string
  /** The SHA-256, in hex, of text, line feed and target URL. The next request names it as the previous creative. */
  readonly fingerprint: string
  /** False for the program's own promotion, which is neither counted nor voted on. */
  readonly paid: boolean
  /** The times at which the request was sent and its reply arrived. */
  readonly askedAt: number
  readonly receivedAt: number
  readonly ttlMs: number
  readonly counted: boolean
  readonly vote: { readonly token: string; readonly expiresAt: string } | null
}

/** An activity session. Stored and sent only with consent. */
export interface Activity {
  readonly id: string
  readonly startedAt: number
  readonly lastAt: number
  readonly events: number
}

/** The last failure, for `status`. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly at: number
}

/** The stored state of one service and one login. */
export interface State {
  readonly device: string
  readonly claimed: boolean
  readonly ad: Cached | null
  /** The sponsor that was counted last. Votes apply to it. */
  readonly latest: Pick<Cached, 'serveId' | 'brandName' | 'text' | 'vote' | 'fingerprint'> | null
  readonly activity: Activity | null
  /** No request is sent before this time. */
  readonly notBefore: number
  /** The number of failures in a row. */
  readonly failures: number
  readonly problem: Problem | null
}

/**
 * Returns the name of a login's state file. Each service and each token has its own file, so that another person on
 * this machine starts with an empty state. The name does not contain the token.
 */
const nameStateFile = ({ base, token }: Session): string =>
  `statusline-${createHash('sha256')
    .update(`${base}\n${token ?? ''}`)
    .digest('hex')
    .slice(0, 16)}.json`
const nameShownFile = (session: Session): string => `${nameStateFile(session)}.shown`

/** Loads the state; a damaged or partly written file becomes an empty state. */
export function loadState(session: Session): State {
  const kept = readConfig(session, nameStateFile(session)) ?? {}
  const toNumber = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
  const toObject = <T>(value: unknown): T | null => (typeof value === 'object' && value !== null ? (value as T) : null)
  return {
    device:
      typeof kept['device'] === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(kept['device']) ? kept['device'] : randomUUID(),
    claimed: kept['claimed'] === true,
    ad: toObject<Cached>(kept['ad']),
    latest: toObject<NonNullable<State['latest']>>(kept['latest']),
    activity: toObject<Activity>(kept['activity']),
    notBefore: toNumber(kept['notBefore']),
    failures: toNumber(kept['failures']),
    problem: toObject<Problem>(kept['problem']),
  }
}

/** Saves a changed state and returns it. */
export function saveState(session: Session, state: State, change: Partial<State>): State {
  const next = { ...state, ...change }
  writeConfig(session, nameStateFile(session), next)
  return next
}

/**
 * Returns the id of the serve that is shown, and the time when it was first shown. Only `show` writes the file of these
 * data. The background process writes only the state file, so neither process overwrites data of the other process.
 */
export function readShownServe(session: Session): { serveId: string; at: number } | null {
  const kept = readConfig(session, nameShownFile(session))
  return typeof kept?.['serveId'] === 'string' && typeof kept['at'] === 'number'
    ? { serveId: kept['serveId'], at: kept['at'] }
    : null
}

export function markShown(session: Session, serveId: string): void {
  if (readShownServe(session)?.serveId !== serveId)
    writeConfig(session, nameShownFile(session), { serveId, at: session.now() })
}

/**
 * Returns whether a line may still be shown. A line with a time in the future was stored before the clock was set back.
 */
export function isFresh({ askedAt, ttlMs }: Cached, now: number): boolean {
  return now >= askedAt && now < askedAt + ttlMs
}
