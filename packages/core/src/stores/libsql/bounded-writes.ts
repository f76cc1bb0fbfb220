import { sql, type SQL } from 'drizzle-orm'
import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { yieldToEventLoop, type Database, type Query } from './database.ts'
import { build } from './statement.ts'

/** The maximum number of rows that one statement changes. Such a statement holds the write lock for about 20 ms. */
export const maxRowsPerWrite = 1_000

/**
 * Returns a `delete` of at most `limit` of the rows that meet a condition, because SQLite is commonly built without
 * `delete ... limit`. `.returning(...)` may follow.
 *
 * ```ts
 * const deleteExpired = prepare<{ before: number }>()(({ before }) => deleteSome(uploads, lt(uploads.expiresAt, before)))
 * while (await writeOnce(db, [deleteExpired({ before })])) await yieldToEventLoop()
 * ```
 */
export function deleteSome(table: SQLiteTable, where: SQL | undefined, limit: number | SQL = maxRowsPerWrite) {
  const { columns, primaryKeys } = getTableConfig(table)
  const keyColumns = primaryKeys[0]?.columns ?? columns.filter((column) => column.primary)
  const key = sql.join(
    keyColumns.map(({ name }) => sql.identifier(name)),
    sql`, `,
  )
  return build
    .delete(table)
    .where(sql`(${key}) in (select ${key} from ${table} where ${where} limit ${sql.raw(String(limit))})`)
}

/**
 * Runs a transaction of statements that each change a bounded number of rows. Returns true when a statement changed
 * `rows` rows, because more rows may then be left.
 */
export async function writeOnce(db: Database, queries: readonly Query[], rows = maxRowsPerWrite): Promise<boolean> {
  return (await db.write(queries)).some(({ changed }) => changed >= rows)
}

/**
 * Repeats `writeOnce` until every statement changes fewer than `rows` rows, and yields to the event loop in between. If
 * the process stops before the end, the next call finishes the work.
 */
export async function writeUntilDone(db: Database, queries: readonly Query[], rows = maxRowsPerWrite): Promise<void> {
  while (await writeOnce(db, queries, rows)) await yieldToEventLoop()
}
