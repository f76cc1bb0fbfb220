import type { MakeEvent } from '../events/event.ts'
import { fail } from '../http/failures.ts'
import type { PlainRequest } from '../http/message.ts'
import { reply, mount, type Handlers, type Reply, type Mounted } from '../http/route.ts'
import { timestamp, utcDay } from '../ids.ts'
import type { Logger } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { adsContract } from './contract.ts'
import { decodeServeCode, encodeServeCode, type Signer } from './nonce.ts'
import { earnPage, deviceNotFoundPage } from './pages.ts'
import { declinesTracking } from './rules.ts'
import { decideAd, type ServingDeps } from './serving.ts'
import { voteWindowMs, type ImpressionCaps } from './store.ts'

export interface AdsDeps extends ServingDeps {
  readonly signer: Signer
  readonly makeEvent: MakeEvent
  readonly pixelId: string
  readonly prefix: string
  /** The contributor's share of the sponsors' payments, 0 to 1. */
  readonly adShare: number
  readonly link: (path: string) => string
  readonly logger: Logger
  /** The limits of counted impressions. Null means no limits. */
  readonly caps: ImpressionCaps | null
  readonly isDatacenter: (address: string | null) => boolean
  /** Returns a keyed hash of an IP address. All its notations, and all addresses of an IPv6 /64, have the same hash. */
  readonly hashAddress: (address: string) => Promise<string>
}

/** The time for which a client waits before it asks again when there was no ad, in milliseconds. */
const noAdTtlMs = 60_000
/** Days that /earn shows. */
const shownDays = 30

/** The failure of `POST /api/ad/feedback` for each result of the store except `recorded`. */
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

/**
 * Records an impression. Always returns 204, because a client that got an error would only send the impression again.
 */
async function handleImpression(input: ImpressionRequest, deps: AdsDeps): Promise<Reply<null>> {
  // A HEAD request checks the URL; nothing was shown.
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
  const { signer, store, campaignCache, caps, isDatacenter, hashAddress, makeEvent } = deps
  const serveId = await signer.verify(params.nonce, 'nonce', now)
  if (serveId === null) return store.recordUnknownImpression({ now })
  const addressHash = caps && address !== null ? await hashAddress(address) : null
  const impression = await store.recordImpression({
    serveId,
    now,
    addressHash,
    isFromDatacenter: isDatacenter(address),
    caps,
    exhausted: makeEvent('campaign.exhausted', now),
  })
  if (impression.outcome === 'counted' && impression.campaign !== null) {
    campaignCache.recordImpression(impression.campaign, now)
  }
}

const adsHandlers: Handlers<typeof adsContract, AdsDeps> = {
  async serveAd({ user, query, request, now }, deps) {
    const { d: device, topic, prev } = query
    const decision = await decideAd({ ownerId: user.id, device, topic, prev, headers: request.headers, now }, deps)
    if (decision === 'device_not_owned') return fail(decision)
    const { id, offer } = decision
    if (!offer) return { ad: null, nonce: null, serveId: id, ttlMs: noAdTtlMs, matchType: null, feedback: null }
    const { text, brandName, title, url, favicon } = offer.creative
    const signed = offer.isPaid ? await deps.signer.sign(id, now) : null
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
    const [owner, { attribution, pixel }] = await Promise.all([ownership(user.id, query.d), consent(user.id)])
    if (owner !== 'mine') return fail('device_not_owned')
    const isTracked = !declinesTracking(request.headers)
    return { attribution: attribution && isTracked, pixel: { enabled: pixel && isTracked, id: pixelId } }
  },

  async voteAd({ user, body, now }, { store, signer, ownership }) {
    const { deviceId: device, token, vote, reason = null } = body
    const serveId = await signer.verify(token, 'token', now)
    if (serveId === null) {
      return fail((await ownership(user.id, device)) === 'other' ? 'device_not_owned' : 'feedback_not_found')
    }
    const result = await store.recordVote({ ownerId: user.id, serveId, device, vote, reason, now })
    return result === 'recorded' ? { ok: true, status: result } : fail(voteFailures[result])
  },

  countImpression: handleImpression,
  postImpression: handleImpression,

  async followAd({ params, request, now }, { store }) {
    const serveId = decodeServeCode(params.code)
    if (serveId === null) return fail('not_found')
    const isClick = request.method !== 'HEAD'
    const target = isClick ? await store.recordClick({ serveId, now }) : await store.findTarget({ serveId })
    return target === null ? fail('not_found') : reply(302, null, [['location', target]])
  },

  async earnPage({ user, params, now }, { store, ownership, prefix, adShare }) {
    const device = params.deviceId
    const frame = { prefix, email: user.email, device }
    if ((await ownership(user.id, device)) !== 'mine') return reply(404, deviceNotFoundPage(frame))
    const today = utcDay(now)
    const days = await store.listDays({ ownerId: user.id, device, fromDay: today - shownDays + 1 })
    return earnPage({ ...frame, days, shownDays, today, adShare })
  },
}

/** Binds the routes of serving ads to their handlers. */
export const mountAds = (deps: AdsDeps): Mounted[] => mount(adsContract, adsHandlers, deps)
