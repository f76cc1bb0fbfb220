import type { Server } from 'node:http'
import { createService } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'
import { toNodeListener } from '@tributary/host-node'
import express from 'express'

/**
 * Starts an Express app with its own pages and body parser, and with the service mounted at `/tributary`. Listens on
 * `port`.
 */
export async function start(port: number): Promise<Server> {
  const service = createService(embeddedOptions(`http://127.0.0.1:${port}`, await openStores()))
  const worker = service.startWorker()
  const app = express()
  // The service is mounted before the body parser, which would refuse batches above the parser's own limit.
  app.use('/tributary', toNodeListener(service))
  app.use(express.json())
  app.get('/login', (req, res) => {
    res.setHeader('set-cookie', formatSessionCookie(String(req.query['name'])))
    res.send('Signed in to the app.\n')
  })
  app.get('/', (_req, res) => void res.send("The app's own page.\n"))
  return app.listen(port, '127.0.0.1').once('close', () => void worker.stop())
}
