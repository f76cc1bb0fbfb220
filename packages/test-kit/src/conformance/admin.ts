import { makeCampaign } from './campaign.ts'
import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import {
  amount,
  boolean,
  matchIssues,
  listOf,
  madeId,
  matchOrNull,
  text,
  makeMatcher,
  time,
  wholeNumber,
} from './matchers.ts'
import { jobShape } from './ingest.ts'
import { policyShape } from './policy.ts'
import { waitForJob, send, makeTrace } from './stored-traces.ts'

const strange = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const lost = { ok: false, error: 'not_found' }
const invalid = { ok: false, error: 'invalid_body' }
const string = makeMatcher('a string', (value) => typeof value === 'string')
const badQuery = { ok: false, error: 'invalid_query' }

/** Lists, with what can narrow them and a value that cannot. */
const lists: readonly (readonly [path: string, queries: readonly string[], wrong: readonly string[]])[] = [
  [
    '/api/admin/applications',
    ['status=pending', 'status=approved', 'status=rejected'],
    ['status=not_applied', 'cursor=x'],
  ],
  ['/api/admin/contributors', ['q=a', 'q=nobody%20at%20all'], ['cursor=x', 'q=']],
  ['/api/admin/jobs', ['status=queued', 'status=done', 'status=failed'], ['status=over']],
  ['/api/admin/campaigns', [], ['cursor=x']],
  ['/api/admin/feedback', [], ['cursor=x']],
  [
    '/api/admin/reports',
    ['status=open', 'status=spam', 'kind=api_endpoint', 'q=nothing&from=2026-01-01&to=2026-01-02'],
    ['status=closed', 'cursor=x', 'kind=x', 'from=x', 'q='],
  ],
  ['/api/admin/outbox', [], ['cursor=x', 'status=over']],
  ['/api/admin/audit', ['actor=operator', 'action=contributor.pause'], ['action=over', 'actor=', 'cursor=x']],
  ['/api/admin/waitlist', ['country=US', 'country=us'], ['country=USA', 'cursor=x']],
]

/** The first item of a list that fits, over a few pages. */
// oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that a check expects
async function findItem({ ask, operator }: Context, path: string, fits: (item: any) => boolean): Promise<any> {
  let cursor = ''
  for (let page = 0; page < 5; page++) {
    const { json } = await ask('GET', `${path}?limit=200${cursor}`, { as: operator() }).is(200, {
      ok: true,
      items: listOf(makeMatcher('an item', (item) => typeof item === 'object')),
      nextCursor: matchOrNull(string),
    })
    const item = json.items.find(fits)
    if (item || json.nextCursor === null) return item ?? null
    cursor = `&cursor=${encodeURIComponent(json.nextCursor)}`
  }
  return null
}

