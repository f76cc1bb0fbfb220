import { toHex, uuid7 } from '../ids.ts'
import { itemAt } from '../lists.ts'
import type { AdQuestion, Digest, Random } from '../ports.ts'
import type { CampaignCache } from './campaign-cache.ts'
import { parseAdSession, parseDeviceContext } from './context.ts'
import type { AskNetwork, NetworkFill } from './network.ts'
import { declinesTracking, matchTopic, rankCampaigns, type Topic } from './rules.ts'
import type { ActiveCampaign, AdCandidate, AdStore, Creative } from './store.ts'

export interface ServingDeps {
  readonly store: AdStore
  readonly campaignCache: CampaignCache
  /** Asks the ad network. Null means that there is no network. */
  readonly askNetwork: AskNetwork | null
  readonly promotion: Creative | null
  readonly ttlMs: number
  readonly random: Random
  readonly digest: Digest
  /** Returns who claimed a device. The program part of the service provides this function. */
  readonly ownership: (ownerId: string, device: string) => Promise<'mine' | 'other' | 'nobody'>
  /** Returns the person's consent. The contributors part of the service provides this function. */
  readonly consent: (ownerId: string) => Promise<{ readonly attribution: boolean; readonly pixel: boolean }>
  /** The salt by which the hashes of this service differ from the hashes of other services. */
  readonly salt: string
}

export interface AdRequest {
  readonly ownerId: string
  readonly device: string
  readonly topic: Topic | undefined
  /** The fingerprint of the creative that was shown last. */
  readonly prev: string | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly now: number
}

/** A candidate with its creative. */
interface Offer extends AdCandidate {
  readonly creative: Creative
  readonly match: 'contextual' | 'general' | 'promotional'
  readonly isPaid: boolean
}

export type Decision = { readonly id: string; readonly offer: Offer | null } | 'device_not_owned'

/** Returns the fingerprint of a creative: the SHA-256 of its text and target. */
export function hashCreative(text: string, target: string, digest: Digest): string {
  return toHex(digest(`${text}\n${target}`))
}

/**
 * Decides which ad is served. The order is: a campaign, an ad of the network, the promotion, no ad. If only campaigns
 * are available, one call of the store picks the first campaign that the person did not vote down. The previous
 * creative is repeated only when no other paid creative is available.
 */
export async function decideAd(request: AdRequest, deps: ServingDeps): Promise<Decision> {
  const { ownerId, device, topic, prev, headers, now } = request
  const { store, campaignCache, askNetwork, ttlMs } = deps
  const id = uuid7(now, deps.random)
  const { countOutstanding } = campaignCache
  const campaigns = rankCampaigns(await campaignCache.listActive(now), { topic, countOutstanding, now })
  const offers = campaigns.map((campaign) => offerOfCampaign(campaign, topic))
  const fresh = offers.filter(({ fingerprint }) => fingerprint !== prev)
  const repeated = offers.filter(({ fingerprint }) => fingerprint === prev)
  const promotion = deps.promotion ? [offerOfPromotion(deps.promotion, deps.digest)] : []

  async function serve(candidates: readonly Offer[]): Promise<Decision> {
    if (candidates.length === 0) return { id, offer: null }
    const served = await store.serveAd({
      ownerId,
      id,
      device,
      servedAt: now,
      expiresAt: now + ttlMs,
      candidates: candidates.map(({ source, fingerprint, campaign, price, target, networkUrl }) => ({
        source,
        fingerprint,
        campaign,
        price,
        target,
        networkUrl,
      })),
    })
    if (served.outcome === 'device_not_owned') return served.outcome
    if (served.outcome !== 'served') return { id, offer: null }
    const offer = itemAt(candidates, served.index)
    if (offer.campaign !== null) campaignCache.recordServe(offer.campaign, now)
    return { id, offer }
  }

  if (!askNetwork) {
    const candidates = [...fresh, ...repeated, ...promotion]
    const isOthers = candidates.length === 0 && (await deps.ownership(ownerId, device)) === 'other'
    return isOthers ? 'device_not_owned' : serve(candidates)
  }
  const decision = await serve(fresh)
  if (decision === 'device_not_owned' || decision.offer) return decision
  const [ownership, consent] = await Promise.all([
    deps.ownership(ownerId, device),
    declinesTracking(headers) ? null : deps.consent(ownerId),
  ])
  if (ownership === 'other') return 'device_not_owned'
  const fill = await askNetwork(buildQuestion(id, request, consent?.attribution === true, deps), now)
  if (!fill) return serve([...repeated, ...promotion])
  const networkOffer = offerOfNetwork(fill, topic, deps.digest)
  const paid = networkOffer.fingerprint === prev ? [...repeated, networkOffer] : [networkOffer, ...repeated]
  return serve([...paid, ...promotion])
}

function offerOfCampaign(campaign: ActiveCampaign, topic: Topic | undefined): Offer {
  const { text, brandName, title, url, favicon, fingerprint, num, price } = campaign
  return {
    source: 'campaign',
    fingerprint,
    campaign: num,
    price,
    target: null,
    networkUrl: null,
    creative: { text, brandName, title, url, clickUrl: url, favicon },
    match: matchTopic(campaign, topic)!,
    isPaid: true,
  }
}

function offerOfPromotion(creative: Creative, digest: Digest): Offer {
  return {
    source: 'promotional',
    fingerprint: hashCreative(creative.text, creative.clickUrl, digest),
    campaign: null,
    price: 0,
    target: creative.clickUrl,
    networkUrl: null,
    creative,
    match: 'promotional',
    isPaid: false,
  }
}

function offerOfNetwork(
  { networkUrl, test, ...creative }: NetworkFill,
  topic: Topic | undefined,
  digest: Digest,
): Offer {
  return {
    // Nobody pays for a test ad, so it is stored like the promotion.
    source: test ? 'promotional' : 'network',
    fingerprint: hashCreative(creative.text, creative.clickUrl, digest),
    campaign: null,
    price: 0,
    target: creative.clickUrl,
    networkUrl: test ? null : networkUrl,
    creative,
    match: topic === undefined ? 'general' : 'contextual',
    isPaid: !test,
  }
}

/**
 * Builds the request to the network, with the data that `disclosure.ts` lists. Hashes of device and user are included
 * only with consent. For a client that declines tracking, two requests share nothing except the topic.
 */
function buildQuestion(id: string, request: AdRequest, hasConsent: boolean, { digest, salt }: ServingDeps): AdQuestion {
  const { ownerId, device, topic, headers, now } = request
  const hash = (kind: string, name: string): string => toHex(digest(`${salt}\n${kind}\n${name}`))
  if (declinesTracking(headers))
    return { topic: topic ?? null, session: hash('request', id), sessionEvents: null, device: {}, ids: null }
  const session = parseAdSession(headers['x-ad-attribution-context'], device, now)
  return {
    topic: topic ?? null,
    session: hash('session', session.name),
    sessionEvents: session.events,
    device: parseDeviceContext(headers['x-ad-device-context']),
    ids: hasConsent ? { device: hash('device', device), user: hash('user', ownerId) } : null,
  }
}
