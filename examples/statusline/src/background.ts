import type { Client } from '@tributary/core/client'
import { contextHeaders } from './context.ts'
import { alone } from './lock.ts'
import { served, setback } from './serve.ts'
import { clientOf, codeOf, requestImpression } from './service.ts'
import { fresh, load, save, shown, type Cached, type State } from './state.ts'
import type { Session } from './surroundings.ts'

/** A topic of the service; an unknown one is refused there. */
type AdTopic = NonNullable<NonNullable<Parameters<Client['serveAd']>[0]>['query']['topic']> | undefined

/** The service counts from a second after its serve; we heard of it later, and a little more hides a rounded clock. */
const visibleMs = 1100

export interface Done {
  readonly counted: boolean
  readonly refreshed: boolean
}

/** Returns an impression that was visible and is not reported yet. */
export function due(session: Session, state: State): Cached | null {
  const { ad } = state
  return ad && ad.impUrl !== '' && !ad.counted && fresh(ad, session.now()) && shown(session)?.serveId === ad.serveId
    ? ad
    : null
}

/**
 * Returns whether it is time to fetch another line. A clock that was set back does not block the client: no pause is
 * longer than a day.
 */
export function stale(session: Session, state: State): boolean {
  const now = session.now()
  const waiting = now < state.notBefore && state.notBefore - now <= 24 * 60 * 60_000
  return !waiting && !(state.ad && fresh(state.ad, now))
}

/**
 * Does what must not delay a prompt: reports a visible impression, then fetches the next line. One process at a time.
 */
export async function background(session: Session): Promise<Done | null> {
  if (session.token === null) return { counted: false, refreshed: false }
  return alone(session, async () => {
    let state = load(session)
    const seen = due(session, state)
    const counted = seen !== null && (await count(session, seen))
    state = load(session)
    const refreshed = stale(session, state)
    if (refreshed) await refresh(session, state)
    return { counted, refreshed }
  })
}

/**
 * Reports an impression once the line has been visible for long enough. The answer is 204 whatever becomes of it;
 * anything else leaves it to the next prompt.
 */
export async function count(session: Session, ad: Cached): Promise<boolean> {
  const since = Math.max(ad.receivedAt, shown(session)?.at ?? session.now())
  const wait = since + visibleMs - session.now()
  if (wait > 0) await session.wait(Math.min(wait, visibleMs))
  if (!fresh(ad, session.now())) return false
  const answer = await requestImpression(session, ad.impUrl)
  const state = load(session)
  if (state.ad?.serveId !== ad.serveId) return false
  if (!answer.ok) {
    // Not worth a pause of the line itself, only worth knowing.
    save(session, state, {
      problem: { ...setback(answer, 0, session.now()).problem, code: `impression_${codeOf(answer)}` },
    })
    return false
  }
  const { serveId, brandName, text, vote, fingerprint } = ad
  save(session, state, { ad: { ...ad, counted: true }, latest: { serveId, brandName, text, vote, fingerprint } })
  return true
}

/** Asks E16 for the next line and keeps what came: a line, nothing, or why not and when to ask again. */
export async function refresh(session: Session, state: State): Promise<State> {
  const { headers, activity } = await contextHeaders(session, state)
  const topic = session.env['TRIBUTARY_AD_TOPIC']
  const before = state.ad ?? state.latest
  const prev = before && /^[0-9a-f]{64}$/.test(before.fingerprint) ? before.fingerprint : undefined
  const askedAt = session.now()
  const query = { d: state.device, topic: topic as AdTopic, prev }
  const answer = await clientOf(session).serveAd({ query, headers })
  const now = session.now()
  const got = answer.ok ? served(answer.value, askedAt, now) : null
  if (!got) {
    const failure = answer.ok
      ? { ok: false as const, status: 200, error: 'unexpected_reply' as const, body: {}, retryAfterMs: null }
      : answer
    const code = answer.ok || answer.error === 'unexpected_reply' ? 'invalid_reply' : codeOf(answer)
    const wrong = setback(failure, state.failures, now, code)
    return save(session, state, { ...wrong, activity, failures: state.failures + 1 })
  }
  return save(session, state, {
    ad: got.ad ?? state.ad,
    activity,
    failures: 0,
    problem: null,
    notBefore: got.ad ? 0 : now + got.againMs,
  })
}
