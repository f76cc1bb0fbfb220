import { formatLine } from './line.ts'
import { isLocked } from './lock.ts'
import { findSilence } from './silence.ts'
import { isFresh, loadState, markShown, type State } from './state.ts'
import type { Session } from './runtime.ts'

/**
 * Prints the cached line immediately, without a request. Reports and fetches run in a background process, which is
 * started only when there is something to do.
 */
export function showLine(session: Session, force: boolean): { json: object; text: string } {
  const silent = findSilence(session, force)
  if (silent || session.token === null) return { json: { line: null, silent: silent ?? 'not_logged_in' }, text: '' }
  const state = loadState(session)
  const ad = state.ad && isFresh(state.ad, session.now()) ? state.ad : null
  const text = ad ? formatLine(ad, session.columns) : ''
  if (ad) markShown(session, ad.serveId)
  const work = ad ? ad.impUrl !== '' && !ad.counted : isRetryDue(state, session.now())
  if (work && !isLocked(session)) {
    // The token is passed in the environment, because other users of the machine could read arguments.
    session.background(['refresh', '--force', '--url', session.base], {
      TRIBUTARY_TOKEN: session.token,
      COLUMNS: String(session.columns),
      LINES: String(session.rows),
    })
  }
  return { json: { line: ad ? text : null, silent: null }, text }
}

const day = 24 * 60 * 60_000
const isRetryDue = ({ notBefore }: State, now: number): boolean => now >= notBefore || notBefore - now > day
