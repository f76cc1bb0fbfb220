import type { Client } from '@tributary/core/client'
import { buildContextHeaders } from './context.ts'
import { runExclusively } from './lock.ts'
import { parseServe, describeFailure } from './serve.ts'
import { createSessionClient, readErrorCode, requestImpression } from './service.ts'
import { isFresh, loadState, saveState, readShownServe, type Cached, type State } from './state.ts'
import type { Session } from './runtime.ts'

/** A topic that the service knows; the service rejects any other. */
type AdTopic = NonNullable<NonNullable<Parameters<Client['serveAd']>[0]>['query']['topic']> | undefined

/**
 * The service counts an impression at the earliest one second after it served the line. The 100 ms more allow for
 * rounded clocks.
 */
const visibleMs = 1100

export interface BackgroundResult {
  readonly counted: boolean
  readonly refreshed: boolean
}

/** Returns the impression of the visible line if it is not reported yet. */
export function findUnreported(session: Session, state: State): Cached | null {
  const { ad } = state
  return ad &&
    ad.impUrl !== '' &&
    !ad.counted &&
    isFresh(ad, session.now()) &&
    readShownServe(session)?.serveId === ad.serveId
    ? ad
    : null
}

/**
 * Returns whether it is time to fetch another line. A clock that was set back does not block the client, because a
 * pause is at most a day long.
 */
function needsLine(session: Session, state: State): boolean {
  const now = session.now()
  const waiting = now < state.notBefore && state.notBefore - now <= 24 * 60 * 60_000
  return !waiting && !(state.ad && isFresh(state.ad, now))
}

/**
 * Does the work that must not delay a prompt: it reports a visible impression, then fetches the next line. Only one
 * process does this work at a time.
 */
export async function runBackground(session: Session): Promise<BackgroundResult | null> {
  if (session.token === null) return { counted: false, refreshed: false }
  return runExclusively(session, async () => {
    let state = loadState(session)
    const seen = findUnreported(session, state)
    const counted = seen !== null && (await reportImpression(session, seen))
    state = loadState(session)
    const refreshed = needsLine(session, state)
    if (refreshed) await fetchLine(session, state)
    return { counted, refreshed }
  })
}

/**
 * Reports an impression once the line has been visible for long enough. The reply is 204, whether the impression counts
 * or not; after any other reply the next prompt reports it again.
 */
export async function reportImpression(session: Session, ad: Cached): Promise<boolean> {
  const since = Math.max(ad.receivedAt, readShownServe(session)?.at ?? session.now())
  const wait = since + visibleMs - session.now()
  if (wait > 0) await session.wait(Math.min(wait, visibleMs))
  if (!isFresh(ad, session.now())) return false
  const answer = await requestImpression(session, ad.impUrl)
  const state = loadState(session)
  if (state.ad?.serveId !== ad.serveId) return false
  if (!answer.ok) {
    // `status` shows the problem; the line itself is not delayed.
    saveState(session, state, {
      problem: { ...describeFailure(answer, 0, session.now()).problem, code: `impression_${readErrorCode(answer)}` },
    })
    return false
  }
  const { serveId, brandName, text, vote, fingerprint } = ad
  saveState(session, state, { ad: { ...ad, counted: true }, latest: { serveId, brandName, text, vote, fingerprint } })
  return true
}

/**
 * Requests the next line (`GET /api/ad`) and stores the result: the line, or that there is no line, or the failure and
 * when to try again.
 */
async function fetchLine(session: Session, state: State): Promise<State> {
  const { headers, activity } = await buildContextHeaders(session, state)
  const topic = session.env['TRIBUTARY_AD_TOPIC']
  const before = state.ad ?? state.latest
  const prev = before && /^[0-9a-f]{64}$/.test(before.fingerprint) ? before.fingerprint : undefined
  const askedAt = session.now()
  const query = { d: state.device, topic: topic as AdTopic, prev }
  const answer = await createSessionClient(session).serveAd({ query, headers })
  const now = session.now()
  const got = answer.ok ? parseServe(answer.value, askedAt, now) : null
  if (!got) {
    const failure = answer.ok
      ? { ok: false as const, status: 200, error: 'unexpected_reply' as const, body: {}, retryAfterMs: null }
      : answer
    const code = answer.ok || answer.error === 'unexpected_reply' ? 'invalid_reply' : readErrorCode(answer)
    const wrong = describeFailure(failure, state.failures, now, code)
    return saveState(session, state, { ...wrong, activity, failures: state.failures + 1 })
  }
  return saveState(session, state, {
    ad: got.ad ?? state.ad,
    activity,
    failures: 0,
    problem: null,
    notBefore: got.ad ? 0 : now + got.againMs,
  })
}
