import { createHash, timingSafeEqual } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceWorker } from '@tributary/core'
import { checkOptionNames, within } from '@tributary/core/adapter'
import { H3, HTTPResponse } from 'h3'
import { serve } from 'srvx/node'
import { createMetrics, type MeasuredService, type MetricSources } from './metrics.ts'
import { isLocal } from './metrics-access.ts'

export interface ListenMetricsOptions extends MetricSources {
  /** The port; 0 chooses a free one. */
  readonly port: number
  /** Default `127.0.0.1`. */
  readonly hostname?: string
  /** The bearer token with which other machines read the metrics. Without a token only this machine may read them. */
  readonly token?: string
}

/** The time in which the stores must answer `/readyz`, in milliseconds. */
const readyMs = 2_000

/** A server of metrics that listens. */
export interface ListeningMetrics {
  /** `http://127.0.0.1:9464`. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves `GET /metrics` of a worker that serves nothing else, with `/healthz` (the process) and `/readyz` (the
 * database). This machine and callers with the token may read the metrics. Throws when the port is in use
 * (`EADDRINUSE`).
 *
 * ```ts
 * const { close } = await listenMetrics(worker, { port: 9464 })
 * ```
 */
export async function listenMetrics(
  worker: MeasuredService & Pick<ServiceWorker, 'ready'>,
  options: ListenMetricsOptions,
): Promise<ListeningMetrics> {
  checkOptionNames(options, { port: true, hostname: true, token: true, verificationFailures: true, sources: true })
  const { port, hostname = '127.0.0.1', token, ...sources } = options
  const metrics = createMetrics(worker, undefined, sources)
  const app = new H3()
    .get('/healthz', () => json(200, { ok: true }))
    .get('/readyz', () =>
      within(readyMs, () => worker.ready()).then(
        () => json(200, { ok: true }),
        () => json(503, { ok: false, error: 'unavailable', reason: 'store' }),
      ),
    )
    .get('/metrics', async ({ req }) => {
      const headers = Object.fromEntries(req.headers)
      if (!isLocal({ headers, address: req.ip ?? null }) && !isBearer(headers['authorization'], token))
        return json(401, { ok: false, error: 'unauthorized' }, { 'www-authenticate': 'Bearer' })
      return new HTTPResponse(await metrics.text(), {
        headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
      })
    })
    .all('/**', () => json(404, { ok: false, error: 'not_found' }))
  const server = serve({ fetch: app.fetch, port, hostname, silent: true, gracefulShutdown: false })
  const http = server.node!.server as Server
  try {
    await server.ready()
  } catch (error) {
    metrics.stop()
    throw error
  }
  const bound = http.address() as AddressInfo
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${bound.port}`,
    async close() {
      await server.close(true)
      metrics.stop()
    },
  }
}

const json = (status: number, body: object, headers: Record<string, string> = {}): HTTPResponse =>
  new HTTPResponse(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })

/** Returns whether a header contains the token. The duration does not depend on where the two texts differ. */
function isBearer(header: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return false
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(header ?? ''), hash(`Bearer ${token}`))
}
