import {
  llmsText,
  openapi,
  readRequestId,
  standardHeaders,
  uuid7,
  within,
  type Logger,
  type PlainReply,
  type PlainRequest,
  type Service,
} from '@tributary/core'
import { apiReferencePages, scalarScriptPage } from './api-reference.ts'
import type { Metrics } from './metrics.ts'
import { nodeRandom } from '../platform.ts'
import type { Page } from './page.ts'
import { refuseMetrics, type MetricsAccess } from './metrics-access.ts'

/** What the host's own pages need. */
export interface HostPagesOptions {
  /** The public URL in the documents. */
  readonly baseUrl: string
  readonly logger?: Logger
  readonly metrics: Metrics | null
  /** Who may read the metrics. */
  readonly metricsAccess: MetricsAccess
  /** Returns whether the host is stopping: it is then alive but not ready. */
  readonly isDraining: () => boolean
  /** Further pages by path below the prefix: `dev` adds its mailbox. */
  readonly pages?: Readonly<Record<string, (request: PlainRequest) => Page>>
}

/** Answers a request for a page of the host; null for every other path. */
export type AnswerPage = (request: PlainRequest) => PlainReply | Promise<PlainReply> | null

type CreatePage = (request: PlainRequest) => Page | PlainReply | Promise<Page | PlainReply>

/** How long a store may take to answer `/readyz`. */
const readyMs = 2_000

/** Returns the host's own pages, below the service's prefix (decisions section 12). */
export function createHostPages(service: Service, options: HostPagesOptions): AnswerPage {
  const { prefix } = service
  const secure = options.baseUrl.startsWith('https:')
  const json = (status: number, body: unknown): Page => ({
    status,
    type: 'application/json',
    body: JSON.stringify(body),
  })
  const documents = lazy(async () => {
    const routes = await service.routes()
    return {
      '/openapi.json': json(200, openapi(routes, options)),
      '/llms.txt': { type: 'text/plain; charset=utf-8', body: llmsText(routes, options.baseUrl) },
      ...apiReferencePages(routes, prefix),
    }
  })
  const pages = new Map<string, CreatePage>()
  const add = (path: string, page: CreatePage): void => void pages.set(prefix + path, page)
  const healthy = json(200, { ok: true })
  add('/healthz', () => healthy)
  add('/readyz', async () => {
    if (options.isDraining()) return json(503, { ok: false, error: 'unavailable', reason: 'draining' })
    try {
      await within(readyMs, () => service.ready())
      return healthy
    } catch (error) {
      options.logger?.warn({ event: 'host.not_ready', err: error }, 'The store does not answer')
      return json(503, { ok: false, error: 'unavailable', reason: 'store' })
    }
  })
  const { metrics } = options
  if (metrics)
    add(
      '/metrics',
      async (request) =>
        (await refuseMetrics(service, options.metricsAccess, request)) ?? {
          type: metrics.contentType,
          body: await metrics.text(),
        },
    )
  const documentPaths = ['/openapi.json', '/llms.txt', '/docs', '/docs/plain'] as const
  for (const path of documentPaths) add(path, async () => (await documents())[path])
  const scalarScript = lazy(scalarScriptPage)
  add('/docs/scalar.js', async () => (await scalarScript()) ?? json(404, { ok: false, error: 'not_found' }))
  for (const [path, page] of Object.entries(options.pages ?? {})) add(path, page)
  return (request) => {
    const page = pages.get(request.path)
    if (!page) return null
    const id = readRequestId(request) ?? uuid7(Date.now(), nodeRandom)
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') {
      const refusal = json(405, { ok: false, error: 'method_not_allowed' })
      return toReply({ ...refusal, headers: [['allow', 'GET, HEAD']] }, id, secure, false)
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
  if (status === 503) all.push(['retry-after', '1'])
  return { status, headers: all, body: isHead ? null : body }
}

function lazy<T>(create: () => T): () => T {
  let created: { value: T } | null = null
  return () => (created ??= { value: create() }).value
}
