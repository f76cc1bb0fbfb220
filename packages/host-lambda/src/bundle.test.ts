import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migrate } from '@tributary/core/libsql'
import { startHrana, startSecretsExtension } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listFiles, buildFunctions, listExampleFunctions, startOf, type BuiltFile } from './bundle.fixture.ts'
import { tursoClient } from './turso.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const functions = ['http', 'queue', 'schedule'] as const
const folder = mkdtempSync(join(tmpdir(), 'tributary-bundle-'))
let built: ReadonlyMap<string, BuiltFile>
beforeAll(async () => {
  built = await buildFunctions(listExampleFunctions(root), join(folder, 'functions'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const listSources = (files: readonly BuiltFile[]): string[] => files.flatMap(({ sources }) => sources)
const sumKilobytes = (files: readonly BuiltFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0) / 1000
const listCoreSources = (files: readonly BuiltFile[]): string[] =>
  listSources(files)
    .filter((path) => path.includes('packages/core/src/'))
    .map((path) => path.replace(/^.*packages\/core\/src\//, ''))

/** Native code, libSQL's builds for Node, sockets, and modules that only the Node host and tests use. */
const foreign = [
  /\.node$/,
  /@libsql\/client\/lib-(?:esm|cjs)\/(?:node|sqlite3)\.js$/,
  /node_modules\/(?:libsql|@neon-rs|@libsql\/(?:linux|darwin|win32)[^/]*|ws|bufferutil|utf-8-validate)\//,
  /packages\/(?:host-node|test-kit)\//,
  /node_modules\/(?:h3|srvx|pino|nodemailer|maxmind|prom-client|vitest|esbuild)\//,
  /@aws-sdk\//,
  /core\/src\/stores\/memory\//,
]

describe.each(functions)('the bundle of the %s function', (name) => {
  test('contains no native module, no build of libSQL for Node and no module of the Node host', () => {
    const sources = listSources(listFiles(built, name))
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter((path) => foreign.some((pattern) => pattern.test(path)))).toEqual([])
    expect(sources.some((path) => path.includes('@libsql/client/lib-esm/web.js'))).toBe(true)
  })

  test('imports only modules of Node and the AWS SDK', () => {
    const outside = listFiles(built, name)
      .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
      .filter((path) => !built.has(path))
    expect(
      outside.filter((path) => !builtinModules.includes(path.replace(/^node:/, '')) && !path.startsWith('@aws-sdk/')),
    ).toEqual([])
  })

  test('loads neither zod nor a contract, handler, page or database client at its start', () => {
    const start = startOf(built, name)
    expect(listSources(start).filter((path) => /node_modules\/(?:zod|@libsql)\//.test(path))).toEqual([])
    expect(
      listCoreSources(start).filter((path) => /(?:contract|handlers|pages|forms|documents)\.ts$/.test(path)),
    ).toEqual([])
    expect(
      listCoreSources(start).filter((path) =>
        /^http\/(?:openapi|listing)\.ts$|^ui\/(?!page-renderer|brand|languages)/.test(path),
      ),
    ).toEqual([])
  })
})

describe('the start of a function', () => {
  test('http loads neither the scrubber nor the worker', () => {
    expect(
      listCoreSources(startOf(built, 'http')).filter((path) =>
        /^(?:scrubber\/(?!version\.ts)|service\/work)|\/worker\.ts$/.test(path),
      ),
    ).toEqual([])
  })

  test('a cold start of http, followed by a request for the current session, does not load zod', () => {
    const session = [...built.values()].find(({ sources }) =>
      sources.some((path) => path.endsWith('auth/session/handlers.ts')),
    )!
    const loaded = [...startOf(built, 'http'), ...startOf(built, session.name.replace(/\.mjs$/, ''))]
    expect(listSources(loaded).filter((path) => path.includes('node_modules/zod/'))).toEqual([])
  })

  test.each(['queue', 'schedule'])('%s never loads a route', (name) => {
    expect(
      listCoreSources(listFiles(built, name)).filter((path) =>
        /^service\/(?:capabilities|create)\.ts$|(?:pages|handlers)\.ts$/.test(path),
      ),
    ).toEqual([])
    expect(listCoreSources(startOf(built, name))).toContain('ingest/worker.ts')
  })

  test.each(functions)('%s loads neither the API of OpenTelemetry nor semver', (name) => {
    expect(listSources(startOf(built, name)).filter((path) => /@opentelemetry\/|\/semver\//.test(path))).toEqual([])
  })

  // Each file takes half a millisecond. Besides the function and the shared code, only the scrubber's hash and
  // esbuild's own helpers are loaded.
  test.each([
    ['http', 147, 5],
    ['queue', 130, 18],
    ['schedule', 128, 18],
  ])('%s has at most %i KB in %i files', (name, limit, files) => {
    const start = startOf(built, name)
    expect(sumKilobytes(start)).toBeLessThan(limit)
    expect(start.length).toBeLessThanOrEqual(files)
  })
})

test('the patterns of excluded modules match the modules of the Node host', { tags: 'slow' }, async () => {
  const files = await buildFunctions(
    { config: join(root, 'packages/host-node/src/server-config.ts') },
    join(folder, 'node-host'),
  )
  const sources = listSources([...files.values()])
  expect(sources.filter((path) => foreign.some((pattern) => pattern.test(path))).length).toBeGreaterThan(1)
})

test(
  'the http function works with only the files of its folder and a database over HTTP',
  { tags: 'long' },
  async () => {
    const database = await startHrana({ path: join(folder, 'a.db'), token: 'turso' })
    const extension = await startSecretsExtension({
      'tributary/turso-token': 'turso',
      'tributary/secret': 'a secret of this test alone',
      'tributary/admin-tokens': `operator=${'operator-'.repeat(3)}`,
    })
    try {
      const client = tursoClient({ url: database.url, authToken: 'turso' })
      await migrate(client)
      client.close()
      const makeEvent = (method: string, path: string, body: object | null, headers: object = {}) => ({
        version: '2.0',
        rawPath: path,
        rawQueryString: '',
        headers: { 'content-type': 'application/json', ...headers },
        requestContext: { http: { method, sourceIp: '192.0.2.1' } },
        body: body && JSON.stringify(body),
        isBase64Encoded: false,
      })
      const report = {
        reporter: { agent_vendor: 'v', agent_product: 'p' },
        subject: { surface: 's' },
        content: { title: 'mail ann@example.com' },
      }
      const modern = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
      const events = [
        makeEvent('GET', '/api/cli/session', null),
        makeEvent('POST', '/api/cli/device/start', { machine: 'm' }),
        makeEvent('GET', '/sign-in', null),
        makeEvent('GET', '/assets/tributary.css', null),
        makeEvent('GET', '/admin', null),
        makeEvent('POST', '/api/v1/feedback', report),
        makeEvent('GET', '/api/v1/policy', null),
        makeEvent('POST', '/api/auth/email', { email: 'no' }),
        makeEvent('POST', '/mcp', rpc),
        makeEvent('POST', '/mcp', { ...rpc, id: undefined, method: 'notifications/initialized' }),
        makeEvent(
          'POST',
          '/mcp',
          { ...rpc, params: { _meta: modern } },
          { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
        ),
      ]
      const script = `
      const { handler } = await import('./http.mjs')
      const replies = []
      for (const event of ${JSON.stringify(events)}) {
        const { statusCode, body } = await handler(event, {})
        replies.push([statusCode, body])
      }
      process.stdout.write(JSON.stringify(replies))`
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
        cwd: join(folder, 'functions'),
        env: {
          BASE_URL: 'https://api.example.com',
          TURSO_URL: database.url,
          BUCKET: 'b',
          QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/q',
          MAIL_FROM: 'a@example.com',
          SECRETS: 'tributary',
          ...extension.env,
        },
      })
      // The last line is the result; the lines before it are the access log.
      const replies = JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as [status: number, body: string][]
      expect(replies.map(([status]) => status)).toEqual([401, 200, 200, 200, 401, 201, 200, 400, 200, 202, 200])
      expect(JSON.parse(replies[1]![1])).toMatchObject({ ok: true, interval: 5 })
      expect(replies[2]![1]).toContain('Sign in')
      for (const at of [8, 10]) expect(JSON.parse(replies[at]![1]).result.tools.length).toBe(4)
    } finally {
      await extension.close()
      await database.close()
    }
  },
)
