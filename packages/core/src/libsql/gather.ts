import type { Database, Query, Written } from './database.ts'

interface Waiting {
  readonly query: Query
  resolve(written: Written): void
  reject(error: unknown): void
}

// Where there is no setImmediate (a browser, some edges) a timer does.
const { setImmediate: soon = (then: () => void): unknown => setTimeout(then, 0) } =
  globalThis as { setImmediate?: (then: () => void) => unknown }

/**
 * Joins lone writes that are asked for in one turn of the event loop, or while such a transaction is under way, into one:
 * one sync to the disk and one round trip for all. Each is acknowledged after the commit of all; if it fails, all fail.
 * Only for statements that cannot fail by themselves. At most `most` are in one transaction, so that nobody waits for a long one.
 */
export function gatherer(db: Database, most = 128): <Row>(query: Query) => Promise<Written<Row>> {
  const line: Waiting[] = []
  let under = false

  async function run(): Promise<void> {
    const some = line.splice(0, most)
    try {
      const written = await db.write(some.map(({ query }) => query))
      for (const [at, one] of some.entries()) one.resolve(written[at]!)
    } catch (error) {
      for (const one of some) one.reject(error)
    }
    under = line.length > 0
    if (under) soon(() => void run())
  }

  return <Row>(query: Query) => new Promise<Written<Row>>((resolve, reject) => {
    line.push({ query, resolve: resolve as Waiting['resolve'], reject })
    if (under) return
    under = true
    soon(() => void run())
  })
}
