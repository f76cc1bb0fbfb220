import { contentHash } from '@tributary/core'
import { madeId } from './matchers.ts'
import { makeContributor, getRunPerson, type Person } from './people.ts'
import type { CheckRequest, RunState } from './run-state.ts'

/** A stored trace. */
export interface StoredTrace {
  readonly id: string
  readonly jobId: string
  readonly sourceId: string
  readonly hash: string
}

/** Returns a trace to send. `changes` replaces its fields. */
export function makeTrace(stage: RunState, name: string, changes: Readonly<Record<string, unknown>> = {}) {
  const sourceId = `${stage.run}-${name}`
  return {
    sourceId,
    createdAt: '2026-11-01T00:00:00Z',
    source: 'claude_code_jsonl',
    model: 'model-1',
    messages: [
      { role: 'user', content: `Run ${stage.run}, ${name}: what does this function do?` },
      { role: 'assistant', content: 'It adds two numbers.' },
    ],
    ...changes,
  }
}

/** Sends a batch of the contributor. Resolves with the job's id. */
export async function send(
  stage: RunState,
  traces: readonly unknown[],
  more: CheckRequest = {},
  as?: Person,
): Promise<string> {
  const { bearer } = as ?? (await makeContributor(stage))
  const { json } = await stage
    .ask('POST', '/api/ingest', { as: bearer, json: { traces }, ...more })
    .is(202, { ok: true, jobId: madeId, status: 'queued' })
  return json.jobId
}

/** Waits until the job is done or failed, and returns it. Throws if it takes too long. */
// oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that a check expects
export async function waitForJob(stage: RunState, jobId: string, person?: Person): Promise<any> {
  const { bearer } = person ?? (await getRunPerson(stage))
  const end = Date.now() + stage.jobMs
  for (let pause = 20; ; pause = Math.min(pause * 2, 500)) {
    await stage.target.work?.()
    const answer = await stage.ask('GET', `/api/ingest/jobs/${jobId}`, { as: bearer }).is(200)
    const { job } = answer.json
    if (job.status === 'done' || job.status === 'failed') return job
    if (Date.now() > end)
      throw answer.broken('a job that is done', `nobody worked on it for ${stage.jobMs / 1000} s: is a worker running?`)
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Returns the outcome of each trace of a finished job. */
export async function listOutcomes(
  stage: RunState,
  jobId: string,
): Promise<{ index: number; sourceId: string; outcome: string; traceId: string | null; redactions: number }[]> {
  await waitForJob(stage, jobId)
  const { bearer } = await getRunPerson(stage)
  return (await stage.ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { as: bearer }).is(200)).json.outcomes
}

/** The number of traces that one batch stores in advance. The checks of a run use fewer traces. */
const stocked = 60

/** Returns stored traces that other checks do not use. */
export async function storeTraces(stage: RunState, count: number): Promise<StoredTrace[]> {
  const stock = await stage.makeOnce('stock', async () => {
    const traces = Array.from({ length: stocked }, (_, i) => makeTrace(stage, `stock-${i}`))
    const jobId = await send(stage, traces)
    const ends = await listOutcomes(stage, jobId)
    const all = ends.map(({ index, outcome, traceId }): StoredTrace => {
      if (outcome !== 'stored' || traceId === null) throw new Error(`a prepared trace was ${outcome}, expected stored`)
      return { id: traceId, jobId, sourceId: traces[index]!.sourceId, hash: contentHash(traces[index]!.messages) }
    })
    return all
  })
  if (stock.length < count) throw new Error('the stock of traces is too small')
  return stock.splice(0, count)
}

/** Deletes every trace that the run has stored. Used when the account is not erased. */
export async function deleteTraces(stage: RunState): Promise<void> {
  if (stage.jobs.length === 0) return
  const { bearer } = await getRunPerson(stage)
  for (const jobId of stage.jobs.splice(0)) {
    const ids = (await listOutcomes(stage, jobId)).flatMap(({ outcome, traceId }) =>
      traceId !== null && (outcome === 'stored' || outcome === 'updated') ? [traceId] : [],
    )
    if (ids.length > 0) await stage.ask('DELETE', '/api/traces/bulk', { as: bearer, json: { ids } }).is(200)
  }
}
