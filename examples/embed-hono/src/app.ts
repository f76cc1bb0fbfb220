import type { Server } from 'node:http'
import { serve, type HttpBindings } from '@hono/node-server'
import { createService } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'
import { Hono } from 'hono'

/** Starts a Hono app with its own pages, and with the service mounted at `/tributary`. Listens on `port`. */
export async function start(port: number): Promise<Server> {
  const service = createService(embeddedOptions(`http://127.0.0.1:${port}`, await openStores()))
  const worker = service.startWorker()
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.all('/tributary/*', async (c) => {
    const address = c.env.incoming.socket.remoteAddress ?? null
    return (await service.fetch(c.req.raw, address)) ?? c.notFound()
  })
  app.get('/login', (c) => {
    c.header('set-cookie', formatSessionCookie(c.req.query('name') ?? ''))
    return c.text('Signed in to the app.\n')
  })
  app.get('/', (c) => c.text("The app's own page.\n"))
  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1', overrideGlobalObjects: false }) as Server
  return server.once('close', () => void worker.stop())
}
