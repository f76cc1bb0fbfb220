import { check, type Check } from './check.ts'
import { jobShape } from './ingest.ts'
import { amount, boolean, listOf, madeId, makeMatcher, matchOrNull, text, time, wholeNumber } from './matchers.ts'
import { findItem, invalidBody, invalidQuery, notFound, string, unknownId } from './operator-replies.ts'
import { operatorCampaigns } from './operator-campaigns.ts'
import { operatorReports } from './operator-reports.ts'
import { policyShape } from './policy.ts'
import { signInOperator } from './people.ts'
import { waitForJob, send, makeTrace } from './stored-traces.ts'

/** Lists, each with parameters that filter the list and with invalid values. */
const lists: readonly (readonly [path: string, queries: readonly string[], wrong: readonly string[]])[] = [
  [
    '/api/admin/applications',
    ['status=pending', 'status=approved', 'status=rejected'],
    ['status=not_applied', 'cursor=x'],
  ],
  ['/api/admin/contributors', ['q=a', 'sort=email&order=asc'], ['cursor=x', 'q=', 'sort=x']],
  ['/api/admin/jobs', ['status=queued', 'status=done', 'status=failed'], ['status=over']],
  ['/api/admin/campaigns', ['status=paused', 'sort=name&order=asc'], ['cursor=x', 'status=over', 'sort=x']],
  ['/api/admin/feedback', ['handled=false', 'q=nothing&from=2026-01-01&to=2026-01-02'], ['cursor=x', 'handled=x']],
  ['/api/admin/sales', ['q=nothing', 'sort=usd&order=asc'], ['cursor=x', 'sort=x', 'order=up']],
  ['/api/admin/payouts', ['q=nothing', 'sort=usd'], ['cursor=x', 'sort=x']],
  ['/api/admin/balances', ['q=nothing'], ['cursor=x']],
  [
    '/api/admin/payout-requests',
    ['status=open', 'q=nothing&order=asc', 'from=2026-01-01&to=2026-01-02'],
    ['cursor=x', 'status=over', 'sort=x'],
  ],
  [
    '/api/admin/reports',
    ['status=open', 'status=spam', 'kind=api_endpoint', 'q=nothing&from=2026-01-01&to=2026-01-02'],
    ['status=closed', 'cursor=x', 'kind=x', 'from=x', 'q='],
  ],
  ['/api/admin/buyers', ['q=nothing', 'sort=name&order=asc'], ['cursor=x', 'sort=x', 'q=']],
  ['/api/admin/removals', ['status=acknowledged', 'q=nothing&order=desc'], ['cursor=x', 'status=over', 'sort=x']],
  ['/api/admin/outbox', ['channel=mail', 'q=nothing'], ['cursor=x', 'status=over']],
  ['/api/admin/audit', ['actor=operator', 'action=contributor.pause'], ['action=over', 'actor=', 'cursor=x']],
  ['/api/admin/waitlist', ['country=US', 'country=us'], ['country=USA', 'cursor=x']],
]

