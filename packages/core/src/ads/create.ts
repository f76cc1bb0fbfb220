import type { ResolvedOptions } from '../service/options.ts'
import { bindHandlers } from '../http/lazy.ts'
import { campaignsHandlers, type CampaignsDeps } from './campaigns.ts'
import { adsHandlers, type AdsDeps } from './handlers.ts'
import { askedNetwork } from './network.ts'
import { signer } from './nonce.ts'
import { createCampaignCache } from './campaign-cache.ts'

/** Makes the ads from the options: what serves their two contracts, and what the operator's page needs to change campaigns. */
export function createAds(resolved: ResolvedOptions, given: Pick<AdsDeps, 'ownership' | 'consent' | 'hashAddress'>) {
  const { ads, random, digest, logger } = resolved
  const store = resolved.stores.ads
  const { network, promotion, ttlMs, pixelId, caps } = ads
  const campaigns: CampaignsDeps = { store, roster: createCampaignCache(store, ttlMs), digest }
  const deps: AdsDeps = {
    ...campaigns,
    ...given,
    random,
    promotion,
    ttlMs,
    pixelId,
    caps,
    logger,
    prefix: resolved.prefix,
    link: resolved.link,
    salt: resolved.link(''),
    ask: network ? askedNetwork(network, logger) : null,
    signer: signer({ configured: ads.secrets, stored: store.secrets, random }),
  }
  return { campaigns, ads: bindHandlers(adsHandlers, deps), operator: bindHandlers(campaignsHandlers, campaigns) }
}
