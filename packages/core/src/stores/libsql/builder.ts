import { is, SQL, type SQLWrapper } from 'drizzle-orm'
import { SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import { drizzle, type SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import type { SqlClient, SqlValue } from './client.ts'
import { isRead, openDatabase, raw, value, type Raw } from './database.ts'

const dialect = new SQLiteAsyncDialect()

/**
 * A `sql` template of drizzle as a query for `read` and `write`; a builder needs no such thing.
 *
 * ```ts
 * const rows = await database.read(template(sql`select id from ${things}`))
 * ```
 */
export function template(query: SQLWrapper): Raw {
  const { sql, params } = dialect.sqlToQuery(is(query, SQL) ? query : query.getSQL())
  return raw(sql, params.map(value))
}

/**
 * A drizzle database over a libSQL client, for building queries; the stores do without it, so that nobody who does not ask
 * for it loads drizzle. Await a builder only for a plain read or one lone write; its errors come wrapped by drizzle
 * (`Unavailable.is` looks inside).
 */
export function openDrizzle(client: SqlClient): SqliteRemoteDatabase {
  const database = openDatabase(client)
  return drizzle(async (text, params, method) => {
    const query = raw(text, params.map(value))
    const found = isRead(text) ? await database.read(query) : (await database.write([query]))[0]!.rows
    // A row of the driver has its values by position too.
    const rows = found.map((row) => Array.from(row as unknown as ArrayLike<SqlValue>))
    // drizzle's `get` wants the one row itself, or nothing.
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  })
}
