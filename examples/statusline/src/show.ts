import { line } from './line.ts'
import { locked } from './lock.ts'
import { silence } from './silence.ts'
import { fresh, load, markShown, type State } from './state.ts'
import type { Session } from './surroundings.ts'

/**
 * Prints the line from the cache at once, without a request. Reports and fetches run in a background process, which is
 * started only when there is something to do.
 */
export function show(session: Session, force: boolean): { json: object; text: string } {
  const silent = silence(session, force)
  if (silent || session.token === null) return { json: { line: null, silent: silent ?? 'not_logged_in' }, text: '' }
  const state = load(session)
  const ad = state.ad && fresh(state.ad, session.now()) ? state.ad : null
  const text = ad ? line(ad, session.columns) : ''
  if (ad) markShown(session, ad.serveId)
  const work = ad ? ad.impUrl !== '' && !ad.counted : waited(state, session.now())
  if (work && !locked(session)) {
    // Not as arguments: other people of the machine can read those.
    session.background(['refresh', '--force', '--url', session.base], {
      TRIBUTARY_TOKEN: session.token,
      COLUMNS: String(session.columns),
      LINES: String(session.rows),
    })
  }
  return { json: { line: ad ? text : null, silent: null }, text }
}

const day = 24 * 60 * 60_000
const waited = ({ notBefore }: State, now: number): boolean => now >= notBefore || notBefore - now > day
