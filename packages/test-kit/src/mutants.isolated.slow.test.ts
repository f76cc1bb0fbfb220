import { createService, headerCountry } from '@tributary/core'
import { webAuthnPasskeys } from '@tributary/core/passkeys'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SentRequest } from './conformance/answer.ts'
import { conformance, groups, overFetch, type Report, type RunOptions } from './conformance.ts'
import { createTestStores } from './fixtures/database.ts'
import { createRecordingMailer } from './fixtures/service.ts'
import type { HostReply } from './emulators/wire.ts'

/**
 * This file tests the checks: a proxy in front of a correct service breaks the service's replies, and the checks must
 * fail. A check that passes with every reply is useless.
 */
type Alter = NonNullable<RunOptions['alter']>

const passkeyToken = 'the-operator-with-passkeys'

type RunWaits = Pick<RunOptions, 'eventuallyMs' | 'scheduledMs'>

async function run(alter: Alter, only: readonly string[] = [], waits: RunWaits = {}): Promise<Report> {
  const mailer = createRecordingMailer()
  const adminToken = 'the-operator-of-this-test'
  let ahead = 0
  const service = createService({
    clock: () => Date.now() + ahead,
    baseUrl: 'http://localhost:8787',
    stores: createTestStores(),
    mailer,
    rates: 'off',
    adminToken,
    adminTokens: [{ name: 'passkeys', token: passkeyToken }],
    passkeys: webAuthnPasskeys(),
    country: headerCountry('x-here'),
    minVersion: '1.2.3',
    ingestLimit: 256 * 1024,
  })
  // A check that repeats its attempts would wait for a result that never arrives.
  return conformance(
    {
      request: overFetch(service),
      adminToken,
      passkeyToken,
      code: (email) => mailer.code(email),
      work: () => service.work(),
      wait: (ms) => void (ahead += ms),
      countryHeader: 'x-here',
      minVersion: '1.2.3',
    },
    { alter, only, eventuallyMs: 0, ...waits },
  )
}

const listFailures = ({ results }: Report): string[] =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ of, name }) => `${of}: ${name}`)
const decodeBody = ({ body }: HostReply): Record<string, unknown> | null => {
  const text = Buffer.from(body).toString()
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : null
}
const encodeBody = (reply: HostReply, json: unknown): HostReply => ({
  ...reply,
  body: Buffer.from(JSON.stringify(json)),
})
const removeHeader = (reply: HostReply, name: string): HostReply => ({
  ...reply,
  headers: reply.headers.filter(([key]) => key !== name),
})
/** The checks that run here, which are all except the checks of only one host and the checks that need rates. */
const made = groups
  .filter(({ title }) => title !== 'host' && title !== 'rates')
  .flatMap(({ checks }) => checks.map(({ of, name }) => `${of}: ${name}`))

/**
 * Returns the index of each request in its check. A request that equals the previous one has the same index, because a
 * busy machine makes a check repeat its attempt.
 */
function makeIndexer(): (check: string, sent: SentRequest) => number {
  const last = new Map<string, { readonly index: number; readonly request: string }>()
  return (check, { method, target, body }) => {
    const request = `${method} ${target} ${body && Buffer.from(body).toString()}`
    const before = last.get(check)
    const index = before ? before.index + Number(before.request !== request) : 0
    last.set(check, { index, request })
    return index
  }
}

const counts = new Map<string, number>()
let clean: Report
beforeAll(async () => {
  const indexOf = makeIndexer()
  const count: Alter = (reply, { check, sent }) => {
    if (check !== null) counts.set(check, indexOf(check, sent) + 1)
    return reply
  }
  clean = await run(count, [], { eventuallyMs: 60_000 })
})

