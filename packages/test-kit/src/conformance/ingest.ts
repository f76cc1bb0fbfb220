import { check, type Check } from './check.ts'
import { amount, matchIssues, matchLink, madeId, matchOrNull, makeMatcher, time, wholeNumber } from './matchers.ts'
import { acceptTerms, application, approveContributor } from './people.ts'
import { policyShape, requireUnknownCountry } from './policy.ts'
import { waitForJob, send, makeTrace } from './stored-traces.ts'

const ingest = '/api/ingest'
const invalid = { ok: false, error: 'invalid_body' }
const statuses = makeMatcher('a status of a job', (value) =>
  ['queued', 'parsing', 'ingesting', 'done', 'failed'].includes(value as string),
)
/** A job as `GET /api/ingest/jobs/:jobId` shows it. */
export const jobShape = {
  id: madeId,
  source: makeMatcher('a source', (value) => typeof value === 'string'),
  status: statuses,
  traceCount: wholeNumber,
  rejectedCount: wholeNumber,
  estimatedUsd: matchOrNull(amount),
  errorMessage: matchOrNull(makeMatcher('a message', (value) => typeof value === 'string')),
  enqueuedAt: time,
  startedAt: matchOrNull(time),
  finishedAt: matchOrNull(time),
}
const repeatX = (length: number): string => 'x'.repeat(length)
const message = { content: 'm' }

/** An invalid field of a trace, and the path of its issues. */
const faults: readonly (readonly [what: string, change: object, ...places: string[]])[] = [
  ['no sourceId', { sourceId: undefined }, 'sourceId'],
  ['an empty sourceId', { sourceId: '' }, 'sourceId'],
  ['a sourceId of 257', { sourceId: repeatX(257) }, 'sourceId'],
  ['no createdAt', { createdAt: undefined }, 'createdAt'],
  ['a createdAt without an offset', { createdAt: '2026-11-01T00:00:00' }, 'createdAt'],
  ['a createdAt that is not a time', { createdAt: 'yesterday' }, 'createdAt'],
  ['no messages', { messages: undefined }, 'messages'],
  ['an empty list of messages', { messages: [] }, 'messages'],
  ['a message without content', { messages: [{}] }, 'messages.0.content'],
  ['a role that nobody has', { messages: [{ ...message, role: 'robot' }] }, 'messages.0.role'],
  [
    'two messages of one position',
    {
      messages: [
        { ...message, position: 1 },
        { ...message, position: 1 },
      ],
    },
    'messages.1.position',
  ],
  ['a position below zero', { messages: [{ ...message, position: -1 }] }, 'messages.0.position'],
  ["a message's createdAt that is not a time", { messages: [{ ...message, createdAt: '1' }] }, 'messages.0.createdAt'],
  ['truncated that is not a boolean', { messages: [{ ...message, truncated: 'no' }] }, 'messages.0.truncated'],
  ['a source that is none', { source: 'somewhere' }, 'source'],
  ['a model of 129', { model: repeatX(129) }, 'model'],
  ['a parentTraceId of 257', { parentTraceId: repeatX(257) }, 'parentTraceId'],
  ['a segmentIndex below zero', { segmentIndex: -1 }, 'segmentIndex'],
  ['a segmentIndex that is not an integer', { segmentIndex: 0.5 }, 'segmentIndex'],
]

