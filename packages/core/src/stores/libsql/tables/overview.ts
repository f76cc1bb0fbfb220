import { integer, primaryKey, text } from 'drizzle-orm/sqlite-core'
import type { DailyCountName } from '../../../admin/overview/store.ts'
import { sqliteTable } from './sqlite-table.ts'

/**
 * Counts of each UTC day. Days are numbered since 1970. The transaction that stores an event also increases its count.
 */
export const dailyCounts = sqliteTable(
  'daily_counts',
  {
    day: integer('day').notNull(),
    name: text('name').$type<DailyCountName>().notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name] })],
)
