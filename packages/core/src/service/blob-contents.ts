import type { UploadUnreadable } from '../ingest/encryption.ts'
import { firstOf, itemAt } from '../lists.ts'
import { orphanMs } from '../ingest/rules.ts'
import type { PreparedTrace } from '../ingest/store.ts'
import { toHex } from '../ids.ts'
import type { Blobs, Clock, Logger, Random } from '../ports.ts'
import type { Stores } from '../stores.ts'
import { isReference, keyOfReference, makeReference } from '../traces/contents/store.ts'
import type { StoredTrace } from '../traces/store.ts'

/** The number of blobs that are written or deleted in parallel. */
const parallelBlobs = 8
/** The maximum number of blobs that one step of `deleteReleasedBlobs` deletes. */
const maxBlobsPerStep = 100

export interface BlobContentsDeps {
  /** Stores whose ports are plain objects, such as the stores that `wrapStores` returns. */
  readonly stores: Stores
  /** The blobs are encrypted at rest. */
  readonly blobs: Blobs
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Messages of this many bytes and more are stored as blobs. Null: no messages are stored as blobs. */
  readonly minBytes: number | null
}

/** The contents of traces, in the database or in blobs. */
export interface BlobContents {
  /**
   * The wrapped stores. These stores read each content from the database or from a blob, and store new contents
   * according to `minBytes`.
   */
  readonly stores: Stores
  /** Deletes the blobs that no content refers to. */
  deleteReleasedBlobs(now: number): Promise<void>
  /**
   * Moves one content, unless it is already in the target or deleted. Returns `missing` if the content is missing in
   * the blobs.
   */
  moveContent(params: {
    readonly traceId: string
    readonly to: 'blobs' | 'database'
  }): Promise<'moved' | 'unchanged' | 'missing'>
}

/** The text that is returned in place of damaged messages, as in the stores. It is deliberately not valid JSON. */
const damaged = ''

/**
 * Returns whether an error means that a blob is damaged, rather than encrypted under another secret. The name of the
 * error is compared, so that the encryption is not loaded before a blob is read.
 */
export const isDamaged = (error: unknown): boolean =>
  error instanceof Error && error.name === 'UploadUnreadable' && (error as UploadUnreadable).isDamaged

/**
 * Puts blobs between the stores and the rest of the service, for the contents of traces. `ContentStore` describes how
 * lost contents and leftover blobs are prevented.
 */
