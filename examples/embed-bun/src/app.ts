import { createService } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'

const port = Number(process.env['PORT'] ?? 3000)
const service = createService(embeddedOptions(`http://127.0.0.1:${port}`, await openStores()))
const worker = service.startWorker()

/** The app, with its own pages and with the service mounted at `/tributary`. */
const app = Bun.serve({
  port,
  hostname: '127.0.0.1',
  routes: {
    '/tributary/*': async (request, server) =>
      (await service.fetch(request, server.requestIP(request)?.address)) ?? new Response(null, { status: 404 }),
    '/login': (request) => {
      const cookie = formatSessionCookie(new URL(request.url).searchParams.get('name') ?? '')
      return new Response('Signed in to the app.\n', { headers: { 'set-cookie': cookie } })
    },
    '/': new Response("The app's own page.\n"),
  },
})
console.log(`Sign in as Jane: ${app.url}login?name=jane, then open ${app.url}tributary/traces`)

async function stop(): Promise<void> {
  await app.stop()
  await worker.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
