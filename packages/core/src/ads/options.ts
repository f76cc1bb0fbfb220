import type { AdNetwork } from '../ports.ts'
import { terminalSafe } from './safe.ts'
import type { Creative } from './store.ts'

/** The program's own line, shown when nobody pays. */
export interface Promotion {
  readonly text: string
  /** https. */
  readonly url: string
  readonly brandName?: string
  readonly title?: string
  /** https. */
  readonly favicon?: string
}

export interface AdsOptions {
  /**
   * What nonces are signed with, 16 characters or more; of several the first signs and the others are still accepted, for a
   * change while nonces are out. Default: a random one that the store keeps and replaces weekly.
   */
  readonly secret?: string | readonly string[]
  /** Asked when no campaign fits; see `gravity`. Default: none. */
  readonly network?: AdNetwork
  /** Default: none; there is then no ad. */
  readonly promotion?: Promotion
  /** How long a serve may count, in ms; default 300,000. */
  readonly ttlMs?: number
  /** The id in E17; default empty. */
  readonly pixelId?: string
}

export interface AdsKit {
  readonly secrets: readonly string[]
  readonly network: AdNetwork | null
  readonly promotion: Creative | null
  readonly ttlMs: number
  readonly pixelId: string
}

/** Fills in the defaults. Throws on options that cannot work. */
export function prepareAds({ secret = [], network, promotion, ttlMs = 300_000, pixelId = '' }: AdsOptions = {}): AdsKit {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.some((one) => one.length < 16)) throw new Error('ads.secret needs 16 characters or more')
  if (!(ttlMs > 1000 && ttlMs <= 24 * 60 * 60 * 1000)) throw new Error('ads.ttlMs must be between a second and a day')
  return { secrets, network: network ?? null, promotion: promotion ? creativeOf(promotion) : null, ttlMs, pixelId }
}

function creativeOf({ text, url, brandName = '', title = '', favicon }: Promotion): Creative {
  const safe = terminalSafe(text)
  const link = https(url)
  if (safe === '') throw new Error('ads.promotion.text has nothing to show')
  return {
    text: safe, url: link, clickUrl: link, brandName: terminalSafe(brandName, 64), title: terminalSafe(title, 100),
    favicon: favicon === undefined ? null : https(favicon),
  }
}

function https(address: string): string {
  const url = new URL(address)
  if (url.protocol !== 'https:') throw new Error(`ads.promotion: ${address} is not https`)
  return url.href
}
