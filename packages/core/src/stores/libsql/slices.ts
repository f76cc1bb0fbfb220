import type { Database, Raw } from './database.ts'
import { turn } from './batching.ts'

/** Rows that one statement of a sweep changes at most: it holds the write lock for some 20 ms. */
export const sweepRows = 1_000

/**
 * Returns a statement that deletes at most `limit` of the rows that meet a condition, since SQLite is commonly built without
 * `delete ... limit`. `key` names the columns of the primary key.
 */
export const deleteSome = (table: string, key: string, where: string, limit = sweepRows): string =>
  `delete from ${table} where (${key}) in (select ${key} from ${table} where ${where} limit ${limit})`

/**
 * Repeats a transaction until each of its statements changes fewer than `rows` rows, and yields to the event loop between.
 * Each statement must have a limit of at least that many rows. An interrupted sweep is finished by the next one.
 */
export async function sweep(db: Database, queries: readonly Raw[], rows = sweepRows): Promise<void> {
  while (await sweepOnce(db, queries, rows)) await turn()
}

/** Runs the transaction of a sweep once. True: one of its statements came to its limit, so there may be more. */
export async function sweepOnce(db: Database, queries: readonly Raw[], rows = sweepRows): Promise<boolean> {
  return (await db.write(queries)).some(({ changed }) => changed >= rows)
}
