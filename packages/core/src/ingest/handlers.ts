import { listParams } from '../http/list.ts'
import { pageOf } from '../lists.ts'
import { maxCompressedSize, readBytes, bodyTooLarge, readEncoding } from '../http/body.ts'
import { fail, Failure, invalid } from '../http/failures.ts'
import { limitHeaders } from '../http/rate-limit.ts'
import type { WarnOfWaiting } from './waiting.ts'
import type { PlainRequest } from '../http/message.ts'
import { reply, mount, type Codes, type Handlers, type Input, type Mounted, type User } from '../http/route.ts'
import { timestamp, toHex, uuid7 } from '../ids.ts'
import type { Blobs, Clock, Digest, Logger, Queue, Random } from '../ports.ts'
import { currentTraceparent } from '../tracing.ts'
import { ingestContract } from './contract.ts'
import type { Batch, Intake, Receipt } from './intake.ts'
import { failedKeptMs, jobView, partKey, putKey, uploadMs, uploadPrefix } from './rules.ts'
import type { IngestStore, NotAdded } from './store.ts'

interface UploadRequest {
  readonly request: PlainRequest
  readonly address: string | null
}

export interface IngestDeps {
  readonly store: IngestStore
  readonly blobs: Blobs
  readonly intake: Intake
  readonly queue: Queue | null
  readonly clock: Clock
  readonly random: Random
  readonly digest: Digest
  readonly logger: Logger
  readonly link: (path: string) => string
  /** The maximum number of decoded bytes in one batch. */
  readonly ingestLimit: number
  /** The limit for an uncompressed body, in bytes. */
  readonly plainIngestLimit: number
  /** The maximum number of bytes of one person's uploads that may wait. Null means any number. */
  readonly waitingUploadBytes: number | null
  /** Warns when a job waits so long that no worker can be running. */
  readonly warnOfWaiting: WarnOfWaiting
  /** Checks the upload policy before a body is read. Returns null when the person may upload. */
  readonly checkUpload: (
    user: User,
    asking: UploadRequest,
  ) => Promise<Failure<Codes<IngestRoute> & Codes<typeof ingestContract.startUpload>> | null>
  /** The version of the terms that every contributor must accept, which `checkUpload` checks. */
  readonly termsVersion: string
  readonly findCountry: (asking: UploadRequest) => Promise<string | null>
}

/** The maximum declared size of a body that is read without first counting the bytes of waiting uploads. */
const smallBody = 64 * 1024

type IngestRoute = typeof ingestContract.ingest
type Kept = Extract<Receipt, { kind: 'kept' }>

