import {
  makeAuditContext,
  makeHash,
  makeId,
  makeTrace,
  makeSaleItems,
  makeSaleShares,
  temporaryDatabase,
} from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { decideOutcome, type DecisionInput } from '../../ingest/rules.ts'
import type { Claim, IngestStore, PreparedTrace, WriteBatchParams } from '../../ingest/store.ts'
import type { Stores } from '../../stores.ts'
import type { NewTrace } from '../../traces/store.ts'
import { memoryStores } from '../memory/index.ts'
import { openDatabase, raw } from './database.ts'
import { libsqlStores } from './stores.ts'

const kinds = ['scrubbed', 'known', 'refused'] as const
const contents = ['unknown', 'stored', 'deleted'] as const
const names = ['none', 'unsold', 'sold'] as const

/** Every state that a trace can be decided in. A trace without its content has no name to look up. */
const states: DecisionInput[] = kinds.flatMap((kind) =>
  contents.flatMap((content) =>
    [false, true].flatMap((isRepeated) =>
      [false, true].flatMap((isNameDeleted) =>
        names.map((named) => ({ kind, content, isRepeated, isNameDeleted, named })),
      ),
    ),
  ),
)

const opened = {
  async memory() {
    return { stores: memoryStores() as Stores, close: async () => undefined }
  },
  async libSQL() {
    const { client, close } = await temporaryDatabase()
    await openDatabase(client).write([raw("insert into users (id, created_at) values ('ann', 0)")])
    return { stores: libsqlStores(client), close }
  },
}

const prepareTrace = (index: number, trace: NewTrace, nameHash: string): PreparedTrace => ({
  kind: 'scrubbed',
  index,
  sourceId: trace.sourceId,
  contentHash: trace.contentHash,
  isRepeated: false,
  trace,
  redactions: 1,
  nameHashes: [nameHash],
})

describe.each(['memory', 'libSQL'] as const)('writeBatch of the %s store', (name) => {
  async function claim(ingest: IngestStore, number: number, total: number): Promise<Claim> {
    const job = { ownerId: 'ann', id: makeId('job', number), source: 's', total, parts: 1, bytes: 1, enqueuedAt: 0 }
    await ingest.enqueueJob(job)
    return (await ingest.claimJob({ lease: job.id, now: 1, leaseUntil: 99, jobId: job.id }))!
  }
  const write = (ingest: IngestStore, params: Pick<WriteBatchParams, 'claim' | 'traces'>) =>
    ingest.writeBatch({ ...params, now: 1, leaseUntil: 99 })

  test('writes the outcome of decideOutcome for every state', async () => {
    const { stores, close } = await opened[name]()
    const { ingest, traces, dataset } = stores

    // For state n: one trace with its content, one with its name, and one deleted under its name's hash.
    const before = states.flatMap(({ content, named, isNameDeleted }, n) => [
      ...(content === 'unknown' ? [] : [makeTrace('content', n)]),
      ...(named === 'none' ? [] : [makeTrace('named', n)]),
      ...(isNameDeleted ? [makeTrace('gone', n)] : []),
    ])
    const seeding = await claim(ingest, 0, before.length)
    await write(ingest, {
      claim: seeding,
      traces: before.map((trace, index) => prepareTrace(index, trace, makeHash('seed', index))),
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
    const deletedNames = states.map((_, n) => [makeId('gone', n), makeHash('name', n)])
    await traces.deleteUnsoldTraces({
      ownerId: 'ann',
      ids: listIds('gone', ({ isNameDeleted }) => isNameDeleted),
      nameHashes: Object.fromEntries(deletedNames) as Record<string, string>,
    })

    const decided: unknown[] = []
    for (const [n, state] of states.entries()) {
      const job = await claim(ingest, n + 1, 1)
      const trace = makeTrace('new', n, { contentHash: makeHash('content', n), sourceId: `named-${n}` })
      const whole = { ...prepareTrace(0, trace, makeHash('name', n)), isRepeated: state.isRepeated }
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
          duplicate: makeId('content', n),
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
