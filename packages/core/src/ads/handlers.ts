import { fail } from '../http/failures.ts'
import type { PlainRequest } from '../http/message.ts'
import { mount, reply, type Handlers, type Reply, type Mounted } from '../http/route.ts'
import { timestamp } from '../ids.ts'
import type { Logger } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { adsContract } from './contract.ts'
import { decodeServeCode, encodeServeCode, type Signer } from './nonce.ts'
import { earnPage, deviceNotFoundPage } from './pages.ts'
import { dayOf, declinesTracking } from './rules.ts'
import { decideAd, type ServingDeps } from './serving.ts'
import { voteWindowMs, type ImpressionCaps } from './store.ts'

export interface AdsDeps extends ServingDeps {
  readonly signer: Signer
  readonly pixelId: string
  readonly prefix: string
  readonly link: (path: string) => string
  readonly logger: Logger
  /** Null: no caps. */
  readonly caps: ImpressionCaps | null
  /** A keyed hash of the caller's address, the same for every spelling and for a whole IPv6 /64. */
  readonly hashAddress: (address: string) => Promise<string>
}

/** How long a client waits before it asks again after nothing. */
const nothingMs = 60_000
/** Days that /earn shows. */
const shownDays = 30

const voteFailures = {
  device_not_owned: 'device_not_owned',
  not_found: 'feedback_not_found',
  expired: 'feedback_expired',
  superseded: 'feedback_superseded',
} as const

interface ImpressionRequest {
  readonly params: { readonly nonce: string }
  readonly request: PlainRequest
  readonly address: string | null
  readonly now: number
}

/** Answers 204 whatever happens: a client can do nothing about a fault, and would only send the impression again. */
async function seen(input: ImpressionRequest, deps: AdsDeps): Promise<Reply<null>> {
  // Whoever looks whether the address is there has shown nothing to anybody.
  if (input.request.method !== 'HEAD') {
    try {
      await recordImpression(input, deps)
    } catch (error) {
      deps.logger[Unavailable.is(error) ? 'warn' : 'error']({ err: error }, 'ad.impression.failed')
    }
  }
  return reply(204, null)
}

async function recordImpression({ params, address, now }: ImpressionRequest, deps: AdsDeps): Promise<void> {
  const { signer, store, campaignCache: roster, caps, hashAddress } = deps
  const id = await signer.verify(params.nonce, 'nonce', now)
  if (id === null) return store.recordUnknownImpression(now)
  const addressHash = caps && address !== null ? await hashAddress(address) : null
  const impression = await store.recordImpression({ id, now, addressHash, caps })
  if (impression.outcome === 'counted' && impression.campaign !== null)
    roster.recordImpression(impression.campaign, now)
}

export const adsHandlers: Handlers<typeof adsContract, AdsDeps> = {
  async serveAd({ user, query, request, now }, deps) {
    const { d: device, topic, prev } = query
    const decision = await decideAd({ ownerId: user.id, device, topic, prev, headers: request.headers, now }, deps)
    if (decision === 'device_not_owned') return fail(decision)
    const { id, offer } = decision
    if (!offer) return { ad: null, nonce: null, serveId: id, ttlMs: nothingMs, matchType: null, feedback: null }
    const { text, brandName, title, url, favicon } = offer.creative
    const signed = offer.paid ? await deps.signer.sign(id, now) : null
    const clickUrl = deps.link(`/go/${encodeServeCode(id)}`)
    return {
      ad: {
        text,
        clickUrl,
        shortUrl: clickUrl,
        impUrl: signed ? deps.link(`/api/ad/imp/${signed.nonce}`) : '',
        brandName,
        title,
        url,
        favicon: favicon ?? '',
      },
      nonce: signed?.nonce ?? null,
      serveId: id,
      ttlMs: deps.ttlMs,
      matchType: offer.match,
      feedback: signed ? { token: signed.token, expiresAt: timestamp(now + voteWindowMs) } : null,
    }
  },

  async adConfig({ user, query, request }, { ownership, consent, pixelId }) {
    try {
      const [owner, allowed] = await Promise.all([ownership(user.id, query.d), consent(user.id)])
      if (owner !== 'mine') return fail('device_not_owned')
      const off = declinesTracking(request.headers)
      return { attribution: allowed.attribution && !off, pixel: { enabled: allowed.pixel && !off, id: pixelId } }
    } catch (error) {
      if (Unavailable.is(error)) return fail('config_unavailable')
      throw error
    }
  },

  async voteAd({ user, body, now }, { store, signer, ownership }) {
    const { deviceId: device, token, vote, reason = null } = body
    const id = await signer.verify(token, 'token', now)
    if (id === null)
      return fail((await ownership(user.id, device)) === 'other' ? 'device_not_owned' : 'feedback_not_found')
    const voted = await store.recordVote(user.id, { id, device, vote, reason }, now)
    return voted === 'recorded' ? { ok: true, status: voted } : fail(voteFailures[voted])
  },

  countImpression: seen,
  postImpression: seen,

  async followAd({ params, request, now }, { store }) {
    const id = decodeServeCode(params.code)
    const target =
      id === null ? null : request.method === 'HEAD' ? await store.findTarget(id) : await store.recordClick(id, now)
    return target === null ? fail('not_found') : reply(302, null, [['location', target]])
  },

  async earnPage({ user, params, now }, { store, ownership, prefix }) {
    const device = params.deviceId
    const frame = { prefix, email: user.email, device }
    if ((await ownership(user.id, device)) !== 'mine') return reply(404, deviceNotFoundPage(frame))
    return earnPage({ ...frame, days: await store.listDays(user.id, device, dayOf(now) - shownDays + 1), shownDays })
  },
}

/** Binds the routes of serving ads to their handlers. */
export const mountAds = (deps: AdsDeps): Mounted[] => mount(adsContract, adsHandlers, deps)
