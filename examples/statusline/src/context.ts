import { randomUUID } from 'node:crypto'
import { createSessionClient } from './service.ts'
import type { Activity, State } from './state.ts'
import type { Session } from './runtime.ts'

/**
 * Returns `x-ad-device-context`, which describes the terminal and the space for the line. It does not identify a
 * person.
 */
function describeDevice({ env, platform, arch, columns, rows }: Session): string {
  const shell = env['SHELL']?.split('/').at(-1)
  const known = { os: platform, arch, shell, terminal: env['TERM_PROGRAM'] ?? env['TERM'], locale: env['LANG'] }
  const short = Object.entries(known).filter(([, value]) => value !== undefined && value !== '' && value.length <= 64)
  return JSON.stringify({ v: 1, ...Object.fromEntries(short), columns, rows })
}

const minute = 60_000

/** Returns the current activity session, or a new one after half an hour of inactivity or after a day. */
function continueActivity(last: Activity | null, now: number): Activity {
  const goesOn =
    last !== null && now >= last.lastAt && now - last.lastAt < 30 * minute && now - last.startedAt < 24 * 60 * minute
  return goesOn
    ? { ...last, lastAt: now, events: Math.min(10_000, last.events + 1) }
    : { id: randomUUID(), startedAt: now, lastAt: now, events: 1 }
}

/**
 * Returns the headers of `GET /api/ad`. The activity session is sent only if the person agreed to attribution. The
 * service returns this consent for a claimed device (`GET /api/ad/config`); without a claim or a reply there is no
 * consent.
 */
export async function buildContextHeaders(
  session: Session,
  state: State,
): Promise<{ headers: Record<string, string>; activity: Activity | null }> {
  const headers: Record<string, string> = { 'x-ad-device-context': describeDevice(session) }
  if (!state.claimed) return { headers, activity: null }
  const config = await createSessionClient(session).adConfig({ query: { d: state.device } })
  if (!config.ok || !config.value.attribution) return { headers, activity: null }
  const { id, startedAt, lastAt, events } = continueActivity(state.activity, session.now())
  const formatTime = (time: number): string => new Date(time).toISOString()
  headers['x-ad-attribution-context'] = JSON.stringify({
    v: 1,
    sessionId: id,
    startedAt: formatTime(startedAt),
    lastActivityAt: formatTime(lastAt),
    events,
  })
  return { headers, activity: { id, startedAt, lastAt, events } }
}
