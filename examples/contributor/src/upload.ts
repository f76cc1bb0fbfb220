import { gzipSync } from 'node:zlib'
import { contentHash } from '@tributary/core'
import { formatUsd } from '@tributary/core/client'
import { readBlockedTerms } from './choices.ts'
import { packChunks, type Chunk } from './chunk.ts'
import { followJob, type Job, type Outcome } from './follow.ts'
import { readRecord, updateRecord, type PendingJob } from './record.ts'
import type { SelectedTrace, Selection } from './selection.ts'
import { readValue, type Service } from './service.ts'
import { askOutcome } from './outcome.ts'
import { fitDetails } from './sessions/details.ts'
import type { SessionOutcome, Trace } from './sessions/trace.ts'
import { formatMissing, readStatus } from './status.ts'
import {
  CommandError,
  confirm,
  formatBytes,
  formatTable,
  toPlainText,
  formatCount,
  type CommandResult,
  type Terminal,
} from './terminal.ts'

/** The API's limit of hashes in one request. */
const maxHashes = 5000
/** The API's limit of blocked terms. */
const maxTerms = 200

/**
 * Sends the selected conversations that the service does not have, in chunks, and follows each job to its end. Nothing
 * is sent before the person confirms, not even a hash. Jobs of an upload that was stopped are followed first. A person
 * who is asked to confirm is also asked for the outcome, unless it is stated.
 */
export async function upload(
  service: Service,
  terminal: Terminal,
  selection: Selection,
  { isConfirmed, outcome: stated }: { readonly isConfirmed: boolean; readonly outcome: SessionOutcome | undefined },
): Promise<CommandResult> {
  const count = formatCount(selection.traces.length, 'trace')
  const question = `Send ${count} to ${service.base}?`
  if (!isConfirmed && !(await confirm(terminal, question))) {
    throw new CommandError(
      'confirmation_required',
      `Nothing was sent. Look at \`preview\`, then confirm with --yes to send ${count}.`,
      1,
      ['preview', 'upload --yes'],
    )
  }
  const outcome = stated ?? (isConfirmed ? undefined : await askOutcome(terminal))
  await requireEligible(service)
  await saveBlockedTerms(service, readBlockedTerms(terminal))
  const resumed = await resume(service, terminal)
  const hashes = selection.traces.map(({ trace }) => contentHash(trace.messages))
  const known = await findKnown(service, hashes)
  const unknown = selection.traces.filter((_, index) => !known.has(hashes[index]!))
  const sent = await send(service, terminal, outcome ? setOutcome(unknown, outcome, terminal) : unknown)
  const finished = await followPending(service, terminal)
  const jobs = [...resumed.jobs, ...finished.jobs]
  const outcomes = [...resumed.outcomes, ...finished.outcomes]
  const summary = {
    files: selection.files,
    unreadable: selection.unreadable,
    excludedFiles: selection.excludedFiles,
    skippedLines: selection.skippedLines,
    traces: selection.traces.length,
    known: selection.traces.length - unknown.length,
    sentTraces: unknown.length,
    sentBytes: sent,
    jobs,
    outcomes,
  }
  return {
    json: summary,
    text: formatUpload(summary, service.base),
    nextSteps: ['list', 'open traces'],
    failed: jobs.some(({ status }) => status === 'failed'),
  }
}

function setOutcome(traces: readonly SelectedTrace[], outcome: SessionOutcome, terminal: Terminal): SelectedTrace[] {
  const fitted = traces.map((one) => ({ ...one, ...fitDetails({ ...one.trace, outcome }) }))
  if (fitted[0]) for (const change of fitted[0].changes) terminal.note(`--note: ${change}.`)
  return fitted
}

/** Shows what an upload would read. Does not contact a server. */
export function reportDryRun(selection: Selection): CommandResult {
  const { files, unreadable, excludedFiles, skippedLines } = selection
  const summary = { files, unreadable, excludedFiles, skippedLines, traces: selection.traces.length }
  const text = [
    ...formatRead({ ...summary, known: null }),
    'Dry run: nothing was sent, and the service was not contacted. `preview` shows what would be redacted.',
  ]
  return { json: summary, text: text.join('\n'), nextSteps: ['preview', 'upload --yes'] }
}

