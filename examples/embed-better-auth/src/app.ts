import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createService, type Service, type Stores } from '@tributary/core'
import { embeddedOptions } from '@tributary/example-embed/options'
import { toNodeListener } from '@tributary/host-node'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'

/** Makes the app's sign-in. A user who deletes their account is erased in the service that `tributary` returns. */
function createAuth(baseURL: string, tributary: () => Service) {
  return betterAuth({
    baseURL,
    secret: randomBytes(32).toString('base64url'),
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    logger: { level: 'error' },
    user: {
      deleteUser: {
        enabled: true,
        // The function runs before anything is deleted. If it fails, the user still exists and can try again.
        beforeDelete: async ({ id }) => void (await tributary().erase(id)),
      },
    },
  })
}

/** Starts an app whose users sign in with better-auth. The service is mounted at `/tributary`. Listens on `port`. */
export function start(port: number, stores: Stores): Server {
  const baseUrl = `http://127.0.0.1:${port}`
  const auth = createAuth(baseUrl, () => service)
  const service = createService({
    ...embeddedOptions(baseUrl, stores),
    async identity({ headers }) {
      const found = await auth.api.getSession({ headers: fromNodeHeaders(headers) })
      return found && { id: found.user.id, email: found.user.email, signedInAt: found.session.createdAt.getTime() }
    },
  })
  const worker = service.startWorker()
  const tributary = toNodeListener(service)
  const authenticate = toNodeHandler(auth)

  /** Replaces the app's sign-in form: creates the user on the first visit. */
  async function signIn(name: string, res: ServerResponse): Promise<void> {
    const body = { name, email: `${name}@example.com`, password: `password of ${name}` }
    const known = await auth.api.signInEmail({ body, asResponse: true })
    const reply = known.ok ? known : await auth.api.signUpEmail({ body, asResponse: true })
    res.setHeader('set-cookie', reply.headers.getSetCookie()).end('Signed in to the app.\n')
  }

  function app(req: IncomingMessage, res: ServerResponse): void {
    const { pathname, searchParams } = new URL(req.url ?? '/', baseUrl)
    if (pathname.startsWith('/api/auth/')) void authenticate(req, res)
    else if (pathname === '/login') void signIn(searchParams.get('name') ?? 'guest', res)
    else if (pathname === '/') res.end("The app's own page.\n")
    else res.writeHead(404).end()
  }
  const server = createServer((req, res) => tributary(req, res, () => app(req, res)))
  return server.listen(port, '127.0.0.1').once('close', () => void worker.stop())
}