export function createBlobContents({ stores, blobs, clock, random, logger, minBytes }: BlobContentsDeps): BlobContents {
  const { contents } = stores
  const encoder = new TextEncoder()

  async function forEachParallel<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
    for (let start = 0; start < items.length; start += parallelBlobs)
      await Promise.all(items.slice(start, start + parallelBlobs).map(run))
  }

  /**
   * Reads the messages to which a row referred when the row was read. Returns undefined when the trace was deleted
   * meanwhile. `readAgain` returns the current messages of the row.
   */
  async function readMessages(
    traceId: string,
    stored: string | null,
    readAgain = () => contents.readContent({ traceId }),
  ): Promise<string | null | undefined> {
    for (let content = stored; ;) {
      if (content === null || !isReference(content)) return content
      const bytes = await blobs.get(keyOfReference(content)).catch((error: unknown) => {
        if (!isDamaged(error)) throw error
        logger.error({ err: error, traceId }, 'trace.content.damaged')
        return encoder.encode(damaged)
      })
      if (bytes) return new TextDecoder().decode(bytes)
      // The trace was deleted, updated or moved after the row was read.
      const now = await readAgain()
      if (now === null) return undefined
      if (now === content) {
        logger.error(
          { err: new Error(`there is no blob ${keyOfReference(content)}`), traceId },
          'trace.content.damaged',
        )
        return null
      }
      content = now
    }
  }
  type Row = { readonly id: string; readonly messages: string | null }
  async function resolve<Found extends Row>(
    row: Found,
    readAgain?: () => Promise<string | null>,
  ): Promise<Found | null> {
    if (row.messages === null || !isReference(row.messages)) return row
    const messages = await readMessages(row.id, row.messages, readAgain)
    return messages === undefined ? null : { ...row, messages }
  }
  async function* resolveAll<Found extends Row>(rows: AsyncIterable<Found>): AsyncGenerator<Found> {
    for await (const row of rows) {
      const resolved = await resolve(row)
      if (resolved) yield resolved
    }
  }

  type SoldPage = Parameters<Stores['dataset']['readSoldTraces']>[0]
  /** Works like `resolveAll` for traces with a buyer's ids: a trace is read again by its position in the sale. */
  async function* resolveSold(
    rows: AsyncIterable<StoredTrace>,
    { saleId, cursor }: SoldPage,
  ): AsyncGenerator<StoredTrace> {
    let before = cursor
    for await (const row of rows) {
      const resolved = await resolve(row, async () => {
        const page = await stores.dataset.readSoldTraces({ saleId, cursor: before, limit: 1 })
        for await (const { id, messages } of page?.documents ?? []) if (id === row.id) return messages
        return null
      })
      before = row.id
      if (resolved) yield resolved
    }
  }

  /** Puts messages that are large enough into blobs. Returns each content, and the keys of the blobs. */
  async function store(
    given: readonly { readonly traceId: string; readonly messages: string }[],
    least = minBytes,
  ): Promise<{ contents: string[]; keys: string[] }> {
    const parts = given.map(({ traceId, messages }) => {
      // A character has at most 3 bytes for each of its code units.
      const bytes = least === null || messages.length * 3 < least ? null : encoder.encode(messages)
      return least === null || bytes === null || bytes.length < least
        ? { key: null, messages }
        : { key: `content/${traceId}/${toHex(random(8))}`, bytes, messages }
    })
    const large = parts.flatMap((part) => (part.key === null ? [] : [part]))
    const keys = large.map(({ key }) => key)
    if (keys.length > 0) {
      await contents.reserveBlobs({ keys, until: clock() + orphanMs })
      await forEachParallel(large, ({ key, bytes }) => blobs.put(key, bytes))
    }
    return { contents: parts.map(({ key, messages }) => (key === null ? messages : makeReference(key))), keys }
  }
  /** Releases the given blobs that are still reserved, and deletes all blobs that no content refers to. */
  async function finish(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await contents.releaseBlobs({ keys })
    await deleteReleasedBlobs(clock())
  }

  async function deleteReleasedBlobs(now: number): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const keys = await contents.claimReleasedBlobs({ now, limit: maxBlobsPerStep })
      if (keys.length === 0) return
      await forEachParallel(keys, (key) => blobs.delete(key))
      await contents.forgetBlobs({ keys })
      hasMore = keys.length === maxBlobsPerStep
    }
  }
  /**
   * Works like `finish` but does not throw, because the change already took effect. A worker later deletes the blobs
   * that this call could not delete. If no blobs are written (`minBytes` is null), this call does nothing, and a worker
   * deletes all of them.
   */
  async function finishLater(keys: readonly string[] = []): Promise<void> {
    if (minBytes === null) return
    await finish(keys).catch((error: unknown) => logger.warn({ err: error }, 'trace.content.delete_failed'))
  }

  async function storePrepared(traces: readonly PreparedTrace[]): Promise<{ traces: PreparedTrace[]; keys: string[] }> {
    const scrubbed = traces.flatMap((one) => (one.kind === 'scrubbed' ? [one.trace] : []))
    const { contents: stored, keys } = await store(scrubbed.map(({ id, messages }) => ({ traceId: id, messages })))
    if (keys.length === 0) return { traces: [...traces], keys }
    let at = 0
    const replaced = traces.map((one) =>
      one.kind === 'scrubbed' ? { ...one, trace: { ...one.trace, messages: itemAt(stored, at++) } } : one,
    )
    return { traces: replaced, keys }
  }

  const { traces, copies, dataset, ingest, rescrub } = stores
  return {
    deleteReleasedBlobs,
    async moveContent({ traceId, to }) {
      const content = await contents.readContent({ traceId })
      if (content === null || isReference(content) === (to === 'blobs')) return 'unchanged'
      const messages = await readMessages(traceId, content)
      if (messages === null) return 'missing'
      if (!messages) return 'unchanged'
      const { contents: stored, keys } = await store([{ traceId, messages }], to === 'blobs' ? 0 : null)
      const isMoved = await contents.replaceContent({ traceId, expected: content, content: firstOf(stored) })
      await finish(keys)
      return isMoved ? 'moved' : 'unchanged'
    },
    stores: {
      ...stores,
      traces: {
        ...traces,
        async readTrace(params) {
          const row = await traces.readTrace(params)
          return row && resolve(row)
        },
        exportTraces: (params) => resolveAll(traces.exportTraces(params)),
        async deleteUnsoldTraces(params) {
          const result = await traces.deleteUnsoldTraces(params)
          await finishLater()
          return result
        },
        async eraseTraces(params) {
          const hasMore = await traces.eraseTraces(params)
          // An erasure is done only when its blobs are deleted too. If this call throws, the erasure is tried again.
          await finish([])
          return hasMore
        },
      },
      dataset: {
        ...dataset,
        async readSellableTraces(params) {
          const page = await dataset.readSellableTraces(params)
          return { ...page, documents: resolveAll(page.documents) }
        },
        async readSoldTraces(params) {
          const page = await dataset.readSoldTraces(params)
          return page && { ...page, documents: resolveSold(page.documents, params) }
        },
      },
      copies: {
        ...copies,
        async readMessages({ id }) {
          const content = await copies.readMessages({ id })
          return content === null || !isReference(content) ? content : ((await readMessages(id, content)) ?? null)
        },
      },
      ingest: {
        ...ingest,
        async writeBatch(params) {
          const { traces: stored, keys } = await storePrepared(params.traces)
          const written = await ingest.writeBatch({ ...params, traces: stored })
          await finishLater(keys)
          return written
        },
      },
      rescrub: {
        ...rescrub,
        async storeRescrubbed(params) {
          if (params.result.kind !== 'scrubbed') return rescrub.storeRescrubbed(params)
          const { trace } = params.result
          const { contents: stored, keys } = await store([{ traceId: params.id, messages: trace.messages }])
          const result = { kind: 'scrubbed' as const, trace: { ...trace, messages: firstOf(stored) } }
          const isStored = await rescrub.storeRescrubbed({ ...params, result })
          await finishLater(keys)
          return isStored
        },
      },
    },
  }
}
