import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createService } from '@tributary/core'
import { toNodeListener } from '@tributary/host-node'
import { embeddedOptions } from './options.ts'
import { personOf, sessionCookie } from './signin.ts'

/** An app that was there before: a page, and a sign-in of its own. */
function app(req: IncomingMessage, res: ServerResponse): void {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://app')
  if (pathname === '/login') res.setHeader('set-cookie', sessionCookie(searchParams.get('name') ?? 'guest'))
  const person = personOf(req.headers.cookie)
  res.statusCode = pathname === '/' || pathname === '/login' ? 200 : 404
  res.end(
    res.statusCode === 404
      ? 'The app has no such page.\n'
      : `The app's own page. You are ${person?.id ?? 'not signed in'}.\n`,
  )
}

/**
 * The app with Tributary below `/tributary`. Whoever is signed in to the app is signed in there too: `identity` hands
 * the app's sign-in over. What Tributary does not serve goes on to the app.
 */
export function embedded(baseUrl: string): Server {
  const service = createService(embeddedOptions(baseUrl))
  const tributary = toNodeListener(service)
  const worker = service.startWorker()
  return createServer((req, res) => tributary(req, res, () => app(req, res))).once('close', () => void worker.stop())
}
