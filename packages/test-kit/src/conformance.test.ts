import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { createService, headerCountry, type ServiceOptions } from '@tributary/core'
import { impliedFailures } from '@tributary/core/adapter'
import { webAuthnPasskeys } from '@tributary/core/passkeys'
import { describe, expect, test } from 'vitest'
import { conformance, groups, overFetch, type Report, type Target } from './conformance.ts'
import { routes } from './conformance/contract.ts'
import { runConformanceContract } from './conformance/contract-suite.ts'
import { createTestStores } from './fixtures/database.ts'
import { createRecordingMailer } from './fixtures/service.ts'
import { listDeclaredOutcomes } from './promise.ts'

const adminToken = 'the-operator-of-this-test'

/** Starts a service in this process and returns it as the target of a run, which sends requests to its `fetch`. */
function open(options: Partial<ServiceOptions> = {}, target: Partial<Target> = {}): Target {
  const mailer = createRecordingMailer()
  let ahead = 0
  const service = createService({
    clock: () => Date.now() + ahead,
    baseUrl: 'http://127.0.0.1:8787',
    stores: createTestStores(),
    mailer,
    rates: 'off',
    adminToken,
    country: () => 'US',
    ingestLimit: 1024 * 1024,
    ...options,
  })
  return {
    prefix: service.prefix,
    adminToken,
    code: (email) => mailer.code(email),
    work: () => service.work(),
    wait: (ms) => void (ahead += ms),
    request: overFetch(service),
    ...target,
  }
}

const noHost = 'this host has no '
const listFailures = ({ results }: Report): string[] =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ of, name, detail }) => `${of}: ${name}\n${detail}`)
const listSkipReasons = ({ results }: Report): string[] => [
  ...new Set(results.filter(({ outcome }) => outcome === 'skipped').map(({ detail }) => detail)),
]

test('a run from four addresses stays within the default rates', { tags: 'slow' }, async () => {
  const mailer = createRecordingMailer()
  const service = createService({
    baseUrl: 'http://127.0.0.1:8787',
    stores: createTestStores(),
    mailer,
    adminToken,
    approval: 'automatic',
    country: () => 'US',
    ingestLimit: 1024 * 1024,
    // The run waits if a rate per minute is exceeded, but a rate per hour ends the run.
    rates: { ingest: { limit: 10_000, windowMs: 60_000 }, operator: { limit: 10_000, windowMs: 60_000 } },
    logger: { info() {}, warn() {}, error() {} },
  })
  const senders = [1, 2, 3, 4].map((n) => overFetch(service, `192.0.2.${n}`))
  let requests = 0
  const report = await conformance(
    {
      adminToken,
      code: (email) => mailer.code(email),
      work: () => service.work(),
      request: (...sent) => senders[requests++ % senders.length]!(...sent),
    },
    { patienceMs: 0 },
  )
  expect(listFailures(report)).toEqual([])
  expect(report.results.filter(({ detail }) => detail.startsWith('its rate is used up'))).toEqual([])
})

// In every run, the same checks run with every option of a target (see below).
describe('conformance below a path', { tags: 'slow' }, () => {
  runConformanceContract({
    name: 'the service by its web-standard way, below a path, over https',
    open: async () =>
      open({
        baseUrl: 'https://example.com/tributary',
        approval: 'automatic',
        ads: { pixelId: 'pixel-1', promotion: { text: 'Contribute a trace', url: 'https://example.com/why' } },
      }),
    skips: [
      noHost,
      'needs --country-header',
      'needs --min-version',
      'needs --rates',
      'needs --passkey-token',
      'this service approves by itself',
    ],
  })
})

describe('conformance with every option of a target', () => {
  const passkeyToken = 'the-operator-with-passkeys'
  const known = { countryHeader: 'X-Here', minVersion: '1.2.3-rc.1', passkeyToken }
  const target = open(
    {
      country: headerCountry('x-here'),
      minVersion: known.minVersion,
      requireClientVersion: true,
      baseUrl: 'http://localhost:8787',
      adminTokens: [{ name: 'passkeys', token: passkeyToken }],
      passkeys: webAuthnPasskeys(),
    },
    known,
  )
  const whole = conformance(target)
  const rated = whole.then(() => conformance(open({ rates: {} }, { rates: 'default' }), { only: ['rates'] }))

  test('runs every check except the checks of a Node host', async () => {
    expect(listFailures(await whole)).toEqual([])
    expect(await listContributors(target)).toEqual([])
    expect(listSkipReasons(await whole).filter((reason) => !reason.startsWith(noHost))).toEqual([
      'needs --rates: uses up the default rates',
    ])
  })

  test('finds the default rate limits', async () => {
    expect(listFailures(await rated)).toEqual([])
    expect(listSkipReasons(await rated)).toEqual([])
  })

  test('produces every declared outcome, except outcomes that need a fault, a long wait or too many calls', async () => {
    const met = new Set([...(await whole).met, ...(await rated).met])
    const declared = routes
      .flatMap((route) => listDeclaredOutcomes(route, impliedFailures))
      .filter((outcome) => !met.has(outcome))
    const beyond =
      /job_not_finished|410|400 expired_token|50[0-3]|429|retry 200|(?:sell|create|record|correct|sign_out|end|handle) 303|waitlist\/notify (?:200|303)|403 read_only|reauthentication_required|export_too_large|too_many_webhooks/
    expect(declared.filter((outcome) => !beyond.test(outcome))).toEqual([])
    expect(met.size).toBeGreaterThan(350)
  })
})

