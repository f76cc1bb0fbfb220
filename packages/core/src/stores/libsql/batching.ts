import type { Database, Query, WriteOptions, Written } from './database.ts'

interface PendingWrite {
  readonly queries: readonly Query[]
  resolve(written: Written<unknown>[]): void
  reject(error: unknown): void
}

// Browsers and some edge runtimes have no `setImmediate`. A timer replaces it there.
const { setImmediate: schedule = (callback: () => void): unknown => setTimeout(callback, 0) } = globalThis as {
  setImmediate?: (callback: () => void) => unknown
}

/** Yields to the event loop between two steps. Awaiting a local store does not yield to the event loop. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => void schedule(resolve))

/**
 * Returns a function that joins writes into one transaction, with one sync to the disk and one round trip. It joins the
 * writes that are requested in one pass of the event loop, or while the previous transaction runs. The promise of each
 * write resolves after the commit. If the commit fails, all its writes fail, so the function is only for statements
 * that cannot fail on their own. One transaction has at most `maxStatements`, so that no call waits for a long
 * transaction; the statements of one call are never divided.
 */
export function createWriteBatcher(
  db: Database,
  { maxStatements = 128, locks }: WriteOptions & { readonly maxStatements?: number } = {},
): <Row>(...queries: readonly Query[]) => Promise<Written<Row>[]> {
  const pending: PendingWrite[] = []
  let isScheduled = false

  function takeBatch(): PendingWrite[] {
    let size = 0
    const end = pending.findIndex(({ queries }, at) => (size += queries.length) > maxStatements && at > 0)
    return pending.splice(0, end === -1 ? pending.length : end)
  }

  async function runBatch(): Promise<void> {
    const batch = takeBatch()
    try {
      const results: Written<unknown>[] = await db.write<Record<string, unknown>>(
        batch.flatMap(({ queries }) => queries),
        locks && { locks },
      )
      let start = 0
      for (const { queries, resolve } of batch) resolve(results.slice(start, (start += queries.length)))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    isScheduled = pending.length > 0
    if (isScheduled) schedule(() => void runBatch())
  }

  return <Row>(...queries: readonly Query[]) =>
    new Promise<Written<Row>[]>((resolve, reject) => {
      pending.push({ queries, resolve: resolve as PendingWrite['resolve'], reject })
      if (isScheduled) return
      isScheduled = true
      schedule(() => void runBatch())
    })
}
