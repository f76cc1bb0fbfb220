import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runHostContract } from '@tributary/test-kit'
import { H3, toNodeHandler } from 'h3'
import { toApp, toNodeListener } from './http/app.ts'
import { listen } from './http/listen.ts'
import { sendRequest } from './http/wire.fixture.ts'

runHostContract({
  name: 'listen',
  async open(service) {
    const { url, close } = await listen(service, { port: 0 })
    return { request: (...args) => sendRequest(url, ...args), close }
  },
})

const serve = async (listener: Parameters<typeof createServer>[1]) => {
  const server = createServer({ joinDuplicateHeaders: true }, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    request: (...args: Parameters<typeof sendRequest> extends [string, ...infer Rest] ? Rest : never) =>
      sendRequest(url, ...args),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

runHostContract({
  name: 'toApp mounted in an h3 app',
  prefix: '/deep/mount',
  open: (service) => {
    const app = new H3().mount('/deep/mount', toApp(service))
    app.use(
      () =>
        new Response('{"ok":false,"error":"not_found"}', {
          status: 404,
          headers: { 'content-type': 'application/json' },
        }),
    )
    return serve(toNodeHandler(app))
  },
})

runHostContract({
  name: 'toNodeListener before another app',
  prefix: '/t',
  open: (service) => {
    const listener = toNodeListener(service)
    return serve((req, res) =>
      listener(req, res, () =>
        res.writeHead(404, { 'content-type': 'application/json' }).end('{"ok":false,"error":"not_found"}'),
      ),
    )
  },
})
