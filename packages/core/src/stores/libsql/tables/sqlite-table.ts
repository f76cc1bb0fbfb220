import { sqliteTable as defineTable, type SQLiteTableFn } from 'drizzle-orm/sqlite-core'

const names = new Set<string>()

/** The symbol under which drizzle stores the schema of a table. */
const schema = Symbol.for('drizzle:Schema')

/**
 * Defines a table as drizzle's function does, in the schema `main`, which is SQLite's name for the database file
 * itself. Statements then contain `"main"."users"`, so that `createTableNaming` can distinguish the names of tables
 * from the names of columns.
 */
export const sqliteTable: SQLiteTableFn = new Proxy(defineTable, {
  apply(define, _, params: Parameters<SQLiteTableFn>) {
    names.add(params[0])
    return Object.assign(define(...params), { [schema]: 'main' })
  },
})

/**
 * Returns a function that names the tables of a statement as they are in the database: `"main"."users"` becomes
 * `"users"`, `"app_users"` with the prefix `app_`, or `"other"."users"` in the schema `other`. Throws for a prefix that
 * is not a plain name.
 */
export function createTableNaming(prefix = '', schema?: string): (text: string) => string {
  checkTablePrefix(prefix)
  const before = schema === undefined ? '' : `"${schema}".`
  const named = new Map<string, string>()
  return (text) => {
    let result = named.get(text)
    if (result !== undefined) return result
    // Drizzle omits the schema where a join selects a column: `"users"."id"`.
    result = text.replace(/("main"\.)?"(\w+)"(?=(\.)?)/g, (found, main, name, dot) =>
      main !== undefined || (dot !== undefined && names.has(name))
        ? `${main === undefined ? '' : before}"${prefix}${name}"`
        : found,
    )
    // Our statements are few, but an app may write any number through `openDrizzle`.
    if (named.size === 1_000) named.clear()
    named.set(text, result)
    return result
  }
}

/**
 * Throws for a prefix that is longer than 32 characters, has other characters than letters, digits and `_`, or begins
 * with a digit or `sqlite_`.
 */
export function checkTablePrefix(prefix: string): void {
  if (!/^(?:(?!sqlite_)[a-z_]\w{0,31})?$/i.test(prefix))
    throw new Error(
      `tablePrefix ${JSON.stringify(prefix)}: use at most 32 letters, digits and _, not beginning with a digit or sqlite_`,
    )
}
