import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFullRun, makeTraces, seedTraces } from '@tributary/test-kit'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { built, signInContributor, startDev, type Contributor, type Dev } from './cli/cli.fixture.ts'
import { openLocal } from './sqlite/local.ts'

const total = isFullRun ? 20_000 : 1_000
const email = 'quince@example.com'
let folder: string
let server: Dev
let person: Contributor
let personId: string

// Both tests use one server: the first only reads, and the second erases.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-account-'))
  server = await startDev(locateDatabase())
  person = await signInContributor(server.url, email)
  ;[{ id: personId }] = select<{ id: string }>('select id from users where email = ?', email) as [{ id: string }]
  const database = openLocal(locateDatabase())
  await seedTraces(database, personId, makeTraces(total, 'loquat'))
  database.close()
})
afterAll(async () => {
  await server.stop('SIGKILL')
  rmSync(folder, { recursive: true })
})

const locateDatabase = (): string => join(folder, 'test.db')
/** Reads the database file while the server has it open. */
function select<Row>(sql: string, ...values: unknown[]): Row[] {
  const database = new Database(locateDatabase(), { readonly: true } as Database.Options)
  try {
    return database.prepare(sql).all(values) as Row[]
  } finally {
    database.close()
  }
}
function execute(sql: string): void {
  const database = new Database(locateDatabase(), { timeout: 10_000 } as Database.Options)
  database.exec(sql)
  database.close()
}
const count = (from: string, ...values: unknown[]): number =>
  select<{ n: number }>(`select count(*) as n from ${from}`, ...values)[0]!.n

/** Returns the tables with a row that contains one of the texts. */
function listTablesNaming(texts: readonly string[]): string[] {
  const tables = select<{ name: string }>("select name from sqlite_schema where type = 'table'").map(({ name }) => name)
  return tables.filter((table) => {
    const rows = JSON.stringify(select(`select * from "${table}"`))
    return texts.some((text) => rows.includes(text))
  })
}

describe.skipIf(!built)('GET /api/account/export', () => {
  test('streams one valid JSON document with every trace, and answers other requests meanwhile', async () => {
    const reply = await fetch(`${server.url}/api/account/export`, {
      headers: { authorization: `Bearer ${person.token}` },
    })
    expect(reply.status).toBe(200)
    const reader = reply.body!.getReader()
    const pieces = [(await reader.read()).value!]
    let isRead = false
    const reading = (async () => {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) pieces.push(piece.value)
    })().finally(() => {
      isRead = true
    })
    let replies = 0
    for (;;) {
      const [health, session] = await Promise.all([
        fetch(`${server.url}/healthz`),
        person.call('GET', '/api/cli/session'),
      ])
      await health.text()
      if (isRead) break
      expect([health.status, session.status]).toEqual([200, 200])
      replies += 2
    }
    await reading
    const { account } = JSON.parse(Buffer.concat(pieces).toString()) as { account: { traces: { sourceId: string }[] } }
    expect(new Set(account.traces.map(({ sourceId }) => sourceId)).size).toBe(total)
    expect(account.traces).toHaveLength(total)
    expect(replies).toBeGreaterThanOrEqual(10)
  })
})

describe.skipIf(!built)('DELETE /api/account', () => {
  test('replies before the traces are erased, and leaves no row about the user even when the server is killed meanwhile', async () => {
    const [{ num }] = select<{ num: number }>('select num from users where id = ?', personId) as [{ num: number }]
    expect(listTablesNaming([personId, email, 'loquat'])).toEqual(
      expect.arrayContaining(['users', 'traces', 'contents']),
    )
    // The erasure deletes at most half of the traces before the server is killed, however fast the machine is.
    execute(`create trigger half before delete on traces when (select count(*) from traces) <= ${total / 2}
      begin select raise(abort, 'half of the traces are erased'); end`)
    expect(await person.erase()).toBe(200)
    await vi.waitFor(() => expect(count('traces')).toBeLessThan(total), { interval: 1 })
    await server.stop('SIGKILL')
    expect(count('traces')).toBeGreaterThanOrEqual(total / 2)
    expect(count('account_jobs')).toBe(1)

    // A dead worker's lease ends after 30 seconds. The test moves the times into the past instead of waiting.
    execute('drop trigger half; update account_jobs set lease_until = 1, next_at = 1')
    server = await startDev(locateDatabase())
    await vi.waitFor(() => expect(count('account_jobs')).toBe(0), { interval: 50 })
    expect(listTablesNaming([personId, email, 'loquat'])).toEqual([])
    const owned = select<{ name: string }>(`select t.name from sqlite_schema t, pragma_table_info(t.name) c
      where t.type = 'table' and c.name = 'owner'`).map(({ name }) => name)
    expect(owned.length).toBeGreaterThan(5)
    expect(owned.filter((name) => count(`"${name}" where owner = ?`, num) > 0)).toEqual([])
    expect(count('users where num = ?', num)).toBe(0)
  })
})
