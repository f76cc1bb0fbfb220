import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '@tributary/core/libsql'
import { parcel, startHrana, type Parcel } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { tursoClient } from './turso.ts'

const functions = ['http', 'queue', 'schedule'] as const
const packed = new Map<string, Promise<Parcel>>()
const parcelOf = (name: string): Promise<Parcel> => {
  if (!packed.has(name)) packed.set(name, parcel(new URL(`../../../examples/lambda-sam/src/${name}.ts`, import.meta.url)))
  return packed.get(name)!
}

/** What has no place in a function: native code, libSQL's builds for Node, sockets, and what the Node host stands on. */
const foreign = [
  /\.node$/, /@libsql\/client\/lib-(?:esm|cjs)\/(?:node|sqlite3)\.js$/, /node_modules\/(?:libsql|@neon-rs|@libsql\/(?:linux|darwin|win32)[^/]*|ws|bufferutil|utf-8-validate)\//,
  /packages\/(?:host-node|test-kit)\//, /node_modules\/(?:h3|srvx|pino|nodemailer|maxmind|prom-client|vitest|esbuild)\//, /@aws-sdk\//, /core\/src\/memory\//,
]

describe.each(functions)('the bundle of the %s function', (name) => {
  test('holds no native module, no build of libSQL for Node, nothing of the Node host', async () => {
    const { sources } = await parcelOf(name)
    expect(sources.filter((source) => foreign.some((pattern) => pattern.test(source)))).toEqual([])
    expect(sources.some((source) => source.includes('@libsql/client/lib-esm/http.js'))).toBe(true)
  })

  test('asks for nothing but Node and the SDK that Lambda has', async () => {
    const { outside, text } = await parcelOf(name)
    const strange = outside.filter((path) => !builtinModules.includes(path.replace(/^node:/, '')) && !path.startsWith('@aws-sdk/'))
    expect(strange).toEqual([])
    expect(text).not.toMatch(/process\.dlopen|\.node["']\)/)
  })

  test('does not grow unnoticed', async () => {
    // 330 KB are wanted (performance.md); core's own code alone is more than was reckoned with. See the bench.
    expect((await parcelOf(name)).bytes).toBeLessThan(640 * 1024)
  })
})

test('the pattern of what is foreign finds it where it is', async () => {
  const { sources } = await parcel(new URL('../../host-node/src/plan.ts', import.meta.url))
  expect(sources.filter((source) => foreign.some((pattern) => pattern.test(source))).length).toBeGreaterThan(1)
})

test('the http function answers alone in an empty folder, from a database over HTTP', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-bundle-'))
  const database = await startHrana({ path: join(folder, 'a.db') })
  try {
    const client = tursoClient({ url: database.url })
    await migrate(client)
    client.close()
    writeFileSync(join(folder, 'function.cjs'), (await parcelOf('http')).text)
    const event = { version: '2.0', rawPath: '/api/cli/device/start', rawQueryString: '', headers: { 'content-type': 'application/json' }, requestContext: { http: { method: 'POST', sourceIp: '192.0.2.1' } }, body: '{"machine":"m"}', isBase64Encoded: false }
    const script = `require('./function.cjs').handler(${JSON.stringify(event)}, {}).then((reply) => process.stdout.write(JSON.stringify(reply)))`
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      cwd: folder, env: { BASE_URL: 'https://api.example.com', TURSO_URL: database.url, BUCKET: 'b', QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/q', MAIL_FROM: 'a@example.com' },
    })
    const reply = JSON.parse(stdout) as { statusCode: number; body: string }
    expect(reply.statusCode).toBe(200)
    expect(JSON.parse(reply.body)).toMatchObject({ ok: true, interval: 5 })
  } finally {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
