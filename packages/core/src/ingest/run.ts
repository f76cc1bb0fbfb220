import type { MakeEvent } from '../events/event.ts'
import { firstOf } from '../lists.ts'
import { toHex } from '../ids.ts'
import type { Measurements } from '../measurements.ts'
import type { Blobs, Clock, Digest, Logger, Random, Verifier } from '../ports.ts'
import { inSpan } from '../tracing.ts'
import { Unavailable } from '../unavailable.ts'
import type { PersonalContext } from '../contributors/identity.ts'
import type { TraceSent } from './contract.ts'
import { refusedName } from '../traces/names.ts'
import { VerifierError } from '../traces/verify.ts'
import { DetectorError } from '../scrubber/engine/rule.ts'
import {
  createPreparation,
  defaultSource,
  isReaderError,
  type PrepareDeps,
  type ReadyTrace,
  type Waiting,
} from './prepare.ts'
import { createPacer, createLeaseKeeper, LeaseLostError, type LeaseKeeper } from '../queue/loop.ts'
import { queueTimes } from '../queue/times.ts'
import { aloneTimes, maxLossesAlone, partKey } from './rules.ts'
import { createCopyRecognizer, type RecognizeDeps } from '../traces/copies/recognize.ts'
import type { Claim, ErrorClass, JobStage, IngestStore } from './store.ts'

export interface RunDeps extends Omit<PrepareDeps, 'context' | 'hasFormerNames'> {
  /** Reads the texts that must be replaced in every trace of a person. */
  readonly readContext: (ownerId: string) => Promise<PersonalContext>
  /** Checks each trace after the scrubber. Null if there is no verifier. */
  readonly verifier: Verifier | null
  readonly store: IngestStore
  readonly copies: RecognizeDeps['copies']
  readonly makeEvent: MakeEvent
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly measurements: Measurements
  /** Yields to the event loop. */
  readonly yieldToEventLoop: () => Promise<void>
  /** Returns the `contentHash` of a trace: 64 lower-case hexadecimal digits. */
  readonly hash: (messages: TraceSent['messages'], digest: Digest) => string
  /** Returns which of the given hashes the owner has stored or deleted. */
  readonly known: (ownerId: string, hashes: readonly string[]) => Promise<string[]>
}

/** The dependencies of a run, with the known data about the job's owner. */
type JobDeps = RunDeps & Pick<PrepareDeps, 'context'>

/**
 * Thrown when a job of another person must run first, or after the traces that may have stopped the worker were stored
 * one by one. The next claim continues the job in slices.
 */
export class PreemptedError extends Error {
  override readonly name = 'PreemptedError'
}
/** Thrown when a part of the batch is missing in the blobs. */
class UploadGone extends Error {
  override readonly name = 'UploadGone'
}

/**
 * The maximum size of a slice. Writing a slice of this size holds the write lock for about 10 ms. Every slice costs a
 * sync to the disk.
 */
const sliceTraces = 334
const sliceChars = 2 * 1024 * 1024
/**
 * The number of parts that are deleted at a time. A store may delete them in one transaction, which holds the write
 * lock as long as a slice does.
 */
const partsAtOnce = 5
/** The number of characters that are scrubbed before the worker yields to the event loop. */
const stride = 128 * 1024

/**
 * The start of a part of the batch, and the hashes of the traces before it. A run may start here instead of at the
 * first part.
 */
export interface Position {
  readonly part: number
  readonly index: number
  readonly seen: ReadonlySet<string>
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** A function that is called after each slice. If it returns true, the run ends with `PreemptedError`. */
  readonly isPreempted?: () => boolean
  /** The position that an earlier run of the same job reached. Default: the first part. */
  readonly from?: Position | undefined
  /** A function that is called when the next step of the attempt starts. */
  readonly onStage?: (stage: JobStage) => void
  /** A function that is called with each part's position. */
  readonly onPart?: (position: Position) => void
}

