import { createNetworkTest } from '../http/address.ts'
import type { Rates } from '../http/rate-limit.ts'
import type { AdNetwork } from '../ports.ts'
import { checkOptionNames } from '../option-names.ts'
import { terminalSafe } from './terminal.ts'
import { defaultImpressionCaps, type Creative, type ImpressionCaps } from './store.ts'

/** The operator's own ad, served when there is no paid one. */
export interface Promotion {
  /** The text of the sponsor line, as it is shown. */
  readonly text: string
  /** The URL that a click leads to, https. */
  readonly url: string
  /** Default: empty. */
  readonly brandName?: string
  /** Default: empty. */
  readonly title?: string
  /** The URL of a picture, https. */
  readonly favicon?: string
}

export interface AdsOptions {
  /**
   * The secret that signs nonces, with 16 characters or more. If there are several, the first one signs and the others
   * are still accepted, so that the secret can be changed. Default: a random secret that the store keeps and replaces
   * weekly.
   */
  readonly secret?: string | readonly string[]
  /** The network that is asked when no campaign is available (see `gravity`). Default: none. */
  readonly network?: AdNetwork
  /** The ad that is served when there is no paid ad. Default: none, so that no ad is served then. */
  readonly promotion?: Promotion
  /** The time for which the impression of a serve may count, in milliseconds. Default: 300,000. */
  readonly ttlMs?: number
  /** The pixel id that `GET /api/ad/config` returns. Default: empty. */
  readonly pixelId?: string
  /**
   * The maximum number of impressions that may count: per device 60 an hour and 400 a day, per person 120 an hour and
   * 600 a day, per person who is not an approved contributor 20 a day, per IP address 600 an hour. A cap that is left
   * out keeps its default. With `rates: 'off'` there are no caps.
   */
  readonly caps?: Partial<ImpressionCaps>
  /**
   * The networks of data centers, in CIDR notation such as `192.0.2.0/24`: impressions from there do not count.
   * Requires the caller's IP address: behind a proxy set `trustedProxies`. Default: none.
   */
  readonly datacenters?: readonly string[]
  /** The maximum number of devices that a person may claim. Default: 10. With `rates: 'off'` there is no limit. */
  readonly maxDevices?: number
}

export interface ResolvedAdsOptions {
  readonly secrets: readonly string[]
  readonly network: AdNetwork | null
  readonly promotion: Creative | null
  readonly ttlMs: number
  readonly pixelId: string
  readonly isDatacenter: (address: string | null) => boolean
  /** Null means no caps. */
  readonly caps: ImpressionCaps | null
  /** Null means any number. */
  readonly maxDevices: number | null
}

const optionNames = {
  secret: true,
  network: true,
  promotion: true,
  ttlMs: true,
  pixelId: true,
  caps: true,
  datacenters: true,
  maxDevices: true,
}
const promotionNames = { text: true, url: true, brandName: true, title: true, favicon: true }

/** Fills in the defaults. Throws on invalid options. */
export function resolveAdsOptions(options: AdsOptions = {}, rates?: Rates): ResolvedAdsOptions {
  checkOptionNames(options, optionNames, 'ads.')
  checkOptionNames(options.caps, defaultImpressionCaps, 'ads.caps.')
  checkOptionNames(options.promotion, promotionNames, 'ads.promotion.')
  const { secret = [], network, promotion, ttlMs = 300_000, pixelId = '', maxDevices = 10 } = options
  const caps: ImpressionCaps = { ...defaultImpressionCaps, ...options.caps }
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.some((text) => text.length < 16)) throw new Error('ads.secret: needs 16 characters or more')
  if (!(ttlMs > 1000 && ttlMs <= 24 * 60 * 60 * 1000)) throw new Error('ads.ttlMs must be between a second and a day')
  for (const [name, value] of Object.entries({ ...caps, maxDevices })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new Error(`ads: ${name} is ${value}; give a whole number of 1 or more`)
  }
  const limits = rates === 'off' ? { caps: null, maxDevices: null } : { caps, maxDevices }
  return {
    secrets,
    network: network ?? null,
    promotion: promotion ? buildCreative(promotion) : null,
    ttlMs,
    pixelId,
    isDatacenter: parseDatacenters(options.datacenters),
    ...limits,
  }
}

function parseDatacenters(networks: readonly string[] = []): (address: string | null) => boolean {
  try {
    return createNetworkTest(networks)
  } catch (error) {
    throw new Error(`ads.datacenters: ${(error as Error).message}`, { cause: error })
  }
}

function buildCreative({ text, url, brandName = '', title = '', favicon }: Promotion): Creative {
  const safe = terminalSafe(text)
  const link = requireHttps(url)
  if (safe === '') throw new Error('ads.promotion.text is empty after sanitizing')
  return {
    text: safe,
    url: link,
    clickUrl: link,
    brandName: terminalSafe(brandName, 64),
    title: terminalSafe(title, 100),
    favicon: favicon === undefined ? null : requireHttps(favicon),
  }
}

function requireHttps(address: string): string {
  const url = new URL(address)
  if (url.protocol !== 'https:') throw new Error(`ads.promotion: ${address} is not https`)
  return url.href
}
