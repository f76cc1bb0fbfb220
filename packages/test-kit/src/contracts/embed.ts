import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeSentTraces } from '../fixtures/journey.ts'

/**
 * A running app: a server of this process, a separate program that ends on SIGTERM, or anything that can be stopped.
 */
export type EmbeddingApp = Server | ChildProcess | { stop(): Promise<void> }

export interface EmbedContractOptions {
  /** The path below which all pages of the app are, such as `/app`. Default: none. */
  readonly basePath?: string
  /** The expected id of Jane, a person of the app, or a matcher for it. Default: `app-jane`. */
  readonly userId?: unknown
  /** The maximum time until the app answers, in milliseconds. Default: 30,000. */
  readonly startMs?: number
}

/**
 * Runs the tests of an app that embeds the service below `/tributary`: `start` listens on a port with the options of
 * `examples/embed/src/options.ts`, and `/login?name=` of the app signs a person in. In one test, a person of the app
 * completes all steps from sign-in to the download of a trace.
 */
export function runEmbedContract(
  name: string,
  start: (port: number) => EmbeddingApp | Promise<EmbeddingApp>,
  { basePath = '', userId = 'app-jane', startMs = 30_000 }: EmbedContractOptions = {},
): void {
  describe(`embedded service in ${name}`, () => {
    let app: EmbeddingApp
    let base = ''
    beforeAll(async () => {
      const port = await findFreePort()
      app = await start(port)
      base = `http://127.0.0.1:${port}${basePath}`
      if ('kill' in app) await waitForAnswer(base, app, startMs)
      else if ('listening' in app && !app.listening) await once(app, 'listening')
    }, startMs)
    afterAll(() => stop(app))

    const ask: Ask = (...params) => request(base, ...params)
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
      expect([page.status, page.text.includes(`href="${basePath}/tributary/assets/tributary.css"`)]).toEqual([
        200,
        true,
      ])
      expect((await ask('GET', '/tributary/metrics')).status).toBe(404)
    })

    test('lets a user of the app upload, list and download a trace', async () => {
      const { bearer, userId: signedIn, policy } = await contributeTraces(base, (await signIn('jane')).cookie)
      expect({ userId: signedIn }).toEqual({ userId })
      expect(policy).toMatchObject({ country: 'US', acceptanceUrl: `${base}/tributary/terms` })
      const { json: listed } = await ask('GET', '/tributary/api/traces', bearer)
      const [{ id }, ...others] = listed['traces'] as [{ id: string }, ...unknown[]]
      expect(others).toHaveLength(2)
      const { headers, json: trace } = await ask('GET', `/tributary/api/traces/${id}/download`, bearer)
      expect(headers.get('content-disposition')).toContain('attachment')
      expect(trace).toMatchObject({ id, source: 'claude_code_jsonl' })
    })

    test('answers messages of MCP, before and after a revision without initialize', async () => {
      const modern = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      for (const [headers, params] of [
        [{}, {}],
        [{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }, { _meta: modern }],
      ] as const) {
        const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params }
        const { status, json } = await ask('POST', '/tributary/mcp', headers, message)
        const { tools } = json['result'] as { tools: { name: string }[] }
        expect([status, tools.map(({ name }) => name)]).toEqual([200, expect.arrayContaining(['submit_feedback'])])
      }
    })

    test('accepts the operator token, and refuses other tokens', async () => {
      const operator = { authorization: 'Bearer operator-token-of-the-example' }
      expect((await ask('GET', '/tributary/api/admin/applications', operator)).status).toBe(200)
      expect((await ask('GET', '/tributary/api/admin/applications', await signIn('jane'))).status).toBe(401)
    })
  })
}

type Ask = (
  method: string,
  path: string,
  headers?: Record<string, string>,
  body?: unknown,
) => Promise<{ status: number; headers: Headers; text: string; json: Record<string, unknown> }>

async function request(base: string, ...[method, path, headers, body]: Parameters<Ask>): ReturnType<Ask> {
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

/** A contributor of an app, with three stored traces. */
export interface AppContributor {
  readonly userId: string
  /** The machine's token, as a request header. */
  readonly bearer: { readonly authorization: string }
  /** The reply to the upload policy, before the person accepted the terms. */
  readonly policy: Readonly<Record<string, unknown>>
}

/**
 * Signs a machine in for the person of the app at `base` whose browser sends `cookie`, passes the upload policy, and
 * submits three traces. Resolves when a worker has stored the traces. Throws an assertion error if a step is refused.
 */
export async function contributeTraces(base: string, cookie: string): Promise<AppContributor> {
  const ask: Ask = (method, path, ...rest) => request(base, method, `/tributary/api${path}`, ...rest)
  const begun = await ask('POST', '/cli/device/start', {}, { machine: 'laptop' })
  const { deviceCode, userCode } = begun.json as { deviceCode: string; userCode: string }
  const browser = { cookie, 'sec-fetch-site': 'same-origin' }
  expect((await ask('POST', '/cli/device/approve', browser, { userCode })).status).toBe(200)
  const { json: approved } = await ask('GET', `/cli/device/poll?deviceCode=${deviceCode}`)
  expect(approved).toMatchObject({ status: 'approved' })
  const bearer = { authorization: `Bearer ${String(approved['token'])}` }
  const { json: policy } = await ask('GET', '/traces/upload-policy', bearer)
  const terms = { termsVersion: policy['termsVersion'], residencyConfirmed: true }
  expect((await ask('POST', '/account/terms', bearer, terms)).status).toBe(200)
  const application = {
    companyName: 'Example',
    website: 'https://example.com',
    email: 'jane@example.com',
    role: 'engineer',
    authorized: true,
  }
  expect((await ask('POST', '/account/application', bearer, application)).status).toBe(200)
  // The body is larger than 100 KB, the default limit of body parsers.
  const sent = await ask('POST', '/ingest', bearer, { traces: makeSentTraces(3, 100_000) })
  expect(sent.status).toBe(202)
  await vi.waitFor(async () => {
    const { json } = await ask('GET', `/ingest/jobs/${String(sent.json['jobId'])}`, bearer)
    expect(json['job']).toMatchObject({ status: 'done', traceCount: 3 })
  }, 300_000)
  return { userId: String(approved['userId']), bearer, policy }
}

/** Waits for the first answer of a program. If the program exits before it answers, throws an error with its output. */
async function waitForAnswer(base: string, program: ChildProcess, ms: number): Promise<void> {
  let output = ''
  for (const stream of [program.stdout, program.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
  await vi.waitFor(
    async () => {
      if (program.exitCode !== null) return
      await fetch(`${base}/`, { signal: AbortSignal.timeout(5_000) })
    },
    { timeout: ms, interval: 100 },
  )
  if (program.exitCode !== null) throw new Error(`the app ended with code ${program.exitCode}:\n${output}`)
}

async function stop(app: EmbeddingApp | undefined): Promise<void> {
  if (app === undefined) return
  if ('stop' in app) return app.stop()
  if ('kill' in app) {
    if (app.exitCode !== null || app.signalCode !== null) return
    app.kill()
    await once(app, 'exit')
    return
  }
  app.closeAllConnections()
  app.close()
  await once(app, 'close')
  // The worker stops when the app closes. Its last statement must end before this thread ends; otherwise libsql ends
  // the process.
  await sleep(500)
}

function parse(text: string): Record<string, unknown> {
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
}

/**
 * Returns a free port. The port is needed before the app is created, because `baseUrl` is part of the configuration.
 */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