/**
 * Runs a job to completion from its current state: reads the batch part by part, decides and stores it slice by slice,
 * deletes the raw upload, and only then marks the job as done. After a crash at any step, a second run has the same
 * result. Throws `LeaseLostError`, `StoppedError`, `PreemptedError`, `UploadGone`, `VerifierError`, `DetectorError`,
 * `Unavailable`.
 */
export async function runJob(deps: RunDeps, claim: Claim, options: RunOptions = {}): Promise<void> {
  const { store, usdPerMillionTokens, makeEvent } = deps
  const renew = (leaseUntil: number): Promise<boolean> => store.renewLease({ claim, leaseUntil })
  const times = claim.losses > 0 ? aloneTimes : queueTimes.ingest
  const lease = createLeaseKeeper({ ...deps, times, signal: options.signal, renew })
  if (claim.losses > 0) await lease.renew()
  if (claim.done < claim.total) {
    // The secret that hashes the names of conversations is loaded first. A failure to load it then ends the attempt
    // instead of rejecting a trace.
    const [context] = await Promise.all([deps.readContext(claim.ownerId), deps.keyed('')])
    await ingest({ ...deps, context }, claim, lease, options)
  }
  options.onStage?.('finishing')
  for (let part = 0; part < claim.parts; part += partsAtOnce) {
    const some = Array.from({ length: Math.min(partsAtOnce, claim.parts - part) }, (_, i) =>
      deps.blobs.delete(partKey(claim.jobId, part + i)),
    )
    await Promise.all(some)
  }
  const now = deps.clock()
  const event = makeEvent('job.completed', now)
  if (!(await store.completeJob({ claim, usdPerMillionTokens, now, event }))) throw new LeaseLostError()
}

async function ingest(
  deps: JobDeps,
  claim: Claim,
  lease: LeaseKeeper,
  { isPreempted, from, onPart, onStage }: RunOptions,
): Promise<void> {
  const start = from && from.index <= claim.done ? from : { part: 0, index: 0, seen: [] }
  // A trace that may have stopped its worker is stored alone. After two such attempts it is rejected unread.
  const isAlone = claim.losses > 0
  const poisonIndex = claim.losses > maxLossesAlone ? claim.done : null
  const seen = new Set<string>(start.seen)
  let index = start.index
  let [slice, chars, names] = [[] as Waiting[], 0, new Set<string>()]
  for (let part = start.part; part < claim.parts; part++) {
    await lease.check()
    onStage?.('reading')
    onPart?.({ part, index, seen: new Set(seen) })
    const bytes = await deps.blobs.get(partKey(claim.jobId, part))
    if (!bytes) throw new UploadGone(`part ${part} of job ${claim.jobId} is gone`)
    const traces = JSON.parse(new TextDecoder().decode(bytes)) as TraceSent[]
    let turn = bytes.length > stride
    for (const sent of traces) {
      // Parsing, hashing, scrubbing and writing ten megabytes each block the event loop for the longest allowed time.
      if (turn) await lease.check()
      const one = toWaiting(deps, claim.jobId, index, sent, seen, index++ === poisonIndex)
      turn = one.chars > stride
      if (one.index < claim.done) continue
      const name = JSON.stringify([sent.source ?? defaultSource, sent.sourceId, sent.segmentIndex ?? 0])
      // A later slice sees the decisions of earlier slices, so equal hashes and names must not be in the same slice.
      const endsSlice =
        slice.length === sliceTraces || chars + one.chars > sliceChars || names.has(name) || names.has(one.contentHash)
      if (endsSlice && !isAlone) {
        await settle(deps, claim, lease, slice, onStage)
        if (isPreempted?.()) throw new PreemptedError()
        ;[slice, chars, names] = [[], 0, new Set()]
      }
      names.add(name).add(one.contentHash)
      chars += one.chars
      slice.push(one)
      if (!isAlone) continue
      // The next trace is read only after this point. The lost worker may have read the trace that ends the slice, but
      // no later trace.
      await settle(deps, claim, lease, [one], onStage)
      if (isPreempted?.() || (endsSlice && index < claim.total)) throw new PreemptedError()
    }
  }
  if (!isAlone) await settle(deps, claim, lease, slice, onStage)
}

