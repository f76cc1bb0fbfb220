import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createService } from '@tributary/core'
import { toNodeListener } from '@tributary/host-node'
import { embeddedOptions, openStores } from './options.ts'
import { readPerson, formatSessionCookie } from './signin.ts'

/** Creates the app without Tributary: a page, and its own sign-in. */
function app(req: IncomingMessage, res: ServerResponse): void {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://app')
  if (pathname === '/login') res.setHeader('set-cookie', formatSessionCookie(searchParams.get('name') ?? 'guest'))
  const person = readPerson(req.headers.cookie)
  res.statusCode = pathname === '/' || pathname === '/login' ? 200 : 404
  res.end(
    res.statusCode === 404
      ? 'The app has no such page.\n'
      : `The app's own page. You are ${person?.id ?? 'not signed in'}.\n`,
  )
}

/**
 * Creates the app with Tributary mounted at `/tributary`. `identity` is the app's sign-in, so a person who is signed in
 * to the app is also signed in to Tributary. Requests that Tributary does not handle fall through to the app.
 */
export async function createEmbeddedServer(baseUrl: string): Promise<Server> {
  const service = createService(embeddedOptions(baseUrl, await openStores()))
  const tributary = toNodeListener(service)
  const worker = service.startWorker()
  return createServer((req, res) => tributary(req, res, () => app(req, res))).once('close', () => void worker.stop())
}
