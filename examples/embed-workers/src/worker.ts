import { createClient } from '@libsql/client/web'
import { createService, type Service } from '@tributary/core'
import { libsqlStores, remoteConfig } from '@tributary/core/libsql'
import { embeddedOptions } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'

interface Env {
  readonly APP_URL: string
  readonly DATABASE_URL: string
  readonly DATABASE_TOKEN: string
}

let opened: Service | undefined

/**
 * Returns the service of this isolate. Workers receive the configuration only with a request, so the first request
 * creates the service.
 */
function tributary({ APP_URL, DATABASE_URL, DATABASE_TOKEN }: Env): Service {
  const client = createClient(remoteConfig({ url: DATABASE_URL, authToken: DATABASE_TOKEN, fetch }))
  return (opened ??= createService(embeddedOptions(APP_URL, libsqlStores(client))))
}

/** The app, with its own pages and with the service mounted at `/tributary`. */
export default {
  async fetch(request: Request, env: Env, context: { waitUntil(work: Promise<unknown>): void }): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/') return new Response("The app's own page.\n")
    if (pathname === '/login') {
      const cookie = formatSessionCookie(searchParams.get('name') ?? '')
      return new Response('Signed in to the app.\n', { headers: { 'set-cookie': cookie } })
    }
    const service = tributary(env)
    const reply = await service.fetch(request, request.headers.get('cf-connecting-ip'))
    // No long-running process runs a worker here, so the jobs of this request are processed after the reply was sent.
    if (request.method !== 'GET') context.waitUntil(service.work())
    return reply ?? new Response(null, { status: 404 })
  },
  /** Called by the cron trigger of `wrangler.jsonc`. Runs retries, mail and work that a request did not finish. */
  async scheduled(_event: unknown, env: Env): Promise<void> {
    await tributary(env).work()
  },
}
