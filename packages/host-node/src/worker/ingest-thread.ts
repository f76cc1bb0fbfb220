import { Worker } from 'node:worker_threads'
import {
  Unavailable,
  type Batch,
  type Downloads,
  type Intake,
  type Logger,
  type Mail,
  type Meter,
} from '@tributary/core'
import { createMeasurements } from '@tributary/core/adapter'
import type { ServerConfig } from '../server-config.ts'
import { shareWrites, type LocalDatabase } from '../sqlite/local.ts'
import { haltThread, type WriteLease } from '../sqlite/write-lock.ts'
import type { ThreadCall, ThreadData, ThreadMessage, ThreadRequest } from './thread-messages.ts'

export interface IngestThreadOptions {
  readonly config: ServerConfig
  /**
   * The main thread's connection to the database file, whose write lock the worker thread uses too. Null for a remote
   * database.
   */
  readonly local: LocalDatabase | null
  readonly logger: Logger
  /** Whether the thread runs the jobs. Default: true. */
  readonly runsJobs?: boolean
  /** Receives the thread's mails. Default: the thread mails over SMTP itself. */
  readonly onMail?: ((mail: Mail) => void) | undefined
  /** A function that is called with the ids of the verifier's rules that found something in a trace. */
  readonly onFound?: ((rules: readonly string[]) => void) | undefined
  /** The file of the thread. Default: `thread.js` next to this file. */
  readonly file?: URL
  /** Milliseconds that the thread gets to end when stopping. Default: 8,000. */
  readonly stopMs?: number
}

/** The thread that ingests, as the thread that answers requests uses it. */
export interface IngestThread {
  /**
   * Decompresses, validates and stores a batch of `POST /api/ingest` in the thread. Rejects with `Unavailable` (503)
   * and stores nothing while the thread is down.
   */
  readonly intake: Intake
  /**
   * Reads, scrubs again if necessary and encodes the trace for `GET /api/traces/:id/download` in the thread. Rejects
   * with `Unavailable` (503) while the thread is down.
   */
  readonly downloads: Downloads
  /** Passes the measurements of the thread's worker to a meter, until the returned function is called. */
  measure(meter: Meter): () => void
  /** Wakes the thread's worker. */
  wake(): void
  /**
   * Releases the lease of the thread and ends the thread. Rejects when the thread did not end in time and was
   * terminated.
   */
  stop(): Promise<void>
  /**
   * Keeps the thread out of the database driver. Resolves when the thread is outside or has ended. Ending the thread or
   * the process while the thread is inside a driver call aborts the process.
   */
  halt(): Promise<void>
}

/** A call that the thread has not answered yet. */
interface PendingCall {
  resolve(answer: ThreadAnswer): void
  reject(error: Unavailable | Error): void
}

type ThreadAnswer = Extract<ThreadMessage, { kind: 'receipt' | 'download' }>
type UnnumberedCall<Call> = Call extends ThreadCall ? Omit<Call, 'id'> : never

const minRestartMs = 100
const maxRestartMs = 10_000
/** A thread that ran this long is restarted without the growing delay. */
const stableMs = 30_000
/** The interval in ms at which the main thread checks whether a thread has left the driver. */
const haltPollMs = 5

/**
 * Starts the thread, and restarts it when it ends. The delay grows each time that the thread ends soon after its start.
 */