/** The operator's routes. */
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
        await ask('GET', `${path}?${query}`, { as: operator() }).is(400, badQuery)
    }),
  ),
  check(
    'operator',
    'what was not delivered is sent again or deleted, and what is not there changes nothing',
    ['operator'],
    async ({ ask, operator }) => {
      const as = operator()
      for (const [path, count] of [
        ['resend', 'resent'],
        ['delete', 'deleted'],
      ] as const) {
        const url = `/api/admin/outbox/${path}`
        await ask('POST', url, { as, json: { status: 'dead', ids: [strange] } }).is(200, { ok: true, [count]: 0 })
        const json = { status: 'dead', until: '2020-01-01T00:00:00Z' }
        await ask('POST', url, { as, json }).is(200, { ok: true, [count]: 0 })
        await ask('POST', url, { as, json: { status: 'sent' } }).is(400, invalid)
        await ask('POST', url, { json: { status: 'dead' } }).is(401, { ok: false, error: 'unauthorized' })
      }
    },
  ),
  check(
    'operator',
    'an operator removes a person from the waitlist, once',
    ['operator', 'person'],
    async ({ ask, person, operator }) => {
      const { bearer, userId, email } = await person()
      await ask('POST', '/api/waitlist', { as: bearer, json: { email, country: 'FR' } }).is(200, { ok: true })
      const path = `/api/admin/waitlist/${userId}`
      await ask('DELETE', path).is(401, { ok: false, error: 'unauthorized' })
      await ask('DELETE', path, { as: operator() }).is(200, { ok: true })
      await ask('DELETE', path, { as: operator() }).is(404, lost)
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
        salesUsd: amount,
        impressions: wholeNumber,
        spendUsd: amount,
        reports: wholeNumber,
      }
      const waiting = { applications: wholeNumber, failedJobs: wholeNumber, reports: wholeNumber, outbox: wholeNumber }
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
        await ask('GET', `/api/admin/overview?${query}`, { as: operator() }).is(400, badQuery)
      await ask('GET', '/api/admin/overview').is(401, { ok: false, error: 'unauthorized' })
    },
  ),
  check(
    'operator',
    'a created campaign has the submitted details, and can be paused',
    ['operator'],
    async ({ ask, operator, stage }) => {
      const padText = (text: string, length: number): string => text.padEnd(length, '.')
      const draft = {
        ...makeCampaign(stage.run, 'quiet'),
        name: padText(`Conformance ${stage.run}`, 128),
        brandName: padText('Conformance', 64),
        title: padText('A', 100),
        text: padText('B', 200),
        startsAt: '2099-01-01T00:00:00+01:00',
        endsAt: '2099-02-01T00:00:00Z',
        dailyCap: 3,
        favicon: 'https://conformance.example/f.ico',
        budgetUsd: 0.01,
      }
      stage.leftovers.add('paused campaigns named "Conformance", and what was counted of one')
      const { json } = await ask('POST', '/api/admin/campaigns', { as: operator(), json: draft }).is(201, {
        ok: true,
        campaign: {
          ...draft,
          id: madeId,
          status: 'scheduled',
          startsAt: '2098-12-31T23:00:00.000Z',
          endsAt: '2099-02-01T00:00:00.000Z',
          createdAt: time,
          spentUsd: 0,
          impressions: 0,
          clicks: 0,
        },
      })
      for (const [status, shown] of [
        ['paused', 'paused'],
        ['active', 'scheduled'],
        ['paused', 'paused'],
      ]) {
        await ask('PATCH', `/api/admin/campaigns/${json.campaign.id}`, { as: operator(), json: { status } }).is(200, {
          ok: true,
          campaign: { ...json.campaign, status: shown },
        })
      }
      await ask('PATCH', `/api/admin/campaigns/${json.campaign.id}`, { as: operator(), json: { status: 'over' } }).is(
        400,
        invalid,
      )
      await ask('PATCH', `/api/admin/campaigns/${strange}`, { as: operator(), json: { status: 'paused' } }).is(
        404,
        lost,
      )
    },
  ),
  check(
    'operator',
    'a campaign is replaced as a whole, and returned with its counts by day',
    ['operator'],
    async ({ ask, operator, stage }) => {
      const draft = { ...makeCampaign(stage.run, 'edited'), startsAt: '2099-01-01T00:00:00Z' }
      const { json } = await ask('POST', '/api/admin/campaigns', { as: operator(), json: draft }).is(201)
      const path = `/api/admin/campaigns/${json.campaign.id}`
      stage.addCleanup(() => stage.ask('PATCH', path, { as: operator(), json: { status: 'paused' } }).is(200))
      const changes = { text: `Conformance ${stage.run} anew`, startsAt: '2099-02-01T00:00:00.000Z', dailyCap: 3 }
      const changed = { ok: true, campaign: { ...json.campaign, ...changes } }
      await ask('PUT', path, { as: operator(), json: { ...draft, ...changes } }).is(200, changed)
      await ask('GET', path, { as: operator() }).is(200, { ...changed, days: [] })
      await ask('PUT', path, { as: operator(), json: { ...draft, url: 'http://conformance.example' } }).is(400, {
        ...invalid,
        issues: matchIssues('url'),
      })
      const lostPath = `/api/admin/campaigns/${strange}`
      await ask('GET', lostPath, { as: operator() }).is(404, lost)
      await ask('PUT', lostPath, { as: operator(), json: draft }).is(404, lost)
    },
  ),
  check(
    'operator',
    'a campaign is returned as active, exhausted or ended, and only active and paused can be set',
    ['operator'],
    async ({ ask, operator, stage }) => {
      const cases = [
        [{}, 'active'],
        [{ budgetUsd: 0 }, 'exhausted'],
        [{ endsAt: '2026-01-01T00:00:00Z' }, 'ended'],
        [{ startsAt: '2099-01-01T00:00:00Z' }, 'scheduled'],
      ] as const
      for (const [changes, status] of cases) {
        const { json } = await ask('POST', '/api/admin/campaigns', {
          as: operator(),
          json: { ...makeCampaign(stage.run, status), topics: ['hosting'], ...changes },
        }).is(201)
        const path = `/api/admin/campaigns/${json.campaign.id}`
        stage.addCleanup(() => stage.ask('PATCH', path, { as: operator(), json: { status: 'paused' } }).is(200))
        const reply = await ask('GET', '/api/admin/campaigns?limit=20', { as: operator() }).is(200)
        const shown = reply.json.items.find(({ id }: { id: string }) => id === json.campaign.id)?.status
        reply.must(
          json.campaign.status === status && shown === status,
          `${status}, as POST and as GET answer`,
          `${json.campaign.status} and ${shown}`,
        )
        for (const wrong of ['scheduled', 'exhausted', 'ended'])
          await ask('PATCH', path, { as: operator(), json: { status: wrong } }).is(400, invalid)
      }
    },
  ),
  check('ads', 'the text of a campaign is sanitized for terminals', ['operator'], async ({ ask, operator, stage }) => {
    const draft = {
      ...makeCampaign(stage.run, 'loud'),
      brandName: 'A\u001b[31mB\u202eC\u200b',
      text: 'one\ntwo\u0007',
      startsAt: '2099-01-01T00:00:00Z',
    }
    const reply = await ask('POST', '/api/admin/campaigns', { as: operator(), json: draft }).is(201)
    const { id, brandName, text: words } = reply.json.campaign
    reply.must(
      /^[\x20-\x7e]+$/.test(brandName + words),
      'a brand and a text without controls',
      JSON.stringify([brandName, words]),
    )
    await ask('PATCH', `/api/admin/campaigns/${id}`, { as: operator(), json: { status: 'paused' } }).is(200)
  }),
  check(
    'operator',
    'an invalid campaign returns an issue for each invalid field',
    ['operator'],
    async ({ ask, operator, stage }) => {
      const wrong: [object, string][] = [
        [{ name: '' }, 'name'],
        [{ brandName: 'x'.repeat(65) }, 'brandName'],
        [{ title: 'x'.repeat(101) }, 'title'],
        [{ text: 'x'.repeat(201) }, 'text'],
        [{ text: '\u001b' }, 'text'],
        [{ url: 'http://conformance.example' }, 'url'],
        [{ favicon: 'javascript:1' }, 'favicon'],
        [{ topics: ['cars'] }, 'topics.0'],
        [{ cpmUsd: -1 }, 'cpmUsd'],
        [{ budgetUsd: '1' }, 'budgetUsd'],
        [{ dailyCap: 0.5 }, 'dailyCap'],
        [{ startsAt: 'soon' }, 'startsAt'],
        [{ startsAt: '2099-01-02T00:00:00Z', endsAt: '2099-01-01T00:00:00Z' }, 'endsAt'],
      ]
      for (const [change, place] of wrong)
        await ask('POST', '/api/admin/campaigns', {
          as: operator(),
          json: { ...makeCampaign(stage.run), ...change },
        }).is(400, { ...invalid, issues: matchIssues(place) })
    },
  ),
  check(
    'operator',
    "the operator's pause closes uploads, independently of the contributor's own",
    ['operator', 'mailbox'],
    async ({ ask, own, operator }) => {
      const { bearer, userId } = await own('operated')
      const shape = {
        userId,
        status: text,
        companyName: matchOrNull(text),
        email: matchOrNull(text),
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
        // The person's own word changes nothing in it.
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
      const { companyName, email, status, termsVersion: terms, contactCompleted, residencyConfirmed } = shape
      const summary = await ask('GET', `/api/admin/contributors/${userId}`, { as: operator() }).is(200, {
        ok: true,
        userId,
        email,
        companyName,
        status,
        termsVersion: terms,
        residencyConfirmed,
        contactCompleted,
        paused: boolean,
        operatorPaused: false,
        application: makeMatcher('an application or null', (value) => typeof value === 'object'),
        machines: listOf({
          id: madeId,
          kind: text,
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
        jobs: listOf(makeMatcher('a job', (value) => typeof value === 'object')),
        earnings: { balanceUsd: amount, pendingUsd: amount, lifetimeUsd: amount },
        audit: listOf(makeMatcher('an entry', (value) => typeof value === 'object')),
      })
      summary.must(
        summary.json.audit.filter(({ target }: { target: string }) => target === userId).length >= 2,
        'the two pauses in the audit of the person',
      )
      await ask('GET', '/api/admin/contributors/nobody', { as: operator() }).is(404, lost)
      await ask('GET', `/api/admin/contributors/${userId}`).is(401, { ok: false, error: 'unauthorized' })
      await ask('POST', '/api/admin/contributors/nobody', { as: operator(), json: { paused: true } }).is(404, lost)
      await ask('POST', `/api/admin/contributors/${userId}`, { as: operator(), json: {} }).is(400, invalid)
    },
  ),
  check(
    'operator',
    'the waitlist is exported as CSV, and a country without open uploads is not notified',
    ['operator'],
    async ({ ask, operator }) => {
      const reply = await ask('GET', '/api/admin/waitlist/export?country=US', { as: operator() }).is(200)
      reply.must(reply.text.startsWith('email,country,joined_at,notified_at,user_id\r\n'), 'a header line')
      await ask('POST', '/api/admin/waitlist/notify', { as: operator(), json: { country: 'ZZ' } }).is(409, {
        ok: false,
        error: 'country_not_open',
      })
      await ask('POST', '/api/admin/waitlist/notify', { as: operator(), json: { country: 'USA' } }).is(400, invalid)
    },
  ),
  check('operator', 'a review of an unknown application returns 404', ['operator'], async ({ ask, operator }) => {
    await ask('POST', `/api/admin/applications/${strange}`, { as: operator(), json: { decision: 'approve' } }).is(
      404,
      lost,
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
      await ask('POST', `/api/admin/jobs/${strange}/retry`, { as: operator() }).is(404, lost)
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
    },
  ),
  check('operator', 'a report with the meaning of a closed one is new', ['operator'], async (context) => {
    const { ask, operator, stage } = context
    const json = {
      reporter: { agent_vendor: 'tributary', agent_product: 'conformance' },
      subject: { surface: 'GET /api/nothing' },
      content: { title: `Conformance ${stage.run}: triage`, summary: 'Bearer jane.doe@corp-mail.com\u202e' },
    }
    const { receipt } = (await ask('POST', '/api/v1/feedback', { json }).is(201)).json
    const item = await findItem(context, '/api/admin/reports', ({ id }) => id === receipt.feedback_id)
    const set = (status: string) =>
      ask('PATCH', `/api/admin/reports/${receipt.feedback_id}`, { as: operator(), json: { status } })
    for (const status of ['investigating', 'accepted']) {
      ;(await set(status).is(200)).must(
        item?.status === 'open' &&
          !JSON.stringify(item).includes('jane.doe') &&
          !JSON.stringify(item).includes('\u202e'),
        'an open report without the address and the hidden character',
        JSON.stringify(item),
      )
      await ask('POST', '/api/v1/feedback', { json }).is(202)
    }
    const closed = await set('dismissed').is(200)
    closed.must(
      closed.json.report.status === 'dismissed' && closed.json.report.duplicates === 2,
      'dismissed, with 2 duplicates',
      JSON.stringify(closed.json.report),
    )
    const again = await ask('POST', '/api/v1/feedback', { json }).is(201)
    await ask('PATCH', `/api/admin/reports/${again.json.receipt.feedback_id}`, {
      as: operator(),
      json: { status: 'dismissed' },
    }).is(200)
    ;(await set('closed')).is(400, { ...invalid, issues: matchIssues('status') })
    await ask('PATCH', `/api/admin/reports/${strange}`, { as: operator(), json: { status: 'spam' } }).is(404, lost)
  }),
  check(
    'operator',
    'reports can be searched, counted, merged and separated',
    ['operator'],
    async ({ ask, operator, stage }) => {
      stage.leftovers.add('agent reports named "Conformance", which are dismissed')
      const as = operator()
      const send = async (title: string): Promise<string> => {
        const json = {
          reporter: { agent_vendor: 'tributary', agent_product: 'conformance' },
          subject: { surface: 'GET /api/nothing', kind: 'api_endpoint' },
          content: { title: `Conformance ${stage.run}: ${title}` },
        }
        const { receipt } = (await ask('POST', '/api/v1/feedback', { json }).is(201)).json
        const path = `/api/admin/reports/${receipt.feedback_id}`
        stage.addCleanup(() => stage.ask('PATCH', path, { as, json: { status: 'dismissed' } }))
        return receipt.feedback_id as string
      }
      const [kept, merged] = [await send('to keep'), await send('to merge')]
      const query = `q=${encodeURIComponent(`${stage.run} conformance`)}`
      const counts = await ask('GET', `/api/admin/reports/stats?${query}`, { as }).is(200)
      counts.must(counts.json.reports >= 2 && counts.json.statuses.open >= 2, 'two open reports at least')
      await ask('GET', '/api/admin/reports/stats?kind=x', { as }).is(400, badQuery)
      const changeReport = (id: string, action: string, json?: object) =>
        ask('POST', `/api/admin/reports/${id}/${action}`, { as, ...(json ? { json } : {}) })
      await changeReport(merged, 'merge', { into: kept }).is(200)
      const shown = await ask('GET', `/api/admin/reports/${kept}`, { as }).is(200)
      shown.must(
        shown.json.report.duplicates === 1 && shown.json.duplicates[0].id === merged,
        'the kept report with its duplicate',
        JSON.stringify(shown.json.report),
      )
      await changeReport(merged, 'merge', { into: kept }).is(200)
      await changeReport(kept, 'merge', { into: merged }).is(409, { ok: false, error: 'same_report' })
      await changeReport(merged, 'merge', { into: await send('a third') }).is(409, {
        ok: false,
        error: 'already_merged',
      })
      await changeReport(merged, 'merge', { into: 'x' }).is(400, { ...invalid, issues: matchIssues('into') })
      await changeReport(strange, 'merge', { into: kept }).is(404, lost)
      await changeReport(merged, 'separate').is(200)
      await changeReport(merged, 'separate').is(409, { ok: false, error: 'not_duplicate' })
      await changeReport(strange, 'separate').is(404, lost)
      await ask('GET', `/api/admin/reports/${strange}`, { as }).is(404, lost)
    },
  ),
  check('operator', 'amounts and counts of campaigns are numbers', ['operator'], async ({ ask, operator }) => {
    const { json } = await ask('GET', '/api/admin/campaigns?limit=200', { as: operator() }).is(200)
    const reply = await ask('GET', '/api/admin/campaigns?limit=1', { as: operator() })
    reply.must(
      json.items.every(
        (one: Record<string, unknown>) =>
          amount(one['spentUsd']) &&
          amount(one['budgetUsd']) &&
          wholeNumber(one['impressions']) &&
          wholeNumber(one['clicks']),
      ),
      'numbers from 0',
    )
  }),
]