export const ingestHandlers: Handlers<typeof ingestContract, IngestDeps> = {
  async ingest(input, deps) {
    const full = await refuseOverLimit(input, deps)
    if (full) return full
    const batch = await readBatch(input, deps)
    if (batch instanceof Failure) return batch
    const jobId = uuid7(input.now, deps.random)
    const receipt = await deps.intake.receive(batch, deps.ingestLimit, uploadPrefix(jobId))
    if (receipt.kind === 'upload') return acceptUpload(input, deps, jobId, receipt.uploadId)
    if (receipt.kind !== 'kept') return toFailure(receipt, deps.ingestLimit)
    return accept(input, deps, jobId, receipt)
  },

  async listJobs({ user, query: { cursor = null, limit } }, { store }) {
    const jobs = await store.listJobs({ ownerId: user.id, cursor, limit: limit + 1 })
    const { page, next } = pageOf(jobs, limit, ({ id }) => id)
    return { ok: true, items: page.map(jobView), nextCursor: next }
  },

  async ingestJob({ user, params, now }, { store, warnOfWaiting }) {
    const job = await store.findJob({ ownerId: user.id, jobId: params.jobId })
    if (!job) return fail('not_found')
    warnOfWaiting(job, now)
    return { ok: true, job: jobView(job) }
  },

  async ingestOutcomes({ user, params }, { store }) {
    const outcomes = await store.listOutcomes({ ownerId: user.id, jobId: params.jobId })
    return outcomes ? { ok: true, outcomes } : fail('not_found')
  },

  async deleteUpload({ user, params: { jobId } }, { store, blobs }) {
    const upload = await store.findUploadOfJob({ ownerId: user.id, jobId })
    if (!upload) return fail('not_found')
    if (upload.status !== 'done' && upload.status !== 'failed') return fail('job_not_finished')
    // The store deletes the record of the parts last, so that the request can be repeated until then.
    for (let part = 0; part < upload.parts; part++) await blobs.delete(partKey(jobId, part))
    await store.markUploadDeleted({ ownerId: user.id, jobId })
    return reply(204, null)
  },

  async startUpload({ user, body, now }, { store, blobs, random, digest, link, ingestLimit, waitingUploadBytes }) {
    if (body.bytes > ingestLimit) return bodyTooLarge(ingestLimit)
    const [id, secret, expiresAt] = [uuid7(now, random), toHex(random(32)), now + uploadMs]
    const upload = { id, secretHash: toHex(digest(secret)), bytes: body.bytes, now, expiresAt }
    const refused = await store.createUpload({
      ownerId: user.id,
      ...upload,
      maxWaitingBytes: waitingUploadBytes ?? undefined,
    })
    if (refused !== null) return refuseJob(refused, waitingUploadBytes)
    const { url, headers } = (await blobs.presign?.(putKey(id), body.bytes, expiresAt)) ?? {
      url: link(`/api/ingest/uploads/${secret}`),
      headers: { 'content-type': 'application/json' },
    }
    return { ok: true, uploadId: id, url, headers, expiresAt: timestamp(expiresAt) }
  },

  async putUpload({ params, request, now }, { store, blobs, digest }) {
    const upload = await store.findUpload({ secretHash: toHex(digest(params.secret)) })
    if (!upload) return fail('not_found')
    if (upload.taken) return fail('upload_taken')
    if (upload.expiresAt <= now) return fail('upload_expired')
    // The bytes are stored as sent; the intake detects later whether they are compressed.
    const bytes = await readBytes(request, 'plain', upload.bytes)
    if (bytes instanceof Failure) return bytes
    await blobs.put(putKey(upload.id), bytes)
    return { ok: true }
  },

  async adminJobs({ query }, { store }) {
    const { status, source, errorClass } = query
    const page = await store.listAllJobs({ ...listParams(query), status, source, errorClass })
    const items = page.items.map((job) => ({
      ...jobView(job),
      userId: job.ownerId,
      email: job.email,
      attempts: job.attempts,
      attemptEnd: job.attemptEnd,
      errorStage: job.errorStage,
      errorClass: job.errorClass,
      total: job.total,
    }))
    return { ok: true, items, nextCursor: page.next }
  },

  async adminRetryJob({ params, now, audit }, { store, queue, logger }) {
    const found = await store.retryJob({ jobId: params.jobId, failedSince: now - failedKeptMs, audit })
    if (!found) return fail('not_found')
    if (!found.retried) return fail(found.job.status === 'failed' ? 'upload_gone' : 'not_failed')
    // Even if the message to the queue fails, workers that poll the store find the job.
    await queue
      ?.send(params.jobId)
      .catch((error: unknown) => logger.warn({ err: error, jobId: params.jobId }, 'ingest.queue.retry_failed'))
    return { ok: true, job: jobView(found.job) }
  },
}

/** The time for which a client is asked to wait until some of its uploads were processed. */
const waitingSeconds = 60

function refuseJob(why: NotAdded, waitingUploadBytes: number | null): Failure<'unauthorized' | 'rate_limited'> {
  if (why === 'unknown_owner') return fail('unauthorized')
  return fail(
    'rate_limited',
    {},
    limitHeaders({
      name: 'waiting_upload_bytes',
      limit: waitingUploadBytes ?? 0,
      remaining: 0,
      retrySeconds: waitingSeconds,
      unit: 'content-bytes',
    }),
  )
}

/** Refuses a batch before its body is read if its declared size would exceed the limit on waiting bytes. */
async function refuseOverLimit(
  { user, request, now }: Input<IngestRoute>,
  { store, waitingUploadBytes }: IngestDeps,
): Promise<Failure<'unauthorized' | 'rate_limited'> | null> {
  if (waitingUploadBytes === null) return null
  const declared = Number(request.headers['content-length'] ?? 0)
  // A small body may name an upload. The bytes of the upload are already counted.
  const isFull =
    declared > smallBody && (await store.countWaitingBytes({ ownerId: user.id, now })) + declared > waitingUploadBytes
  return isFull ? refuseJob('over_quota', waitingUploadBytes) : null
}

/** Returns the body as it was sent; the intake decompresses it in its own thread. */
async function readBatch(
  { request }: Input<IngestRoute>,
  { ingestLimit, plainIngestLimit }: IngestDeps,
): Promise<Batch | Failure<'body_too_large' | 'invalid_json' | 'unsupported_content_type'>> {
  const packed = readEncoding(request, 'application/json')
  if (packed instanceof Failure) return packed
  const limit = packed === 'gzip' ? ingestLimit : plainIngestLimit
  const bytes = await readBytes(request, 'plain', packed === 'gzip' ? maxCompressedSize(limit) : limit)
  if (!(bytes instanceof Failure)) return { bytes, packed }
  return bytes.code === 'body_too_large' ? bodyTooLarge(limit) : bytes
}

