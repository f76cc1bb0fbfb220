import { createClient } from '@libsql/client'
import { fixture, makeSentTraces, temporaryDatabase } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createService } from '../../service/create.ts'
import { openDrizzle } from './builder.ts'
import { createTableNaming } from './database.ts'
import { migrate, inspectSchema } from './migrate.ts'
import { libsqlStores } from './stores.ts'
import { traces } from './schema.ts'

const options = { country: () => 'US', approval: 'automatic', secret: 'the secret of this test' } as const

/** Returns the objects of a database that migrations made, without the prefix. */
async function listObjects(client: Awaited<ReturnType<typeof temporaryDatabase>>['client'], prefix: string) {
  const { rows } = await client.execute({
    sql:
      'select type, name, tbl_name, sql from sqlite_schema where substr(name, 1, length(?)) = ? and name ' +
      "not like 'sqlite@_%' escape '@'",
    args: [prefix, prefix],
  })
  const normalizeSql = (value: unknown): string =>
    String(value).replaceAll(prefix, '').replaceAll(/["`]/g, '').replaceAll(/\s+/g, ' ')
  return rows
    .map((row) =>
      [row['type'], normalizeSql(row['name']), normalizeSql(row['tbl_name']), normalizeSql(row['sql'])].join(' '),
    )
    .sort()
}

describe('migrate with a tablePrefix', () => {
  test('creates every table, index and trigger with the prefix, and no others', async () => {
    const [plain, prefixed] = [await temporaryDatabase(), await temporaryDatabase({ tablePrefix: 'app_' })]
    const made = await listObjects(prefixed.client, 'app_')
    expect(made).toEqual(await listObjects(plain.client, ''))
    const { rows } = await prefixed.client.execute(
      "select count(*) from sqlite_schema where name not like 'sqlite@_%' escape '@'",
    )
    expect(Number(rows[0]![0])).toBe(made.length)
    expect(await inspectSchema(prefixed.client, undefined, { tablePrefix: 'app_' })).toMatchObject({
      pending: [],
      foreignTables: [],
    })
    await Promise.all([plain.close(), prefixed.close()])
  })

  test.each(['app-', '1app', 'sqlite_', 'a"b', 'ü', 'x'.repeat(33)])('refuses the prefix %j', async (tablePrefix) => {
    const client = createClient({ url: ':memory:' })
    await expect(migrate(client, { tablePrefix })).rejects.toThrow('tablePrefix')
    expect(() => libsqlStores(client, { tablePrefix })).toThrow('tablePrefix')
    client.close()
  })

  test("migrates a database with an app's table of the same name; without a prefix, the error names the table", async () => {
    const client = createClient({ url: ':memory:' })
    await client.execute('create table users (id integer primary key, name text)')
    await client.execute("insert into users (name) values ('Jane')")
    await expect(migrate(client)).rejects.toThrow(/its tables users have names that Tributary uses.*tablePrefix/)
    await migrate(client, { tablePrefix: 'tributary_' })
    await client.execute('create index users_by_name on users (name)')
    expect(await inspectSchema(client, undefined, { tablePrefix: 'tributary_' })).toMatchObject({
      foreignTables: ['users'],
    })
    await libsqlStores(client, { tablePrefix: 'tributary_' }).ready()
    expect((await client.execute('select name from users')).rows[0]!['name']).toBe('Jane')
    client.close()
  })
})

describe('libsqlStores with a tablePrefix', () => {
  test('keeps the data of two services in one database separate', { tags: 'long' }, async () => {
    const { client, close } = await temporaryDatabase({ tablePrefix: 'a_' })
    await migrate(client, { tablePrefix: 'b_' })
    const [a, b] = ['a_', 'b_'].map((tablePrefix) =>
      fixture({ ...options, stores: libsqlStores(client, { tablePrefix }) }),
    )
    const jane = await a!.signIn('jane@example.com')
    const { json: policy } = await a!.ask('GET', '/api/traces/upload-policy', { headers: jane.bearer })
    const terms = { termsVersion: policy.termsVersion, residencyConfirmed: true }
    await a!.ask('POST', '/api/account/terms', { headers: jane.bearer, json: terms })
    const application = { companyName: 'Example', website: 'https://example.com', role: 'engineer', authorized: true }
    await a!.ask('POST', '/api/account/application', {
      headers: jane.bearer,
      json: { ...application, email: jane.email },
    })
    expect(
      (await a!.ask('POST', '/api/ingest', { headers: jane.bearer, json: { traces: makeSentTraces(2) } })).status,
    ).toBe(202)
    expect(await b!.service.work()).toEqual({ done: 0, failed: 0, later: 0 })
    await a!.service.work()
    expect((await a!.ask('GET', '/api/traces', { headers: jane.bearer })).json.traces).toHaveLength(2)
    expect((await b!.ask('GET', '/api/traces', { headers: jane.bearer })).status).toBe(401)
    const other = await b!.signIn('jane@example.com')
    expect(other.userId).not.toBe(jane.userId)
    expect((await b!.ask('GET', '/api/traces', { headers: other.bearer })).json.traces).toEqual([])
    expect(await b!.service.erase(jane.userId)).toBe(false)
    expect(await openDrizzle(client, { tablePrefix: 'a_' }).select({ id: traces.id }).from(traces)).toHaveLength(2)
    expect(await openDrizzle(client, { tablePrefix: 'b_' }).select({ id: traces.id }).from(traces)).toEqual([])
    await close()
  })

  test('counts as another database, although the client is shared', async () => {
    const { client, close } = await temporaryDatabase()
    const [first, second] = [libsqlStores(client), libsqlStores(client, { tablePrefix: 'b_' })]
    expect(() => createService({ baseUrl: 'http://127.0.0.1:8787', stores: { ...first, auth: second.auth } })).toThrow(
      'account is of libsqlStores, auth is of libsqlStores with the tablePrefix b_',
    )
    await close()
  })

  test('ready throws when the tables of the prefix do not exist', async () => {
    const { client, close } = await temporaryDatabase()
    await expect(libsqlStores(client, { tablePrefix: 'c_' }).ready()).rejects.toThrow()
    await close()
  })
})

describe('createTableNaming', () => {
  test('prefixes tables and keeps columns, aliases and texts unchanged', () => {
    const nameTables = createTableNaming('app_')
    expect(
      nameTables('select "traces", "users"."id" from "main"."ledger" "earlier" where "earlier"."traces" = \'users\''),
    ).toBe('select "traces", "app_users"."id" from "app_ledger" "earlier" where "earlier"."traces" = \'users\'')
    expect(createTableNaming()('update "main"."users" set "id" = "main"."users"."id"')).toBe(
      'update "users" set "id" = "users"."id"',
    )
  })

  test('quotes the name of a schema', () => {
    expect(createTableNaming('', 'we"ird Schema')('delete from "main"."users"')).toBe(
      'delete from "we""ird Schema"."users"',
    )
  })
})
