import { is, SQL } from 'drizzle-orm'
import {
  bigint,
  customType,
  doublePrecision,
  index,
  pgTable,
  primaryKey,
  uniqueIndex,
  type PgColumnBuilderBase,
  type PgTable,
} from 'drizzle-orm/pg-core'
import { getTableConfig, SQLiteTable, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as schema from '../libsql/schema.ts'

/** Text that is compared byte by byte, whatever the locale of the database is. So ids and times sort as in SQLite. */
const text = customType<{ data: string }>({ dataType: () => 'text collate "C"' })
const bytea = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Returns the Postgres column for the values of a column of SQLite. A `num` is generated, and never used twice. */
function toColumn(column: SQLiteColumn): PgColumnBuilderBase {
  const { name, notNull, default: initial } = column
  const make = () => {
    switch (column.getSQLType()) {
      case 'integer': {
        const whole = bigint(name, { mode: 'number' })
        return name === 'num' ? whole.generatedByDefaultAsIdentity() : whole
      }
      case 'real':
        return doublePrecision(name)
      case 'blob':
        return bytea(name)
      default:
        return text(name)
    }
  }
  let made = make() as ReturnType<typeof text>
  if (column.primary) made = made.primaryKey() as never
  if (notNull) made = made.notNull() as never
  if (column.isUnique) made = made.unique(column.uniqueName) as never
  if (initial !== undefined) made = made.default(initial as never) as never
  return made
}

/** Returns the Postgres table for a table of SQLite, with the same names, columns, keys and indexes. */
function toTable(table: SQLiteTable): PgTable {
  const { name, columns, indexes, primaryKeys } = getTableConfig(table)
  return pgTable(name, Object.fromEntries(columns.map((column) => [column.name, toColumn(column)])), (made) => {
    const toColumns = (list: readonly (SQLiteColumn | SQL)[]) =>
      list.map((one) => (is(one, SQL) ? one : made[one.name])) as unknown as [never, ...never[]]
    return [
      ...primaryKeys.map((key) => primaryKey({ columns: toColumns(key.columns) })),
      ...indexes.map(({ config }) => {
        const built = (config.unique ? uniqueIndex : index)(config.name).on(...toColumns(config.columns))
        return config.where ? built.where(config.where) : built
      }),
    ]
  })
}

const entries = Object.entries<unknown>(schema).filter((entry): entry is [string, SQLiteTable] =>
  is(entry[1], SQLiteTable),
)

/** Every table, from which drizzle-kit makes the migrations. */
export const tables: Readonly<Record<string, PgTable>> = Object.fromEntries(
  entries.map(([name, table]) => [name, toTable(table)]),
)
