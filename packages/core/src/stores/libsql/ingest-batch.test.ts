import {
  makeAuditContext,
  makeHash,
  makeId,
  makeNames,
  makeTrace,
  makeSaleItems,
  makeSaleShares,
} from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { decideOutcome, type DecisionInput } from '../../ingest/rules.ts'
import type { Claim, IngestStore, PreparedTrace, WriteBatchParams } from '../../ingest/store.ts'
import type { NewTrace } from '../../traces/store.ts'
import { createStores } from './stores.ts'
import { openTwoClients, databaseKinds } from './two-clients.fixture.ts'

const kinds = ['scrubbed', 'known', 'refused'] as const
const contents = ['unknown', 'stored', 'deleted'] as const

/** All states in which the outcome of a trace can be decided. A piece of a conversation is either stored or deleted. */
const states: DecisionInput[] = kinds.flatMap((kind) =>
  contents.flatMap((content) =>
    [false, true].flatMap((isRepeated) =>
      [
        ...[false, true].map((isNameDeleted) => ({ isNameDeleted, named: 'none', isSuperseded: false }) as const),
        ...[false, true].flatMap((isSuperseded) =>
          (['unsold', 'sold'] as const).map((named) => ({ isNameDeleted: false, named, isSuperseded })),
        ),
      ].map((name) => ({ kind, content, isRepeated, ...name })),
    ),
  ),
)

const prepareTrace = (index: number, trace: NewTrace): PreparedTrace => ({
  kind: 'scrubbed',
  index,
  sourceId: trace.sourceId,
  contentHash: trace.contentHash,
  isRepeated: false,
  trace,
  redactions: 1,
  ...makeNames(trace),
})

describe.each(databaseKinds)('writeBatch on %s', (kind) => {
  const enqueue = (ingest: IngestStore, number: number, total: number) =>
    ingest.enqueueJob({
      ownerId: 'ann',
      id: makeId('job', number),
      source: 's',
      total,
      parts: 1,
      bytes: 1,
      enqueuedAt: 0,
    })
  async function claim(ingest: IngestStore, number: number): Promise<Claim> {
    const jobId = makeId('job', number)
    return (await ingest.claimJob({ lease: jobId, now: 1, leaseUntil: 99, jobId }))!
  }
  const write = (ingest: IngestStore, params: Pick<WriteBatchParams, 'claim' | 'traces'>) =>
    ingest.writeBatch({ ...params, now: 1, leaseUntil: 99 })

  test('writes the outcome of decideOutcome for every state', async () => {
    const {
      databases: [db],
      addUser,
      close,
    } = await openTwoClients(kind)
    await addUser('ann')
    const { ingest, traces, dataset } = createStores(db)

    // For each state, jobs store a trace with the same content, and a trace that is the same piece of the conversation.
    // If the state is superseded, a later job stores the second trace.
    const [before, after]: [NewTrace[], NewTrace[]] = [[], []]
    for (const [n, { content, named, isNameDeleted, isSuperseded }] of states.entries()) {
      if (content !== 'unknown') before.push(makeTrace('content', n))
      if (named !== 'none' || isNameDeleted) (isSuperseded ? after : before).push(makeTrace('named', n))
    }
    await enqueue(ingest, 0, before.length)
    for (const n of states.keys()) await enqueue(ingest, n + 1, 1)
    await enqueue(ingest, states.length + 1, after.length)
    for (const [number, seeds] of [
      [0, before],
      [states.length + 1, after],
    ] as const)
      await write(ingest, {
        claim: await claim(ingest, number),
        traces: seeds.map((trace, n) => prepareTrace(n, trace)),
      })
    const listIds = (label: string, isWanted: (state: DecisionInput) => boolean): string[] =>
      states.flatMap((state, n) => (isWanted(state) ? [makeId(label, n)] : []))
    const sold = listIds('named', ({ named }) => named === 'sold')
    await dataset.recordSale({
      sale: { id: makeId('sale', 1), buyer: 'b', usd: 1, soldAt: 0 },
      items: makeSaleItems(sold),
      shares: makeSaleShares(),
      audit: makeAuditContext(),
    })
    await traces.deleteUnsoldTraces({ ownerId: 'ann', ids: listIds('content', ({ content }) => content === 'deleted') })
    await traces.deleteUnsoldTraces({ ownerId: 'ann', ids: listIds('named', ({ isNameDeleted }) => isNameDeleted) })

    const decided: unknown[] = []
    for (const [n, state] of states.entries()) {
      const job = await claim(ingest, n + 1)
      const trace = makeTrace('new', n, { contentHash: makeHash('content', n), sourceId: `named-${n}` })
      const whole = { ...prepareTrace(0, trace), isRepeated: state.isRepeated }
      const { index, sourceId, contentHash, isRepeated } = whole
      const prepared: PreparedTrace =
        state.kind === 'scrubbed' ? whole : { kind: state.kind, index, sourceId, contentHash, isRepeated }
      const result = await write(ingest, { claim: job, traces: [prepared] })
      const [outcome] = (await ingest.listOutcomes({ ownerId: 'ann', jobId: job.jobId }))!
      decided.push([state, result, outcome?.outcome ?? null, outcome?.traceId ?? null])
    }
    expect(decided).toEqual(
      states.map((state, n) => {
        const outcome = decideOutcome(state)
        const traceIds = {
          stored: makeId('new', n),
          updated: makeId('named', n),
          already_sold: makeId('named', n),
          duplicate: makeId(state.content === 'stored' ? 'content' : 'named', n),
          duplicate_in_batch: makeId('content', n),
          deleted_before: null,
          rejected: null,
        }
        return [state, outcome === null ? 'unknown' : 'written', outcome, outcome && traceIds[outcome]]
      }),
    )
    expect(new Set(states.map(decideOutcome)).size).toBe(8)
    await close()
  })
})