/** The checks of the operator's routes. */
export const admin: readonly Check[] = [
  check(
    'operator',
    "a user's token returns 401 for an operator's route",
    ['operator', 'person'],
    async ({ ask, person, operator }) => {
      const { bearer } = await person()
      await ask('GET', '/api/admin/contributors', { as: bearer }).is(401, { ok: false, error: 'unauthorized' })
      await ask('GET', '/api/cli/session', { as: operator() }).is(401, { ok: false, error: 'unauthorized' })
    },
  ),
  ...lists.map(([path, queries, wrong]) =>
    check('operator', `${path} returns a paginated list`, ['operator'], async ({ ask, operator }) => {
      const shape = {
        ok: true,
        items: listOf(makeMatcher('an item', (item) => typeof item === 'object')),
        nextCursor: matchOrNull(string),
      }
      for (const query of ['', '?limit=1', '?limit=200', ...queries.map((one) => `?${one}`)]) {
        const reply = await ask('GET', path + query, { as: operator() })
        reply.is(200, shape).must(query !== '?limit=1' || reply.json.items.length <= 1, 'one item at most')
      }
      for (const query of ['limit=0', 'limit=201', 'limit=x', ...wrong])
        await ask('GET', `${path}?${query}`, { as: operator() }).is(400, invalidQuery)
    }),
  ),
  check(
    'operator',
    'undelivered messages are sent again or deleted, and unknown ids change nothing',
    ['operator'],
    async ({ ask, operator }) => {
      const as = operator()
      for (const [path, count] of [
        ['resend', 'resent'],
        ['delete', 'deleted'],
      ] as const) {
        const url = `/api/admin/outbox/${path}`
        await ask('POST', url, { as, json: { status: 'dead', ids: [unknownId] } }).is(200, { ok: true, [count]: 0 })
        const json = { status: 'dead', until: '2020-01-01T00:00:00Z' }
        await ask('POST', url, { as, json }).is(200, { ok: true, [count]: 0 })
        await ask('POST', url, { as, json: { status: 'sent' } }).is(400, invalidBody)
        await ask('POST', url, { json: { status: 'dead' } }).is(401, { ok: false, error: 'unauthorized' })
      }
    },
  ),
  check(
    'operator',
    'an operator can remove a person from the waitlist once',
    ['operator', 'person'],
    async ({ ask, person, operator }) => {
      const { bearer, userId, email } = await person()
      await ask('POST', '/api/waitlist', { as: bearer, json: { email, country: 'FR' } }).is(200, { ok: true })
      const path = `/api/admin/waitlist/${userId}`
      await ask('DELETE', path).is(401, { ok: false, error: 'unauthorized' })
      await ask('DELETE', path, { as: operator() }).is(200, { ok: true })
      await ask('DELETE', path, { as: operator() }).is(404, notFound)
    },
  ),
  check(
    'operator',
    'the overview has an entry for each of the last 1 to 90 days, oldest first, and the waiting work',
    ['operator'],
    async ({ ask, operator }) => {
      const day = {
        day: makeMatcher('a date', (value) => /^\d{4}-\d\d-\d\d$/.test(String(value))),
        uploads: wholeNumber,
        tracesStored: wholeNumber,
        tracesRejected: wholeNumber,
        tokens: wholeNumber,
        redactions: makeMatcher('counts by category', (value) =>
          Object.values(value as object).every((count) => Number.isSafeInteger(count) && count > 0),
        ),
        wrongReplacements: makeMatcher('counts by rule', (value) =>
          Object.values(value as object).every((count) => Number.isSafeInteger(count) && count > 0),
        ),
        salesUsd: amount,
        impressions: wholeNumber,
        spendUsd: amount,
        reports: wholeNumber,
      }
      const names = ['applications', 'failedJobs', 'reports', 'outbox', 'payoutRequests', 'removals', 'feedback']
      const waiting = Object.fromEntries(names.map((name) => [name, wholeNumber]))
      for (const [query, count] of [
        ['', 30],
        ['?days=1', 1],
        ['?days=90', 90],
      ] as const) {
        const reply = await ask('GET', `/api/admin/overview${query}`, { as: operator() })
        reply.is(200, { ok: true, days: listOf(day), waiting })
        const days: string[] = reply.json.days.map((one: { day: string }) => one.day)
        reply.must(days.length === count && [...days].sort().join() === days.join(), `${count} days, oldest first`)
      }
      for (const query of ['days=0', 'days=91', 'days=x'])
        await ask('GET', `/api/admin/overview?${query}`, { as: operator() }).is(400, invalidQuery)
      await ask('GET', '/api/admin/overview').is(401, { ok: false, error: 'unauthorized' })
    },
  ),
  ...operatorCampaigns,
  check(
    'operator',
    "the operator's pause closes uploads, independently of the contributor's own pause",
    ['operator', 'mailbox'],
    async ({ ask, own, operator }) => {
      const { bearer, userId } = await own('operated')
      const shape = {
        userId,
        status: text,
        companyName: matchOrNull(text),
        email: matchOrNull(text),
        signedUpAt: time,
        termsVersion: matchOrNull(text),
        residencyConfirmed: boolean,
        contactCompleted: boolean,
        paused: boolean,
        operatorPaused: boolean,
      }
      const { termsVersion } = (await ask('GET', '/api/traces/upload-policy', { as: bearer }).is(200)).json
      await ask('POST', '/api/account/terms', { as: bearer, json: { termsVersion, residencyConfirmed: true } }).is(200)
      for (const paused of [true, false]) {
        await ask('POST', `/api/admin/contributors/${userId}`, { as: operator(), json: { paused } }).is(200, {
          ok: true,
          contributor: { ...shape, operatorPaused: paused },
        })
        const reply = await ask('GET', '/api/traces/upload-policy', { as: bearer }).is(200, policyShape)
        reply.must(
          (reply.json.reason === 'contributor_paused') === paused ||
            ['country_unknown', 'us_upload_required'].includes(reply.json.reason),
          `the reason ${paused ? '' : 'not '}contributor_paused`,
        )
        // A contributor's own pause does not lift the operator's pause.
        if (paused)
          await ask('PATCH', '/api/account', { as: bearer, json: { paused: false } }).is(200, {
            ok: true,
            paused: false,
            policy: { ...policyShape, eligible: false },
          })
      }
      const audit = await ask('GET', '/api/admin/audit?action=contributor.pause&limit=10', { as: operator() }).is(200)
      const [resumed, paused] = audit.json.items.filter(({ target }: { target: string }) => target === userId)
      const isRecorded = (
        one: { after?: { paused: boolean }; actor?: string; requestId?: string } | undefined,
        after: boolean,
      ): boolean => one?.after?.paused === after && typeof one.actor === 'string' && typeof one.requestId === 'string'
      audit.must(
        isRecorded(resumed, false) && isRecorded(paused, true),
        'two entries of the audit, newest first',
        JSON.stringify([resumed, paused]),
      )
      const {
        companyName,
        email,
        signedUpAt,
        status,
        termsVersion: terms,
        contactCompleted,
        residencyConfirmed,
      } = shape
      const summary = await ask('GET', `/api/admin/contributors/${userId}`, { as: operator() }).is(200, {
        ok: true,
        userId,
        email,
        companyName,
        signedUpAt,
        status,
        termsVersion: terms,
        residencyConfirmed,
        contactCompleted,
        paused: boolean,
        operatorPaused: false,
        application: makeMatcher('an application or null', (value) => typeof value === 'object'),
        contact: makeMatcher('a contact or null', (value) => typeof value === 'object'),
        acceptedTerms: listOf({ version: text, acceptedAt: time }),
        machines: listOf({
          id: madeId,
          kind: text,
          status: text,
          label: text,
          createdAt: time,
          lastUsedAt: matchOrNull(time),
        }),
        traces: {
          total: wholeNumber,
          forSale: wholeNumber,
          excluded: wholeNumber,
          sold: wholeNumber,
          tokens: wholeNumber,
        },
        copiedTraces: wholeNumber,
        copiedTokens: wholeNumber,
        jobs: listOf(makeMatcher('a job', (value) => typeof value === 'object')),
        earnings: { balanceUsd: amount, pendingUsd: amount, lifetimeUsd: amount },
        audit: listOf(makeMatcher('an entry', (value) => typeof value === 'object')),
      })
      summary.must(
        summary.json.audit.filter(({ target }: { target: string }) => target === userId).length >= 2,
        'the two pauses in the audit of the person',
      )
      await ask('GET', '/api/admin/contributors/nobody', { as: operator() }).is(404, notFound)
      await ask('GET', `/api/admin/contributors/${userId}`).is(401, { ok: false, error: 'unauthorized' })
      await ask('POST', '/api/admin/contributors/nobody', { as: operator(), json: { paused: true } }).is(404, notFound)
      await ask('POST', `/api/admin/contributors/${userId}`, { as: operator(), json: {} }).is(400, invalidBody)
    },
  ),
  check(
    'operator',
    'the waitlist is exported as CSV, and a country without open uploads is not notified',
    ['operator'],
    async (context) => {
      const { ask, operator } = context
      await ask('GET', '/admin/csv/waitlist').is(401)
      const file = await ask('GET', '/admin/csv/waitlist', { as: await signInOperator(context) }).is(200)
      file.has('content-type', 'text/csv; charset=utf-8')
      const as = await signInOperator(context)
      await ask('GET', '/admin/csv/nothing', { as }).is(404, notFound)
      await ask('GET', `/admin/csv/${'x'.repeat(65)}`, { as }).is(400, { ok: false, error: 'invalid_id' })
      const reply = await ask('GET', '/api/admin/waitlist/export?country=US', { as: operator() }).is(200)
      reply.must(reply.text.startsWith('email,country,joined_at,notified_at,user_id\r\n'), 'a header line')
      await ask('POST', '/api/admin/waitlist/notify', { as: operator(), json: { country: 'ZZ' } }).is(409, {
        ok: false,
        error: 'country_not_open',
      })
      await ask('POST', '/api/admin/waitlist/notify', { as: operator(), json: { country: 'USA' } }).is(400, invalidBody)
    },
  ),
  check('operator', 'a review of an unknown application returns 404', ['operator'], async ({ ask, operator }) => {
    await ask('POST', `/api/admin/applications/${unknownId}`, { as: operator(), json: { decision: 'approve' } }).is(
      404,
      notFound,
    )
  }),
  check(
    'operator',
    'a job is listed with its contributor, and a retry of a job that has not failed is refused',
    ['operator', 'contributor'],
    async (context) => {
      const { ask, contributor, operator, stage } = context
      const jobId = await send(stage, [makeTrace(stage, 'operated')])
      await waitForJob(stage, jobId)
      const { userId } = await contributor()
      const job = await findItem(context, '/api/admin/jobs', ({ id }) => id === jobId)
      const reply = await ask('POST', `/api/admin/jobs/${jobId}/retry`, { as: operator() }).is(409, {
        ok: false,
        error: 'not_failed',
      })
      reply.must(
        job?.userId === userId &&
          job.status === 'done' &&
          job.total === 1 &&
          (job.email === null || typeof job.email === 'string') &&
          Object.keys(jobShape).every((key) => key in job),
        'the job in the list, with its person and total',
      )
      await ask('POST', `/api/admin/jobs/${unknownId}/retry`, { as: operator() }).is(404, notFound)
    },
  ),
  check(
    'operator',
    'feedback is returned to the operator as it was written',
    ['operator', 'person'],
    async (context) => {
      const { ask, person, stage } = context
      const { bearer, userId } = await person()
      const { json } = await ask('POST', '/api/cli/feedback', {
        as: bearer,
        json: { message: `Read this ${stage.run}`, platform: 'linux' },
      }).is(200)
      const item = await findItem(context, '/api/admin/feedback', ({ id }) => id === json.id)
      const wanted = {
        id: json.id,
        userId,
        message: `Read this ${stage.run}`,
        email: null,
        cliVersion: null,
        platform: 'linux',
        arch: null,
        deviceId: null,
        command: null,
      }
      const reply = await ask('GET', '/api/admin/feedback?limit=1', { as: context.operator() }).is(200)
      reply.must(
        Object.entries(wanted).every(([key, value]) => item?.[key] === value),
        `the item ${JSON.stringify(wanted)}`,
        JSON.stringify(item),
      )
      const as = context.operator()
      for (const handled of [true, false]) {
        const changed = await ask('PATCH', `/api/admin/feedback/${json.id}`, { as, json: { handled } }).is(200)
        changed.must(
          (changed.json.feedback.handledAt !== null) === handled,
          'handledAt only while it is handled',
          changed.text,
        )
      }
      await ask('PATCH', `/api/admin/feedback/${unknownId}`, { as, json: { handled: true } }).is(404, notFound)
    },
  ),
  check(
    'operator',
    'an operator signs a contributor out of every browser and device',
    ['operator', 'mailbox'],
    async ({ ask, own, operator }) => {
      const { bearer, userId } = await own('signed-out')
      const path = `/api/admin/contributors/${userId}/sign-out`
      const reply = await ask('POST', path, { as: operator() }).is(200)
      reply.must(reply.json.ended >= 1, 'the number of sessions and devices that ended', reply.text)
      await ask('GET', '/api/cli/session', { as: bearer }).is(401)
      await ask('POST', path, { as: operator() }).is(200, { ok: true, ended: 0 })
      await ask('POST', `/api/admin/contributors/${'x'.repeat(200)}/sign-out`, { as: operator() }).is(400)
    },
  ),
  ...operatorReports,
]
