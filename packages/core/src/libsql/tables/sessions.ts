import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Migration } from '../migrate.ts'

/** People. `num` is the short key that every table of theirs carries. */
export const users = sqliteTable('users', {
  num: integer('num').primaryKey(),
  id: text('id').notNull().unique(),
  email: text('email').unique(),
  createdAt: integer('created_at').notNull(),
})

export const sessionsMigrations: Migration[] = [
  {
    id: '0001-users',
    sql: ['create table users (num integer primary key, id text not null unique, email text unique, created_at integer not null)'],
  },
]
