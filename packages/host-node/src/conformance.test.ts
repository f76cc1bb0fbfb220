import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type Service, type ServiceOptions } from '@tributary/core'
import { libsqlStores } from '@tributary/core/libsql'
import { createMigratedFile, createTestStores, runConformanceContract } from '@tributary/test-kit'
import { conformanceCommand, overHttp, type Target } from '@tributary/test-kit/conformance'
import { H3, toNodeHandler } from 'h3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toApp } from './http/app.ts'
import { countryFrom, listen, openLocal } from './index.ts'
import { createMailbox } from './mail.ts'
import { mailboxPages } from './http/mailbox.ts'
import { nodeDigest, nodeRandom } from './platform.ts'

const adminToken = 'the-operator-of-this-test'
const own: string[] = ['needs --country-header', 'needs --min-version', 'needs --rates', 'needs --passkey-token']

interface Made {
  readonly service: Service
  readonly mailbox: ReturnType<typeof createMailbox>
  readonly target: Omit<Target, 'request'>
}

function make(options: Partial<ServiceOptions> = {}): Made {
  const mailbox = createMailbox()
  let ahead = 0
  const service = createService({
    clock: () => Date.now() + ahead,
    baseUrl: 'http://127.0.0.1:8787',
    stores: createTestStores(),
    mailer: mailbox,
    rates: 'off',
    adminToken,
    country: () => 'US',
    ingestLimit: 1024 * 1024,
    random: nodeRandom,
    digest: nodeDigest,
    ...options,
  })
  const readCode = (email: string): string => /\b\d{6}\b/.exec(mailbox.mails.find(({ to }) => to === email)!.text)![0]
  return {
    service,
    mailbox,
    target: {
      adminToken,
      code: readCode,
      prefix: service.prefix,
      work: () => service.work(),
      wait: (ms) => void (ahead += ms),
    },
  }
}

describe('the host', { tags: 'long' }, () => {
  runConformanceContract({
    name: 'listen, on a file, with a gate and a country header',
    skips: ['needs --rates', 'needs --passkey-token'],
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'tributary-conformance-'))
      await createMigratedFile(join(folder, 'a.db'))
      const local = openLocal(join(folder, 'a.db'))
      const { service, target } = make({
        stores: libsqlStores(local),
        minVersion: '1.2.3',
        country: await countryFrom({ header: 'x-here' }),
      })
      const listening = await listen(service, { port: 0, worker: false, metrics: true })
      const transport = overHttp(listening.url)
      return {
        ...target,
        minVersion: '1.2.3',
        countryHeader: 'x-here',
        request: transport.request,
        async close() {
          transport.close()
          await listening.close()
          local.close()
          rmSync(folder, { recursive: true, force: true })
        },
      }
    },
  })
})

// In every run, contracts.test.ts runs the contract tests of hosts against such an app.
describe('a secondary host', { tags: 'slow' }, () => {
  runConformanceContract({
    name: 'toApp mounted in an h3 app behind node:http',
    skips: [...own, 'what is not ours', 'this host has no /metrics', 'this service approves'],
    async open() {
      const { service, target } = make({ baseUrl: 'http://127.0.0.1:8787/deep/mount', approval: 'automatic' })
      const app = new H3().mount('/deep/mount', toApp(service))
      app.use(() => new Response('a page of the app', { status: 404 }))
      const server = createServer({ joinDuplicateHeaders: true }, toNodeHandler(app))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const transport = overHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
      return {
        ...target,
        request: transport.request,
        async close() {
          transport.close()
          await new Promise<void>((resolve) => server.close(() => resolve()))
        },
      }
    },
  })
})

