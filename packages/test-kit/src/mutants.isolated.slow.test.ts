import { createService, headerCountry } from '@tributary/core'
import { memoryStores } from '@tributary/core/memory'
import { beforeAll, describe, expect, test } from 'vitest'
import { conformance, groups, overFetch, type Report, type RunOptions } from './conformance.ts'
import { recordingMailer } from './fixtures/service.ts'
import type { HostReply } from './emulators/wire.ts'

/**
 * The checks, checked: a proxy before a service that is right breaks what it answers, and the checks must see it. A
 * check that passes whatever comes back is no check.
 */
type Alter = NonNullable<RunOptions['alter']>

async function run(alter: Alter, only: readonly string[] = []): Promise<Report> {
  const mailer = recordingMailer()
  const adminToken = 'the-operator-of-this-test'
  let ahead = 0
  const service = createService({
    clock: () => Date.now() + ahead,
    baseUrl: 'http://127.0.0.1:8787',
    stores: memoryStores(),
    mailer,
    rates: 'off',
    adminToken,
    country: headerCountry('x-here'),
    minVersion: '1.2.3',
    ingestLimit: 256 * 1024,
  })
  // A check that tries again until it holds would wait for what never comes.
  return conformance(
    {
      request: overFetch(service),
      adminToken,
      code: (email) => mailer.code(email),
      work: () => service.work(),
      wait: (ms) => void (ahead += ms),
      countryHeader: 'x-here',
      minVersion: '1.2.3',
    },
    { alter, only, eventuallyMs: 0 },
  )
}

const failed = ({ results }: Report): string[] =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ of, name }) => `${of}: ${name}`)
const decoded = ({ body }: HostReply): Record<string, unknown> | null => {
  const text = Buffer.from(body).toString()
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : null
}
const encoded = (reply: HostReply, json: unknown): HostReply => ({ ...reply, body: Buffer.from(JSON.stringify(json)) })
const without = (reply: HostReply, name: string): HostReply => ({
  ...reply,
  headers: reply.headers.filter(([key]) => key !== name),
})
/** What a host alone has, and what needs rates, is not made here. */
const made = groups
  .filter(({ title }) => title !== 'host' && title !== 'rates')
  .flatMap(({ checks }) => checks.map(({ of, name }) => `${of}: ${name}`))

const counts = new Map<string, number>()
let clean: Report
beforeAll(async () => {
  clean = await run((reply, { check }) => {
    if (check !== null) counts.set(check, (counts.get(check) ?? 0) + 1)
    return reply
  })
}, 60_000)

test('the service itself passes, and every check asks something of its own', () => {
  expect(failed(clean)).toEqual([])
  expect(made.filter((one) => !counts.has(one))).toEqual([])
})

describe('no check passes with another status', () => {
  const other = (reply: HostReply): HostReply => ({
    ...reply,
    status: reply.status === 200 ? 201 : reply.status < 400 ? 200 : reply.status === 400 ? 409 : 400,
  })
  /** Breaks one reply of each check, by its place among the check's own. */
  const at = (place: (count: number) => number): Alter => {
    const seen = new Map<string, number>()
    return (reply, { check }) => {
      if (check === null) return reply
      const index = seen.get(check) ?? 0
      seen.set(check, index + 1)
      return index === place(counts.get(check)!) ? other(reply) : reply
    }
  }

  test('on its first reply', async () => {
    const report = await run(at(() => 0))
    expect(made.filter((one) => !failed(report).includes(one))).toEqual([])
  })

  test('on its last', async () => {
    const report = await run(at((count) => count - 1))
    expect(made.filter((one) => !failed(report).includes(one))).toEqual([])
  })
})

