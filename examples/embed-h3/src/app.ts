import { createServer, type RequestListener, type Server } from 'node:http'
import { createService } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'
import { toApp } from '@tributary/host-node'
import { H3 } from 'h3'
import { toNodeHandler } from 'srvx/node'

/** Starts an h3 app with its own pages, and with the service mounted at `/tributary`. Listens on `port`. */
export async function start(port: number): Promise<Server> {
  const service = createService(embeddedOptions(`http://127.0.0.1:${port}`, await openStores()))
  const worker = service.startWorker()
  const app = new H3()
    .mount('/tributary', toApp(service))
    .get('/login', (event) => {
      event.res.headers.set('set-cookie', formatSessionCookie(event.url.searchParams.get('name') ?? ''))
      return 'Signed in to the app.\n'
    })
    .get('/', () => "The app's own page.\n")
  const server = createServer(toNodeHandler(app.fetch) as RequestListener)
  return server.listen(port, '127.0.0.1').once('close', () => void worker.stop())
}