/** The checks of `POST /api/ingest` and `GET /api/ingest/jobs/:jobId`. */
export const ingestion: readonly Check[] = [
  check(
    'ingest',
    'the upload of a completed job is already deleted, and a job of another user returns 404',
    ['contributor', 'mailbox'],
    async ({ ask, contributor, own, stage }) => {
      const jobId = await send(stage, [makeTrace(stage, 'upload')])
      await waitForJob(stage, jobId)
      const path = `/api/ingest/jobs/${jobId}/upload`
      await ask('DELETE', path, { as: (await own('stranger')).bearer }).is(404, { ok: false, error: 'not_found' })
      await ask('DELETE', path, { as: (await contributor()).bearer }).is(204)
    },
  ),
  check(
    'E5',
    'a user without accepted terms gets 403 with the URL to accept them, before the body is read',
    ['mailbox'],
    async ({ ask, own }) => {
      const { bearer, cookie } = await own('gate')
      const refusal = { ok: false, error: 'terms_required', acceptUrl: matchLink('/terms') }
      for (const as of [bearer, cookie]) await ask('POST', ingest, { as, json: { traces: [] } }).is(403, refusal)
      await ask('POST', ingest, { as: bearer, body: '{"traces":' }).is(403, refusal)
      await ask('POST', '/api/ingest/uploads', { as: bearer, json: { bytes: 1 } }).is(403, refusal)
      await ask('POST', ingest, { as: bearer, body: '{}', type: 'text/plain' }).is(415, {
        ok: false,
        error: 'unsupported_content_type',
      })
    },
  ),
  check(
    'E5',
    'a user without approval gets 403 with the URL to apply and the status of the application',
    ['mailbox'],
    async ({ ask, own, stage, skip }) => {
      const person = await own('gate')
      await acceptTerms(stage, person)
      const makeRefusal = (status: string) => ({
        ok: false,
        error: 'contributor_approval_required',
        status,
        applyUrl: matchLink('/apply'),
      })
      await ask('POST', ingest, { as: person.bearer, body: 'no json' }).is(403, makeRefusal('not_applied'))
      await ask('POST', '/api/ingest/uploads', { as: person.bearer, json: { bytes: 1 } }).is(
        403,
        makeRefusal('not_applied'),
      )
      const { json } = await ask('POST', '/api/account/application', {
        as: person.bearer,
        json: { ...application, email: person.email },
      }).is(200)
      if (json.status === 'approved') skip('this service approves by itself: the rest of the check was made')
      await ask('POST', ingest, { as: person.bearer, json: { traces: [] } }).is(403, makeRefusal('pending'))
    },
  ),
  check(
    'E5',
    'an unknown country gets 403 with the whole policy, and another country gets 403 without the policy',
    ['contributor', 'country-header'],
    async (context) => {
      const { ask, contributor, target } = context
      const { bearer } = await contributor()
      await requireUnknownCountry(context, bearer)
      for (const path of [ingest, '/api/ingest/uploads']) {
        const askFrom = (country: string) =>
          ask('POST', path, {
            as: bearer,
            body: 'no json',
            headers: { [target.countryHeader!.toLowerCase()]: country },
          })
        await askFrom('').is(403, {
          ok: false,
          error: 'country_unknown',
          policy: { ...policyShape, eligible: false, reason: 'country_unknown', country: null },
        })
        await askFrom('NZ').is(403, {
          ok: false,
          error: 'us_upload_required',
        })
      }
    },
  ),
  check(
    'E5',
    'an approved contributor without residency, or paused, gets 403 with only the error, also for an upload',
    ['contributor', 'mailbox'],
    async ({ ask, own, stage, contributor }) => {
      // The check uses a separate person, because the contributor of the run uploads at the same time. It first checks
      // that the service lets anybody upload.
      await contributor()
      const person = await own('paused')
      const { termsVersion } = (await ask('GET', '/api/traces/upload-policy', { as: person.bearer }).is(200)).json
      const confirmTerms = (residencyConfirmed: boolean) =>
        ask('POST', '/api/account/terms', { as: person.bearer, json: { termsVersion, residencyConfirmed } }).is(200)
      await confirmTerms(false)
      await approveContributor(stage, person)
      const expectRefused = async (error: string): Promise<void> => {
        const refusal = { ok: false, error }
        await ask('POST', ingest, { as: person.bearer, body: 'no json' }).is(403, refusal)
        await ask('POST', '/api/ingest/uploads', { as: person.bearer, json: { bytes: 1 } }).is(403, refusal)
      }
      await expectRefused('residency_required')
      await confirmTerms(true)
      await ask('PATCH', '/api/account', { as: person.bearer, json: { paused: true } }).is(200)
      await expectRefused('contributor_paused')
      await ask('PATCH', '/api/account', { as: person.bearer, json: { paused: false } }).is(200)
      await ask('POST', '/api/ingest/uploads', { as: person.bearer, json: { bytes: 1 } }).is(200)
    },
  ),
  check(
    'E5',
    'a batch returns 202 with a job, which can be read by its id until it is done',
    ['contributor'],
    async ({ ask, contributor, stage }) => {
      const { bearer } = await contributor()
      const { json } = await ask('POST', ingest, {
        as: bearer,
        json: { traces: [makeTrace(stage, 'one'), makeTrace(stage, 'two')] },
      }).is(202, { ok: true, jobId: madeId, status: 'queued' })
      await ask('GET', `/api/ingest/jobs/${json.jobId}`, { as: bearer }).is(200, {
        ok: true,
        job: { ...jobShape, id: json.jobId },
      })
      await waitForJob(stage, json.jobId)
      const list = await ask('GET', '/api/ingest/jobs?limit=200', { as: bearer }).is(200)
      list.must(
        list.json.items.some((job: { readonly id: string }) => job.id === json.jobId),
        'the job in the list of jobs',
      )
      const reply = await ask('GET', `/api/ingest/jobs/${json.jobId.toUpperCase()}`, { as: bearer })
      const { job } = reply.is(200, {
        ok: true,
        job: {
          ...jobShape,
          id: json.jobId,
          source: 'claude_code_jsonl',
          status: 'done',
          traceCount: 2,
          rejectedCount: 0,
          estimatedUsd: amount,
          errorMessage: null,
          startedAt: time,
          finishedAt: time,
        },
      }).json
      // The server that accepts a batch and the worker that processes it may have different clocks.
      const sortByIds =
        Date.parse(job.enqueuedAt) <= Date.parse(job.startedAt) + 5_000 && job.startedAt <= job.finishedAt
      reply.must(sortByIds, 'enqueuedAt, startedAt and finishedAt in this order')
      reply.must(
        job.estimatedUsd > 0 && Math.abs(job.estimatedUsd * 1e6 - Math.round(job.estimatedUsd * 1e6)) < 1e-3,
        'an estimate of six decimals above zero',
      )
    },
  ),
  check(
    'E5',
    'a batch is accepted with a cookie from a page of the service, compressed or not',
    ['contributor', 'mailbox'],
    async ({ ask, own, stage, target, skip }) => {
      if (target.token !== undefined) skip('the given person has no cookie')
      await send(stage, [makeTrace(stage, 'by-cookie')], { as: (await own('main')).cookie })
      await send(stage, [makeTrace(stage, 'packed')], { gzip: true })
      await ask('POST', ingest, { as: (await own('main')).cookie, body: '{}' }).is(400, {
        ...invalid,
        issues: matchIssues('traces'),
      })
    },
  ),
  check('E5', 'an empty batch returns a job that is done', ['contributor'], async ({ ask, contributor, stage }) => {
    const { bearer } = await contributor()
    const { json } = await ask('POST', ingest, { as: bearer, json: { traces: [] } }).is(202)
    const job = await waitForJob(stage, json.jobId)
    await ask('GET', `/api/ingest/jobs/${json.jobId}`, { as: bearer }).is(200, {
      ok: true,
      job: {
        ...jobShape,
        id: json.jobId,
        status: 'done',
        traceCount: 0,
        rejectedCount: 0,
        enqueuedAt: job.enqueuedAt,
      },
    })
  }),
  ...faults.map(([what, change, ...places]) =>
    check(
      'E5',
      `${what} returns an issue with its path, and no trace of the batch is stored`,
      ['contributor'],
      async ({ ask, contributor, stage }) => {
        const traces = [makeTrace(stage, 'right'), { ...makeTrace(stage, 'wrong'), ...change }]
        await ask('POST', ingest, { as: (await contributor()).bearer, json: { traces } }).is(400, {
          ...invalid,
          issues: matchIssues(...places.map((place) => `traces.1.${place}`)),
        })
      },
    ),
  ),
  check(
    'E5',
    'all issues of a batch are returned together, at most a hundred, without the sent values',
    ['contributor'],
    async ({ ask, contributor, stage }) => {
      const { bearer } = await contributor()
      const wrong = {
        ...makeTrace(stage, 'w'),
        sourceId: repeatX(300),
        model: repeatX(300),
        messages: [{ content: 7 }],
      }
      const reply = await ask('POST', ingest, { as: bearer, json: { traces: Array.from({ length: 60 }, () => wrong) } })
      reply.is(400, {
        ...invalid,
        issues: matchIssues('traces.0.sourceId', 'traces.0.model', 'traces.0.messages.0.content', 'traces.20.sourceId'),
      })
      reply
        .must(reply.json.issues.length === 100, '100 issues', `there are ${reply.json.issues.length}`)
        .must(!reply.text.includes(repeatX(300)), 'no value that was sent')
    },
  ),
  check('E5', 'a batch has at most 1,000 traces', ['contributor'], async ({ ask, contributor }) => {
    const { bearer } = await contributor()
    const right = { sourceId: 's', createdAt: '2026-11-01T00:00:00Z', messages: [message] }
    const traces = Array.from({ length: 1001 }, () => right)
    // The last of a thousand traces is invalid, so no trace is stored. The error shows that a thousand traces are
    // allowed.
    await ask('POST', ingest, { as: bearer, json: { traces: [...traces.slice(2), { ...right, sourceId: '' }] } }).is(
      400,
      {
        ...invalid,
        issues: [
          {
            path: ['traces', 999, 'sourceId'],
            code: 'too_small',
            message: makeMatcher('a message', (value) => typeof value === 'string'),
          },
        ],
      },
    )
    await ask('POST', ingest, { as: bearer, json: { traces } }).is(400, {
      ...invalid,
      issues: [
        { path: ['traces'], code: 'too_big', message: makeMatcher('a message', (value) => typeof value === 'string') },
      ],
    })
  }),
  check('E5', 'a body with neither traces nor an upload returns 400', ['contributor'], async ({ ask, contributor }) => {
    const { bearer } = await contributor()
    for (const [body, place] of [
      ['{}', 'traces'],
      ['{"traces":null}', 'traces'],
      ['{"uploadId":"no"}', 'uploadId'],
      ['[]', ''],
    ] as const)
      await ask('POST', ingest, { as: bearer, body }).is(400, {
        ...invalid,
        issues: place === '' ? matchIssues() : matchIssues(place),
      })
  }),
  check(
    'E6',
    'a job of another user, and an unknown job, return 404',
    ['contributor', 'mailbox'],
    async ({ ask, contributor, own, stage }) => {
      const { bearer } = await contributor()
      const jobId = await send(stage, [makeTrace(stage, 'private')])
      for (const path of [`/api/ingest/jobs/${jobId}`, `/api/ingest/jobs/${jobId}/outcomes`]) {
        await ask('GET', path, { as: (await own('stranger')).bearer }).is(404, { ok: false, error: 'not_found' })
        await ask('GET', path.replace(jobId, '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'), { as: bearer }).is(404, {
          ok: false,
          error: 'not_found',
        })
      }
    },
  ),
]
