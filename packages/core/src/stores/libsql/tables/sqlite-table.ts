import { sqliteTable as defineTable, type SQLiteTableFn } from 'drizzle-orm/sqlite-core'

/** The names of all tables. */
export const tableNames = new Set<string>()

/** The symbol under which drizzle stores the schema of a table. */
const schema = Symbol.for('drizzle:Schema')

/**
 * Defines a table as drizzle's function does, in the schema `main`, which is SQLite's name for the database file
 * itself. Statements then contain `"main"."users"`, so that `createTableNaming` can distinguish the names of tables
 * from the names of columns.
 */
export const sqliteTable: SQLiteTableFn = new Proxy(defineTable, {
  apply(define, _, params: Parameters<SQLiteTableFn>) {
    tableNames.add(params[0])
    return Object.assign(define(...params), { [schema]: 'main' })
  },
})
