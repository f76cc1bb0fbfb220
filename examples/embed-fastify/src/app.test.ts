import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { runEmbedContract } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { start } from './app.ts'

runEmbedContract('Fastify', start)

test("an unknown path below /tributary is answered by the app's own handler, with and without a body", async () => {
  const server = await start(0)
  await once(server, 'listening')
  try {
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tributary/nowhere`
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: '{"a":1}' } : {}
      const response = await fetch(address, { method, headers: { 'content-type': 'application/json' }, ...body })
      expect([response.status, await response.json()]).toEqual([
        404,
        { statusCode: 404, error: 'Not Found', message: `Route ${method}:/tributary/nowhere not found` },
      ])
    }
  } finally {
    server.close()
  }
})
