import { randomUUID } from 'node:crypto'
import { terminalSafe } from '@tributary/core'
import type { Client } from '@tributary/core/client'
import { reportImpression, findUnreported } from './background.ts'
import { formatLine } from './line.ts'
import { readSafeUrl, describeFailure } from './serve.ts'
import { createSessionClient, readErrorCode, type FailedCall } from './service.ts'
import { findSilence, silenceText, type Silence } from './silence.ts'
import { isFresh, loadState, saveState, readShownServe, type State } from './state.ts'
import { CommandError, type Session } from './runtime.ts'

function makeCommandError(answer: FailedCall, session: Session, words: Record<string, string> = {}): CommandError {
  const code = readErrorCode(answer)
  return new CommandError(code, words[code] ?? `${describeFailure(answer, 0, session.now()).problem.message}.`)
}

/**
 * Claims this machine's device for the person (`POST /api/program/claim`): its impressions count from then on, and its
 * settings can be read (`GET /api/ad/config`). `renew` claims a new device instead.
 */
export async function claimDevice(session: Session, renew: boolean): Promise<{ device: string }> {
  const state = loadState(session)
  const device = renew ? randomUUID() : state.device
  const answer = await createSessionClient(session).claimDevice({ body: { deviceId: device } })
  if (!answer.ok) {
    throw makeCommandError(answer, session, {
      already_claimed: 'This device is claimed by somebody else. `claim --new` creates another one for you.',
      too_many_devices: 'You have claimed as many devices as this service allows.',
    })
  }
  saveState(session, state, {
    device,
    claimed: true,
    ...(renew ? { ad: null, latest: null } : {}),
    notBefore: 0,
    failures: 0,
    problem: null,
  })
  return { device }
}

/** A reason that the service accepts; the service rejects any other. */
type VoteReason = NonNullable<Parameters<Client['voteAd']>[0]['body']['reason']>

const voteWords: Record<string, string> = {
  feedback_not_found: 'The sponsor line that you saw has not been counted yet. Try again in a moment.',
  feedback_superseded: 'Another sponsor has been shown on this device since.',
  feedback_expired: 'You can vote within a day; this sponsor was shown longer ago.',
  invalid_body:
    'Invalid reason for this vote. Up: helpful. Down: not_interested, irrelevant, offensive, repetitive, misleading.',
}

/**
 * Votes on the sponsor that was counted last (`POST /api/ad/feedback`). A sponsor that is voted down is not shown
 * again.
 */
export async function voteOnSponsor(
  session: Session,
  direction: 'up' | 'down',
  reason: string | undefined,
): Promise<{ brandName: string }> {
  const state = loadState(session)
  const { latest } = state
  if (!latest?.vote) throw new CommandError('no_sponsor', 'No sponsor line has been shown and counted yet.')
  const body = {
    deviceId: state.device,
    token: latest.vote.token,
    vote: direction,
    ...(reason === undefined ? {} : { reason: reason as VoteReason }),
  }
  const answer = await createSessionClient(session).voteAd({ body })
  if (!answer.ok) throw makeCommandError(answer, session, voteWords)
  if (direction === 'down' && state.ad?.fingerprint === latest.fingerprint)
    saveState(session, state, { ad: null, notBefore: 0 })
  return { brandName: terminalSafe(latest.brandName, 64) }
}

/**
 * Returns the URL of the sponsor that is shown. A click counts after a counted impression, so the impression of a
 * visible line is recorded first.
 */
export async function readSponsorUrl(session: Session): Promise<string> {
  const state = loadState(session)
  const url = readSafeUrl(state.ad?.shortUrl)
  if (!state.ad || !url) throw new CommandError('no_sponsor', 'No sponsor line has been shown yet.')
  const seen = findUnreported(session, state)
  if (seen) await reportImpression(session, seen)
  return url
}

/** Returns the state of this client, with the reason if it does not show a line. Makes no request. */
export function readStatus(session: Session, force: boolean) {
  // The state is saved, so that the device shown here is also used later.
  const state = session.token === null ? loadState(session) : saveState(session, loadState(session), {})
  const now = session.now()
  const silent: Silence | null = findSilence(session, force)
  const { ad } = state
  return {
    service: session.base,
    loggedIn: session.token !== null,
    device: state.device,
    claimed: state.claimed,
    silent,
    sponsor: ad
      ? {
          line: formatLine(ad, 200),
          url: ad.shortUrl,
          paid: ad.paid,
          fresh: isFresh(ad, now),
          shown: readShownServe(session)?.serveId === ad.serveId,
          counted: ad.counted,
        }
      : null,
    nextRequest: new Date(
      Math.max(now, state.notBefore, ad && isFresh(ad, now) ? ad.askedAt + ad.ttlMs : 0),
    ).toISOString(),
    noLine: sponsorAbsence(session, state, silent),
    problem: state.problem ? { ...state.problem, at: new Date(state.problem.at).toISOString() } : null,
  }
}

type NoLine = 'not_logged_in' | 'silent' | 'failed' | 'nothing_fits' | 'not_asked'

/** Returns the reason why there is no line, or null if there is one. */
function sponsorAbsence({ token }: Session, { ad, notBefore, problem }: State, silent: Silence | null): NoLine | null {
  if (ad) return null
  if (token === null) return 'not_logged_in'
  if (silent) return 'silent'
  if (problem) return 'failed'
  return notBefore > 0 ? 'nothing_fits' : 'not_asked'
}

const noLineText: Record<NoLine, string> = {
  not_logged_in: 'you are not logged in',
  silent: 'no line is fetched while no line is shown',
  failed: 'the last request failed, see `problem`',
  nothing_fits:
    'the service had none for you. No campaign runs for this topic, their budgets of today are used up, or you voted the lines down',
  not_asked: 'the first line is fetched at the next prompt',
}

export function formatStatus(session: Session, state: ReturnType<typeof readStatus>): string {
  const { sponsor, problem, silent, noLine } = state
  const rows = [
    ['service', state.service],
    ['login', state.loggedIn ? 'yes' : 'none. Run: npm run example:contributor -- login'],
    ['device', `${state.device}${state.claimed ? ', claimed' : ', not claimed: impressions count after `claim`'}`],
    ['shows', silent ? `nothing: ${silenceText[silent]}` : 'the line'],
    ['line', sponsor ? sponsor.line : `none: ${noLineText[noLine ?? 'not_asked']}`],
    [
      '',
      sponsor
        ? [
            sponsor.fresh ? 'current' : 'out of date',
            sponsor.shown ? 'shown' : 'not shown',
            sponsor.paid ? (sponsor.counted ? 'counted' : 'not counted') : 'not paid',
          ].join(', ')
        : '',
    ],
    ['next', `${state.nextRequest}, at the next prompt after that`],
    ['earned', `${session.base}/earn/${state.device}`],
    ['problem', problem ? `${problem.message} (${problem.code}, ${problem.at})` : 'none'],
  ]
  return rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name!.padEnd(8)}  ${value}`)
    .join('\n')
}
