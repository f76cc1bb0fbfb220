import type { Kit } from '../config.ts'
import { mount, type Mounted } from '../http/route.ts'
import { campaignsHandlers, type CampaignsDeps } from './campaigns.ts'
import { adsContract, campaignsContract } from './contract.ts'
import { adsHandlers, type AdsDeps } from './handlers.ts'
import { askedNetwork, networkMs } from './network.ts'
import { signer } from './nonce.ts'
import { roster } from './roster.ts'
import type { AdExport } from './store.ts'

export interface AdsParts {
  readonly routes: readonly Mounted[]
  /** What the operator's page needs to show campaigns and change them. */
  readonly campaigns: CampaignsDeps
  /** This capability's part of an account (`AccountPart`). */
  readonly account: { readonly name: string; export(ownerId: string): Promise<AdExport>; erase(ownerId: string): Promise<void> }
}

/** Makes the ads from the options. `enqueue` is the outbox; without one the network is told at once, and not again if that fails. */
export function mountAds(kit: Kit, given: Pick<AdsDeps, 'ownership' | 'consent'> & Partial<Pick<AdsDeps, 'enqueue'>>): AdsParts {
  const { ads, random, digest, logger } = kit
  const store = kit.stores.ads
  const { network, promotion, ttlMs, pixelId } = ads
  const running = roster(store, ttlMs)
  const campaigns: CampaignsDeps = { store, roster: running, random, digest }
  const deps: AdsDeps = {
    ...campaigns, ...given, promotion, ttlMs, pixelId, prefix: kit.prefix, link: kit.link, salt: kit.link(''),
    ask: network ? askedNetwork(network, logger) : null,
    signer: signer({ configured: ads.secrets, stored: store.secrets, random }),
    enqueue: given.enqueue ?? (async (_, { url }) => {
      const stop = new AbortController()
      const timer = setTimeout(() => stop.abort(), networkMs)
      network?.report(url, stop.signal)
        .catch((error: unknown) => logger.warn({ err: error, network: network.name }, 'an ad network did not take an impression'))
        .finally(() => clearTimeout(timer))
    }),
  }
  return {
    routes: [...mount(adsContract, adsHandlers, deps), ...mount(campaignsContract, campaignsHandlers, campaigns)],
    campaigns,
    account: { name: 'ads', export: (ownerId) => store.export(ownerId), erase: (ownerId) => store.erase(ownerId) },
  }
}
