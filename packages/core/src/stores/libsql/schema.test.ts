import { createClient } from '@libsql/client'
import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { openDrizzle } from './builder.ts'
import type { SqlClient } from './client.ts'
import { migrate } from './migrate.ts'
import * as schema from './schema.ts'

const client = createClient({ url: ':memory:' }) as unknown as SqlClient
await migrate(client)
const rows = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await client.execute({ sql, args: [] })).rows as unknown as Record<string, unknown>[]
const tables = (Object.values(schema) as readonly unknown[]).filter((one): one is SQLiteTable => is(one, SQLiteTable))

test('every table of the database is described, and nothing else', async () => {
  const there = await rows(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name <> 'tributary_migrations' order by name",
  )
  expect(tables.map((table) => getTableConfig(table).name).sort()).toEqual(there.map(({ name }) => name))
})

test.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
  '%s is described as the migrations make it',
  async (name, table) => {
    const config = getTableConfig(table)
    const key =
      config.primaryKeys[0]?.columns.map((column) => column.name) ??
      config.columns.filter((column) => column.primary).map((column) => column.name)
    const described = config.columns.map((column) => ({
      name: column.name,
      type: column.getSQLType(),
      key: key.indexOf(column.name) + 1,
      notNull: column.notNull,
    }))
    const made = (
      await rows(`select name, lower(type) as type, pk, "notnull" as required from pragma_table_info('${name}')`)
    )
      // SQLite says of an integer key that it may be null, though it never is.
      .map((column) => ({
        name: column['name'],
        type: column['type'],
        key: column['pk'],
        notNull: column['required'] === 1 || (column['pk'] === 1 && column['type'] === 'integer'),
      }))
    const byName = (a: { name: unknown }, b: { name: unknown }): number => (String(a.name) < String(b.name) ? -1 : 1)
    expect(described.sort(byName)).toEqual(made.sort(byName))
  },
)

test.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
  'the indexes of %s are described',
  async (name, table) => {
    const { indexes } = getTableConfig(table)
    const described = indexes.map(({ config }) => ({
      name: config.name,
      unique: config.unique,
      columns: config.columns.map((column) => (is(column, SQLiteColumn) ? column.name : null)),
    }))
    const made = await Promise.all(
      (
        await rows(`select name, "unique" as only from pragma_index_list('${name}') where origin = 'c' order by name`)
      ).map(async (index) => ({
        name: index['name'],
        unique: index['only'] === 1,
        columns: (await rows(`select name from pragma_index_info('${String(index['name'])}') order by seqno`)).map(
          (column) => column['name'],
        ),
      })),
    )
    expect(described.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(made)
  },
)

test("a question of one's own is typed by it", async () => {
  await client.execute({ sql: "insert into users (id, email, created_at) values ('u', 'a@x.example', 1)", args: [] })
  const [found] = await openDrizzle(client)
    .select({ id: schema.users.id, email: schema.users.email })
    .from(schema.users)
  expect(found).toEqual({ id: 'u', email: 'a@x.example' })
  expect(Object.keys(getTableColumns(schema.users))).toContain('createdAt')
})