describe('what every reply must have is missed by every check', () => {
  const broken: readonly (readonly [
    what: string,
    alter: (reply: HostReply) => HostReply,
    who: (reply: HostReply) => boolean,
  ])[] = [
    ['no x-request-id', (reply) => without(reply, 'x-request-id'), () => true],
    ['no nosniff', (reply) => without(reply, 'x-content-type-options'), () => true],
    ['no opener policy', (reply) => without(reply, 'cross-origin-opener-policy'), () => true],
    ['no cache-control', (reply) => without(reply, 'cache-control'), () => true],
    [
      'no www-authenticate on a 401',
      (reply) => (reply.status === 401 ? without(reply, 'www-authenticate') : reply),
      ({ status, headers }) => status === 401 && headers.some(([name]) => name === 'www-authenticate'),
    ],
    ['no link on a failure', (reply) => without(reply, 'link'), ({ status }) => status >= 400],
    [
      'no allow on a 405',
      (reply) => without(reply, 'allow'),
      ({ status, headers }) => status === 405 && headers.some(([name]) => name === 'allow'),
    ],
    ['no x-body-limit on a 413', (reply) => without(reply, 'x-body-limit'), ({ status }) => status === 413],
    [
      'no policy on a page',
      (reply) => without(reply, 'content-security-policy'),
      ({ headers }) => headers.some(([name]) => name === 'content-security-policy'),
    ],
    [
      'another failure code',
      (reply) => {
        const json = decoded(reply)
        return json && typeof json['error'] === 'string' ? encoded(reply, { ...json, error: 'some_error' }) : reply
      },
      (reply) => typeof decoded(reply)?.['error'] === 'string',
    ],
    [
      'the other family',
      (reply) => {
        const { ok, ...rest } = decoded(reply) ?? {}
        return reply.status >= 400 && rest['error']
          ? encoded(reply, ok === false ? rest : { ok: false, ...rest })
          : reply
      },
      (reply) => reply.status >= 400 && typeof decoded(reply)?.['error'] === 'string' && reply.status !== 426,
    ],
    [
      'a field too many in a success',
      (reply) => {
        const json = decoded(reply)
        return reply.status < 400 && json ? encoded(reply, { ...json, surprise: 1 }) : reply
      },
      (reply) =>
        reply.status < 400 &&
        decoded(reply) !== null &&
        decoded(reply)!['ok'] === true &&
        !('exportedAt' in decoded(reply)!),
    ],
    [
      'a star for every origin',
      (reply) => ({ ...reply, headers: [...reply.headers, ['access-control-allow-origin', '*'] as const] }),
      () => true,
    ],
  ]

  // A group that meets every kind of reply stands for all.
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
    expect([...touched].filter((one) => !failed(report).includes(one))).toEqual([])
  })
})

type Change = (json: never, reply: HostReply) => unknown

/**
 * One thing that a service may get wrong, for the check that must see it: what its JSON becomes where the request is
 * that.
 */
