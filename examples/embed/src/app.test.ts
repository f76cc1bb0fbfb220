import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { runEmbedContract } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddedServer } from './app.ts'
import { readPerson } from './signin.ts'

let server: Server
let base = ''

/**
 * Returns a free port. The configuration contains `baseUrl`, so the port must be known before the server is created.
 */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

beforeAll(async () => {
  const port = await findFreePort()
  base = `http://127.0.0.1:${port}`
  server = (await createEmbeddedServer(base)).listen(port, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(
  () =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(resolve)
    }),
)

async function signIn(name: string): Promise<{ cookie: string }> {
  const response = await fetch(`${base}/login?name=${name}`)
  return { cookie: response.headers.get('set-cookie')!.split(';')[0]! }
}

test('the app serves its own pages, and returns its own 404 for unknown paths outside and below the mount', async () => {
  expect(await (await fetch(`${base}/`)).text()).toContain('You are not signed in')
  for (const path of ['/nowhere', '/api/cli/session', '/tributary/nowhere']) {
    const response = await fetch(base + path)
    expect([response.status, await response.text()]).toEqual([404, 'The app has no such page.\n'])
  }
})

test('a user who is signed in to the app is signed in to Tributary, and other visitors are not', async () => {
  const policy = `${base}/tributary/api/traces/upload-policy`
  expect((await fetch(policy)).status).toBe(401)
  expect((await fetch(policy, { headers: { cookie: 'app_session=jane.forged' } })).status).toBe(401)
  const response = await fetch(policy, { headers: await signIn('jane') })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    ok: true,
    reason: 'residency_required',
    acceptanceUrl: `${base}/tributary/terms`,
  })
})

test('a machine logs in with a device code that a user of the app approves', async () => {
  const jane = { ...(await signIn('jane')), 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const post = (
    path: string,
    body: unknown,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => fetch(`${base}/tributary${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const start = (await (await post('/api/cli/device/start', { machine: 'laptop' })).json()) as {
    deviceCode: string
    userCode: string
  }
  expect((await post('/api/cli/device/approve', { userCode: start.userCode }, jane)).status).toBe(200)
  const poll = await fetch(`${base}/tributary/api/cli/device/poll?deviceCode=${start.deviceCode}`)
  expect(await poll.json()).toMatchObject({ status: 'approved', userId: 'app-jane' })
})

test('a cookie that the app did not create does not sign anybody in', () => {
  expect(readPerson('app_session=.')).toBeNull()
  expect(readPerson(undefined)).toBeNull()
})

runEmbedContract('node:http', async (port) =>
  (await createEmbeddedServer(`http://127.0.0.1:${port}`)).listen(port, '127.0.0.1'),
)
