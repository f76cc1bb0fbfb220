import type { Database, Query, Written } from './database.ts'

interface Waiting {
  readonly queries: readonly Query[]
  resolve(written: Written<unknown>[]): void
  reject(error: unknown): void
}

// Where there is no setImmediate (a browser, some edges) a timer does.
const { setImmediate: soon = (then: () => void): unknown => setTimeout(then, 0) } = globalThis as {
  setImmediate?: (then: () => void) => unknown
}

/** Lets the event loop turn between two steps: a local store answers without giving way. */
export const turn = (): Promise<void> => new Promise((resolve) => void soon(resolve))

/**
 * Joins lone writes that are asked for in one turn of the event loop, or while such a transaction is under way, into one:
 * one sync to the disk and one round trip for all. Each is acknowledged after the commit of all; if it fails, all fail.
 * Only for statements that cannot fail by themselves. At most `most` are in one transaction, so that nobody waits for a long one;
 * the statements of one call are never divided.
 */
export function gatherer(db: Database, most = 128): <Row>(...queries: readonly Query[]) => Promise<Written<Row>[]> {
  const line: Waiting[] = []
  let under = false

  function together(): Waiting[] {
    let [count, size] = [1, line[0]!.queries.length]
    while (count < line.length && size + line[count]!.queries.length <= most) size += line[count++]!.queries.length
    return line.splice(0, count)
  }

  async function run(): Promise<void> {
    const some = together()
    try {
      const written: Written<unknown>[] = await db.write<Record<string, unknown>>(
        some.flatMap(({ queries }) => queries),
      )
      let at = 0
      for (const one of some) one.resolve(written.slice(at, (at += one.queries.length)))
    } catch (error) {
      for (const one of some) one.reject(error)
    }
    under = line.length > 0
    if (under) soon(() => void run())
  }

  return <Row>(...queries: readonly Query[]) =>
    new Promise<Written<Row>[]>((resolve, reject) => {
      line.push({ queries, resolve: resolve as Waiting['resolve'], reject })
      if (under) return
      under = true
      soon(() => void run())
    })
}
