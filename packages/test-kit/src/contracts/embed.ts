import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sentTraces } from '../fixtures/journey.ts'

/**
 * Runs the tests of an app that embeds the service below `/tributary`: `start` listens on a port with the options of
 * `examples/embed/src/options.ts`, and `/login?name=` of the app signs a person in. A person of the app goes the whole way to a
 * downloaded trace.
 */
export function runEmbedContract(name: string, start: (port: number) => Server): void {
  describe(`the service in ${name}`, () => {
    let server: Server
    let base = ''
    beforeAll(async () => {
      const port = await freePort()
      server = start(port)
      if (!server.listening) await once(server, 'listening')
      base = `http://127.0.0.1:${port}`
    })
    afterAll(async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })

    const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) => {
      const reply = await fetch(base + path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(10_000),
      })
      const text = await reply.text()
      return { status: reply.status, headers: reply.headers, text, json: parse(text) }
    }
    const signIn = async (person: string): Promise<{ cookie: string }> => {
      const { headers } = await ask('GET', `/login?name=${person}`)
      return { cookie: headers.get('set-cookie')!.split(';')[0]! }
    }

    test("serves the app's own page, and the pages, probes and documents of the service below /tributary", async () => {
      expect((await ask('GET', '/')).text).toContain("The app's own page.")
      expect((await ask('GET', '/tributary/healthz')).json).toEqual({ ok: true })
      expect((await ask('GET', '/tributary/openapi.json')).json['servers']).toEqual([{ url: `${base}/tributary` }])
      expect((await ask('GET', '/tributary/nowhere')).status).toBe(404)
      const page = await ask('GET', '/tributary/traces', await signIn('ann'))
      expect([page.status, page.text.includes('href="/tributary/assets/tributary.css"')]).toEqual([200, true])
      expect((await ask('GET', '/tributary/metrics')).status).toBe(404)
    })

    test('takes a person of the app to a stored, listed and downloaded trace', async () => {
      const browser = { ...(await signIn('jane')), 'sec-fetch-site': 'same-origin' }
      const api = '/tributary/api'
      const begun = await ask('POST', `${api}/cli/device/start`, {}, { machine: 'laptop' })
      const { deviceCode, userCode } = begun.json as { deviceCode: string; userCode: string }
      expect((await ask('POST', `${api}/cli/device/approve`, browser, { userCode })).status).toBe(200)
      const { json: approved } = await ask('GET', `${api}/cli/device/poll?deviceCode=${deviceCode}`)
      expect(approved).toMatchObject({ status: 'approved', userId: 'app-jane' })
      const bearer = { authorization: `Bearer ${approved['token']}` }
      const { json: policy } = await ask('GET', `${api}/traces/upload-policy`, bearer)
      expect(policy).toMatchObject({ country: 'US', acceptanceUrl: `${base}/tributary/terms` })
      const terms = { termsVersion: policy['termsVersion'], residencyConfirmed: true }
      expect((await ask('POST', `${api}/account/terms`, bearer, terms)).status).toBe(200)
      const application = {
        companyName: 'Example',
        website: 'https://example.com',
        email: 'jane@example.com',
        role: 'engineer',
        authorized: true,
      }
      expect((await ask('POST', `${api}/account/application`, bearer, application)).status).toBe(200)
      // Above the 100 KB that body parsers take by default.
      const sent = await ask('POST', `${api}/ingest`, bearer, { traces: sentTraces(3, 100_000) })
      expect(sent.status).toBe(202)
      await vi.waitFor(async () => {
        const { json } = await ask('GET', `${api}/ingest/jobs/${sent.json['jobId']}`, bearer)
        expect(json['job']).toMatchObject({ status: 'done', traceCount: 3 })
      }, 20_000)
      const { json: listed } = await ask('GET', `${api}/traces`, bearer)
      const [{ id }, ...others] = listed['traces'] as [{ id: string }, ...unknown[]]
      expect(others).toHaveLength(2)
      const { headers, json: trace } = await ask('GET', `${api}/traces/${id}/download`, bearer)
      expect(headers.get('content-disposition')).toContain('attachment')
      expect(trace).toMatchObject({ id, source: 'claude_code_jsonl' })
    })

    test('lets the operator in, and nobody else', async () => {
      const operator = { authorization: 'Bearer operator-token-of-the-example' }
      expect((await ask('GET', '/tributary/api/admin/applications', operator)).status).toBe(200)
      expect((await ask('GET', '/tributary/api/admin/applications', await signIn('jane'))).status).toBe(401)
    })
  })
}

function parse(text: string): Record<string, unknown> {
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
}

/** `baseUrl` is configuration, so the port is chosen before the server is made. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
