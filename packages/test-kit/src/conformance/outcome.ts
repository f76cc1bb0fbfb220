import { contentHash } from '@tributary/core'
import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { madeId, makeMatcher, wholeNumber } from './matchers.ts'
import { waitForJob, listOutcomes, send, makeTrace } from './stored-traces.ts'

const list = '/api/traces/known'

/** Sends a batch and returns the outcome of each trace. */
async function submitTraces({ stage }: Context, ...traces: readonly unknown[]) {
  return listOutcomes(stage, await send(stage, traces))
}

const makeMessages = (content: string) => ({ messages: [{ role: 'user', content }] })

/** Checks of the outcomes of sent traces, as `POST /api/traces/known` and `GET /api/traces/:id/download` show them. */
export const outcomeChecks: readonly Check[] = [
  check(
    'ingest',
    'outcomes name each trace by its index and its id',
    ['contributor'],
    async ({ ask, contributor, stage }) => {
      const traces = [makeTrace(stage, 'named-a'), makeTrace(stage, 'named-b')]
      const jobId = await send(stage, traces)
      await waitForJob(stage, jobId)
      const makeOutcome = (index: number) => ({
        index,
        sourceId: traces[index]!.sourceId,
        outcome: 'stored',
        traceId: madeId,
        redactions: wholeNumber,
      })
      await ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { as: (await contributor()).bearer }).is(200, {
        ok: true,
        outcomes: [makeOutcome(0), makeOutcome(1)],
      })
    },
  ),
  check(
    'ingest',
    'the same content sent again is a duplicate, even under another name',
    ['contributor'],
    async (context) => {
      const { ask, contributor, stage } = context
      const content = makeMessages(`twice ${stage.run}`)
      await submitTraces(context, makeTrace(stage, 'twice', content))
      const jobId = await send(stage, [makeTrace(stage, 'twice', content), makeTrace(stage, 'thrice', content)])
      const job = await waitForJob(stage, jobId)
      const reply = await ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { as: (await contributor()).bearer })
      reply
        .must(
          reply.json.outcomes.every(({ outcome }: { outcome: string }) => outcome.startsWith('duplicate')),
          'two duplicates',
        )
        .must(
          job.traceCount === 0 && job.rejectedCount === 2,
          'a job of 0 and 2',
          `it is of ${job.traceCount} and ${job.rejectedCount}`,
        )
    },
  ),
  check('ingest', 'the same content sent twice in a batch is stored once', ['contributor'], async (context) => {
    const { ask, contributor, stage } = context
    const content = makeMessages(`double ${stage.run}`)
    const jobId = await send(stage, [makeTrace(stage, 'double-a', content), makeTrace(stage, 'double-b', content)])
    await waitForJob(stage, jobId)
    const reply = await ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { as: (await contributor()).bearer }).is(200)
    const names = reply.json.outcomes.map(({ outcome }: { outcome: string }) => outcome)
    reply.must(
      names.join() === 'stored,duplicate_in_batch',
      'stored, then duplicate_in_batch',
      `they are ${names.join()}`,
    )
  }),
  check(
    'ingest',
    'new content under a known name replaces the trace and keeps its id',
    ['contributor'],
    async (context) => {
      const { ask, contributor, stage } = context
      const { bearer } = await contributor()
      const [before, after] = [makeMessages(`before ${stage.run}`), makeMessages(`after ${stage.run}`)]
      const [first] = await submitTraces(context, makeTrace(stage, 'renewed', before))
      await ask('PATCH', `/api/traces/${first!.traceId}`, { as: bearer, json: { sellExcluded: true } }).is(200)
      const [second] = await submitTraces(context, makeTrace(stage, 'renewed', after))
      const hashes = [contentHash(before.messages), contentHash(after.messages)]
      const known = await ask('POST', list, { as: bearer, json: { hashes } }).is(200, { ok: true, known: [hashes[1]] })
      known.must(
        second!.outcome === 'updated' && second!.traceId === first!.traceId,
        'updated, with the id of before',
        `it is ${second!.outcome}`,
      )
      await ask('GET', `/api/traces/${first!.traceId}`, { as: bearer }).is(200, {
        ok: true,
        trace: { id: first!.traceId, sellExcluded: true, saleCount: 0, locked: false },
      })
    },
  ),
  check(
    'ingest',
    'a deleted trace is not stored again, and its hash is still known',
    ['contributor'],
    async (context) => {
      const { ask, contributor, stage } = context
      const { bearer } = await contributor()
      const content = makeMessages(`deleted ${stage.run}`)
      const [first] = await submitTraces(context, makeTrace(stage, 'deleted', content))
      await ask('DELETE', '/api/traces/bulk', { as: bearer, json: { ids: [first!.traceId] } }).is(200, {
        ok: true,
        deletedIds: [first!.traceId],
        skippedSoldIds: [],
      })
      const [again] = await submitTraces(context, makeTrace(stage, 'deleted-again', content))
      const known = await ask('POST', list, { as: bearer, json: { hashes: [contentHash(content.messages)] } }).is(200, {
        ok: true,
        known: [contentHash(content.messages)],
      })
      known.must(
        again!.outcome === 'deleted_before' && again!.traceId === null,
        'deleted_before, without an id',
        `it is ${again!.outcome}`,
      )
    },
  ),
  check(
    'traces',
    'a longer version of a deleted conversation is deleted_before',
    ['contributor'],
    async ({ ask, contributor, stage }) => {
      const { bearer } = await contributor()
      const short = makeTrace(stage, 'grows')
      const [first] = await listOutcomes(stage, await send(stage, [short]))
      await ask('DELETE', '/api/traces/bulk', { as: bearer, json: { ids: [first!.traceId] } }).is(200)
      const longer = { ...short, messages: [...short.messages, { role: 'user', content: 'And one more question.' }] }
      const ends = await listOutcomes(
        stage,
        await send(stage, [
          longer,
          { ...longer, segmentIndex: 1, messages: [{ role: 'user', content: `Another piece of ${stage.run}` }] },
        ]),
      )
      const reply = await ask('GET', '/api/traces', { as: bearer })
      reply.must(
        ends.map(({ outcome }) => outcome).join() === 'deleted_before,stored',
        'deleted_before for the same segment, stored for another',
        `they are ${ends.map(({ outcome }) => outcome).join()}`,
      )
    },
  ),
  check(
    'ingest',
    'the same content is stored for another user',
    ['contributor', 'mailbox'],
    async ({ ask, own, stored }) => {
      const [mine] = await stored(1)
      await ask('POST', list, { as: (await own('stranger')).bearer, json: { hashes: [mine!.hash] } }).is(200, {
        ok: true,
        known: [],
      })
    },
  ),
  check('ingest', 'segments of one conversation are separate traces', ['contributor'], async (context) => {
    const { ask, contributor, stage } = context
    const makePiece = (segmentIndex: number) =>
      makeTrace(stage, 'long', { segmentIndex, ...makeMessages(`piece ${segmentIndex} ${stage.run}`) })
    const [zero, one] = await submitTraces(context, makePiece(0), makePiece(1))
    const reply = await ask('GET', `/api/traces/${one!.traceId}/download`, { as: (await contributor()).bearer }).is(200)
    reply.must(
      reply.json.segmentIndex === 1 &&
        zero!.outcome === 'stored' &&
        one!.outcome === 'stored' &&
        zero!.traceId !== one!.traceId,
      'two traces, the second with segmentIndex 1',
    )
  }),
  check(
    'ingest',
    'a batch of several sources has the source mixed',
    ['contributor'],
    async ({ ask, contributor, stage }) => {
      const jobId = await send(stage, [makeTrace(stage, 'mixed-a'), makeTrace(stage, 'mixed-b', { source: undefined })])
      const reply = await ask('GET', `/api/ingest/jobs/${jobId}`, { as: (await contributor()).bearer }).is(200)
      reply.must(reply.json.job.source === 'mixed', 'the source mixed', `it is ${reply.json.job.source}`)
    },
  ),
  check('ingest', 'secrets and personal data are replaced and counted', ['contributor'], async (context) => {
    const { ask, contributor, stage } = context
    const key = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`
    const words = {
      sourceId: `${stage.run}-jana.dorn@corp-mail.com`,
      messages: [{ role: 'user', content: `mail jana.dorn@corp-mail.com, export GITHUB_TOKEN=${key}` }],
    }
    const [outcome] = await submitTraces(context, makeTrace(stage, 'secret', words))
    const reply = await ask('GET', `/api/traces/${outcome!.traceId}/download`, { as: (await contributor()).bearer }).is(
      200,
    )
    reply.must(
      !reply.text.includes(key) && !reply.text.includes('jana.dorn'),
      'a document without the key and the address, in no field',
    )
    reply.must(
      outcome!.redactions >= 2 &&
        Object.values(reply.json.scrub.redactions as object).reduce((sum: number, count) => sum + Number(count), 0) >=
          2,
      'two redactions or more, counted in both places',
    )
  }),
  check(
    'http',
    'text that cannot be stored becomes U+FFFD, and the hash is the hash of the sent text',
    ['contributor'],
    async (context) => {
      const { ask, contributor, stage } = context
      const { bearer } = await contributor()
      const [outcome] = await submitTraces(
        context,
        makeTrace(stage, 'odd', { messages: [{ role: 'user', content: `a\0b\ud800c ${stage.run}` }] }),
      )
      const hash = contentHash([{ role: 'user', content: `a\0b\ud800c ${stage.run}` }])
      await ask('POST', list, { as: bearer, json: { hashes: [hash] } }).is(200, { ok: true, known: [hash] })
      const reply = await ask('GET', `/api/traces/${outcome!.traceId}/download`, { as: bearer }).is(200)
      reply.must(
        reply.json.messages[0].content === `a\ufffdb\ufffdc ${stage.run}` && reply.json.contentHash === hash,
        'U+FFFD twice, and the hash of what was sent',
      )
    },
  ),
  check(
    'ingest',
    'messages are returned by position, with times in UTC, and with the tokens that the service counted',
    ['contributor'],
    async (context) => {
      const { ask, contributor, stage } = context
      const messages = [
        { role: 'assistant', content: `second ${stage.run}`, position: 7, tokenCount: 999_999, truncated: true },
        { content: 'first', position: 2, createdAt: '2026-11-01T02:00:00+02:00' },
      ]
      const sent = makeTrace(stage, 'ordered', {
        createdAt: '2026-10-31T19:00:00.5-05:00',
        source: undefined,
        model: undefined,
        parentTraceId: 'parent-1',
        messages,
      })
      const [outcome] = await submitTraces(context, sent)
      const tokens = makeMatcher(
        "a count of the server's own",
        (value) => Number.isInteger(value) && (value as number) > 0 && (value as number) < 999,
      )
      await ask('GET', `/api/traces/${outcome!.traceId}/download`, { as: (await contributor()).bearer }).is(200, {
        id: outcome!.traceId,
        source: 'unknown',
        sourceId: sent.sourceId,
        title: null,
        model: null,
        createdAt: '2026-11-01T00:00:00.500Z',
        parentTraceId: 'parent-1',
        segmentIndex: null,
        contentHash: contentHash(messages),
        scrub: {
          version: makeMatcher('a version', (value) => typeof value === 'string' && value !== ''),
          redactions: {},
        },
        messages: [
          {
            position: 2,
            role: null,
            content: 'first',
            tokenCount: tokens,
            createdAt: '2026-11-01T00:00:00.000Z',
            truncated: false,
          },
          {
            position: 7,
            role: 'assistant',
            content: `second ${stage.run}`,
            tokenCount: tokens,
            createdAt: null,
            truncated: true,
          },
        ],
      })
    },
  ),
  check('ingest', 'a name and a model of maximum length are stored', ['contributor'], async (context) => {
    const { ask, contributor, stage } = context
    const sourceId = `${stage.run}-${'n'.repeat(256)}`.slice(0, 256)
    const [outcome] = await submitTraces(
      context,
      makeTrace(stage, 'wide', { sourceId, model: 'm'.repeat(128), parentTraceId: 'p'.repeat(256) }),
    )
    const reply = await ask('GET', `/api/traces/${outcome!.traceId}/download`, { as: (await contributor()).bearer }).is(
      200,
    )
    reply.must(
      reply.json.sourceId === sourceId &&
        reply.json.model === 'm'.repeat(128) &&
        reply.json.parentTraceId === 'p'.repeat(256),
      'all three as they were sent',
    )
  }),
]
