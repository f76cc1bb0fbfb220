import type { Mounted } from '../http/route.ts'
import { mountCampaigns, type CampaignsDeps } from './campaigns.ts'
import { mountAds, type AdsDeps } from './handlers.ts'
import { mountProgram, type ProgramDeps } from './program/handlers.ts'
import { mountSponsor, type SponsorDeps } from './sponsor/handlers.ts'
import { createNetworkClient } from './network.ts'
import { createSigner } from './nonce.ts'
import type { ResolvedAdsOptions } from './options.ts'
import { createCampaignCache } from './campaign-cache.ts'

/** The ads with their routes. */
export interface Ads {
  /** The dependencies with which the operator's page changes campaigns. */
  readonly campaigns: CampaignsDeps
  readonly routes: readonly Mounted[]
}

type AdsOptions = Pick<
  AdsDeps,
  | 'store'
  | 'random'
  | 'makeEvent'
  | 'digest'
  | 'logger'
  | 'prefix'
  | 'link'
  | 'ownership'
  | 'consent'
  | 'hashAddress'
  | 'adShare'
> & {
  readonly ads: ResolvedAdsOptions
  readonly brand: SponsorDeps['brand']
  readonly program: ProgramDeps
}

/** Creates the ads from the options, and binds the routes of ads, campaigns and claimed devices. */
export function createAds({ ads, program, ...ports }: AdsOptions): Ads {
  const { store, random, logger } = ports
  const { network, promotion, ttlMs, pixelId, caps, isDatacenter } = ads
  const campaigns: CampaignsDeps = { ...ports, campaignCache: createCampaignCache(store, ttlMs) }
  const deps: AdsDeps = {
    ...campaigns,
    ...ports,
    promotion,
    ttlMs,
    pixelId,
    caps,
    isDatacenter,
    salt: ports.link(''),
    askNetwork: network ? createNetworkClient(network, logger) : null,
    signer: createSigner({ configured: ads.secrets, rotateSecrets: store.rotateSecrets, random }),
  }
  return {
    campaigns,
    routes: [...mountAds(deps), ...mountCampaigns(campaigns), ...mountSponsor(ports), ...mountProgram(program)],
  }
}
