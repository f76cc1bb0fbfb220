import { checkOptionNames } from '../option-names.ts'
import { readChunks } from '../http/body.ts'
import type { AdNetwork, AdQuestion, Fetch, NetworkAd } from '../ports.ts'
import { traceFetch } from '../tracing.ts'
import { toPublicUrl } from '../http/public-address.ts'

export interface GravityOptions {
  readonly apiKey: string
  /** Sends requests to the endpoint, which you configure. Usually the platform's `fetch`. */
  readonly fetch: Fetch
  /**
   * Sends the requests to the impression URLs in the network's answers. Strangers choose these URLs, so this function
   * should refuse names that resolve to private addresses. Default: `fetch`.
   */
  readonly outside?: Fetch
  /** The URL of the network. Default: Gravity's public URL. */
  readonly endpoint?: string
  /** The placement registered with Gravity. Default: `bottom_page`, `tributary-statusline`. */
  readonly placement?: { readonly placement: string; readonly id: string }
  /** Whether to request sample ads, which are not paid for. */
  readonly test?: boolean
}

/** The maximum number of bytes of an answer that are read. An ad has less than a hundredth of this size. */
const longestAnswer = 64 * 1024

/** Returns a description of the topic, to send in place of a conversation, which the service neither has nor sends. */
const subject = (topic: string | null): string =>
  topic === null ? 'software development' : `software development: ${topic}`

function body(question: AdQuestion, { placement, test }: GravityOptions): string {
  const { topic, session, device, ids } = question
  const { os, osVersion, arch, terminal, editor, locale, timezone, columns, rows } = device
  return JSON.stringify({
    messages: [{ role: 'user', content: subject(topic) }],
    sessionId: session,
    placements: [
      { placement: placement?.placement ?? 'bottom_page', placement_id: placement?.id ?? 'tributary-statusline' },
    ],
    ...(ids ? { user: { id: ids.user } } : {}),
    device: {
      browser: 'cli',
      device_type: 'desktop',
      os,
      os_version: osVersion,
      arch,
      terminal,
      editor,
      locale,
      timezone,
      viewport_width: columns,
      viewport_height: rows,
      ...(ids ? { id: ids.device } : {}),
    },
    ...(test ? { testAd: true } : {}),
  })
}

/**
 * Implements Gravity's contextual-ad interface over HTTP (`POST /api/v1/ad`, bearer key): the answer is 200 with a list
 * of ads, or 204 if there is no ad. Reads `adText`, `clickUrl`, `impUrl`, `brandName`, `title`, `url` and `favicon` of
 * an ad. Redirects are failures, and reading stops at 64 KiB.
 *
 * ```ts
 * const network = gravity({ apiKey: process.env.GRAVITY_API_KEY, fetch })
 * ```
 */
export function gravity(options: GravityOptions): AdNetwork {
  checkOptionNames(options, {
    apiKey: true,
    fetch: true,
    outside: true,
    endpoint: true,
    placement: true,
    test: true,
  })
  const endpoint = options.endpoint ?? 'https://server.trygravity.ai/api/v1/ad'
  const fetchAd = traceFetch(options.fetch, 'ads.network')
  const fetchOutside = traceFetch(options.outside ?? options.fetch, 'ads.network')
  return {
    name: 'gravity',
    async ask(question, signal) {
      const answer = await fetchAd(endpoint, {
        method: 'POST',
        redirect: 'manual',
        signal,
        body: body(question, options),
        headers: {
          'content-type': 'application/json',
          'accept': 'application/json',
          'authorization': `Bearer ${options.apiKey}`,
        },
      })
      if (answer.status === 200) return readAd(JSON.parse(await text(answer.body)), options.test === true)
      await answer.body?.cancel()
      if (answer.status === 204) return null
      throw new Error(`gravity answered ${answer.status}`)
    },
    async report(url, signal) {
      if (toPublicUrl(url) === null) throw new Refused('the impression URL is not a public https URL', true)
      const answer = await fetchOutside(url, {
        method: 'GET',
        redirect: 'manual',
        signal,
        headers: {},
      })
      await answer.body?.cancel()
      // A redirect counts as accepted: trackers respond with redirects, and the target does not matter here.
      if (answer.status >= 400)
        throw new Refused(
          `gravity answered an impression with ${answer.status}`,
          answer.status < 500 && answer.status !== 429,
        )
    },
  }
}

/** An ad network's refusal. `permanent` is true if a later attempt cannot succeed. */
class Refused extends Error {
  readonly permanent: boolean
  constructor(message: string, permanent: boolean) {
    super(message)
    this.permanent = permanent
  }
}

async function text(stream: ReadableStream<Uint8Array> | null): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let size = 0
  let read = ''
  if (stream) {
    for await (const chunk of readChunks(stream)) {
      size += chunk.byteLength
      if (size > longestAnswer) throw new Error(`gravity answered more than ${longestAnswer} bytes`)
      read += decoder.decode(chunk, { stream: true })
    }
  }
  return read + decoder.decode()
}

/** Returns the first ad of an answer. The answer is a list or, in older versions, a single ad or `{ads}`. */
function readAd(answer: unknown, test: boolean): NetworkAd | null {
  const list = Array.isArray(answer) ? answer : ((answer as { ads?: unknown } | null)?.ads ?? [answer])
  const ad: unknown = Array.isArray(list) ? list[0] : null
  if (ad === undefined || ad === null) return null
  if (typeof ad !== 'object') throw new Error('gravity answered with something that is not an ad')
  const { adText, text, clickUrl, impUrl, brandName, title, url, favicon } = ad as Record<string, unknown>
  return { text: adText ?? text, clickUrl, impUrl, brandName, title, url, favicon, test }
}
