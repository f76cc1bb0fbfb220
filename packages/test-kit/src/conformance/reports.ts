import { randomUUID } from 'node:crypto'
import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { matchItems, matchIssues, listOf, madeId, text, makeMatcher, time } from './matchers.ts'

const path = '/api/v1/feedback'
const invalid = { error: 'invalid_body' }
const repeatX = (length: number): string => 'x'.repeat(length)
const evidence = { type: 'http_summary', content: 'GET / -> 200' }

const makeReceipt = (more: object = {}) => ({
  receipt: {
    id: madeId,
    feedback_id: madeId,
    status: 'accepted',
    evidence_ids: [],
    duplicate_of: null,
    created_at: time,
    ...more,
  },
})

/** Returns a report that no other run has sent. */
function makeReport({ stage }: Context, title: string, more: object = {}) {
  stage.leftovers.add(
    'agent reports named "Conformance", and a mail to the contact for each, where there is one (with --admin-token they are dismissed)',
  )
  return {
    reporter: { agent_vendor: 'tributary', agent_product: 'conformance' },
    subject: { surface: 'GET /api/nothing' },
    content: { title: `Conformance ${stage.run}: ${title}` },
    ...more,
  }
}

/** Sends a report that the service stores. If the run has an operator token, the report is dismissed at the end. */
async function sendKept(context: Context, json: object, headers: Record<string, string> = {}) {
  const { ask, stage, target } = context
  const reply = await ask('POST', path, { json, headers })
  const id: unknown = reply.status === 201 ? reply.json.receipt?.feedback_id : null
  if (target.adminToken !== undefined && typeof id === 'string') {
    stage.addCleanup(() =>
      stage.ask('PATCH', `/api/admin/reports/${id}`, { as: context.operator(), json: { status: 'dismissed' } }),
    )
  }
  return reply
}

const faults: readonly (readonly [what: string, change: object, place: string])[] = [
  ['no reporter', { reporter: undefined }, 'reporter'],
  ['a vendor of 65', { reporter: { agent_vendor: repeatX(65), agent_product: 'p' } }, 'reporter.agent_vendor'],
  ['no product', { reporter: { agent_vendor: 'v' } }, 'reporter.agent_product'],
  ['no surface', { subject: {} }, 'subject.surface'],
  ['a surface of 513', { subject: { surface: repeatX(513) } }, 'subject.surface'],
  ['a kind that is none', { subject: { surface: 's', kind: 'page' } }, 'subject.kind'],
  ['no title', { content: {} }, 'content.title'],
  ['a title of nothing but controls', { content: { title: '\u0007\u202e ' } }, 'content.title'],
  ['a title of 257', { content: { title: repeatX(257) } }, 'content.title'],
  ['a summary of 4,097', { content: { title: 't', summary: repeatX(4097) } }, 'content.summary'],
  ['a hypothesis of 2,049', { content: { title: 't', hypothesis: repeatX(2049) } }, 'content.hypothesis'],
  ['a confidence above 1', { signal: { confidence: 1.01 } }, 'signal.confidence'],
  ['a confidence below 0', { signal: { confidence: -0.01 } }, 'signal.confidence'],
  ['a category that is none', { signal: { category: 'spam' } }, 'signal.category'],
  ['a severity that is none', { signal: { severity: 'huge' } }, 'signal.severity'],
  ['eleven pieces of evidence', { evidence: Array.from({ length: 11 }, () => evidence) }, 'evidence'],
  ['evidence of no type', { evidence: [{ content: 'c' }] }, 'evidence.0.type'],
  ['evidence of 8,193', { evidence: [{ type: 'other', content: repeatX(8193) }] }, 'evidence.0.content'],
]

/**
 * The checks of `POST /api/v1/feedback` and the rest of the feedback protocol. Every server that implements the
 * protocol must pass them.
 */