test('conformance passes for the unchanged service, and every check sends a request', () => {
  expect(clean.results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
  expect(made.filter((one) => !counts.has(one))).toEqual([])
})

describe('conformance fails every check when a reply has another status', () => {
  const changeStatus = (reply: HostReply): HostReply => ({
    ...reply,
    status: reply.status === 200 ? 201 : reply.status < 400 ? 200 : reply.status === 400 ? 409 : 400,
  })
  /** Breaks the replies to one request of each check, chosen by its index among the check's requests. */
  const alterAt = (place: (count: number) => number): Alter => {
    const indexOf = makeIndexer()
    return (reply, { check, sent }) =>
      check !== null && indexOf(check, sent) === place(counts.get(check)!) ? changeStatus(reply) : reply
  }

  test('fails when the first reply of the check is changed', async () => {
    const report = await run(alterAt(() => 0))
    expect(made.filter((one) => !listFailures(report).includes(one))).toEqual([])
  })

  test('fails when the last reply of the check is changed', async () => {
    const report = await run(alterAt((count) => count - 1))
    expect(made.filter((one) => !listFailures(report).includes(one))).toEqual([])
  })
})

describe('conformance fails every check when each reply has', () => {
  const broken: readonly (readonly [
    what: string,
    alter: (reply: HostReply) => HostReply,
    who: (reply: HostReply) => boolean,
  ])[] = [
    ['no x-request-id', (reply) => removeHeader(reply, 'x-request-id'), () => true],
    ['no nosniff', (reply) => removeHeader(reply, 'x-content-type-options'), () => true],
    ['no opener policy', (reply) => removeHeader(reply, 'cross-origin-opener-policy'), () => true],
    ['no cache-control', (reply) => removeHeader(reply, 'cache-control'), () => true],
    [
      'no www-authenticate on a 401',
      (reply) => (reply.status === 401 ? removeHeader(reply, 'www-authenticate') : reply),
      ({ status, headers }) => status === 401 && headers.some(([name]) => name === 'www-authenticate'),
    ],
    ['no link on a failure', (reply) => removeHeader(reply, 'link'), ({ status }) => status >= 400],
    [
      'no allow on a 405',
      (reply) => removeHeader(reply, 'allow'),
      ({ status, headers }) => status === 405 && headers.some(([name]) => name === 'allow'),
    ],
    ['no x-body-limit on a 413', (reply) => removeHeader(reply, 'x-body-limit'), ({ status }) => status === 413],
    [
      'no policy on a page',
      (reply) => removeHeader(reply, 'content-security-policy'),
      ({ headers }) => headers.some(([name]) => name === 'content-security-policy'),
    ],
    [
      'another failure code',
      (reply) => {
        const json = decodeBody(reply)
        return json && typeof json['error'] === 'string' ? encodeBody(reply, { ...json, error: 'some_error' }) : reply
      },
      (reply) => typeof decodeBody(reply)?.['error'] === 'string',
    ],
    [
      'the other family',
      (reply) => {
        const { ok, ...rest } = decodeBody(reply) ?? {}
        return reply.status >= 400 && rest['error']
          ? encodeBody(reply, ok === false ? rest : { ok: false, ...rest })
          : reply
      },
      (reply) => reply.status >= 400 && typeof decodeBody(reply)?.['error'] === 'string' && reply.status !== 426,
    ],
    [
      'a field too many in a success',
      (reply) => {
        const json = decodeBody(reply)
        return reply.status < 400 && json ? encodeBody(reply, { ...json, surprise: 1 }) : reply
      },
      (reply) =>
        reply.status < 400 &&
        decodeBody(reply) !== null &&
        decodeBody(reply)!['ok'] === true &&
        !('exportedAt' in decodeBody(reply)!),
    ],
    [
      'a star for every origin',
      (reply) => ({ ...reply, headers: [...reply.headers, ['access-control-allow-origin', '*'] as const] }),
      () => true,
    ],
  ]

  // Together these groups receive every kind of reply, so the other groups are not run.
  test.each(broken)('%s', async (_, alter, who) => {
    const only = [
      'every path: HTTP',
      'who asks',
      'methods',
      'bodies',
      'upload policy',
      'cannot be framed',
      'the terms are public',
    ]
    const touched = new Set<string>()
    const report = await run((reply, { check }) => {
      if (check === null || !who(reply)) return reply
      touched.add(check)
      return alter(reply)
    }, only)
    expect(touched.size).toBeGreaterThan(0)
    expect([...touched].filter((one) => !listFailures(report).includes(one))).toEqual([])
  })
})

type Change = (json: never, reply: HostReply) => unknown

/**
 * A mistake that a service may make: the check that must notice it, the request, and the change to the JSON of the
 * reply.
 */
const bugs: readonly (readonly [check: string, request: string, change: Change])[] = [
  [
    'E1: accepted counts diagnostics and events together',
    'POST /api/cli/telemetry',
    (json: { accepted: number }) => ({ ...json, accepted: 2 }),
  ],
  ['E1: with dnt: 1, nothing is stored', 'POST /api/cli/telemetry', (json: object) => ({ ...json, accepted: 1 })],
  [
    'E1: lengths count characters, not UTF-16 code units or bytes',
    'POST /api/cli/telemetry',
    () => ({ ok: false, error: 'invalid_body' }),
  ],
  [
    'E2: all issues are returned together, with paths and without the sent values',
    'POST /api/cli/feedback',
    (json: { issues: object[] }) => ({ ...json, issues: json.issues.slice(1) }),
  ],
  [
    'E3: listed traces are excluded and included, each id counted once',
    'POST /api/traces/bulk',
    (json: { skippedCount: number }) => ({ ...json, skippedCount: json.skippedCount + 1 }),
  ],
  [
    'E4: a deleted trace returns 404 on every route, and its hash stays known',
    'POST /api/traces/known',
    (json: object) => ({ ...json, known: [] }),
  ],
  [
    'E5: all issues of a batch are returned together, at most a hundred, without the sent values',
    'POST /api/ingest',
    (json: { issues: object[] }) => ({ ...json, issues: [...json.issues, json.issues[0]] }),
  ],
  [
    'E5: a user without approval gets 403 with the URL to apply and the status of the application',
    'POST /api/ingest',
    (json: object) => ({ ...json, status: 'approved' }),
  ],
  [
    'E5: a user without accepted terms gets 403 with the URL to accept them, before the body is read',
    'POST /api/ingest',
    (json: { acceptUrl: string }) => ({ ...json, acceptUrl: '/terms' }),
  ],
  [
    'E5: a batch returns 202 with a job, which can be read by its id until it is done',
    'GET /api/ingest/jobs',
    (json: { job: object }) => ({ ...json, job: { ...json.job, startedAt: '2099-01-01T00:00:00.000Z' } }),
  ],
  [
    'E6: a job of another user, and an unknown job, return 404',
    'GET /api/ingest/jobs',
    () => ({ ok: false, error: 'forbidden' }),
  ],
  [
    'E7: the stored hashes are returned, once each, in the order sent',
    'POST /api/traces/known',
    (json: { known: string[] }) => ({ ...json, known: json.known.toReversed() }),
  ],
  [
    'E8: a trace returns its sale state, with the id in upper or lower case',
    'GET /api/traces',
    (json: { trace: object }) => ({ ...json, trace: { ...json.trace, locked: true } }),
  ],
  [
    'E9: a trace can be excluded and included, and keeps the last state',
    'GET /api/traces',
    (json: { trace: object }) => ({ ...json, trace: { ...json.trace, sellExcluded: true } }),
  ],
  [
    'E10: the document is complete, is a download, and cannot be cached',
    'GET /api/traces',
    (json: { messages: object[] }) => ({ ...json, messages: json.messages.toReversed() }),
  ],
  [
    'E11: a user who accepted no terms gets residency_required first',
    'GET /api/traces/upload-policy',
    (json: object) => ({ ...json, reason: 'terms_required' }),
  ],
  [
    'E11: another country returns us_upload_required',
    'GET /api/traces/upload-policy',
    (json: object) => ({ ...json, country: 'US' }),
  ],
  [
    'E12: a user without an application gets not_applied with the URL to apply',
    'GET /api/traces/access',
    (json: object) => ({ ...json, applyUrl: 'http://127.0.0.1:8787/terms' }),
  ],
  [
    'E13: a contact is missing until it is saved',
    'GET /api/traces/contact',
    (json: object) => ({ ...json, completed: false }),
  ],
  [
    'E14: a bearer token returns its user, with no-store',
    'GET /api/cli/session',
    (json: object) => ({ ...json, userId: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71' }),
  ],
  [
    'E14: an older client gets 426 before its token is checked',
    'GET /api/cli/session',
    (json: object) => ({ ...json, minVersion: '1.2.4' }),
  ],
  [
    'E15: an approved authorization returns its token once',
    'GET /api/cli/device/poll',
    (json: object) => ('token' in json ? { ...json, token: `trb_${'a'.repeat(36)}` } : json),
  ],
  [
    'E16: a campaign that matches the topic is served with every field of an ad',
    'GET /api/ad',
    (json: object) => ({ ...json, matchType: 'general' }),
  ],
  ['E16: a device gets an ad, or null instead of an ad', 'GET /api/ad', (json: object) => ({ ...json, ttlMs: 1 })],
  [
    'E17: tracking matches the consent, unless the request declines tracking',
    'GET /api/ad/config',
    (json: object) => ({ ...json, attribution: true }),
  ],
  [
    'E18: an ad supersedes the earlier ad on the same device',
    'POST /api/ad/feedback',
    (json: object) => ('error' in json ? { error: 'feedback_not_found' } : json),
  ],
  [
    'E19: a device of another user returns 409',
    'POST /api/program/claim',
    (json: object) => ('error' in json ? { ok: true, result: 'claimed' } : json),
  ],
  [
    'E20: the same key and report return 200 with the same receipt, in any spelling of the key',
    'POST /api/v1/feedback',
    (json: { receipt?: object }, { status }) =>
      status === 200 ? { receipt: { ...json.receipt, id: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71' } } : json,
  ],
  [
    'E20: the same meaning with another key returns 202 and refers to the open report',
    'POST /api/v1/feedback',
    (json: { receipt: object }) => ({ receipt: { ...json.receipt, duplicate_of: null } }),
  ],
  [
    'device-login: a device authorization returns two codes, a URL and 15 minutes',
    'POST /api/cli/device/start',
    (json: object) => ({ ...json, expiresAt: '2026-11-20T12:00:00Z' }),
  ],
  [
    'ingest: the same content sent twice in a batch is stored once',
    'GET /api/ingest/jobs',
    (json: { outcomes: object[] }) => ({
      ...json,
      outcomes: json.outcomes.map((one) => ({ ...one, outcome: 'stored' })),
    }),
  ],
  [
    'ingest: messages are returned by position, with times in UTC, and with the tokens that the service counted',
    'GET /api/traces',
    (json: { messages: object[] }) => ({
      ...json,
      messages: json.messages.map((one) => ({ ...one, tokenCount: 999_999 })),
    }),
  ],
  [
    'traces: a sale sells the traces that are for sale and lists the skipped traces',
    'POST /api/admin/sales',
    (json: { soldIds: string[] }) => ({ ...json, soldIds: [...json.soldIds, ...json.soldIds] }),
  ],
  [
    'ads: an impression counts once, even if it is repeated, and does not count if it is too early',
    'GET /api/account/export',
    (json: { account: { ads: { days: { count: number }[] } } }) => ({
      ...json,
      account: {
        ...json.account,
        ads: { days: json.account.ads.days.map((day) => ({ ...day, count: day.count + 1 })) },
      },
    }),
  ],
  [
    "operator: the operator's pause closes uploads, independently of the contributor's own pause",
    'GET /api/traces/upload-policy',
    (json: object) => ({ ...json, reason: null }),
  ],
  [
    'operator: feedback is returned to the operator as it was written',
    'GET /api/admin/feedback',
    (json: { items: object[] }) => ({ ...json, items: json.items.map((one) => ({ ...one, platform: 'darwin' })) }),
  ],
]

describe('conformance fails the check of one changed field:', () => {
  let report: Report
  beforeAll(async () => {
    // Each check sees only its own replies, so one run can contain a bug for each check.
    report = await run(
      (reply, { check, sent }) => {
        const bug = bugs.find(
          ([name, request]) => name === check && `${sent.method} ${sent.target}`.startsWith(request),
        )
        const json = bug ? decodeBody(reply) : null
        return bug && json ? encodeBody(reply, bug[2](json as never, reply)) : reply
      },
      [],
      // Another check's pass over the stored traces takes seconds on a busy machine.
      { scheduledMs: 30_000 },
    )
  })

  test.each(bugs)('%s (%s)', (name) => {
    expect(made).toContain(name)
    const result = report.results.find((one) => `${one.of}: ${one.name}` === name)!
    expect(result.outcome).toBe('failed')
    // The message must contain the request, the expected and received values, and the reason.
    for (const word of ['expected  ', 'got       ', 'because   ']) expect(result.detail).toContain(word)
    expect(result.detail).not.toMatch(/trb_\w{10}|deviceCode\W{1,4}\w{10}/)
  })

  test('fails no other checks', () => {
    const others = report.results.filter(
      (one) => one.outcome === 'failed' && !bugs.some(([name]) => name === `${one.of}: ${one.name}`),
    )
    expect(others.map((one) => `${one.of}: ${one.name}\n${one.detail}`)).toEqual([])
  })
})
