import {
  readRequestId,
  standardHeaders,
  uuid7,
  type PlainReply,
  type PlainRequest,
  type Service,
} from '@tributary/core'
import { referencePage, scalarScriptPage } from './api-reference.ts'
import type { Metrics } from './metrics.ts'
import { nodeRandom } from '../platform.ts'
import type { Page } from './page.ts'
import { refuseMetrics, type MetricsAccess } from './metrics-access.ts'

/** What the host's own pages need. */
export interface HostPagesOptions {
  readonly metrics: Metrics | null
  /** Who may read the metrics. */
  readonly metricsAccess: MetricsAccess
  /** Further pages by path below the prefix: `dev` adds its mailbox. */
  readonly pages?: Readonly<Record<string, (request: PlainRequest) => Page | Promise<Page>>>
}

/** Answers a request for a page of the host; null for every other path. */
export type AnswerPage = (request: PlainRequest) => PlainReply | Promise<PlainReply> | null

type CreatePage = (request: PlainRequest) => Page | PlainReply | Promise<Page | PlainReply>

/**
 * Returns the host's own pages, below the service's prefix: the metrics, and Scalar's API reference where it is
 * installed.
 */
export function createHostPages(service: Service, options: HostPagesOptions): AnswerPage {
  const { prefix, baseUrl } = service
  const secure = baseUrl.startsWith('https:')
  const pages = new Map<string, CreatePage>()
  const add = (path: string, page: CreatePage): void => void pages.set(prefix + path, page)
  const { metrics } = options
  if (metrics && options.metricsAccess !== false)
    add(
      '/metrics',
      async (request) =>
        (await refuseMetrics(service, options.metricsAccess, request)) ?? {
          type: metrics.contentType,
          body: await metrics.text(),
        },
    )
  const reference = referencePage(baseUrl)
  if (reference) {
    let script: Promise<Page> | null = null
    add('/docs', () => reference)
    add('/docs/scalar.js', () => (script ??= scalarScriptPage()))
  }
  for (const [path, page] of Object.entries(options.pages ?? {})) add(path, page)
  return (request) => {
    const page = pages.get(request.path)
    if (!page) return null
    const id = readRequestId(request) ?? uuid7(Date.now(), nodeRandom)
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') {
      const body = JSON.stringify({ ok: false, error: 'method_not_allowed' })
      const refusal = { status: 405, type: 'application/json', body, headers: [['allow', 'GET, HEAD']] as const }
      return toReply(refusal, id, secure, false)
    }
    const respond = (result: Page | PlainReply): PlainReply =>
      'type' in result ? toReply(result, id, secure, method === 'HEAD') : result
    const result = page(request)
    return result instanceof Promise ? result.then(respond) : respond(result)
  }
}

function toReply(
  { status = 200, type, body, headers = [] }: Page,
  id: string,
  secure: boolean,
  isHead: boolean,
): PlainReply {
  const all = standardHeaders(id, { secure })
  if (!headers.some(([name]) => name === 'cache-control')) all.push(['cache-control', 'no-store'])
  all.push(['content-type', type])
  for (const [name, value] of headers) all.push([name, value])
  return { status, headers: all, body: isHead ? null : body }
}
