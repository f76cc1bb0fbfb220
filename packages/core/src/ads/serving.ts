import { toHex, uuid7 } from '../ids.ts'
import type { AdQuestion, Digest, Random } from '../ports.ts'
import { parseAdSession, parseDeviceContext } from './context.ts'
import type { AskNetwork } from './network.ts'
import type { CampaignCache } from './campaign-cache.ts'
import { matchTopic, rankCampaigns, declinesTracking, type Topic } from './rules.ts'
import type { AdStore, AdCandidate, Creative } from './store.ts'

/** What serving stands on. */
export interface ServingDeps {
  readonly store: AdStore
  readonly campaignCache: CampaignCache
  /** Null: no network. */
  readonly askNetwork: AskNetwork | null
  readonly promotion: Creative | null
  readonly ttlMs: number
  readonly random: Random
  readonly digest: Digest
  /** Whose a device is; the program hands it over. */
  readonly ownership: (ownerId: string, device: string) => Promise<'mine' | 'other' | 'nobody'>
  /** What the person allows; the contributors hand it over. */
  readonly consent: (ownerId: string) => Promise<{ readonly attribution: boolean; readonly pixel: boolean }>
  /** Something that only this service's hashes have in common. */
  readonly salt: string
}

export interface AdRequest {
  readonly ownerId: string
  readonly device: string
  readonly topic: Topic | undefined
  readonly prev: string | undefined
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly now: number
}

/** An ad that fits, with what is shown of it. */
interface Offer extends AdCandidate {
  readonly creative: Creative
  readonly match: 'contextual' | 'general' | 'promotional'
  readonly paid: boolean
}

export type Decision = { readonly id: string; readonly offer: Offer | null } | 'device_not_owned'

/** SHA-256 of what a person sees and where it leads (decisions section 9). */
export function hashCreative(text: string, target: string, digest: Digest): string {
  return toHex(digest(`${text}\n${target}`))
}

/**
 * The decision in its order: campaigns, the network, the promotion, nothing. With campaigns alone it is one step of the store,
 * which picks the first that the person did not vote down. The creative shown before comes again only when no other paid one fits.
 */
export async function decideAd(asked: AdRequest, deps: ServingDeps): Promise<Decision> {
  const { ownerId, device, topic, prev, now } = asked
  const { store, campaignCache: roster, askNetwork: ask, ttlMs } = deps
  const id = uuid7(now, deps.random)
  const campaigns = rankCampaigns(await roster.listActive(now), topic, roster.countOutstanding, now).map(
    (one): Offer => {
      const { text, brandName, title, url, favicon, fingerprint, num, price } = one
      return {
        source: 'campaign',
        fingerprint,
        campaign: num,
        price,
        target: null,
        networkUrl: null,
        creative: { text, brandName, title, url, clickUrl: url, favicon },
        match: matchTopic(one, topic)!,
        paid: true,
      }
    },
  )
  const fresh = campaigns.filter((offer) => offer.fingerprint !== prev)
  const again = campaigns.filter((offer) => offer.fingerprint === prev)
  const last = deps.promotion ? [promotional(deps.promotion, deps.digest)] : []

  async function serve(offers: readonly Offer[]): Promise<Decision | 'none'> {
    const candidates = offers.map(({ source, fingerprint, campaign, price, target, networkUrl }) => ({
      source,
      fingerprint,
      campaign,
      price,
      target,
      networkUrl,
    }))
    const served = await store.serveAd(ownerId, { id, device, servedAt: now, expiresAt: now + ttlMs }, candidates)
    if (served.outcome !== 'served') return served.outcome
    const offer = offers[served.index]!
    if (offer.campaign !== null) roster.recordServe(offer.campaign, now)
    return { id, offer }
  }

  if (ask && fresh.length > 0) {
    const served = await serve(fresh)
    if (served !== 'none') return served
  }
  let offers = [...fresh, ...again, ...last]
  if (ask) {
    const [ownership, consent] = await Promise.all([
      deps.ownership(ownerId, device),
      declinesTracking(asked.headers) ? null : deps.consent(ownerId),
    ])
    if (ownership === 'other') return 'device_not_owned'
    const filled = await fromNetwork(ask, question(id, asked, consent?.attribution === true, deps), asked, deps)
    offers =
      filled.length > 0 && filled[0]!.fingerprint === prev
        ? [...again, ...filled, ...last]
        : [...filled, ...again, ...last]
  } else if (offers.length === 0 && (await deps.ownership(ownerId, device)) === 'other') return 'device_not_owned'
  const served = offers.length > 0 ? await serve(offers) : 'none'
  return served === 'none' ? { id, offer: null } : served
}

function promotional(creative: Creative, digest: Digest): Offer {
  return {
    source: 'promotional',
    fingerprint: hashCreative(creative.text, creative.clickUrl, digest),
    campaign: null,
    price: 0,
    target: creative.clickUrl,
    networkUrl: null,
    creative,
    match: 'promotional',
    paid: false,
  }
}

async function fromNetwork(
  ask: AskNetwork,
  asking: AdQuestion,
  { topic, now }: AdRequest,
  { digest }: ServingDeps,
): Promise<Offer[]> {
  const fill = await ask(asking, now)
  if (!fill) return []
  const { networkUrl, test, ...creative } = fill
  return [
    {
      // Nobody pays for a sample, so it is kept like the promotion.
      source: test ? 'promotional' : 'network',
      fingerprint: hashCreative(fill.text, fill.clickUrl, digest),
      campaign: null,
      price: 0,
      target: fill.clickUrl,
      networkUrl: test ? null : networkUrl,
      creative,
      match: topic === undefined ? 'general' : 'contextual',
      paid: !test,
    },
  ]
}

/**
 * Returns what is sent to the network, as `disclosure.ts` lists it: hashes of device and user only with consent, and of a client
 * that asks not to be tracked nothing that two requests have in common but the topic.
 */
function question(id: string, asked: AdRequest, consented: boolean, { digest, salt }: ServingDeps): AdQuestion {
  const { ownerId, device, topic, headers, now } = asked
  const hashed = (kind: string, name: string): string => toHex(digest(`${salt}\n${kind}\n${name}`))
  if (declinesTracking(headers))
    return { topic: topic ?? null, session: hashed('request', id), sessionEvents: null, device: {}, ids: null }
  const session = parseAdSession(headers['x-ad-attribution-context'], device, now)
  return {
    topic: topic ?? null,
    session: hashed('session', session.name),
    sessionEvents: session.events,
    device: parseDeviceContext(headers['x-ad-device-context']),
    ids: consented ? { device: hashed('device', device), user: hashed('user', ownerId) } : null,
  }
}
