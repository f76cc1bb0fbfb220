import { check, type Check } from './check.ts'
import { boolean, matchIssues, madeId } from './matchers.ts'

const repeatX = (length: number): string => 'x'.repeat(length)
const repeatItem = (length: number, item: unknown): unknown[] => Array.from({ length }, () => item)
const invalid = { ok: false, error: 'invalid_body' }
const makeKeys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
/** Returns properties whose JSON has this number of bytes. */
const makeObjectOfSize = (bytes: number): Record<string, string> => ({ a: repeatX(bytes - 8) })

/**
 * For each field of a telemetry report: a value at the limit, a value above the limit, and the `accepted` count in the
 * reply to the value at the limit.
 */
const edges: readonly (readonly [what: string, at: object, past: object, accepted: number])[] = [
  ['deviceId', { deviceId: repeatX(128) }, { deviceId: repeatX(129) }, 0],
  ['deviceId that is empty', { deviceId: 'd' }, { deviceId: '' }, 0],
  ['cliVersion', { cliVersion: repeatX(32) }, { cliVersion: repeatX(33) }, 0],
  ['platform', { platform: repeatX(32) }, { platform: repeatX(33) }, 0],
  ['arch', { arch: repeatX(32) }, { arch: repeatX(33) }, 0],
  ['command', { command: repeatX(64) }, { command: repeatX(65) }, 0],
  ['sentAt', { sentAt: repeatX(40) }, { sentAt: repeatX(41) }, 0],
  [
    'the list of diagnostics',
    { diagnostics: repeatItem(200, { adapter: 'a' }) },
    { diagnostics: repeatItem(201, { adapter: 'a' }) },
    200,
  ],
  ['the list of events', { events: repeatItem(50, { name: 'n' }) }, { events: repeatItem(51, { name: 'n' }) }, 50],
  [
    "a diagnostic's adapter",
    { diagnostics: [{ adapter: repeatX(128) }] },
    { diagnostics: [{ adapter: repeatX(129) }] },
    1,
  ],
  [
    "a diagnostic's source",
    { diagnostics: [{ adapter: 'a', source: repeatX(128) }] },
    { diagnostics: [{ adapter: 'a', source: repeatX(129) }] },
    1,
  ],
  [
    "a diagnostic's unhandledTypes",
    { diagnostics: [{ adapter: 'a', unhandledTypes: repeatItem(50, 't') }] },
    { diagnostics: [{ adapter: 'a', unhandledTypes: repeatItem(51, 't') }] },
    1,
  ],
  [
    'an unhandled type',
    { diagnostics: [{ adapter: 'a', unhandledTypes: [repeatX(128)] }] },
    { diagnostics: [{ adapter: 'a', unhandledTypes: [repeatX(129)] }] },
    1,
  ],
  [
    "a diagnostic's integers",
    { diagnostics: [{ adapter: 'a', totalEntries: 2 ** 53 - 1, traceCount: 0 }] },
    { diagnostics: [{ adapter: 'a', totalEntries: 2 ** 53 }] },
    1,
  ],
  [
    'an integer below zero',
    { diagnostics: [{ adapter: 'a', eventCount: 0 }] },
    { diagnostics: [{ adapter: 'a', eventCount: -1 }] },
    1,
  ],
  ["an event's name", { events: [{ name: repeatX(128) }] }, { events: [{ name: repeatX(129) }] }, 1],
  [
    "an event's keys",
    { events: [{ name: 'n', properties: makeKeys(50) }] },
    { events: [{ name: 'n', properties: makeKeys(51) }] },
    1,
  ],
  [
    "an event's 8 KiB",
    { events: [{ name: 'n', properties: makeObjectOfSize(8192) }] },
    { events: [{ name: 'n', properties: makeObjectOfSize(8193) }] },
    1,
  ],
]

const report = '/api/cli/telemetry'
const feedback = '/api/cli/feedback'

