import { createClient } from '@libsql/client'
import { getTableColumns, is, SQL } from 'drizzle-orm'
import { getTableConfig, SQLiteColumn, SQLiteSyncDialect, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { openDrizzle } from './builder.ts'
import type { SqlClient } from './client.ts'
import { migrate } from './migrate.ts'
import * as schema from './schema.ts'

const client = createClient({ url: ':memory:' }) as unknown as SqlClient
await migrate(client)
const listRows = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await client.execute({ sql, args: [] })).rows as unknown as Record<string, unknown>[]
const tables = Object.values<unknown>(schema).filter((table): table is SQLiteTable => is(table, SQLiteTable))
const compareNames = (a: { name: unknown }, b: { name: unknown }): number => (String(a.name) < String(b.name) ? -1 : 1)
const dialect = new SQLiteSyncDialect()
/** Returns SQL without quotes, the table's name and capital letters, as the migrations write it. */
const normalizeSql = (text: string, table: string): string =>
  text.toLowerCase().replaceAll(/["`]/g, '').replaceAll(`${table}.`, '').replaceAll(/\s+/g, ' ').trim()
const formatSql = (value: unknown, table: string): string | null => {
  if (value === undefined) return null
  if (is(value, SQL)) return normalizeSql(dialect.sqlToQuery(value).sql, table)
  return typeof value === 'string' ? `'${value}'` : String(value)
}

test('the migrated database has exactly the tables of the schema', async () => {
  const made = await listRows(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'tributary_migrations' order by name",
  )
  expect(made.map(({ name }) => name)).toEqual(tables.map((table) => getTableConfig(table).name).sort())
})

describe.each(tables.map((table) => [getTableConfig(table).name, table] as const))('the table %s', (name, table) => {
  const config = getTableConfig(table)

  test('has the columns of the schema, with their types, keys and defaults', async () => {
    const key =
      config.primaryKeys[0]?.columns.map((column) => column.name) ??
      config.columns.filter((column) => column.primary).map((column) => column.name)
    const described = config.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      key: key.indexOf(column.name) + 1,
      notNull: column.notNull,
      default: formatSql(column.default, name),
    }))
    const made = (
      await listRows(
        `select name, lower(type) as type, pk, "notnull" as required, dflt_value as dflt from pragma_table_info('${name}')`,
      )
    ).map((column) => ({
      name: column['name'],
      type: column['type'],
      key: column['pk'],
      // SQLite reports that an integer key may be null, but it never is.
      notNull: column['required'] === 1 || (column['pk'] === 1 && column['type'] === 'integer'),
      default: column['dflt'] === null ? null : normalizeSql(String(column['dflt']), name),
    }))
    expect(made.sort(compareNames)).toEqual(described.sort(compareNames))
  })

  test('has the indexes of the schema, with their expressions and conditions', async () => {
    const described = config.indexes.map(({ config: { name: index, unique, columns, where } }) => ({
      name: index,
      unique,
      columns: columns.map((column) => (is(column, SQLiteColumn) ? column.name : formatSql(column, name))),
      where: formatSql(where, name),
    }))
    const made = await listRows(
      `select l.name, l."unique" as is_unique, s.sql from pragma_index_list('${name}') l join sqlite_schema s on s.name = l.name
        where l.origin = 'c'`,
    )
    const read = made.map((index) => {
      const [, columns, where] = / on \w+ \((.*?)\)(?: where (.*))?$/.exec(normalizeSql(String(index['sql']), name))!
      return {
        name: index['name'],
        unique: index['is_unique'] === 1,
        columns: columns!.split(/, ?(?![^(]*\))/),
        where: where ?? null,
      }
    })
    expect(read.sort(compareNames)).toEqual(described.sort(compareNames))
  })

  test('has the unique columns of the schema', async () => {
    const described = config.columns.filter((column) => column.isUnique).map((column) => column.name)
    const made = await listRows(
      `select i.name from pragma_index_list('${name}') l, pragma_index_info(l.name) i where l.origin = 'u'`,
    )
    expect(made.map((column) => String(column['name'])).sort()).toEqual(described.sort())
  })
})

describe('openDrizzle', () => {
  test('returns rows typed by the schema', async () => {
    await client.execute({ sql: "insert into users (id, email, created_at) values ('u', 'a@x.example', 1)", args: [] })
    const [found] = await openDrizzle(client)
      .select({ id: schema.users.id, email: schema.users.email })
      .from(schema.users)
    expect(found).toEqual({ id: 'u', email: 'a@x.example' })
    expect(Object.keys(getTableColumns(schema.users))).toContain('createdAt')
  })
})
