import type { Kit } from '../service/options.ts'
import { bound } from '../http/lazy.ts'
import { campaignsHandlers, type CampaignsDeps } from './campaigns.ts'
import { adsHandlers, type AdsDeps } from './handlers.ts'
import { askedNetwork } from './network.ts'
import { signer } from './nonce.ts'
import { roster } from './campaign-cache.ts'

/** Makes the ads from the options: what serves their two contracts, and what the operator's page needs to change campaigns. */
export function adsOf(kit: Kit, given: Pick<AdsDeps, 'ownership' | 'consent' | 'hashAddress'>) {
  const { ads, random, digest, logger } = kit
  const store = kit.stores.ads
  const { network, promotion, ttlMs, pixelId, caps } = ads
  const campaigns: CampaignsDeps = { store, roster: roster(store, ttlMs), digest }
  const deps: AdsDeps = {
    ...campaigns,
    ...given,
    random,
    promotion,
    ttlMs,
    pixelId,
    caps,
    logger,
    prefix: kit.prefix,
    link: kit.link,
    salt: kit.link(''),
    ask: network ? askedNetwork(network, logger) : null,
    signer: signer({ configured: ads.secrets, stored: store.secrets, random }),
  }
  return { campaigns, ads: bound(adsHandlers, deps), operator: bound(campaignsHandlers, campaigns) }
}
