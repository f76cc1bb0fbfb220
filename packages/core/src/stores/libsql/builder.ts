import { drizzle, type SqliteRemoteDatabase } from 'drizzle-orm/sqlite-proxy'
import { firstOf } from '../../lists.ts'
import type { SqlClient, SqlValue } from './client.ts'
import { isRead, openDatabase, raw, value, type TableOptions } from './database.ts'

/**
 * Returns a drizzle database over a libSQL client, for an app's own queries. Each awaited query runs on its own,
 * outside any batch. Drizzle wraps errors in its own error; `Unavailable.is` also recognizes a wrapped error.
 */
export function openDrizzle(client: SqlClient, options: TableOptions = {}): SqliteRemoteDatabase {
  const database = openDatabase(client, options)
  return drizzle(async (text, params, method) => {
    const query = raw(text, params.map(value))
    const found = isRead(text) ? await database.read(query) : firstOf(await database.write([query])).rows
    // A row of the driver also has its values by position.
    const rows = found.map((row) => Array.from(row as unknown as ArrayLike<SqlValue>))
    // Drizzle's `get` expects the row itself, or nothing.
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  })
}
