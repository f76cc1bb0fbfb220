import type { Kit } from '../config.ts'
import { mount, type Mounted } from '../http/route.ts'
import { campaignsHandlers, type CampaignsDeps } from './campaigns.ts'
import { adsContract, campaignsContract } from './contract.ts'
import { adsHandlers, type AdsDeps } from './handlers.ts'
import { askedNetwork, reportedNetwork, type Reports } from './network.ts'
import { signer } from './nonce.ts'
import { roster } from './roster.ts'
import type { AdExport } from './store.ts'

export interface AdsParts {
  readonly routes: readonly Mounted[]
  /** What the operator's page needs to show campaigns and change them. */
  readonly campaigns: CampaignsDeps
  /** Delivers the outbox's impressions; null without a network. */
  readonly reports: Reports | null
  /** This capability's part of an account (`AccountPart`). */
  readonly account: { readonly name: string; export(ownerId: string): Promise<AdExport>; erase(ownerId: string): Promise<void> }
}

/** Makes the ads from the options. */
export function mountAds(kit: Kit, given: Pick<AdsDeps, 'ownership' | 'consent'>): AdsParts {
  const { ads, random, digest, logger } = kit
  const store = kit.stores.ads
  const { network, promotion, ttlMs, pixelId } = ads
  const campaigns: CampaignsDeps = { store, roster: roster(store, ttlMs), random, digest }
  const deps: AdsDeps = {
    ...campaigns, ...given, promotion, ttlMs, pixelId, prefix: kit.prefix, link: kit.link, salt: kit.link(''),
    ask: network ? askedNetwork(network, logger) : null,
    signer: signer({ configured: ads.secrets, stored: store.secrets, random }),
  }
  return {
    routes: [...mount(adsContract, adsHandlers, deps), ...mount(campaignsContract, campaignsHandlers, campaigns)],
    campaigns,
    reports: network ? reportedNetwork(network) : null,
    account: { name: 'ads', export: (ownerId) => store.export(ownerId), erase: (ownerId) => store.erase(ownerId) },
  }
}
