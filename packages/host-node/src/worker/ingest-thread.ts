import { Worker } from 'node:worker_threads'
import { Unavailable, type Batch, type Intake, type Logger, type Mail, type Receipt } from '@tributary/core'
import { haltThread, type WriteLease } from '../sqlite/write-lock.ts'
import { shareWrites, type Local } from '../sqlite/local.ts'
import type { News, Order, Setup } from './thread-messages.ts'
import type { ServerConfig } from '../server-config.ts'

export interface ThreadOptions {
  readonly plan: ServerConfig
  /** The owner's end of the same local file: both then write in one line. */
  readonly local: Local | null
  readonly logger: Logger
  /** Takes the thread's mails; default: the plan's SMTP in the thread itself. */
  readonly onMail?: ((mail: Mail) => void) | undefined
  /** The file of the thread; default: `thread.js` beside this one. */
  readonly file?: URL
  /** Milliseconds that the thread gets to end by itself when stopping; default 8,000. */
  readonly stopMs?: number
}

/** The thread that ingests, seen from the loop that answers. */
export interface IngestThread {
  /** The heavy half of E5. Fails with `Unavailable` (503) while the thread is down; nothing was promised then. */
  readonly intake: Intake
  /** A job waits: look now rather than at the next look. */
  wake(): void
  /** Gives its lease back and ends. Rejects when it had to be terminated, because it did not end in time. */
  stop(): Promise<void>
  /**
   * Keeps the thread out of the driver; resolves when it is, or has ended. Before that neither the thread nor the process may
   * be ended: either inside a driver call aborts the process.
   */
  halt(): Promise<void>
}

interface Waiting {
  resolve(receipt: Receipt): void
  reject(error: Unavailable | Error): void
}

const [firstPauseMs, longestPauseMs, steadyMs] = [100, 10_000, 30_000]
/** How often a thread that is to be ended is looked at. */
const haltMs = 5

/** Starts the thread and keeps it up: one that dies is started again, after growing waits while it dies at once. */
export function startIngestThread(options: ThreadOptions): IngestThread {
  const { plan, local, logger, onMail, file = new URL('./thread.js', import.meta.url), stopMs = 8_000 } = options
  const waiting = new Map<number, Waiting>()
  let [ids, pauseMs, stopping] = [0, firstPauseMs, false]
  let thread: Worker | null = null
  let gate: WriteLease | null = null
  // Until its first message a thread may still be loading the driver.
  let loading = false
  let restart: NodeJS.Timeout | undefined

  function start(): void {
    gate = local ? shareWrites(local) : null
    loading = true
    const workerData: Setup = { plan, gate, mailbox: onMail !== undefined }
    const since = performance.now()
    const own = new Worker(file, { workerData, transferList: gate ? [gate.port] : [], name: 'tributary-ingest' })
    thread = own
    own.on('message', (news: News) => {
      loading = false
      take(news)
    })
    own.on('error', (error) => logger.error({ err: error }, 'the ingest thread failed'))
    own.on('exit', (code) => {
      if (thread === own) thread = null
      for (const one of waiting.values()) one.reject(new Unavailable(new Error('the ingest thread ended')))
      waiting.clear()
      if (stopping) return
      if (performance.now() - since > steadyMs) pauseMs = firstPauseMs
      logger.warn({ code, againInMs: pauseMs }, 'the ingest thread ended and is started again')
      restart = setTimeout(start, pauseMs)
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    })
  }

  function take(news: News): void {
    if (news.kind === 'mail') return onMail?.(news.mail)
    if (news.kind !== 'receipt' && news.kind !== 'failed') return
    const one = waiting.get(news.id)
    waiting.delete(news.id)
    if (news.kind === 'receipt') one?.resolve(news.receipt)
    else one?.reject(news.unavailable ? new Unavailable(new Error(news.message)) : new Error(news.message))
  }

  /** Starts no other thread from now on. Returns the one that runs. */
  function end(): Worker | null {
    stopping = true
    clearTimeout(restart)
    return thread
  }

  async function halt(): Promise<void> {
    end()
    while (thread && (loading || (gate && !haltThread(gate))))
      await new Promise((resolve) => setTimeout(resolve, haltMs))
  }

  start()
  return {
    intake: {
      receive: (batch, limit, key) =>
        new Promise((resolve, reject) => {
          if (!thread) return reject(new Unavailable(new Error('the ingest thread is starting')))
          const id = ++ids
          waiting.set(id, { resolve, reject })
          const [sent, transfer] = movable(batch)
          thread.postMessage({ kind: 'receive', id, batch: sent, limit, key } satisfies Order, transfer)
        }),
    },
    wake: () => thread?.postMessage({ kind: 'wake' } satisfies Order),
    async stop() {
      const own = end()
      if (!own) return
      const ended = new Promise<boolean>((resolve) => own.once('exit', () => resolve(true)))
      own.postMessage({ kind: 'stop' } satisfies Order)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), stopMs)))
      const inTime = await Promise.race([ended, late])
      clearTimeout(timer)
      if (inTime) return
      await halt()
      await own.terminate()
      throw new Error(`the ingest thread did not end within ${stopMs} ms and was terminated`)
    },
    halt,
  }
}

/** The batch as it can move to another thread without a copy. A piece of a pool must not take its neighbours along. */
function movable(batch: Batch): [Batch, ArrayBuffer[]] {
  if (!('bytes' in batch)) return [batch, []]
  const { bytes } = batch
  const whole =
    bytes.byteLength === bytes.buffer.byteLength && !(bytes instanceof Buffer) ? bytes : new Uint8Array(bytes)
  return [{ ...batch, bytes: whole }, [whole.buffer]]
}

/** Batches that are quicker looked through here than sent: small ones, and packed ones that cannot have become large. */
const [smallPlain, smallPacked] = [64 * 1024, 4 * 1024]

/** Small batches in this thread, large ones and uploads in the other. */
export function sharedIntake(here: Intake, there: Intake): Intake {
  return {
    receive(batch, limit, key) {
      const small = 'bytes' in batch && batch.bytes.byteLength < (batch.packed === 'plain' ? smallPlain : smallPacked)
      return (small ? here : there).receive(batch, limit, key)
    },
  }
}
