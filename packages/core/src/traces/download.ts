import { fail, Failure } from '../http/failures.ts'
import { limitHeaders } from '../http/rate-limit.ts'
import { dropOldest } from '../lists.ts'
import type { Clock } from '../ports.ts'
import { readableTrace, type RescrubDeps } from './rescrub.ts'
import type { DatasetFormat } from './dataset/formats.ts'
import { documentText } from './rules.ts'
import { encodePieces } from './text-pieces.ts'
import type { TraceStore } from './store.ts'

/**
 * The document of a trace in UTF-8, by default in the format of `GET /api/traces/:id/download`, or the reason why there
 * is no document. It is plain data, so that it can be sent between threads.
 */
export type Download =
  | { readonly kind: 'document'; readonly chunks: Uint8Array<ArrayBuffer>[] }
  | { readonly kind: 'missing' | 'withheld' }

/**
 * Reads the trace of a download, checks it, scrubs it again when it is stale, and encodes its document. It is a port,
 * so that a host can run `inlineDownloads` in another thread and exchange messages with it.
 */
export interface Downloads {
  read(params: Readonly<{ ownerId: string; id: string; format?: DatasetFormat | undefined }>): Promise<Download>
}

export interface DownloadsDeps extends RescrubDeps {
  readonly traces: Pick<TraceStore, 'readTrace'>
}

/** Creates downloads in this thread. All steps after the read from the store yield to the event loop. */
export function inlineDownloads(deps: DownloadsDeps): Downloads {
  return {
    async read({ ownerId, id, format = 'documents' }) {
      const stored = await deps.traces.readTrace({ ownerId, id })
      if (!stored) return { kind: 'missing' }
      const trace = await readableTrace(stored, deps)
      if (typeof trace === 'string') return { kind: 'withheld' }
      const pieces =
        format === 'documents'
          ? [documentText(trace, trace.messages)]
          : (await import('./dataset/trace-pieces.ts')).tracePieces(trace, format, deps.yieldToEventLoop)
      const chunks: Uint8Array<ArrayBuffer>[] = []
      for await (const chunk of encodePieces(pieces, deps.yieldToEventLoop)) chunks.push(chunk)
      return { kind: 'document', chunks }
    },
  }
}

/** The maximum number of large downloads that may be open on one host, for one person and for all people together. */
const [maxOpen, maxOpenOfAll] = [8, 64]
/** A download whose client has read nothing for this long makes room for another download. */
const stalledMs = 30_000
/**
 * The maximum time for which a refusal by the rate limit is repeated, and the maximum number of people for whom it is
 * remembered.
 */
const [maxRefusedMs, maxRefusals] = [10_000, 1_000]

/** Limits the memory, and the time of the reading thread, that the downloads of one person use. */
export interface DownloadQueue {
  /**
   * Reads a download after the earlier downloads of the same person, so that a person waits for at most one download of
   * each other person. After the rate limit has refused a download, the person's next downloads get the same refusal
   * for up to ten seconds without being read.
   */
  read<Result>(ownerId: string, read: () => Promise<Result>): Promise<Result | Failure<'rate_limited'>>
  /**
   * Sends chunks one by one, as fast as the client reads. Returns the failure when the person, or all people together,
   * have too many open downloads.
   */
  send(ownerId: string, chunks: Uint8Array<ArrayBuffer>[]): AsyncIterable<Uint8Array> | Failure<'rate_limited'>
}

export interface DownloadQueueDeps {
  readonly clock: Clock
  readonly yieldToEventLoop: () => Promise<void>
}

const isRefusal = (result: unknown): result is Failure<'rate_limited'> =>
  result instanceof Failure && result.code === 'rate_limited'

const tooManyOpen = (name: string, limit: number): Failure<'rate_limited'> =>
  fail('rate_limited', {}, limitHeaders({ name, limit, remaining: 0, retrySeconds: 10 }))

