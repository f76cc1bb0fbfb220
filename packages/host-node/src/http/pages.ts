import type { PlainReply, PlainRequest, Service } from '@tributary/core'
import { readRequestId, standardHeaders, uuid7 } from '@tributary/core/adapter'
import { referencePage, scalarScriptPage } from './api-reference.ts'
import { allDocumentsPage } from './all-documents.ts'
import type { Metrics } from './metrics.ts'
import { nodeRandom } from '../platform.ts'
import { linkPrefix, type HostPages, type LayoutPage, type Page } from './page.ts'
import { refuseMetrics, type MetricsAccess } from './metrics-access.ts'

/** The dependencies of the host's own pages. */
export interface HostPagesOptions {
  readonly metrics: Metrics | null
  /** The callers that may read the metrics. */
  readonly metricsAccess: MetricsAccess
  /** Further pages by path below the prefix: `dev` adds its mailbox. */
  readonly pages?: HostPages
}

/** Answers a request for a page of the host. Returns null for every other path. */
export type AnswerPage = (request: PlainRequest) => PlainReply | Promise<PlainReply> | null

type Answer = Page | LayoutPage | PlainReply
type CreatePage = (request: PlainRequest) => Answer | Promise<Answer>

/**
 * Returns the host's own pages, below the service's prefix: the metrics, the documents as one text, and Scalar's API
 * reference if it is installed.
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
  const reference = referencePage(linkPrefix(baseUrl))
  if (reference) {
    let script: Promise<Page> | null = null
    add('/docs/interactive', () => reference)
    service.linkInteractiveReference('/docs/interactive')
    add('/docs/scalar.js', () => (script ??= scalarScriptPage()))
  }
  const documents = allDocumentsPage()
  if (documents) add('/llms-full.txt', documents)
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
    const respond = (result: Answer): PlainReply | Promise<PlainReply> => {
      if ('html' in result) return finish(result, request, id)
      return 'type' in result ? toReply(result, id, secure, method === 'HEAD') : result
    }
    const result = page(request)
    return result instanceof Promise ? result.then(respond) : respond(result)
  }

  async function finish(
    { status = 200, html, headers = [] }: LayoutPage,
    request: PlainRequest,
    id: string,
  ): Promise<PlainReply> {
    const { body, headers: pageHeaders } = await service.finishPage(request, html)
    const names = new Set(headers.map(([name]) => name))
    const all = standardHeaders(id, { secure })
    for (const [name, value] of [['cache-control', 'no-store'] as const, ...pageHeaders])
      if (!names.has(name)) all.push([name, value])
    for (const [name, value] of headers) all.push([name, value])
    return { status, headers: all, body: request.method === 'HEAD' ? null : body }
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
