import { within } from '../deadline.ts'
import type { AdNetwork, AdQuestion, Logger, NetworkAd } from '../ports.ts'
import { toPublicUrl } from '../http/public-address.ts'
import { terminalSafe } from './terminal.ts'
import type { Creative } from './store.ts'

/** The longest time that a network may take to answer, in milliseconds. */
export const networkTimeoutMs = 800
/**
 * The limits of the circuit breaker. After `failures` consecutive failures, no request is sent for `restMs`. Then one
 * request is tried.
 */
export const circuitBreaker = { failures: 5, restMs: 30_000 } as const

/** A sanitized ad of a network. */
export interface NetworkFill extends Creative {
  /** The URL that is requested when the impression has counted. Null if the network has no such URL. */
  readonly networkUrl: string | null
  readonly test: boolean
}

/**
 * Asks the network for an ad within the time limit. Does not throw. Returns null if there is no ad, if the call failed,
 * or if the circuit breaker prevented the call.
 */
export type AskNetwork = (question: AdQuestion, now: number) => Promise<NetworkFill | null>

/**
 * Sanitizes a network's ad. Returns null when no text is left, or when the click or impression URL is not a public
 * https URL: without the impression URL the network would not pay. An invalid favicon or display URL is left out.
 */
export function sanitizeNetworkAd(ad: NetworkAd): NetworkFill | null {
  const sanitize = (value: unknown, max?: number): string => (typeof value === 'string' ? terminalSafe(value, max) : '')
  const text = sanitize(ad.text)
  const clickUrl = toPublicUrl(ad.clickUrl)
  const hasNoImpressionUrl = ad.impUrl === undefined || ad.impUrl === null || ad.impUrl === ''
  const networkUrl = hasNoImpressionUrl ? null : toPublicUrl(ad.impUrl)
  if (text === '' || clickUrl === null || (!hasNoImpressionUrl && networkUrl === null)) return null
  return {
    text,
    clickUrl,
    networkUrl,
    brandName: sanitize(ad.brandName, 64),
    title: sanitize(ad.title, 100),
    url: toPublicUrl(ad.url) ?? clickUrl,
    favicon: toPublicUrl(ad.favicon),
    test: ad.test === true,
  }
}

/** Creates a client of the network with a time limit and a circuit breaker. */
export function createNetworkClient(network: AdNetwork, logger: Logger): AskNetwork {
  let failures = 0
  let restsFrom: number | null = null

  /**
   * Returns whether the network may be asked. After the pause one call is let through, and the pause starts again for
   * the other calls.
   */
  function mayAsk(now: number): boolean {
    if (restsFrom === null) return true
    // A clock that is set back must not prolong the pause.
    const isRested = now - restsFrom >= circuitBreaker.restMs || now < restsFrom
    if (isRested) restsFrom = now
    return isRested
  }

  return async (question, now) => {
    if (!mayAsk(now)) return null
    try {
      const ad = await within(networkTimeoutMs, (signal) => network.ask(question, signal))
      failures = 0
      restsFrom = null
      const fill = ad === null ? null : sanitizeNetworkAd(ad)
      if (ad !== null && fill === null) logger.warn({ network: network.name }, 'ads.network.invalid_ad')
      return fill
    } catch (error) {
      failures++
      if (failures >= circuitBreaker.failures) restsFrom = now
      logger.warn({ err: error, network: network.name, resting: restsFrom !== null }, 'ads.network.failed')
      return null
    }
  }
}