const notJson = { path: [], code: 'invalid_json', message: 'not JSON in UTF-8, or `traces` twice' }

function toFailure(receipt: Exclude<Receipt, { kind: 'kept' }>, limit: number) {
  if (receipt.kind === 'missing') return fail('upload_not_found')
  if (receipt.kind === 'upload')
    return invalid('invalid_body', { path: ['traces'], code: 'custom', message: 'an upload must contain traces' })
  if (receipt.code === 'body_too_large') return bodyTooLarge(limit)
  const issues = receipt.issues.length > 0 ? receipt.issues : [notJson]
  return invalid(receipt.code, ...issues)
}

/** Accepts a batch that was uploaded by PUT. An upload is used once, by this job, even when its content is invalid. */
async function acceptUpload(input: Input<IngestRoute>, deps: IngestDeps, jobId: string, uploadId: string) {
  const { user, now } = input
  const { store, blobs, intake, ingestLimit, logger } = deps
  try {
    const refused = await store.claimUpload({ ownerId: user.id, uploadId, jobId, now })
    if (refused !== null) return fail(`upload_${refused}` as const)
    const receipt = await intake.receive({ blob: putKey(uploadId) }, ingestLimit, uploadPrefix(jobId))
    if (receipt.kind === 'missing') {
      // No client has sent the upload with PUT yet.
      await store.releaseUpload({ ownerId: user.id, uploadId, jobId })
      return fail('upload_not_found')
    }
    const answer = receipt.kind === 'kept' ? await accept(input, deps, jobId, receipt) : toFailure(receipt, ingestLimit)
    const isRepeatable =
      answer instanceof Failure && (answer.code === 'enqueue_failed' || answer.code === 'rate_limited')
    if (isRepeatable) await store.releaseUpload({ ownerId: user.id, uploadId, jobId })
    // The answer is the same if the upload could not be deleted, because the sweep deletes it later.
    else
      await blobs
        .delete(putKey(uploadId))
        .catch((error: unknown) => logger.warn({ err: error, uploadId }, 'ingest.upload.not_deleted'))
    return answer
  } catch (error) {
    // The store may answer again in a minute. The upload is released so that the next attempt can use it.
    await store.releaseUpload({ ownerId: user.id, uploadId, jobId }).catch(() => undefined)
    throw error
  }
}

/** Creates the job of a durably stored batch, and replies 202 once the job is durable too. */
async function accept(
  input: Input<IngestRoute>,
  deps: IngestDeps,
  jobId: string,
  { source, total, parts, bytes }: Kept,
) {
  const { user } = input
  const { store, queue, clock, logger, waitingUploadBytes } = deps
  const origin = { termsVersion: deps.termsVersion, country: await deps.findCountry(input) }
  const job = { id: jobId, source, total, parts, bytes, enqueuedAt: clock(), traceparent: currentTraceparent(), origin }
  const refused = await store.enqueueJob({ ownerId: user.id, ...job, maxWaitingBytes: waitingUploadBytes ?? undefined })
  if (refused !== null) {
    await dropParts(deps, jobId, parts)
    return refuseJob(refused, waitingUploadBytes)
  }
  try {
    await queue?.send(jobId, user.id)
  } catch (error) {
    logger.error({ err: error, jobId }, 'ingest.queue.failed')
    // A worker that polls may have claimed the job already. Then the job runs, and a failure would make the client send
    // the batch twice.
    if (await store.withdrawJob({ ownerId: user.id, jobId })) {
      await dropParts(deps, jobId, parts)
      return fail('enqueue_failed')
    }
  }
  return reply(202, { ok: true as const, jobId, status: 'queued' as const })
}

async function dropParts({ blobs }: IngestDeps, jobId: string, parts: number): Promise<void> {
  for (let part = 0; part < parts; part++) await blobs.delete(partKey(jobId, part))
}

/** Binds the routes of ingest to their handlers. The upload policy is checked before a body is read. */
export function mountIngest(deps: IngestDeps): Mounted[] {
  const ingest = ({ user, ...asking }: UploadRequest & { readonly user: User }) => deps.checkUpload(user, asking)
  return mount(ingestContract, ingestHandlers, deps, { ingest, startUpload: ingest })
}
