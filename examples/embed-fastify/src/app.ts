import type { Server } from 'node:http'
import { createService } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'
import { toNodeListener } from '@tributary/host-node'
import fastify from 'fastify'

/** Starts a Fastify app with its own pages, and with the service mounted at `/tributary`. Listens on `port`. */
export async function start(port: number): Promise<Server> {
  const service = createService(embeddedOptions(`http://127.0.0.1:${port}`, await openStores()))
  const worker = service.startWorker()
  const tributary = toNodeListener(service)
  const app = fastify()
  app.register(async (scope) => {
    // The service reads bodies itself, under its own limits.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const path of ['/tributary', '/tributary/*'])
      // Requests that the service does not handle fall through to the app's own handler for unknown paths.
      scope.all(path, (request, reply) => {
        tributary(request.raw, reply.raw, () => reply.callNotFound())
      })
  })
  app.get<{ Querystring: { name: string } }>('/login', (request, reply) =>
    reply.header('set-cookie', formatSessionCookie(request.query.name)).send('Signed in to the app.\n'),
  )
  app.get('/', (_request, reply) => reply.send("The app's own page.\n"))
  app.listen({ port, host: '127.0.0.1' }).catch((error: unknown) => app.server.emit('error', error))
  return app.server.once('close', () => void worker.stop())
}