/** The checks of `POST /api/cli/telemetry` and `POST /api/cli/feedback`. */
export const telemetry: readonly Check[] = [
  check('E1', 'a report of schema and deviceId is accepted, with a count of 0', ['person'], async ({ ask, person }) => {
    await ask('POST', report, { as: (await person()).bearer, json: { schema: 1, deviceId: 'conformance' } }).is(200, {
      ok: true,
      accepted: 0,
      forwarded: boolean,
    })
  }),
  check('E1', 'accepted counts diagnostics and events together', ['person'], async ({ ask, person }) => {
    const diagnostic = {
      adapter: 'claude',
      source: 'claude_code_jsonl',
      totalEntries: 10,
      skippedEntries: 1,
      invalidEntries: 2,
      eventCount: 3,
      traceCount: 4,
      rejectedTraces: 0,
      unhandledTypes: ['summary'],
      emptyParse: false,
    }
    const json = {
      schema: 1,
      deviceId: 'conformance',
      cliVersion: '1.2.3',
      platform: 'linux',
      arch: 'x64',
      command: 'sync',
      sentAt: '2026-11-20T12:00:00Z',
      diagnostics: [diagnostic, { adapter: 'codex' }],
      events: [{ name: 'synced', properties: { count: 3, nested: { deep: [true, null] } } }],
    }
    await ask('POST', report, { as: (await person()).bearer, json }).is(200, {
      ok: true,
      accepted: 3,
      forwarded: boolean,
    })
  }),
  check(
    'E1',
    'a missing schema or deviceId, and a schema other than 1, return 400',
    ['person'],
    async ({ ask, person }) => {
      const { bearer } = await person()
      for (const json of [
        { deviceId: 'd' },
        { schema: 1 },
        { schema: 2, deviceId: 'd' },
        { schema: '1', deviceId: 'd' },
        { schema: 1.5, deviceId: 'd' },
        { schema: 1, deviceId: null },
      ]) {
        await ask('POST', report, { as: bearer, json }).is(400, invalid)
      }
    },
  ),
  check('E1', 'fields of the wrong type return 400', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    for (const more of [
      { diagnostics: {} },
      { diagnostics: [{}] },
      { diagnostics: [{ adapter: '' }] },
      { diagnostics: [{ adapter: 'a', emptyParse: 1 }] },
      { diagnostics: [{ adapter: 'a', traceCount: 1.5 }] },
      { events: [{ name: '' }] },
      { events: [{ name: 'n', properties: [] }] },
      { platform: 1 },
    ]) {
      await ask('POST', report, { as: bearer, json: { schema: 1, deviceId: 'd', ...more } }).is(400, invalid)
    }
  }),
  ...edges.map(([what, at, past, accepted]) =>
    check('E1', `${what} is accepted at its limit, and refused above it`, ['person'], async ({ ask, person }) => {
      const { bearer } = await person()
      const send = (more: object) => ask('POST', report, { as: bearer, json: { schema: 1, deviceId: 'd', ...more } })
      await send(at).is(200, { ok: true, accepted, forwarded: boolean })
      await send(past).is(400, invalid)
    }),
  ),
  check('E1', 'lengths count characters, not UTF-16 code units or bytes', ['person'], async ({ ask, person }) => {
    await ask('POST', report, { as: (await person()).bearer, json: { schema: 1, deviceId: '😀'.repeat(128) } }).is(
      200,
      { ok: true, accepted: 0, forwarded: boolean },
    )
  }),
  ...[
    ['dnt', '1'],
    ['sec-gpc', '1'],
    ['x-do-not-track', '1'],
  ].map(([name, value]) =>
    check('E1', `with ${name}: ${value}, nothing is stored`, ['person'], async ({ ask, person }) => {
      const json = { schema: 1, deviceId: 'd', events: [{ name: 'n' }] }
      await ask('POST', report, { as: (await person()).bearer, json, headers: { [name!]: value! } }).is(200, {
        ok: true,
        accepted: 0,
        forwarded: false,
      })
    }),
  ),
  check('E1', 'text with characters that cannot be stored is accepted', ['person'], async ({ ask, person }) => {
    const body =
      '{"schema":1,"deviceId":"d","events":[{"name":"a\\u0000b\\ud800","properties":{"k\\u0000":"\\udfff"}}]}'
    await ask('POST', report, { as: (await person()).bearer, body }).is(200, {
      ok: true,
      accepted: 1,
      forwarded: boolean,
    })
  }),
  check(
    'E2',
    'a message with every field at its limit is stored under an id',
    ['person'],
    async ({ ask, person, stage }) => {
      stage.leftovers.add('messages in the list of feedback, and a mail to the contact for each, where there is one')
      const json = {
        message: repeatX(20_000 - stage.run.length) + stage.run,
        email: `${repeatX(64)}@${'a.'.repeat(122)}example.org`,
        cliVersion: repeatX(32),
        platform: repeatX(32),
        arch: repeatX(32),
        deviceId: repeatX(128),
        command: repeatX(64),
      }
      await ask('POST', feedback, { as: (await person()).bearer, json }).is(200, { ok: true, id: madeId })
    },
  ),
  check('E2', 'a message without other fields is accepted', ['person'], async ({ ask, person, stage }) => {
    await ask('POST', feedback, { as: (await person()).bearer, json: { message: `Conformance ${stage.run}` } }).is(
      200,
      { ok: true, id: madeId },
    )
  }),
  check(
    'E2',
    'all issues are returned together, with paths and without the sent values',
    ['person'],
    async ({ ask, person }) => {
      const json = {
        message: '',
        email: 'no-address-of-mine',
        cliVersion: repeatX(33),
        platform: repeatX(33),
        arch: repeatX(33),
        deviceId: repeatX(129),
        command: repeatX(65),
      }
      const reply = await ask('POST', feedback, { as: (await person()).bearer, json })
      reply.is(400, {
        ...invalid,
        issues: matchIssues('message', 'email', 'cliVersion', 'platform', 'arch', 'deviceId', 'command'),
      })
      reply.must(
        !reply.text.includes('no-address-of-mine') && !reply.text.includes(repeatX(33)),
        'issues without the values that were sent',
      )
    },
  ),
  check('E2', 'a message has at most 20,000 characters', ['person'], async ({ ask, person }) => {
    const json = { message: repeatX(20_001) }
    await ask('POST', feedback, { as: (await person()).bearer, json }).is(400, {
      ...invalid,
      issues: matchIssues('message'),
    })
  }),
  check('E2', 'an invalid e-mail address returns 400', ['person'], async ({ ask, person }) => {
    const json = { message: 'm', email: 'a..b@c.org' }
    await ask('POST', feedback, { as: (await person()).bearer, json }).is(400, {
      ...invalid,
      issues: matchIssues('email'),
    })
  }),
]
