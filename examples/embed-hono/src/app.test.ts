import { createService } from '@tributary/core'
import { embeddedOptions, openStores } from '@tributary/example-embed/options'
import { runEmbedContract } from '@tributary/test-kit'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { start } from './app.ts'

runEmbedContract('Hono', start)

test('the service answers below a basePath, and below mount() (which strips the path) with an empty prefix', async () => {
  const options = embeddedOptions('http://127.0.0.1/app', await openStores())
  const service = createService(options)
  const kept = new Hono()
    .basePath('/app')
    .all('/tributary/*', async (c) => (await service.fetch(c.req.raw)) ?? c.notFound())
  const stripped = createService({ ...options, prefix: '' })
  const mounted = new Hono().mount(
    '/app/tributary',
    async (request) => (await stripped.fetch(request)) ?? new Response(null, { status: 404 }),
  )
  for (const app of [kept, mounted]) {
    expect((await app.request('/app/tributary/healthz')).status).toBe(200)
    expect(await (await app.request('/app/tributary/terms')).text()).toContain('href="/app/tributary/assets/')
    expect((await app.request('/app/tributary/nowhere')).status).toBe(404)
  }
})
