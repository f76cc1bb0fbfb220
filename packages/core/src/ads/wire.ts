import { addressKey } from '../http/address.ts'
import type { Capability } from '../http/match.ts'
import { lazy, type Lazy } from '../lazy.ts'
import type { Wiring } from '../service/wiring.ts'
import type { Ads } from './create.ts'

/** Returns the ads, which are loaded on first use. */
export const lazyAds = ({ options, hmacCode }: Wiring): Lazy<Ads> =>
  lazy(async () =>
    (await import('./create.ts')).createAds({
      ...options,
      store: options.stores.ads,
      ownership: (ownerId, device) => options.stores.program.findOwnership({ ownerId, deviceId: device }),
      consent: (ownerId) => options.stores.contributors.getConsent({ ownerId }),
      hashAddress: async (address) => (await hmacCode(`impression address\n${addressKey(address)}`))[0],
      program: { store: options.stores.program, maxDevices: options.ads.maxDevices },
    }),
  )

export const wireAds = (ads: Lazy<Ads>): Capability => ({
  name: 'ads',
  paths: ['/api/ad', '/api/program', '/api/admin/campaigns', '/go', '/earn', '/sponsor'],
  load: async () => (await ads()).routes,
})
