import { createService } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'
import { formatSessionCookie } from '@tributary/example-embed/signin'

const port = Number(Deno.env.get('PORT') ?? 3000)
const service = createService(embeddedOptions(`http://127.0.0.1:${port}`, await openStores()))
const worker = service.startWorker()

/** The app, with its own pages and with the service mounted at `/tributary`. */
const app = Deno.serve({ port, hostname: '127.0.0.1' }, async (request, { remoteAddr }) => {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === '/') return new Response("The app's own page.\n")
  if (pathname === '/login') {
    const cookie = formatSessionCookie(searchParams.get('name') ?? '')
    return new Response('Signed in to the app.\n', { headers: { 'set-cookie': cookie } })
  }
  return (await service.fetch(request, remoteAddr.hostname)) ?? new Response(null, { status: 404 })
})

async function stop(): Promise<void> {
  await app.shutdown()
  await worker.stop()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) Deno.addSignalListener(signal, () => void stop())