function toWaiting(
  { hash, digest, logger }: JobDeps,
  jobId: string,
  index: number,
  sent: TraceSent,
  seen: Set<string>,
  isPoison: boolean,
): Waiting {
  let contentHash: string
  let chars = 0
  const makeOwnHash = (): string => toHex(digest(`${jobId}/${index}`))
  try {
    contentHash = isPoison ? makeOwnHash() : hash(sent.messages, digest)
    for (const { content } of sent.messages) chars += content.length
    if (isPoison) logger.error({ jobId, index }, 'ingest.trace.worker_lost')
  } catch (error) {
    logger.error({ err: error, jobId, index }, 'ingest.trace.hash_failed')
    contentHash = makeOwnHash()
  }
  return { index, sent, contentHash, isRepeated: seen.size === seen.add(contentHash).size, isPoison, chars }
}

/**
 * Decides and stores one slice. Traces that are already known are not scrubbed again, unless they are deleted
 * meanwhile.
 */
async function settle(
  deps: JobDeps,
  claim: Claim,
  lease: LeaseKeeper,
  slice: readonly Waiting[],
  onStage: RunOptions['onStage'],
): Promise<void> {
  if (slice.length === 0) return
  await lease.check()
  onStage?.('redacting')
  const known = new Set(
    await deps.known(
      claim.ownerId,
      slice.map(({ contentHash }) => contentHash),
    ),
  )
  const prepared = await scrubSlice(deps, claim, lease, slice, known)
  onStage?.('storing')
  await writeRun(deps, claim, lease, prepared, slice)
}

async function writeRun(
  deps: JobDeps,
  claim: Claim,
  lease: LeaseKeeper,
  run: readonly ReadyTrace[],
  slice: readonly Waiting[],
): Promise<void> {
  const { store, clock, logger } = deps
  /** Writes the traces one by one, so that one trace does not block the other traces. */
  const writeEach = async (): Promise<void> => {
    for (const prepared of run) await writeRun(deps, claim, lease, [prepared], slice)
  }
  let result: Awaited<ReturnType<IngestStore['writeBatch']>>
  try {
    const scrubbed = run.filter((one) => one.kind === 'scrubbed')
    // Scrubbed traces are stored even when the worker is stopping; otherwise the slice would be scrubbed again.
    const yieldToEventLoop = createPacer(clock, deps.yieldToEventLoop)
    const recognizer = await createCopyRecognizer(scrubbed, { copies: deps.copies, yieldToEventLoop })
    do {
      const { copies, copyVersion } = await recognizer.recognize()
      const traces = run.map((one) => (one.kind === 'scrubbed' ? { ...one, copies: copies.get(one.index) } : one))
      const now = clock()
      const copiesFound = deps.makeEvent('contributor.copies_found', now)
      result = await store.writeBatch({ claim, traces, copyVersion, now, leaseUntil: lease.extend(now), copiesFound })
    } while (result === 'stale')
  } catch (error) {
    if (Unavailable.is(error)) throw error
    if (run.length > 1) return writeEach()
    const { index, sourceId, contentHash, isRepeated, kind } = firstOf(run)
    if (kind === 'refused') throw error
    logger.error({ err: error, jobId: claim.jobId, index }, 'ingest.trace.store_failed')
    return writeRun(deps, claim, lease, [{ kind: 'refused', index, sourceId, contentHash, isRepeated }], slice)
  }
  if (result === 'lost') throw new LeaseLostError()
  if (result === 'written') return
  if (run.length > 1) return writeEach()
  // The client sent the hash as known, but the trace was deleted since then.
  const sent = slice.filter(({ index }) => index === firstOf(run).index)
  return writeRun(deps, claim, lease, await scrubSlice(deps, claim, lease, sent, new Set()), slice)
}

