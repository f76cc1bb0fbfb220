import { within } from '../deadline.ts'
import type { AdNetwork, AdQuestion, Logger, NetworkAd } from '../ports.ts'
import { toPublicUrl } from './public-address.ts'
import { terminalSafe } from './terminal.ts'
import type { Creative } from './store.ts'

/** How long an answer is waited for. */
export const networkTimeoutMs = 800
/** How long the outbox waits for a network to take an impression. */
const reportMs = 10_000
/** After so many failures in a row the network is left alone for so long; then one call tries it. */
export const circuitBreaker = { failures: 5, restMs: 30_000 } as const

/** A network's ad that may be shown. */
export interface NetworkFill extends Creative {
  /** Requested once our impression counted; null when the network wants none. */
  readonly networkUrl: string | null
  readonly test: boolean
}

/** Requests impression addresses that counted, one after the other; the errors by entry. For the outbox. */
export type Reports = (
  entries: readonly { readonly id: string; readonly payload: string }[],
) => Promise<ReadonlyMap<string, unknown>>

/** Asks within the limit and never throws: null is no fill, a failure, or a network that is left alone. */
export type AskNetwork = (question: AdQuestion, now: number) => Promise<NetworkFill | null>

/**
 * A network's ad made safe, or null: text that is left after cleaning, addresses that are https and lead out. A bad impression
 * address spoils the ad, since nobody would know that it was seen; a bad favicon or display address is left out.
 */
export function sanitizeNetworkAd(ad: NetworkAd): NetworkFill | null {
  const words = (value: unknown, max?: number): string => (typeof value === 'string' ? terminalSafe(value, max) : '')
  const text = words(ad.text)
  const clickUrl = toPublicUrl(ad.clickUrl)
  const silent = ad.impUrl === undefined || ad.impUrl === null || ad.impUrl === ''
  const networkUrl = silent ? null : toPublicUrl(ad.impUrl)
  if (text === '' || clickUrl === null || (!silent && networkUrl === null)) return null
  return {
    text,
    clickUrl,
    networkUrl,
    brandName: words(ad.brandName, 64),
    title: words(ad.title, 100),
    url: toPublicUrl(ad.url) ?? clickUrl,
    favicon: toPublicUrl(ad.favicon),
    test: ad.test === true,
  }
}

/** The network behind its time limit and its circuit breaker. */
export function createNetworkClient(network: AdNetwork, logger: Logger): AskNetwork {
  let failures = 0
  let restsFrom: number | null = null

  /** Whether the network may be asked; the one call that tries it after a rest keeps the others away. */
  function mayAsk(now: number): boolean {
    if (restsFrom === null) return true
    const rested = now - restsFrom >= circuitBreaker.restMs || now < restsFrom // a clock that stepped back must not prolong the rest
    if (rested) restsFrom = now
    return rested
  }

  return async (question, now) => {
    if (!mayAsk(now)) return null
    try {
      const ad = await within(networkTimeoutMs, (signal) => network.ask(question, signal))
      failures = 0
      restsFrom = null
      const fill = ad === null ? null : sanitizeNetworkAd(ad)
      if (ad !== null && fill === null)
        logger.warn({ network: network.name }, 'an ad network gave an ad that cannot be shown')
      return fill
    } catch (error) {
      failures++
      if (failures >= circuitBreaker.failures) restsFrom = now
      logger.warn({ err: error, network: network.name, resting: restsFrom !== null }, 'an ad network failed')
      return null
    }
  }
}

/** The network's impressions, each within ten seconds. */
export function createImpressionDelivery(network: AdNetwork): Reports {
  return async (entries) => {
    const errors = new Map<string, unknown>()
    for (const { id, payload } of entries) {
      await within(reportMs, (signal) => network.report(payload, signal)).catch((error: unknown) =>
        errors.set(id, error),
      )
    }
    return errors
  }
}
