import { gzipSync } from 'node:zlib'
import { contentHash } from '@tributary/core'
import { chunks, segments } from './chunk.ts'
import { follow, type Job, type Outcome } from './follow.ts'
import { valueOf, type Service } from './service.ts'
import { readFile } from './sessions/file.ts'
import type { Trace } from './sessions/trace.ts'
import { missingText, standing } from './status.ts'
import { bytes, plain, plural, Stop, table, type Terminal } from './terminal.ts'

/** The interface's limit of hashes in one question. */
const mostHashes = 5000

export interface Uploaded {
  readonly files: number
  /** Files that hold no conversation we can read. */
  readonly unread: readonly string[]
  /** Lines and entries left out of the files that were read. */
  readonly skippedLines: number
  readonly traces: number
  /** Traces that the service had already, not sent again; null in a dry run, which contacts nobody. */
  readonly known: number | null
  readonly sentTraces: number
  readonly sentBytes: number
  readonly jobs: readonly Job[]
  readonly outcomes: readonly Outcome[]
}

/**
 * Reads the files, asks what is known already, sends the rest in chunks, and follows each job to its end. A dry run reads the
 * files alone: not even a hash leaves the machine.
 */
export async function upload(
  service: Service,
  terminal: Terminal,
  files: readonly string[],
  dryRun: boolean,
): Promise<Uploaded> {
  if (!dryRun) await mayUpload(service)
  const unread: string[] = []
  const traces: Trace[] = []
  let skippedLines = 0
  for (const file of files) {
    const reading = readFile(file)
    if (!reading || reading.traces.length === 0) unread.push(file)
    for (const trace of reading?.traces ?? []) traces.push(...segments(trace))
    skippedLines += reading?.skipped ?? 0
  }
  const hashes = traces.map(({ messages }) => contentHash(messages))
  const known = dryRun ? null : await knownOf(service, hashes)
  const fresh = traces.filter((_, i) => !known?.has(hashes[i]!))
  const packed = chunks(fresh)
  const sum = {
    files: files.length,
    unread,
    skippedLines,
    traces: traces.length,
    known: known && traces.length - fresh.length,
  }
  if (dryRun) return { ...sum, sentTraces: 0, sentBytes: 0, jobs: [], outcomes: [] }

  const sent: { jobId: string; traces: readonly Trace[] }[] = []
  let sentBytes = 0
  for (const [i, { body, traces: inside }] of packed.entries()) {
    const gzip = gzipSync(body)
    terminal.progress(
      `Uploading ${i + 1} of ${packed.length}: ${plural(inside.length, 'trace')}, ${bytes(gzip.length)} packed`,
    )
    const headers = { 'content-encoding': 'gzip' }
    // Submitting a batch again stores nothing twice: the service knows traces by their content.
    const { jobId } = valueOf(await service.client.ingest({ body: gzip, headers, retry: true }))
    sent.push({ jobId, traces: inside })
    sentBytes += gzip.length
  }
  const jobs: Job[] = []
  const outcomes: Outcome[] = []
  for (const { jobId } of sent) {
    const done = await follow(service, terminal, jobId)
    jobs.push(done.job)
    outcomes.push(...done.outcomes)
  }
  return { ...sum, sentTraces: fresh.length, sentBytes, jobs, outcomes }
}

async function mayUpload(service: Service): Promise<void> {
  const { missing } = await standing(service)
  if (missing.length > 0)
    throw new Stop('not_eligible', `You cannot upload yet. What is missing:\n${missingText(missing)}`)
}

/** Which of the hashes the service has stored or was told to delete (E7). */
async function knownOf({ client }: Service, hashes: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  const every = [...new Set(hashes)]
  for (let from = 0; from < every.length; from += mostHashes) {
    const body = { hashes: every.slice(from, from + mostHashes) }
    for (const hash of valueOf(await client.knownHashes({ body, retry: true })).known) known.add(hash)
  }
  return known
}

/** The upload for a reader: what was read, and how many traces had which outcome. */
export function uploadText(done: Uploaded, dryRun: boolean): string {
  const read = [`Read ${plural(done.traces, 'trace')} in ${plural(done.files, 'file')}`]
  if (done.known !== null) read.push(`${done.known} known already`)
  if (done.skippedLines > 0) read.push(`${plural(done.skippedLines, 'broken line')} left out`)
  const text = [`${read.join(', ')}.`]
  for (const file of done.unread) text.push(`  no conversation in ${plain(file)}`)
  if (dryRun) return [...text, 'Dry run: nothing was sent, and the service was not contacted.'].join('\n')
  if (done.jobs.length === 0) return [...text, 'Nothing to send.'].join('\n')
  const counts = new Map<string, { traces: number; redactions: number }>()
  for (const { outcome, redactions } of done.outcomes) {
    const at = counts.get(outcome) ?? { traces: 0, redactions: 0 }
    counts.set(outcome, { traces: at.traces + 1, redactions: at.redactions + redactions })
  }
  const rows = [...counts].map(([outcome, at]) => [outcome, String(at.traces), String(at.redactions)])
  const usd = done.jobs.reduce((total, job) => total + (job.estimatedUsd ?? 0), 0)
  text.push(
    '',
    table(['outcome', 'traces', 'redactions'], rows, ['traces', 'redactions']),
    '',
    `Estimated value: $${usd.toFixed(6)}`,
  )
  for (const job of done.jobs)
    if (job.status === 'failed') text.push(`Job ${job.id} failed: ${plain(job.errorMessage ?? 'no reason given')}`)
  return text.join('\n')
}
