import { readRecord } from './record.ts'
import { readValue, type Service } from './service.ts'
import type { Outcome } from './follow.ts'
import { formatTable, toPlainText, formatCount, type CommandResult, type Terminal } from './terminal.ts'

const meanings: Readonly<Record<Outcome['outcome'], string>> = {
  stored: 'stored',
  updated: 'replaced an earlier version',
  duplicate: 'the same conversation is stored already',
  duplicate_in_batch: 'sent twice in this upload; stored once',
  deleted_before: 'you deleted this conversation; it is not stored again',
  already_sold: 'an earlier version was sold and stays as it is',
  rejected: 'could not be scrubbed or stored; no part of it is kept',
}

/** The maximum number of jobs that are shown when no job is named. */
const shownJobs = 10

/** Shows the jobs that were sent from this machine, newest first, or one job with the outcome of each of its traces. */
export async function showJobs(
  service: Service,
  jobId: string | undefined,
  terminal: Terminal,
): Promise<CommandResult> {
  return jobId === undefined ? listJobs(service, terminal) : showJob(service, jobId)
}

async function listJobs({ client, base }: Service, terminal: Terminal): Promise<CommandResult> {
  const ids = readRecord(terminal, base).jobIds.slice(-shownJobs).reverse()
  const found = []
  for (const jobId of ids) {
    const result = await client.ingestJob({ params: { jobId } })
    if (result.ok || result.status !== 404) found.push(readValue(result).job)
  }
  if (found.length === 0) {
    const text = 'Nothing was uploaded from this machine.'
    return { json: { jobs: [] }, text, nextSteps: ['preview'] }
  }
  const rows = found.map((job) => [job.id, job.status, String(job.traceCount ?? '-'), String(job.rejectedCount ?? '-')])
  return {
    json: { jobs: found },
    text: formatTable(['job', 'status', 'stored', 'rejected'], rows, ['stored', 'rejected']),
    nextSteps: [`jobs ${found[0]!.id}`],
  }
}

async function showJob({ client }: Service, jobId: string): Promise<CommandResult> {
  const { job } = readValue(await client.ingestJob({ params: { jobId } }))
  const { outcomes } = readValue(await client.ingestOutcomes({ params: { jobId } }))
  const rows = outcomes.map((outcome) => [
    outcome.outcome,
    toPlainText(outcome.sourceId).slice(0, 40),
    outcome.traceId?.slice(-8) ?? '-',
    meanings[outcome.outcome],
  ])
  const text = [
    `Job ${job.id}: ${job.status}, ${formatCount(outcomes.length, 'outcome')}`,
    ...(job.errorMessage ? [toPlainText(job.errorMessage)] : []),
    ...(rows.length > 0 ? ['', formatTable(['outcome', 'session', 'trace', 'meaning'], rows)] : []),
  ]
  return { json: { job, outcomes }, text: text.join('\n'), nextSteps: ['list'], failed: job.status === 'failed' }
}
