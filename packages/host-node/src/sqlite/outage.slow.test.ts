import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixture, makeSentTraces, startHrana } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../server-config.ts'

const adminToken = 'the-operator-of-this-test'
const id = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-outage-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('any endpoint while a remote database accepts connections and never answers', () => {
  // promise: requests-answered-unavailable-within
  test('returns 503 if it needs the database, and does not query the database again', async () => {
    const remote = await startHrana({ path: join(folder, 'a.db') })
    const database = { url: remote.url }
    const opened = await openStore(database)
    await opened.migrate()
    const { service, ask, signIn } = fixture({
      stores: opened.stores,
      adminToken,
      approval: 'automatic',
      country: () => 'US',
      rates: {},
    })
    const { bearer, cookie, email } = await signIn()
    const {
      json: { termsVersion },
    } = await ask('GET', '/api/traces/upload-policy', { headers: bearer })
    await ask('POST', '/api/account/terms', { headers: bearer, json: { termsVersion, residencyConfirmed: true } })
    const application = { companyName: 'A', website: 'https://a.example', email, role: 'r', authorized: true }
    await ask('POST', '/api/account/application', { headers: bearer, json: application })
    const bodies: Record<string, unknown> = {
      '/api/ingest': { traces: makeSentTraces(1) },
      '/api/ingest/uploads': { bytes: 1_000 },
      '/api/auth/email': { email },
      '/api/auth/email/verify': { email, code: '123456', challenge: 'c'.repeat(43) },
      '/api/cli/device/start': { machine: 'm' },
      '/api/cli/device/approve': { userCode: 'BCDF-GHJK' },
      '/api/cli/feedback': { message: 'm' },
      '/api/v1/feedback': {
        reporter: { agent_vendor: 'v', agent_product: 'p' },
        subject: { surface: 's' },
        content: { title: 't' },
      },
      '/api/account': { paused: true },
    }
    remote.hang(true)
    const asked = remote.requests
    // Without a prefix the app serves its own home page.
    const routes = (await service.routes()).filter(({ route }) => route.path !== '/')
    const replies = await Promise.all(
      routes.map(async ({ route: { method, path, auth, form } }) => {
        // The service caches credentials, so requests with these credentials reach the handler.
        const credential =
          auth === 'admin'
            ? { authorization: `Bearer ${adminToken}` }
            : auth === 'cookie' || auth === 'page'
              ? cookie
              : bearer
        const body = method === 'GET' || form ? {} : { json: bodies[path] ?? {} }
        const { status } = await ask(method, path.replace(/:[a-zA-Z]+/g, id), { headers: credential, ...body })
        return { name: `${method} ${path}`, status }
      }),
    )
    expect(replies.filter(({ status }) => status === 500)).toEqual([])
    expect(remote.requests - asked).toBeLessThanOrEqual(routes.length)
    const named = new Map(replies.map(({ name, status }) => [name, status]))
    for (const path of Object.keys(bodies).filter((one) => one !== '/api/account'))
      expect([path, named.get(`POST ${path}`)]).toEqual([path, 503])
    for (const path of [
      '/api/account/export',
      '/api/traces',
      '/api/admin/jobs',
      '/api/admin/waitlist/export',
      '/api/ingest/jobs/:jobId',
    ])
      expect([path, named.get(`GET ${path}`)]).toEqual([path, 503])
    opened.client!.close()
    await remote.close()
  })
})