describe('npm run check -- conformance', () => {
  let listening: Awaited<ReturnType<typeof listen>>
  let made: Made
  beforeAll(async () => {
    made = make({ minVersion: '2.0.0', requireClientVersion: true })
    listening = await listen(made.service, { port: 0, pages: mailboxPages(made.mailbox) })
  })
  afterAll(() => listening.close())

  const runConformance = async (argv: readonly string[], env: Record<string, string> = {}) => {
    let [out, error] = ['', '']
    const code = await conformanceCommand(argv, { out: (text) => (out += text), error: (text) => (error += text), env })
    return { code, out, error }
  }

  test('finds the mailbox and the version, runs checks and prints a summary', async () => {
    const { code, out, error } = await runConformance(
      [listening.url, '--only', 'E9', '--only', 'E14', '--only', 'telemetry'],
      { TRIBUTARY_ADMIN_TOKEN: adminToken },
    )
    expect([code, error]).toEqual([0, ''])
    expect(out).toMatch(/^ok {4}telemetry and feedback +\d+ passed$/m)
    expect(out).toMatch(/Stays at the service:\n {2}\S/)
    expect(out).toMatch(/\n\d+ requests\n\d+ passed, 0 failed, 0 skipped\n$/)
  })

  test('prints skipped checks with reasons and fails when nothing ran', async () => {
    const some = await runConformance([listening.url, '--only', 'sales', '--only', 'program'])
    expect([some.code, some.error]).toEqual([0, ''])
    expect(some.out).toMatch(/Skipped, needs --admin-token:\n {2}\S/)
    const none = await runConformance([listening.url, '--only', 'a sale sells'])
    expect(none.code).toBe(1)
    expect(none.out).toMatch(/^skip {2}sales/)
  })

  test('prints failures completely and exits with 1', async () => {
    // The checks of the version gate fail if the version differs from the version of the service.
    const { code, out } = await runConformance([listening.url, '--only', 'client versions', '--min-version', '3.0.0'])
    expect(code).toBe(1)
    expect(out).toMatch(/^FAIL {2}client versions +\d+ passed, \d+ failed/m)
    expect(out).toMatch(/ {4}GET \/api\/cli\/session\n {6}sent .*\n {6}expected {2}426 \{.*"minVersion":"3.0.0"/)
    expect(out).toMatch(/\d+ passed, [1-9]\d* failed, \d+ skipped\n$/)
  })

  test('prints one document with --json', async () => {
    const { code, out } = await runConformance([listening.url, '--json', '--only', 'E20'])
    const report = JSON.parse(out) as { ok: boolean; failed: number; results: { of: string }[] }
    expect([code, report.ok, report.failed, new Set(report.results.map(({ of }) => of))]).toEqual([
      0,
      true,
      0,
      new Set(['E20']),
    ])
  })

  test.each([
    [[], 'Expected one URL'],
    [['a', 'b'], 'Expected one URL'],
    [['127.0.0.1:8787'], 'is not a URL with http or https'],
    [['http://127.0.0.1:1'], 'Nothing answers at http://127.0.0.1:1'],
    [['URL', '--prefix', '/elsewhere'], 'Is it mounted below a path?'],
    [['URL', '--prefix', 'elsewhere'], '--prefix begins with a slash'],
    [['URL', '--mail', 'URL/healthz'], 'a list of mails as JSON'],
    [['URL', '--only', 'no such check'], 'No check has "no such check"'],
    [['URL', '--fast'], "Unknown option '--fast'"],
  ])('explains why %j is refused', async (argv, says) => {
    const { code, out, error } = await runConformance(argv.map((word) => word.replace('URL', listening.url)))
    expect([code, out]).toEqual([1, ''])
    expect(error).toContain(says)
    expect(error).not.toMatch(/\n +at /)
  })

  test('--help lists every flag', async () => {
    const { code, out } = await runConformance(['--help'])
    expect(code).toBe(0)
    for (const flag of [
      '--admin-token',
      '--mail',
      '--token',
      '--prefix',
      '--only',
      '--min-version',
      '--country-header',
      '--rates',
      '--json',
    ])
      expect(out).toContain(flag)
  })
})
