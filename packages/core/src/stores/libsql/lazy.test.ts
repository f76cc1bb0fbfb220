import { describe, expect, test } from 'vitest'
import { checkOneDatabase } from '../backend.ts'
import type { SqlClient, SqlStatement } from './client.ts'
import { lazyLibsqlStores } from './lazy.ts'
import { libsqlStores } from './stores.ts'

const statements: SqlStatement[] = []
const client: SqlClient = {
  async execute(statement) {
    statements.push(statement)
    return { columns: [], rows: [], rowsAffected: 0 }
  },
  batch: async () => [],
  close() {},
}
const listMethods = (stores: object): Record<string, string[]> =>
  Object.fromEntries(Object.entries(stores).map(([port, store]) => [port, Object.keys(store as object).sort()]))

describe('lazyLibsqlStores', () => {
  test('has every port and every method of libsqlStores', () => {
    expect(listMethods(lazyLibsqlStores(client))).toEqual(listMethods(libsqlStores(client)))
  })

  test('runs a method of a port on the client, with all its parameters', async () => {
    const { blobs, ready } = lazyLibsqlStores(client, { tablePrefix: 'app_' })
    await ready()
    expect(await blobs.stale(5, 10, 'after')).toEqual([])
    expect(statements.map(({ sql }) => sql)).toEqual([
      expect.stringContaining('"app_users"'),
      expect.stringContaining('"app_blobs"'),
    ])
    expect(statements.at(-1)!.args).toEqual(['after', 5, 10])
  })

  test('rejects the first call when the prefix of tables is not a plain name', async () => {
    await expect(lazyLibsqlStores(client, { tablePrefix: 'a b' }).ready()).rejects.toThrow('tablePrefix "a b"')
  })

  test('counts as the same database as libsqlStores only with the same client and prefix', () => {
    const stores = lazyLibsqlStores(client)
    expect(() => checkOneDatabase({ ...stores, auth: libsqlStores(client).auth })).not.toThrow()
    const { auth } = libsqlStores(client, { tablePrefix: 'app_' })
    expect(() => checkOneDatabase({ ...stores, auth })).toThrow('stores of different databases are mixed')
  })
})