/** Creates the queue of a service. */
export function createDownloadQueue({ clock, yieldToEventLoop }: DownloadQueueDeps): DownloadQueue {
  const reading = new Map<string, Promise<unknown>>()
  const open = new Map<string, Set<OpenDownload>>()
  const all = new Set<OpenDownload>()
  const refusals = new Map<string, { readonly failure: Failure<'rate_limited'>; readonly until: number }>()
  /** Returns whether there is room. A stalled download makes room. */
  const hasRoom = (downloads: ReadonlySet<OpenDownload>, most: number): boolean => {
    if (downloads.size < most) return true
    // A set keeps the order of insertion, and each sent chunk moves its download to the end of the set.
    const [longestUnread] = downloads
    if (!longestUnread || clock() - longestUnread.readAt < stalledMs) return false
    longestUnread.end()
    return true
  }

  return {
    async read<Result>(ownerId: string, read: () => Promise<Result>) {
      const earlier = reading.get(ownerId) ?? Promise.resolve()
      const run = earlier.then((): Promise<Result | Failure<'rate_limited'>> => {
        const refused = refusals.get(ownerId)
        if (refused && clock() < refused.until) return Promise.resolve(refused.failure)
        refusals.delete(ownerId)
        return read()
      })
      const settled = run.then(
        () => undefined,
        () => undefined,
      )
      reading.set(ownerId, settled)
      try {
        const result = await run
        if (isRefusal(result) && !refusals.has(ownerId)) {
          const seconds = Number(result.headers.find(([name]) => name === 'retry-after')?.[1] ?? 1)
          refusals.set(ownerId, { failure: result, until: clock() + Math.min(seconds * 1000, maxRefusedMs) })
          dropOldest(refusals, maxRefusals)
        }
        return result
      } finally {
        if (reading.get(ownerId) === settled) reading.delete(ownerId)
      }
    },
    send(ownerId, chunks) {
      const others = open.get(ownerId) ?? new Set<OpenDownload>()
      if (!hasRoom(others, maxOpen)) return tooManyOpen('person_downloads', maxOpen)
      if (!hasRoom(all, maxOpenOfAll)) return tooManyOpen('process_downloads', maxOpenOfAll)
      const download = new OpenDownload(chunks, {
        clock,
        yieldToEventLoop,
        onRead(one) {
          for (const set of [others, all]) if (set.delete(one)) set.add(one)
        },
        onEnd(one) {
          for (const set of [others, all]) set.delete(one)
          if (others.size === 0) open.delete(ownerId)
        },
      })
      open.set(ownerId, others.add(download))
      all.add(download)
      return download
    },
  }
}

interface OpenDownloadDeps extends DownloadQueueDeps {
  readonly onRead: (download: OpenDownload) => void
  readonly onEnd: (download: OpenDownload) => void
}

/**
 * A download that is being sent. It is not a generator, because a generator would not notice a client that leaves
 * before the first chunk.
 */
class OpenDownload implements AsyncIterableIterator<Uint8Array> {
  readonly #deps: OpenDownloadDeps
  #chunks: Uint8Array[] | null
  #at = 0
  /** The time at which the client last read a chunk, in milliseconds since 1970. */
  readAt: number

  constructor(chunks: Uint8Array[], deps: OpenDownloadDeps) {
    this.#chunks = chunks
    this.#deps = deps
    this.readAt = deps.clock()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    // One chunk is sent in each turn of the event loop. A socket would accept several megabytes in one turn, and other
    // requests would wait.
    if (this.#at > 0) await this.#deps.yieldToEventLoop()
    if (!this.#chunks) throw new Error('the client did not read its download, which made room for another one')
    const chunk = this.#chunks[this.#at]
    if (!chunk) return this.return()
    // The memory of sent chunks is freed.
    this.#chunks[this.#at++] = new Uint8Array(0)
    this.readAt = this.#deps.clock()
    this.#deps.onRead(this)
    return { done: false, value: chunk }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.end()
    return { done: true, value: undefined }
  }

  /** Ends the download and frees its memory. */
  end(): void {
    this.#chunks = null
    this.#deps.onEnd(this)
  }
}
