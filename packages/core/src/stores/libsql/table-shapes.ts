import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as schema from './schema.ts'

/** Describes a table for a program that copies its rows. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
  /** SQLite's type of each column. */
  readonly types: readonly string[]
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** True if `num` is generated and never used twice. The highest number ever used is then stored outside the table. */
  readonly isCounted: boolean
}

/** The tables that triggers fill when rows of other tables are inserted. */
const derived = new Set(['fingerprint_index'])
/**
 * The tables whose triggers change other tables. Their rows are inserted first, while the rows that the triggers would
 * change do not exist yet.
 */
const first = ['overlaps', 'ledger']

/** Returns every table whose rows a copy of the database needs, in the order in which they can be inserted. */
export function listTableShapes(): TableShape[] {
  const tables = Object.values<unknown>(schema).filter((one): one is SQLiteTable => is(one, SQLiteTable))
  const shapes = tables.map((table): TableShape => {
    const { name, columns, primaryKeys } = getTableConfig(table)
    const key = primaryKeys[0]?.columns ?? columns.filter((column) => column.primary)
    return {
      name,
      columns: columns.map((column) => column.name),
      types: columns.map((column) => column.getSQLType()),
      key: key.map((column) => column.name),
      isCounted: columns.some((column) => 'autoIncrement' in column && column.autoIncrement === true),
    }
  })
  const isFirst = ({ name }: TableShape): boolean => first.includes(name)
  return [...shapes.filter(isFirst), ...shapes.filter((shape) => !isFirst(shape) && !derived.has(shape.name))]
}
