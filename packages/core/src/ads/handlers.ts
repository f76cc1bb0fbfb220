import { fail } from '../http/failures.ts'
import type { PlainRequest } from '../http/message.ts'
import { reply, type Handlers, type Reply } from '../http/route.ts'
import { timestamp } from '../ids.ts'
import { Unavailable } from '../unavailable.ts'
import type { adsContract } from './contract.ts'
import { codeId, idCode, type Signer } from './nonce.ts'
import { earnPage, strangePage } from './pages.ts'
import { dayOf, untracked } from './rules.ts'
import { decide, type ServingDeps } from './serving.ts'
import { voteMs } from './store.ts'

export interface AdsDeps extends ServingDeps {
  readonly signer: Signer
  readonly pixelId: string
  readonly prefix: string
  readonly link: (path: string) => string
}

/** How long a client waits before it asks again after nothing. */
const nothingMs = 60_000
/** Days that /earn shows. */
const shownDays = 30

const voteFailures = {
  device_not_owned: 'device_not_owned', not_found: 'feedback_not_found', expired: 'feedback_expired', superseded: 'feedback_superseded',
} as const

async function seen({ params, request, now }: { params: { nonce: string }; request: PlainRequest; now: number }, deps: AdsDeps): Promise<Reply<null>> {
  const done = reply(204, null)
  // Whoever looks whether the address is there has shown nothing to anybody.
  if (request.method === 'HEAD') return done
  const id = await deps.signer.open(params.nonce, 'nonce', now)
  if (id === null) {
    await deps.store.refuse(now)
    return done
  }
  const impression = await deps.store.count(id, now)
  if (impression.outcome === 'counted' && impression.campaign !== null) deps.roster.counted(impression.campaign, now)
  return done
}

export const adsHandlers: Handlers<typeof adsContract, AdsDeps> = {
  async serveAd({ user, query, request, now }, deps) {
    const { d: device, topic, prev } = query
    const decision = await decide({ ownerId: user.id, device, topic, prev, headers: request.headers, now }, deps)
    if (decision === 'device_not_owned') return fail(decision)
    const { id, offer } = decision
    if (!offer) return { ad: null, nonce: null, serveId: id, ttlMs: nothingMs, matchType: null, feedback: null }
    const { text, brandName, title, url, favicon } = offer.creative
    const signed = offer.paid ? await deps.signer.sign(id, now) : null
    const clickUrl = deps.link(`/go/${idCode(id)}`)
    return {
      ad: {
        text, clickUrl, shortUrl: clickUrl, impUrl: signed ? deps.link(`/api/ad/imp/${signed.nonce}`) : '',
        brandName, title, url, favicon: favicon ?? '',
      },
      nonce: signed?.nonce ?? null,
      serveId: id,
      ttlMs: deps.ttlMs,
      matchType: offer.match,
      feedback: signed ? { token: signed.token, expiresAt: timestamp(now + voteMs) } : null,
    }
  },

  async adConfig({ user, query, request }, { ownership, consent, pixelId }) {
    try {
      const [owner, allowed] = await Promise.all([ownership(user.id, query.d), consent(user.id)])
      if (owner !== 'mine') return fail('device_not_owned')
      const off = untracked(request.headers)
      return { attribution: allowed.attribution && !off, pixel: { enabled: allowed.pixel && !off, id: pixelId } }
    } catch (error) {
      if (Unavailable.is(error)) return fail('config_unavailable')
      throw error
    }
  },

  async voteAd({ user, body, now }, { store, signer, ownership }) {
    const { deviceId: device, token, vote, reason = null } = body
    const id = await signer.open(token, 'token', now)
    if (id === null) return fail((await ownership(user.id, device)) === 'other' ? 'device_not_owned' : 'feedback_not_found')
    const voted = await store.vote(user.id, { id, device, vote, reason }, now)
    return voted === 'recorded' ? { ok: true, status: voted } : fail(voteFailures[voted])
  },

  countImpression: seen,
  postImpression: seen,

  async followAd({ params, request, now }, { store }) {
    const id = codeId(params.code)
    const target = id === null ? null : request.method === 'HEAD' ? await store.target(id) : await store.click(id, now)
    return target === null ? fail('not_found') : reply(302, null, [['location', target]])
  },

  async earnPage({ user, params, now }, { store, ownership, prefix }) {
    const device = params.deviceId
    const frame = { prefix, email: user.email, device }
    if ((await ownership(user.id, device)) !== 'mine') return reply(404, strangePage(frame))
    return earnPage({ ...frame, days: await store.days(user.id, device, dayOf(now) - shownDays + 1), shownDays })
  },
}