export const feedbackProtocol: readonly Check[] = [
  check('E20', 'a new report returns 201 with a receipt, which can be read again', [], async (context) => {
    const json = makeReport(context, 'a receipt', {
      evidence: [evidence, { type: 'other', content: 'c', redacted: true }],
      signal: { category: 'bug', severity: 'low', reproducibility: 'once', confidence: 1 },
    })
    const reply = await sendKept(context, json)
    reply
      .is(201, makeReceipt({ evidence_ids: listOf(madeId) }))
      .must(reply.json.receipt.evidence_ids.length === 2, 'two ids of evidence')
    await context.ask('GET', `/api/v1/receipts/${reply.json.receipt.id}`).is(200, reply.json)
  }),
  check(
    'E20',
    'the same key and report return 200 with the same receipt, in any spelling of the key',
    [],
    async (context) => {
      const [json, key] = [makeReport(context, 'sent twice'), randomUUID()]
      const first = (await sendKept(context, json, { 'idempotency-key': key })).is(201, makeReceipt())
      for (const again of [key, `"${key}"`, key.toUpperCase()])
        await context.ask('POST', path, { json, headers: { 'idempotency-key': again } }).is(200, first.json)
      // A report with its keys in another order is the same report.
      await context
        .ask('POST', path, {
          json: Object.fromEntries(Object.entries(json).toReversed()),
          headers: { 'idempotency-key': key },
        })
        .is(200, first.json)
      await context
        .ask('POST', path, { json: makeReport(context, 'another'), headers: { 'idempotency-key': key } })
        .is(422, { error: 'idempotency_mismatch' })
    },
  ),
  check('E20', 'the same meaning with another key returns 202 and refers to the open report', [], async (context) => {
    const json = makeReport(context, 'means the same')
    const first = (await sendKept(context, json, { 'idempotency-key': randomUUID() })).is(201, makeReceipt())
    const other = {
      ...json,
      reporter: { agent_vendor: 'another', agent_product: 'agent' },
      content: { title: json.content.title.toUpperCase() },
      evidence: [evidence],
    }
    const reply = await context.ask('POST', path, { json: other, headers: { 'idempotency-key': randomUUID() } })
    reply.is(
      202,
      makeReceipt({ status: 'duplicate', duplicate_of: first.json.receipt.feedback_id, evidence_ids: listOf(madeId) }),
    )
  }),
  check('E20', 'only one of many concurrent copies of a report is stored', [], async (context) => {
    const [json, key] = [makeReport(context, 'raced'), randomUUID()]
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => sendKept(context, json, { 'idempotency-key': key })),
    )
    const got = replies.map(({ status }) => status)
    replies[0]!.must(
      got.filter((status) => status === 201).length === 1 && got.every((status) => [200, 201, 409].includes(status)),
      'one 201, the others 200 or 409',
      `they are ${got.join(', ')}`,
    )
  }),
  check('E20', 'a key that is not a UUID returns 400', [], async (context) => {
    for (const key of ['1', 'no-key', `${randomUUID()}0`, randomUUID().replaceAll('-', '')])
      await context
        .ask('POST', path, { json: makeReport(context, 'x'), headers: { 'idempotency-key': key } })
        .is(400, { error: 'invalid_idempotency_key' })
  }),
  check('E20', 'a report of 32 KiB is accepted, and one byte more returns 413', [], async (context) => {
    const makeBodyOfSize = (bytes: number): string => JSON.stringify({}).padEnd(bytes, ' ')
    await context
      .ask('POST', path, { body: makeBodyOfSize(32_768) })
      .is(400, { ...invalid, issues: matchIssues('reporter', 'subject', 'content') })
    for (const gzip of [false, true])
      (
        await context.ask('POST', path, { body: makeBodyOfSize(32_769), gzip }).is(413, { error: 'body_too_large' })
      ).has('x-body-limit', '32768')
  }),
  check('E20', 'every field is accepted at its maximum length', [], async (context) => {
    const json = makeReport(context, 'full')
    const reply = await sendKept(context, {
      reporter: { agent_vendor: repeatX(64), agent_product: repeatX(64), agent_version: repeatX(64) },
      subject: { surface: repeatX(512), domain: repeatX(253), kind: 'other' },
      signal: { category: 'other', severity: 'low', reproducibility: 'intermittent', confidence: 0 },
      content: { title: json.content.title.padEnd(256, '.'), summary: repeatX(4096), hypothesis: repeatX(2048) },
      evidence: [{ type: 'log_excerpt', content: repeatX(8192) }, ...Array.from({ length: 9 }, () => evidence)],
    })
    reply
      .is(201, makeReceipt({ evidence_ids: listOf(madeId) }))
      .must(reply.json.receipt.evidence_ids.length === 10, 'ten ids of evidence')
  }),
  ...faults.map(([what, change, place]) =>
    check('E20', `${what} returns an issue with its path`, [], async (context) => {
      await context
        .ask('POST', path, { json: { ...makeReport(context, 'wrong'), ...change } })
        .is(400, { ...invalid, issues: matchIssues(place) })
    }),
  ),
  check('reports', 'evidence can be attached to an existing report', [], async (context) => {
    const { json } = (await sendKept(context, makeReport(context, 'evidence'))).is(201, makeReceipt())
    const id: string = json.receipt.feedback_id
    const reply = await context.ask('POST', `${path}/${id}/attachments`, { json: { evidence: [evidence] } })
    reply.is(201, makeReceipt({ feedback_id: id, evidence_ids: [madeId] }))
    await context
      .ask('POST', `${path}/018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71/attachments`, { json: { evidence: [evidence] } })
      .is(404, { error: 'not_found' })
    for (const wrong of [{}, { evidence: [] }, { evidence: Array.from({ length: 11 }, () => evidence) }])
      await context
        .ask('POST', `${path}/${id}/attachments`, { json: wrong })
        .is(400, { ...invalid, issues: matchIssues('evidence') })
  }),
  check('reports', 'an observation returns 201, or 202 if it means the same as an open one', [], async (context) => {
    const { stage, ask } = context
    stage.leftovers.add('observations named "Conformance"')
    const json = {
      surface: 'GET /api/nothing',
      agent_vendor: 'tributary',
      agent_product: 'conformance',
      summary: `Conformance ${stage.run}`,
      confidence: 0.5,
    }
    const makeReceiptShape = (more: object) => ({
      receipt: { id: madeId, observation_id: madeId, created_at: time, ...more },
    })
    const first = await ask('POST', '/api/v1/observations', { json }).is(
      201,
      makeReceiptShape({ status: 'accepted', duplicate_of: null }),
    )
    await ask('POST', '/api/v1/observations', { json }).is(
      202,
      makeReceiptShape({ status: 'duplicate', duplicate_of: first.json.receipt.observation_id }),
    )
    await ask('POST', '/api/v1/observations', { json: {} }).is(400, {
      ...invalid,
      issues: matchIssues('surface', 'agent_vendor', 'agent_product', 'summary'),
    })
  }),
  check('reports', 'an unknown receipt returns 404', [], async ({ ask }) => {
    await ask('GET', '/api/v1/receipts/018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71').is(404, { error: 'not_found' })
  }),
  check('reports', 'the policy describes what a report can contain, with schemas and examples', [], async ({ ask }) => {
    const limits = makeMatcher(
      'limits an hour, or null',
      (value) =>
        value === null ||
        (typeof value === 'object' && Object.values(value as object).every((one) => Number.isInteger(one))),
    )
    const all = makeMatcher('one for each body', (value) =>
      ['feedback', 'observations', 'attachments'].every((name) => name in (value as object)),
    )
    // The contract checks the other fields, as for every reply.
    await ask('GET', '/api/v1/policy').then((reply) =>
      reply.is(200, {
        ...reply.json,
        schema_version: '1.0',
        auth_required: false,
        categories: matchItems(['bug', 'docs_mismatch', 'friction', 'feature_gap', 'quality_degradation', 'other']),
        severities: matchItems(['critical', 'high', 'medium', 'low']),
        reproducibility: matchItems(['always', 'sometimes', 'intermittent', 'once']),
        subject_kinds: matchItems(['api_endpoint', 'docs_page', 'cli_command', 'sdk_method', 'other']),
        evidence_types: matchItems([
          'http_summary',
          'stderr_excerpt',
          'repro_steps',
          'screenshot',
          'log_excerpt',
          'other',
        ]),
        rate_limits: limits,
        max_body_bytes: 32_768,
        max_evidence_items: 10,
        idempotency: { header: 'Idempotency-Key', format: 'uuid', required: false, kept_days: 30 },
        privacy: text,
        schemas: all,
        examples: all,
      }),
    )
  }),
  check('reports', 'every example of the policy is accepted as a report', [], async (context) => {
    const { ask, stage } = context
    const { examples } = (await ask('GET', '/api/v1/policy').is(200)).json
    for (const [i, example] of examples.feedback.entries()) {
      const reply = await sendKept(context, {
        ...example,
        content: { ...example.content, title: `Conformance ${stage.run}: example ${i}` },
      })
      reply.is(201, makeReceipt({ evidence_ids: listOf(madeId) }))
    }
  }),
]