describe('conformance with fewer options', () => {
  test('runs a hundred checks if only an address is given', { tags: 'slow' }, async () => {
    const { request } = open()
    const report = await conformance({ request })
    expect(listFailures(report)).toEqual([])
    expect(report.passed).toBeGreaterThan(100)
    expect(listSkipReasons(report)).toContain('needs --mail or --token')
  })

  test(
    'uses the account of a given token, restores the account, and deletes its uploads',
    { tags: 'slow' },
    async () => {
      const target = open({ approval: 'automatic' })
      const { request, work } = target
      const ask = async (method: string, path: string, as: Record<string, string>, json?: object) => {
        const headers = Object.entries({ ...as, ...(json ? { 'content-type': 'application/json' } : {}) })
        const reply = await request(method, path, headers, json ? [Buffer.from(JSON.stringify(json))] : [])
        return { ...reply, json: JSON.parse(Buffer.from(reply.body).toString()) as Record<string, unknown> }
      }
      const email = 'jane@example.com'
      const {
        json: { challenge },
      } = await ask('POST', '/api/auth/email', {}, { email })
      const { headers } = await ask(
        'POST',
        '/api/auth/email/verify',
        {},
        { email, code: await target.code!(email), challenge },
      )
      const cookie = {
        'cookie': headers.find(([name]) => name === 'set-cookie')![1].split(';')[0]!,
        'sec-fetch-site': 'same-origin',
      }
      const {
        json: { deviceCode, userCode },
      } = await ask('POST', '/api/cli/device/start', {}, { machine: 'm' })
      await ask('POST', '/api/cli/device/approve', cookie, { userCode })
      const token = String(
        (await ask('GET', `/api/cli/device/poll?deviceCode=${String(deviceCode)}`, {})).json['token'],
      )
      await ask('POST', '/api/account/terms', cookie, { termsVersion: '2026-12-01', residencyConfirmed: true })
      await ask('POST', '/api/account/application', cookie, {
        companyName: 'C',
        website: 'https://example.com',
        email,
        role: 'r',
        authorized: true,
      })
      const before = (await ask('GET', '/api/traces/access', cookie)).json
      const report = await conformance({ request, work: work!, token })
      expect(listFailures(report)).toEqual([])
      expect(report.passed).toBeGreaterThan(250)
      expect(report.results.filter(({ of, outcome }) => of === 'E5' && outcome === 'passed').length).toBeGreaterThan(20)
      expect((await ask('GET', '/api/traces/access', { authorization: `Bearer ${token}` })).json).toEqual(before)
      expect((await ask('GET', '/api/traces', cookie)).json['traces']).toEqual([])
    },
  )

  test('skips the checks that need a token if the token is invalid, and prints this reason', async () => {
    const report = await conformance({ request: open().request, token: 'trb_nobody' }, { only: ['telemetry'] })
    expect([report.failed, listSkipReasons(report)]).toEqual([0, ['the service does not know the given --token']])
  })
})

/** Returns the e-mail addresses of all contributors. */
async function listContributors({ request, prefix = '' }: Target): Promise<unknown[]> {
  const { body } = await request('GET', `${prefix}/api/admin/contributors?limit=200`, [
    ['authorization', `Bearer ${adminToken}`],
  ])
  return (JSON.parse(Buffer.from(body).toString()) as { items: unknown[] }).items
}

describe('conformance with an aborted run', () => {
  test(
    'starts no further check after an abort, and deletes the accounts that it created',
    { tags: 'long' },
    async () => {
      const [target, end, seen] = [open({ approval: 'automatic' }), new AbortController(), [] as number[]]
      const report = await conformance(target, {
        signal: end.signal,
        concurrency: 1,
        onGroup(title) {
          if (title === 'ingest')
            void listContributors(target)
              .then((all) => seen.push(all.length))
              .then(() => end.abort())
        },
      })
      expect(listFailures(report)).toEqual([])
      expect(listSkipReasons(report)).toContain('the run was ended')
      expect(seen[0]).toBeGreaterThan(1)
      expect([await listContributors(target), report.left.filter((what) => what.includes('account'))]).toEqual([[], []])
    },
  )
})

describe('conformance: the list of checks', () => {
  const all = groups.flatMap(({ checks }) => checks)

  test('has hundreds of checks with distinct names, and some for each endpoint', () => {
    expect(all.length).toBeGreaterThan(500)
    const names = all.map(({ of, name }) => `${of}: ${name}`)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
    for (let i = 1; i <= 20; i++)
      expect(all.filter(({ of }) => of === `E${i}`).length, `E${i}`).toBeGreaterThanOrEqual(4)
  })

  test('can be filtered by whole number, by group and by words', async () => {
    const runChecks = async (...only: string[]): Promise<Report['results']> =>
      (await conformance(open(), { only })).results
    expect(new Set((await runChecks('E1')).map(({ of }) => of))).toEqual(new Set(['E1']))
    expect((await runChecks('device login')).filter(({ group }) => group === 'device login')).toHaveLength(17)
    expect((await runChecks('two concurrent claims')).map(({ name }) => name)).toEqual([
      'only one of two concurrent claims succeeds',
    ])
    expect(await runChecks('no such thing')).toEqual([])
  })
})

test('the entry of conformance can run from a command, without vitest', async () => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('./conformance.ts', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  })
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  const other = outside.filter((path) => !path.startsWith('node:') && !path.startsWith('@tributary/core'))
  expect(new Set(other)).toEqual(new Set(['zod']))
})

test('conformance fails every check of a service that returns nothing, and names the reason', async () => {
  const report = await conformance(
    { request: () => Promise.reject(new Error('connection refused')) },
    { only: ['agent reports'] },
  )
  expect(report.passed).toBe(0)
  expect(report.results[0]!.detail).toContain('was not answered: connection refused')
})