async function requireEligible(service: Service): Promise<void> {
  const { missing } = await readStatus(service)
  if (missing.length > 0)
    throw new CommandError('not_eligible', `You cannot upload yet. What is missing:\n${formatMissing(missing)}`, 1, [
      'status',
    ])
}

/** Adds the blocked terms of this machine to the terms of the account, so that the service replaces them too. */
async function saveBlockedTerms({ client }: Service, terms: readonly string[]): Promise<void> {
  if (terms.length === 0) return
  const { terms: saved } = readValue(await client.readBlockedTerms({}))
  const added = terms.filter((term) => !saved.includes(term))
  if (added.length === 0) return
  if (saved.length + added.length > maxTerms)
    throw new CommandError(
      'too_many_terms',
      `An account has at most ${maxTerms} blocked terms; remove some on its page.`,
    )
  readValue(await client.saveBlockedTerms({ body: { terms: [...saved, ...added] }, retry: true }))
}

/** Follows the jobs of an upload that was stopped. */
async function resume(service: Service, terminal: Terminal): Promise<{ jobs: Job[]; outcomes: Outcome[] }> {
  const { pendingJobs } = readRecord(terminal, service.base)
  if (pendingJobs.length > 0)
    terminal.note(`Resuming an upload that was stopped: ${formatCount(pendingJobs.length, 'job')} to follow first.`)
  return followPending(service, terminal)
}

/** Returns the hashes of traces that the service has stored or deleted (`POST /api/traces/known`). */
async function findKnown({ client }: Service, hashes: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  const distinct = [...new Set(hashes)]
  for (let start = 0; start < distinct.length; start += maxHashes) {
    const body = { hashes: distinct.slice(start, start + maxHashes) }
    for (const hash of readValue(await client.knownHashes({ body, retry: true })).known) known.add(hash)
  }
  return known
}

/**
 * Sends traces in chunks and records each accepted job immediately. Returns the number of compressed bytes that were
 * sent.
 */
async function send(service: Service, terminal: Terminal, traces: readonly SelectedTrace[]): Promise<number> {
  const chunks = packChunks(traces.map(({ trace }) => trace))
  const projects = new Map(traces.map(({ trace, project }) => [trace.sourceId, project]))
  const progress = new UploadProgress(chunks, new Map(traces.map(({ trace, file }) => [trace, file])), terminal)
  terminal.onInterrupt('Stopped. What arrived is processed; run the same command again to send the rest.')
  let sentBytes = 0
  for (const chunk of chunks) {
    progress.show()
    const body = gzipSync(chunk.body)
    // A batch can safely be sent again: the service recognizes traces by their content and stores each trace once.
    const headers = { 'content-encoding': 'gzip' }
    const { jobId } = readValue(await service.client.ingest({ body, headers, retry: true }))
    const ofJob = chunk.traces.map(({ sourceId }) => [sourceId, projects.get(sourceId) ?? null] as const)
    updateRecord(terminal, service.base, (record) => ({
      ...record,
      jobIds: [...record.jobIds, jobId].slice(-100),
      pendingJobs: [...record.pendingJobs, { jobId, projects: Object.fromEntries(ofJob) }],
    }))
    sentBytes += body.length
    progress.add(chunk)
  }
  if (chunks.length > 0) progress.show()
  return sentBytes
}

/** Shows how much of an upload was sent. */
class UploadProgress {
  readonly #files: ReadonlyMap<Trace, string>
  readonly #terminal: Terminal
  readonly #start: number
  readonly #total: number
  readonly #fileCount: number
  /** The number of traces of each file that are still to be sent. */
  readonly #left = new Map<string, number>()
  #bytes = 0

  constructor(chunks: readonly Chunk[], files: ReadonlyMap<Trace, string>, terminal: Terminal) {
    this.#files = files
    this.#terminal = terminal
    this.#start = terminal.now()
    this.#total = chunks.reduce((sum, { body }) => sum + body.length, 0)
    for (const file of files.values()) this.#left.set(file, (this.#left.get(file) ?? 0) + 1)
    this.#fileCount = this.#left.size
  }

  add({ traces, body }: Chunk): void {
    this.#bytes += body.length
    for (const trace of traces) {
      const file = this.#files.get(trace)!
      const left = this.#left.get(file)! - 1
      if (left > 0) this.#left.set(file, left)
      else this.#left.delete(file)
    }
  }