/** The checks of the feedback protocol, and of the discovery document of this service. */
export const reports: readonly Check[] = [
  ...feedbackProtocol,
  check('reports', 'the discovery document contains the URL for reports', [], async ({ ask }) => {
    const matchPath = (end: string) =>
      makeMatcher(`a path that ends in ${end}`, (value) => typeof value === 'string' && value.endsWith(end))
    await ask('GET', '/.well-known/agent-feedback.json').then((reply) =>
      reply.is(200, {
        ...reply.json,
        schema_version: '1.0',
        name: text,
        description: text,
        auth: 'none',
        endpoints: {
          feedback: matchPath('/api/v1/feedback'),
          policy: matchPath('/api/v1/policy'),
          observations: matchPath('/api/v1/observations'),
          attachments: matchPath('/api/v1/feedback/{feedback_id}/attachments'),
          receipts: matchPath('/api/v1/receipts/{id}'),
        },
      }),
    )
  }),
  check('reports', 'the discovery document links to the policy', [], async ({ ask }) => {
    const { endpoints } = (await ask('GET', '/.well-known/agent-feedback.json').is(200)).json
    // A proxy may add a path before the mount, so only the end of the path is compared.
    const policy = await ask(
      'GET',
      String(endpoints.policy).slice(String(endpoints.policy).indexOf('/api/v1/policy')),
    ).is(200)
    policy
      .has('cache-control', 'public, max-age=60')
      .must(String(endpoints.feedback).endsWith(path), `an endpoint of feedback that ends in ${path}`)
  }),
]