/** Scrubs a slice, in one span. */
const scrubSlice = (...args: Parameters<typeof prepareSlice>): Promise<ReadyTrace[]> =>
  inSpan(
    () => ({
      name: 'tributary scrub',
      attributes: { 'tributary.job.id': args[1].jobId, 'tributary.traces': args[3].length },
    }),
    async (span) => {
      const prepared = await prepareSlice(...args)
      const redactions = prepared.map((one) => (one.kind === 'scrubbed' ? one.redactions : 0))
      span.setAttribute(
        'tributary.redactions',
        redactions.reduce((sum, count) => sum + count, 0),
      )
      return prepared
    },
  )

async function prepareSlice(
  deps: JobDeps,
  claim: Claim,
  lease: LeaseKeeper,
  slice: readonly Waiting[],
  known: ReadonlySet<string>,
): Promise<ReadyTrace[]> {
  const prepared: ReadyTrace[] = []
  const failures: { readonly one: Waiting; readonly at: number }[] = []
  const prepareTrace = createPreparation(deps, claim, lease)
  const prepare = async (one: Waiting): Promise<ReadyTrace> => {
    if (lease.isOld()) await lease.check()
    return lease.during(prepareTrace(one, known.has(one.contentHash)))
  }
  let answered: Waiting | null = null
  let [chars, timeouts] = [0, 0]
  for (const one of slice) {
    try {
      const result = await prepare(one)
      prepared.push(result)
      if (result.kind === 'scrubbed') answered = one
    } catch (error) {
      const isTimeout = isReaderTimeout(error)
      // A failure on the first attempt ends the attempt, because the verifier or detector may answer again after a
      // wait. A timeout does not end it, because each trace has then already waited long enough.
      if (!isReaderError(error) || (claim.attempt === 1 && !isTimeout)) throw error
      failures.push({ one, at: prepared.length })
      if (isTimeout) timeouts++
      if (timeouts === (answered ? 3 : 2) || (!answered && failures.length === maxUnanswered)) throw error
      const { index, contentHash, isRepeated } = one
      prepared.push({ kind: 'refused', index, sourceId: refusedName, contentHash, isRepeated })
    }
    chars += one.chars
    if (chars < stride && !lease.isOld()) continue
    chars = 0
    await lease.check()
  }
  // A trace is rejected when a verifier or detector fails for it twice, but answers for another trace afterwards.
  for (const { one, at } of failures) {
    try {
      prepared[at] = await prepare(one)
      answered = one
    } catch (error) {
      if (!isReaderError(error) || !answered) throw error
      await prepare(answered)
      deps.logger.error({ err: error, jobId: claim.jobId, index: one.index }, 'ingest.trace.prepare_failed')
    }
  }
  return prepared
}

/**
 * If a verifier or detector fails for this many traces and answers for no trace, the code treats it as out of order.
 */
const maxUnanswered = 3

/** Returns whether a verifier or detector did not answer in time. */
const isReaderTimeout = (error: unknown): boolean =>
  isReaderError(error) && error.cause instanceof Error && error.cause.name === 'TimeoutError'

/** Returns the class of an error that ended an attempt. */
export function classifyError(error: unknown): Exclude<ErrorClass, 'worker_lost'> {
  if (error instanceof UploadGone) return 'upload_gone'
  if (error instanceof Error && error.name === 'UploadUnreadable') return 'upload_unreadable'
  if (Unavailable.isDamaged(error)) return 'database_damaged'
  if (error instanceof VerifierError) return isReaderTimeout(error) ? 'verifier_timeout' : 'verifier_failed'
  if (DetectorError.is(error)) return isReaderTimeout(error) ? 'detector_timeout' : 'detector_failed'
  return 'internal_error'
}