  show(): void {
    const seconds = (this.#terminal.now() - this.#start) / 1000
    const share = this.#total === 0 ? 1 : this.#bytes / this.#total
    const filled = Math.round(share * 20)
    const parts = [
      `Uploading [${'#'.repeat(filled)}${'-'.repeat(20 - filled)}]`,
      `${this.#fileCount - this.#left.size} of ${formatCount(this.#fileCount, 'file')}`,
      `${formatBytes(this.#bytes)} of ${formatBytes(this.#total)}`,
    ]
    if (seconds > 0.5 && this.#bytes > 0) {
      const rate = this.#bytes / seconds
      parts.push(`${formatBytes(Math.round(rate))}/s`, `${Math.ceil((this.#total - this.#bytes) / rate)} s left`)
    }
    this.#terminal.progress(parts.join(' · '))
  }
}

/** Follows the recorded jobs to their end, and records to which project each stored trace belongs. */
async function followPending(service: Service, terminal: Terminal): Promise<{ jobs: Job[]; outcomes: Outcome[] }> {
  const jobs: Job[] = []
  const outcomes: Outcome[] = []
  for (const pending of readRecord(terminal, service.base).pendingJobs) {
    const done = await followJob(service, terminal, pending.jobId)
    if (done === null) {
      terminal.note(`The service has no job ${pending.jobId} any more; its traces that are not stored are sent again.`)
    } else {
      jobs.push(done.job)
      outcomes.push(...done.outcomes)
    }
    updateRecord(terminal, service.base, (record) => ({
      ...record,
      pendingJobs: record.pendingJobs.filter(({ jobId }) => jobId !== pending.jobId),
      projects: { ...record.projects, ...readProjects(pending, done?.outcomes ?? []) },
    }))
  }
  return { jobs, outcomes }
}

function readProjects({ projects }: PendingJob, outcomes: readonly Outcome[]): Record<string, string> {
  const ofTraces = outcomes.map(({ traceId, sourceId }) => [traceId, projects[sourceId] ?? null] as const)
  return Object.fromEntries(ofTraces.filter((one): one is [string, string] => one[0] !== null && one[1] !== null))
}

interface Summary {
  readonly files: number
  readonly unreadable: readonly string[]
  readonly excludedFiles: number
  readonly skippedLines: number
  readonly traces: number
  readonly known: number | null
}

function formatRead({ files, unreadable, excludedFiles, skippedLines, traces, known }: Summary): string[] {
  const read = [`Read ${formatCount(traces, 'trace')} in ${formatCount(files, 'file')}`]
  if (known !== null) read.push(`${known} already known`)
  if (excludedFiles > 0) read.push(`${formatCount(excludedFiles, 'file')} of projects that are not used`)
  if (skippedLines > 0) read.push(`${formatCount(skippedLines, 'broken line')} skipped`)
  return [`${read.join(', ')}.`, ...unreadable.map((file) => `  no conversation in ${toPlainText(file)}`)]
}

function formatUpload(
  summary: Summary & { readonly jobs: readonly Job[]; readonly outcomes: readonly Outcome[] },
  base: string,
): string {
  const { jobs, outcomes } = summary
  const lines = formatRead(summary)
  if (jobs.length === 0) return [...lines, 'Nothing to send.'].join('\n')
  const counts = new Map<string, { traces: number; redactions: number }>()
  for (const { outcome, redactions } of outcomes) {
    const before = counts.get(outcome) ?? { traces: 0, redactions: 0 }
    counts.set(outcome, { traces: before.traces + 1, redactions: before.redactions + redactions })
  }
  const rows = [...counts].map(([outcome, count]) => [outcome, String(count.traces), String(count.redactions)])
  const usd = jobs.reduce((sum, job) => sum + (job.estimatedUsd ?? 0), 0)
  lines.push('', formatTable(['outcome', 'traces', 'redactions'], rows, ['traces', 'redactions']))
  lines.push('', `Estimated value: ${formatUsd(usd)}`)
  for (const job of jobs)
    if (job.status === 'failed')
      lines.push(`Job ${job.id} failed: ${toPlainText(job.errorMessage ?? 'no reason given')}`)
  const [first, ...others] = outcomes.filter(({ outcome }) => outcome === 'stored' || outcome === 'updated')
  if (first) lines.push(others.length === 0 ? `Read it: ${base}/traces/${first.traceId}` : `Read them: ${base}/traces`)
  return lines.join('\n')
}