const bugs: readonly (readonly [check: string, request: string, change: Change])[] = [
  [
    'E1: diagnostics and events are counted together',
    'POST /api/cli/telemetry',
    (json: { accepted: number }) => ({ ...json, accepted: 2 }),
  ],
  ['E1: with dnt: 1 nothing is kept', 'POST /api/cli/telemetry', (json: object) => ({ ...json, accepted: 1 })],
  [
    'E1: lengths count characters, not the units that they take',
    'POST /api/cli/telemetry',
    () => ({ ok: false, error: 'invalid_body' }),
  ],
  [
    'E2: every fault is told at once, by place and without the value',
    'POST /api/cli/feedback',
    (json: { issues: object[] }) => ({ ...json, issues: json.issues.slice(1) }),
  ],
  [
    'E3: listed traces are excluded and included, each id counted once',
    'POST /api/traces/bulk',
    (json: { skippedCount: number }) => ({ ...json, skippedCount: json.skippedCount + 1 }),
  ],
  [
    'E4: a deleted trace is gone from everywhere, and its hash stays known',
    'POST /api/traces/known',
    (json: object) => ({ ...json, known: [] }),
  ],
  [
    'E5: all faults of a batch are told at once, a hundred at most, without what was sent',
    'POST /api/ingest',
    (json: { issues: object[] }) => ({ ...json, issues: [...json.issues, json.issues[0]] }),
  ],
  [
    'E5: who is not approved is sent to apply, and told how the application stands',
    'POST /api/ingest',
    (json: object) => ({ ...json, status: 'approved' }),
  ],
  [
    'E5: who has not accepted the terms is sent there, before the body is read',
    'POST /api/ingest',
    (json: { acceptUrl: string }) => ({ ...json, acceptUrl: '/terms' }),
  ],
  [
    'E5: a batch is 202 with the job, which E6 shows to its end',
    'GET /api/ingest/jobs',
    (json: { job: object }) => ({ ...json, job: { ...json.job, startedAt: '2099-01-01T00:00:00.000Z' } }),
  ],
  [
    'E6: a job of somebody else, or of nobody, is 404',
    'GET /api/ingest/jobs',
    () => ({ ok: false, error: 'forbidden' }),
  ],
  [
    'E7: of the hashes sent those are known that are stored, once each, in the order sent',
    'POST /api/traces/known',
    (json: { known: string[] }) => ({ ...json, known: json.known.toReversed() }),
  ],
  [
    'E8: a trace has its sale state, its id in either case',
    'GET /api/traces',
    (json: { trace: object }) => ({ ...json, trace: { ...json.trace, locked: true } }),
  ],
  [
    'E9: a trace is excluded and included again, and stays what was said last',
    'GET /api/traces',
    (json: { trace: object }) => ({ ...json, trace: { ...json.trace, sellExcluded: true } }),
  ],
  [
    'E10: the document is whole, a file, and nobody may keep it',
    'GET /api/traces',
    (json: { messages: object[] }) => ({ ...json, messages: json.messages.toReversed() }),
  ],
  [
    'E11: who has accepted nothing lacks residency first',
    'GET /api/traces/upload-policy',
    (json: object) => ({ ...json, reason: 'terms_required' }),
  ],
  [
    'E11: another country is us_upload_required',
    'GET /api/traces/upload-policy',
    (json: object) => ({ ...json, country: 'US' }),
  ],
  [
    'E12: who has not applied is told so, and where to apply',
    'GET /api/traces/access',
    (json: object) => ({ ...json, applyUrl: 'http://127.0.0.1:8787/terms' }),
  ],
  [
    'E13: a contact is missing until it is left',
    'GET /api/traces/contact',
    (json: object) => ({ ...json, completed: false }),
  ],
  [
    'E14: a bearer is told whose it is, and nobody may keep the answer',
    'GET /api/cli/session',
    (json: object) => ({ ...json, userId: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71' }),
  ],
  [
    'E14: an older client is told to upgrade, before its token is looked at',
    'GET /api/cli/session',
    (json: object) => ({ ...json, minVersion: '1.2.4' }),
  ],
  [
    'E15: an approved login gives its token out once',
    'GET /api/cli/device/poll',
    (json: object) => ('token' in json ? { ...json, token: `trb_${'a'.repeat(36)}` } : json),
  ],
  [
    'E16: a campaign that fits the topic is served, with all that an ad has',
    'GET /api/ad',
    (json: object) => ({ ...json, matchType: 'general' }),
  ],
  [
    'E16: a device gets an ad or the empty one, whole either way',
    'GET /api/ad',
    (json: object) => ({ ...json, ttlMs: 1 }),
  ],
  [
    'E17: the configuration follows the consent, and a call that asks not to be tracked',
    'GET /api/ad/config',
    (json: object) => ({ ...json, attribution: true }),
  ],
  [
    'E18: a later ad on the device supersedes the earlier',
    'POST /api/ad/feedback',
    (json: object) => ('error' in json ? { error: 'feedback_not_found' } : json),
  ],
  [
    'E19: a device of another person is 409',
    'POST /api/program/claim',
    (json: object) => ('error' in json ? { ok: true, result: 'claimed' } : json),
  ],
  [
    'E20: the same key and report again is 200 with the same receipt, however the key is written',
    'POST /api/v1/feedback',
    (json: { receipt?: object }, { status }) =>
      status === 200 ? { receipt: { ...json.receipt, id: '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71' } } : json,
  ],
  [
    'E20: the same meaning under another key is 202 and named after the open one',
    'POST /api/v1/feedback',
    (json: { receipt: object }) => ({ receipt: { ...json.receipt, duplicate_of: null } }),
  ],
  [
    'decisions 4: a login starts with two codes, a page and a quarter of an hour',
    'POST /api/cli/device/start',
    (json: object) => ({ ...json, expiresAt: '2026-11-20T12:00:00Z' }),
  ],
  [
    'decisions 6: the same content twice in a batch is stored once',
    'GET /api/ingest/jobs',
    (json: { outcomes: object[] }) => ({
      ...json,
      outcomes: json.outcomes.map((one) => ({ ...one, outcome: 'stored' })),
    }),
  ],
  [
    "decisions 6: messages come back by position, times in UTC, tokens by the server's count",
    'GET /api/traces',
    (json: { messages: object[] }) => ({
      ...json,
      messages: json.messages.map((one) => ({ ...one, tokenCount: 999_999 })),
    }),
  ],
  [
    'decisions 7: a sale takes what may be sold and names what it skips',
    'POST /api/admin/sales',
    (json: { soldIds: string[] }) => ({ ...json, soldIds: [...json.soldIds, ...json.soldIds] }),
  ],
  [
    'decisions 9: an impression counts once, however often it is sent; one too early counts not at all',
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
    "decisions 11: the operator's pause closes uploads, beside the person's own",
    'GET /api/traces/upload-policy',
    (json: object) => ({ ...json, reason: null }),
  ],
  [
    'decisions 11: feedback reaches the operator as it was written',
    'GET /api/admin/feedback',
    (json: { items: object[] }) => ({ ...json, items: json.items.map((one) => ({ ...one, platform: 'darwin' })) }),
  ],
]

describe('a service that gets one thing wrong is seen by the check of that thing', () => {
  let report: Report
  beforeAll(async () => {
    // Each check looks at its own replies, so that one run has a bug for each.
    report = await run((reply, { check, sent }) => {
      const bug = bugs.find(([name, request]) => name === check && `${sent.method} ${sent.target}`.startsWith(request))
      const json = bug ? decoded(reply) : null
      return bug && json ? encoded(reply, bug[2](json as never, reply)) : reply
    })
  }, 60_000)

  test.each(bugs)('%s (%s)', (name) => {
    expect(made).toContain(name)
    const result = report.results.find((one) => `${one.of}: ${one.name}` === name)!
    expect(result.outcome).toBe('failed')
    // The message is of use: the request, what was expected, what came, and why that is wrong.
    for (const word of ['expected  ', 'got       ', 'because   ']) expect(result.detail).toContain(word)
    expect(result.detail).not.toMatch(/trb_\w{10}|deviceCode\W{1,4}\w{10}/)
  })

  test('and no other check is disturbed', () => {
    expect(failed(report).filter((one) => !bugs.some(([name]) => name === one))).toEqual([])
  })
})
