import { createHash } from 'node:crypto'
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
import { kept, type MetricsAccess } from './metrics-access.ts'

/** What the host's own addresses need to know. */
export interface HostPagesOptions {
  /** The address in the documents. */
  readonly baseUrl: string
  readonly logger?: Logger
  readonly metrics: Metrics | null
  /** Who may read them. */
  readonly metricsAccess: MetricsAccess
  /** Whether the host is stopping: it is then alive but not ready. */
  readonly isDraining: () => boolean
  /** Further addresses of the host, by path below the prefix: `dev` adds its mailbox. */
  readonly pages?: Readonly<Record<string, (request: PlainRequest) => Page>>
}

/** What an address of the host answers. */
export interface Page {
  readonly status?: number
  readonly type: string
  readonly body: string | Uint8Array
  readonly headers?: readonly (readonly [string, string])[]
}

export type HostPages = (request: PlainRequest) => PlainReply | Promise<PlainReply> | null

/** How long a store may take to say that it is there. */
const readyMs = 2_000

/** The host's own addresses (decisions section 12), below the service's prefix; null for every other path. */
export function createHostPages(service: Service, options: HostPagesOptions): HostPages {
  const { prefix } = service
  const secure = options.baseUrl.startsWith('https:')
  const json = (status: number, body: unknown): Page => ({
    status,
    type: 'application/json',
    body: JSON.stringify(body),
  })
  const documents = once(async () => {
    const routes = await service.routes()
    return {
      '/openapi.json': json(200, openapi(routes, options)),
      '/llms.txt': { type: 'text/plain; charset=utf-8', body: llmsText(routes, options.baseUrl) },
      ...apiReferencePages(routes, prefix),
    }
  })
  const pages = new Map<string, (request: PlainRequest) => Page | Promise<Page>>()
  const add = (path: string, page: (request: PlainRequest) => Page | Promise<Page>): void =>
    void pages.set(prefix + path, page)
  const healthy = json(200, { ok: true })
  add('/healthz', () => healthy)
  add('/readyz', async () => {
    if (options.isDraining()) return json(503, { ok: false, error: 'unavailable', reason: 'draining' })
    try {
      await within(readyMs, () => service.ready())
      return healthy
    } catch (error) {
      options.logger?.warn({ err: error }, 'not ready: the store does not answer')
      return json(503, { ok: false, error: 'unavailable', reason: 'store' })
    }
  })
  const { metrics } = options
  if (metrics)
    add(
      '/metrics',
      async (request) =>
        (await kept(service, options.metricsAccess, request)) ?? {
          type: metrics.contentType,
          body: await metrics.text(),
        },
    )
  const documentPaths = ['/openapi.json', '/llms.txt', '/docs', '/docs/plain'] as const
  for (const path of documentPaths) add(path, async () => (await documents())[path])
  const scalarScript = once(scalarScriptPage)
  add('/docs/scalar.js', async () => (await scalarScript()) ?? json(404, { ok: false, error: 'not_found' }))
  for (const [path, page] of Object.entries(options.pages ?? {})) add(path, page)
  return (request) => {
    const page = pages.get(request.path)
    if (!page) return null
    const id = readRequestId(request) ?? uuid7(Date.now(), nodeRandom)
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') {
      return finish(
        { ...json(405, { ok: false, error: 'method_not_allowed' }), headers: [['allow', 'GET, HEAD']] },
        id,
        secure,
        false,
      )
    }
    const made = page(request)
    return made instanceof Promise
      ? made.then((ready) => finish(ready, id, secure, method === 'HEAD'))
      : finish(made, id, secure, method === 'HEAD')
  }
}

function finish(
  { status = 200, type, body, headers = [] }: Page,
  id: string,
  secure: boolean,
  head: boolean,
): PlainReply {
  const all = standardHeaders(id, { secure })
  if (!headers.some(([name]) => name === 'cache-control')) all.push(['cache-control', 'no-store'])
  all.push(['content-type', type])
  for (const [name, value] of headers) all.push([name, value])
  if (status === 503) all.push(['retry-after', '1'])
  return { status, headers: all, body: head ? null : body }
}

/** The policy of a page without scripts whose one style sheet stands in it. */
export function pagePolicy(style: string): readonly (readonly [string, string])[] {
  const hash = createHash('sha256').update(style).digest('base64')
  return [
    [
      'content-security-policy',
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    ],
    ['x-frame-options', 'DENY'],
  ]
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}
