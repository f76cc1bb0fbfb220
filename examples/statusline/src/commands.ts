import { randomUUID } from 'node:crypto'
import { terminalSafe } from '@tributary/core'
import type { Client } from '@tributary/core/client'
import { count, due } from './background.ts'
import { line } from './line.ts'
import { harmless, setback } from './serve.ts'
import { clientOf, codeOf, type FailedCall } from './service.ts'
import { silence, silenceText, type Silence } from './silence.ts'
import { fresh, load, save, shown } from './state.ts'
import { Stop, type Session } from './surroundings.ts'

function failed(answer: FailedCall, session: Session, words: Record<string, string> = {}): Stop {
  const code = codeOf(answer)
  return new Stop(code, words[code] ?? `${setback(answer, 0, session.now()).problem.message}.`)
}

/**
 * Claims this machine's device for the person (E19): its impressions count from then on, and its settings may be asked
 * (E17). `renew`: as a new device.
 */
export async function claim(session: Session, renew: boolean): Promise<{ device: string }> {
  const state = load(session)
  const device = renew ? randomUUID() : state.device
  const answer = await clientOf(session).claimDevice({ body: { deviceId: device } })
  if (!answer.ok) {
    throw failed(answer, session, {
      already_claimed: "This device is somebody else's. `claim --new` makes another for you.",
      too_many_devices: 'You have claimed as many devices as this service allows.',
    })
  }
  save(session, state, {
    device,
    claimed: true,
    ...(renew ? { ad: null, latest: null } : {}),
    notBefore: 0,
    failures: 0,
    problem: null,
  })
  return { device }
}

/** A reason that the service knows; another is refused there. */
type VoteReason = NonNullable<Parameters<Client['voteAd']>[0]['body']['reason']>

const voteWords: Record<string, string> = {
  feedback_not_found: 'The sponsor that you saw was not counted yet; try again in a moment.',
  feedback_superseded: 'Another sponsor was shown on this device since.',
  feedback_expired: 'A vote may come within a day; this sponsor was shown longer ago.',
  invalid_body:
    'That is no reason for this vote. Up: helpful. Down: not_interested, irrelevant, offensive, repetitive, misleading.',
}

/** Votes on the latest sponsor that was counted (E18). One voted down is not shown again, here at once. */
export async function vote(
  session: Session,
  direction: 'up' | 'down',
  reason: string | undefined,
): Promise<{ brandName: string }> {
  const state = load(session)
  const { latest } = state
  if (!latest?.vote)
    throw new Stop('no_sponsor', 'No sponsor was shown and counted yet, so there is nothing to vote on.')
  const body = {
    deviceId: state.device,
    token: latest.vote.token,
    vote: direction,
    ...(reason === undefined ? {} : { reason: reason as VoteReason }),
  }
  const answer = await clientOf(session).voteAd({ body })
  if (!answer.ok) throw failed(answer, session, voteWords)
  if (direction === 'down' && state.ad?.fingerprint === latest.fingerprint)
    save(session, state, { ad: null, notBefore: 0 })
  return { brandName: terminalSafe(latest.brandName, 64) }
}

/**
 * Returns the address of the sponsor that is shown. A click counts after a counted impression, so a visible impression
 * is reported first.
 */
export async function sponsorUrl(session: Session): Promise<string> {
  const state = load(session)
  const url = harmless(state.ad?.shortUrl)
  if (!state.ad || !url) throw new Stop('no_sponsor', 'No sponsor was shown yet.')
  const seen = due(session, state)
  if (seen) await count(session, seen)
  return url
}

/** Returns what this client knows, and why it shows nothing if it does not. Makes no request. */
export function status(session: Session, force: boolean) {
  // Kept, so that the device named here is the one that stays.
  const state = session.token === null ? load(session) : save(session, load(session), {})
  const now = session.now()
  const silent: Silence | null = silence(session, force)
  const { ad } = state
  return {
    service: session.base,
    loggedIn: session.token !== null,
    device: state.device,
    claimed: state.claimed,
    silent,
    sponsor: ad
      ? {
          line: line(ad, 200),
          url: ad.shortUrl,
          paid: ad.paid,
          fresh: fresh(ad, now),
          shown: shown(session)?.serveId === ad.serveId,
          counted: ad.counted,
        }
      : null,
    nextRequest: new Date(
      Math.max(now, state.notBefore, ad && fresh(ad, now) ? ad.askedAt + ad.ttlMs : 0),
    ).toISOString(),
    problem: state.problem ? { ...state.problem, at: new Date(state.problem.at).toISOString() } : null,
  }
}

export function statusText(session: Session, state: ReturnType<typeof status>): string {
  const { sponsor, problem, silent } = state
  const rows = [
    ['service', state.service],
    ['login', state.loggedIn ? 'yes' : 'none: npm run example:contributor -- login'],
    ['device', `${state.device}${state.claimed ? ', claimed' : ', not claimed: nothing counts here until `claim`'}`],
    ['shows', silent ? `nothing: ${silenceText[silent]}` : 'the line'],
    ['line', sponsor ? sponsor.line : 'none yet'],
    [
      '',
      sponsor
        ? [
            sponsor.fresh ? 'current' : 'out of date',
            sponsor.shown ? 'shown' : 'not shown',
            sponsor.paid ? (sponsor.counted ? 'counted' : 'not counted') : 'not paid for',
          ].join(', ')
        : '',
    ],
    ['next ask', `${state.nextRequest}, when a prompt wants a line`],
    ['earned', `${session.base}/earn/${state.device}`],
    ['problem', problem ? `${problem.message} (${problem.code}, ${problem.at})` : 'none'],
  ]
  return rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name!.padEnd(8)}  ${value}`)
    .join('\n')
}
