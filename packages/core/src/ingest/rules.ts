import { timestamp, timestampOrNull } from '../ids.ts'
import type { JobRecord, OutcomeName, OutcomeRecord, PreparedTrace } from './store.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The default limit of 64 MiB. The option `ingestLimit` changes it. */
export const defaultIngestLimit = 64 * 1024 * 1024

/** The lease, in ms, of a job whose next slice runs trace by trace. Three such leases fit into two normal leases. */
export const aloneTimes = { leaseMs: 9 * second, renewMs: 3 * second }
/** The number of attempts that run only one trace and stop their worker, after which the trace is rejected. */
export const maxLossesAlone = 2
/**
 * The maximum number of attempts of a job whose workers stop: one attempt with several traces, two attempts for each of
 * up to three traces that stop a worker, and a final attempt.
 */
export const maxLostAttempts = 2 + 3 * maxLossesAlone
/** The time in ms after which a job is due again when the store reported its lease as lost. */
export const lostWaitMs = 5 * second

/**
 * The raw upload of a failed job is kept for this time, so that the operator can retry it. The upload of a finished job
 * is deleted.
 */
export const failedKeptMs = 24 * hour

/** The age up to which a blob without a job may belong to an upload in progress. */
export const orphanMs = 2 * hour
/** The time for which an upload URL is valid. */
export const uploadMs = hour

export const partKey = (jobId: string, part: number): string => `${uploadPrefix(jobId)}/${part}`
export const uploadPrefix = (jobId: string): string => `upload/${jobId}`
/** Returns the key of the blob that holds a body sent to an upload URL until `POST /api/ingest` names the URL. */
export const putKey = (uploadId: string): string => `put/${uploadId}`

/** Returns a job as `GET /api/ingest/jobs/:jobId` shows it. */
export function jobView(job: JobRecord) {
  const { id, source, status, traceCount, rejectedCount, estimatedUsd, errorMessage } = job
  return {
    id,
    source,
    status,
    traceCount,
    rejectedCount,
    estimatedUsd,
    errorMessage,
    enqueuedAt: timestamp(job.enqueuedAt),
    startedAt: timestampOrNull(job.startedAt),
    finishedAt: timestampOrNull(job.finishedAt),
  }
}

/** Returns the dollars for tokens, rounded to 6 decimals. */
export function estimate(tokens: number, usdPerMillionTokens: number): number {
  return Math.round(tokens * usdPerMillionTokens) / 1_000_000
}

/** The facts that decide the outcome of a trace. */
export interface DecisionInput {
  readonly kind: PreparedTrace['kind']
  /** Whether an earlier trace of the upload has the same hash. */
  readonly isRepeated: boolean
  /** Whether the owner has stored content with the trace's hash, or deleted it. */
  readonly content: 'unknown' | 'stored' | 'deleted'
  /** Whether the owner deleted this piece of the conversation. */
  readonly isNameDeleted: boolean
  /** The state of the owner's stored trace that is the same piece of the same conversation. */
  readonly named: 'none' | 'unsold' | 'sold'
  /** Whether the trace that `named` describes was stored by a job that was added after this job. */
  readonly isSuperseded: boolean
}

/**
 * Decides the outcome of a trace. The content is checked first, so that a repeated upload is a duplicate even if the
 * trace has changed since then. After that, a deleted name, the result of the scrubber, and the trace of the same name
 * are checked in this order. A version that a later upload has replaced is a duplicate of the later version. Returns
 * null for a trace that was sent as `known` but was deleted since then: it must be sent again with its content.
 */
export function decideOutcome(input: DecisionInput): OutcomeName | null {
  const { kind, isRepeated, content, isNameDeleted, named, isSuperseded } = input
  if (content === 'deleted') return 'deleted_before'
  if (content === 'stored') return isRepeated ? 'duplicate_in_batch' : 'duplicate'
  if (kind === 'known') return null
  // A refused trace has no name to search for.
  if (kind === 'refused') return 'rejected'
  if (isNameDeleted) return 'deleted_before'
  if (named === 'none') return 'stored'
  if (named === 'sold') return 'already_sold'
  return isSuperseded ? 'duplicate' : 'updated'
}

/**
 * Returns whether a trace of a batch is a duplicate of a trace that the batch updates. After the update, no trace would
 * have the duplicate's content.
 */
export function hasReplacedDuplicate(decided: readonly Pick<OutcomeRecord, 'outcome' | 'traceId'>[]): boolean {
  const updated = new Set(decided.filter(({ outcome }) => outcome === 'updated').map(({ traceId }) => traceId))
  return decided.some(({ outcome, traceId }) => outcome.startsWith('duplicate') && updated.has(traceId))
}

/**
 * Returns the index of the first message that repeats the position of an earlier message, or -1. Ascending positions,
 * the common case, need no set.
 */
export function firstRepeat(messages: readonly { readonly position?: number | undefined }[]): number {
  let last = -1
  let index = 0
  for (const { position = index } of messages) {
    if (position <= last) return repeatAmong(messages)
    last = position
    index++
  }
  return -1
}

function repeatAmong(messages: readonly { readonly position?: number | undefined }[]): number {
  const seen = new Set<number>()
  return messages.findIndex((message, i) => seen.size === seen.add(message.position ?? i).size)
}