export function startIngestThread(options: IngestThreadOptions): IngestThread {
  const {
    config,
    local,
    logger,
    runsJobs = true,
    onMail,
    onFound,
    file = new URL('./thread.js', import.meta.url),
    stopMs = 8_000,
  } = options
  const measurements = createMeasurements()
  const pending = new Map<number, PendingCall>()
  let lastId = 0
  let restartMs = minRestartMs
  let isStopping = false
  let thread: Worker | null = null
  let writeLease: WriteLease | null = null
  // A thread may load the driver until it sends its first message.
  let isLoading = false
  let restart: NodeJS.Timeout | undefined

  function start(): void {
    writeLease = local ? shareWrites(local) : null
    isLoading = true
    const workerData: ThreadData = { config, writeLease, mailbox: onMail !== undefined, runsJobs }
    const startedAt = performance.now()
    const started = new Worker(file, {
      workerData,
      transferList: writeLease ? [writeLease.port] : [],
      name: 'tributary-ingest',
    })
    thread = started
    started.on('message', (message: ThreadMessage) => {
      isLoading = false
      handleMessage(message)
    })
    started.on('error', (error) => logger.error({ err: error }, 'ingest.thread.failed'))
    started.on('exit', (exitCode) => {
      if (thread === started) thread = null
      for (const { reject } of pending.values()) reject(new Unavailable(new Error('the ingest thread ended')))
      pending.clear()
      if (isStopping) return
      if (performance.now() - startedAt > stableMs) restartMs = minRestartMs
      logger.warn({ exitCode, restartMs }, 'ingest.thread.restarting')
      restart = setTimeout(start, restartMs)
      restartMs = Math.min(restartMs * 2, maxRestartMs)
    })
  }

  function handleMessage(message: ThreadMessage): void {
    if (message.kind === 'mail') return onMail?.(message.mail)
    if (message.kind === 'found') return onFound?.(message.rules)
    if (message.kind === 'measured') return measurements.take(message.measurement)
    if (!('id' in message)) return
    const call = pending.get(message.id)
    pending.delete(message.id)
    if (message.kind !== 'failed') return call?.resolve(message)
    const error = new Error(message.message)
    call?.reject(message.unavailable ? new Unavailable(error) : error)
  }

  function callThread(
    call: UnnumberedCall<ThreadCall>,
    transferList: readonly ArrayBuffer[] = [],
  ): Promise<ThreadAnswer> {
    return new Promise((resolve, reject) => {
      if (!thread) return reject(new Unavailable(new Error('the ingest thread is starting')))
      const id = ++lastId
      pending.set(id, { resolve, reject })
      thread.postMessage({ ...call, id } satisfies ThreadRequest, transferList)
    })
  }

  /** Prevents a restart and returns the running thread. */
  function preventRestart(): Worker | null {
    isStopping = true
    clearTimeout(restart)
    return thread
  }

  async function halt(): Promise<void> {
    preventRestart()
    while (thread && (isLoading || (writeLease && !haltThread(writeLease))))
      await new Promise((resolve) => setTimeout(resolve, haltPollMs))
  }

  start()
  return {
    intake: {
      async receive(batch, limit, key) {
        const [transferable, transferList] = toTransferable(batch)
        const answer = await callThread({ kind: 'receive', batch: transferable, limit, key }, transferList)
        return (answer as Extract<ThreadAnswer, { kind: 'receipt' }>).receipt
      },
    },
    downloads: {
      async read(trace) {
        const answer = await callThread({ kind: 'read', trace })
        return (answer as Extract<ThreadAnswer, { kind: 'download' }>).download
      },
    },
    measure: measurements.addMeter,
    wake: () => thread?.postMessage({ kind: 'wake' } satisfies ThreadRequest),
    async stop() {
      const running = preventRestart()
      if (!running) return
      const ended = new Promise<boolean>((resolve) => running.once('exit', () => resolve(true)))
      running.postMessage({ kind: 'stop' } satisfies ThreadRequest)
      let timer: NodeJS.Timeout | undefined
      const timedOut = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), stopMs)))
      const endedInTime = await Promise.race([ended, timedOut])
      clearTimeout(timer)
      if (endedInTime) return
      await halt()
      await running.terminate()
      throw new Error(`the ingest thread did not end within ${stopMs} ms and was terminated`)
    },
    halt,
  }
}

/** Returns a batch that moves to another thread without a copy. A slice of a larger buffer is copied first. */
function toTransferable(batch: Batch): [Batch, ArrayBuffer[]] {
  if (!('bytes' in batch)) return [batch, []]
  const { bytes } = batch
  const isWhole = bytes.byteLength === bytes.buffer.byteLength && !(bytes instanceof Buffer)
  const own = isWhole ? bytes : new Uint8Array(bytes)
  return [{ ...batch, bytes: own }, [own.buffer]]
}

/**
 * Batches below these sizes are validated in this thread, because sending them to the other thread takes longer. A
 * compressed batch of this size cannot become large.
 */
const smallPlainBytes = 64 * 1024
const smallPackedBytes = 4 * 1024

/** Returns an intake that receives small batches in this thread, and large batches and uploads in the other thread. */
export function sharedIntake(here: Intake, there: Intake): Intake {
  return {
    receive(batch, limit, key) {
      const maxBytes = 'bytes' in batch && batch.packed === 'plain' ? smallPlainBytes : smallPackedBytes
      const isSmall = 'bytes' in batch && batch.bytes.byteLength < maxBytes
      return (isSmall ? here : there).receive(batch, limit, key)
    },
  }
}
