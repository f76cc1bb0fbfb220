import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { libsqlStores, migrate, type SqlStatement } from '@tributary/core/libsql'
import { readDatabaseBytes, makeTrace, seedTraces, makeRemovalNotice } from '@tributary/test-kit'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openLocal, shareWrites, type LocalDatabase } from './local.ts'
import { tablesDeletedFrom } from './sql-text.ts'

let folder: string
let path: string
const open: LocalDatabase[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-unallocated-'))
  path = join(folder, 'a.db')
})
afterEach(async () => {
  for (const local of open.splice(0)) local.close()
  await rm(folder, { recursive: true })
})

function openTestDatabase(options: Parameters<typeof openLocal>[1] = { checkpointMs: 600_000 }): LocalDatabase {
  const local = openLocal(path, options)
  open.push(local)
  return local
}

/** Returns the texts that occur in the bytes of the file or its log. */
async function findTexts(texts: readonly string[]): Promise<string[]> {
  const bytes = await readDatabaseBytes(path)
  return texts.filter((text) => bytes.includes(text))
}

const tables: SqlStatement[] = [
  { sql: 'create table people (num integer primary key, email text unique, note text)', args: [] },
  { sql: 'create table names (name text primary key, note text) without rowid', args: [] },
]
/**
 * Returns a text for a row, which is the same in each run. The texts sort in an order that looks random, and their
 * length often splits pages.
 */
const makeMarker = (label: string, at: number): string =>
  createHash('sha256').update(`${label}/${at}`).digest('hex').slice(0, 24)
const notes = [10, 300, 900, 9_000] as const

function makeStatements(label: string, at: number): SqlStatement[] {
  const marker = makeMarker(label, at)
  const note = `note ${marker} ${'n'.repeat(notes[at % notes.length]!)}`
  return [
    { sql: 'insert into people (email, note) values (?, ?)', args: [`${marker}@example.com`, note] },
    { sql: 'insert into names (name, note) values (?, ?)', args: [`name ${marker}`, 'n'.repeat((at * 7) % 200)] },
  ]
}

function remove(label: string, at: number): SqlStatement[] {
  const marker = makeMarker(label, at)
  return [
    { sql: 'delete from people where email = ?', args: [`${marker}@example.com`] },
    { sql: 'delete from names where name = ?', args: [`name ${marker}`] },
  ]
}

const listNumbers = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)
/** Returns whether a row is deleted. Three of four rows are deleted, because deletions also split and merge pages. */
const isDeleted = (at: number): boolean => at % 4 > 0

/** Returns the statements of each transaction that adds rows and then deletes most of them. */
function* yieldStatements(label: string, rows: number): Generator<SqlStatement[]> {
  for (let from = 0; from < rows; from += 50)
    yield listNumbers(from, from + 50).flatMap((at) => makeStatements(label, at))
  for (let from = 0; from < rows; from += 20)
    yield listNumbers(from, from + 20)
      .filter(isDeleted)
      .flatMap((at) => remove(label, at))
}

async function run(local: LocalDatabase, transactions: Iterable<SqlStatement[]>): Promise<void> {
  for (const statements of transactions) await local.batch(statements, 'write')
}

const listDeletedMarkers = (label: string, rows: number): string[] =>
  listNumbers(0, rows)
    .filter(isDeleted)
    .map((at) => makeMarker(label, at))
const listKeptMarkers = (label: string, rows: number): string[] =>
  listNumbers(0, rows)
    .filter((at) => !isDeleted(at))
    .map((at) => makeMarker(label, at))

/** Returns each row as text, and the result of the integrity check, both read by another connection. */
function readContents(): { rows: string[]; integrity: unknown } {
  const database = new Database(path)
  const rows = [
    ...database.prepare("select email || ' ' || note from people").pluck().all([]),
    ...database.prepare("select name || ' ' || note from names").pluck().all([]),
  ] as string[]
  const integrity = database.prepare('pragma integrity_check').pluck().all([])
  database.close()
  return { rows: rows.sort(), integrity }
}

describe('tablesDeletedFrom', () => {
  test.each([
    ['delete from users where id = ?', ['users']],
    ['DELETE\n FROM "Users"', ['users']],
    ["update or ignore outcomes set source_id = ''", ['outcomes']],
    ['with a as (select 1) delete from traces where num in a returning 1', ['traces']],
    ['insert or replace into sign_in_codes values (?)', ['sign_in_codes']],
    ['replace into `codes` values (?)', ['codes']],
    ['insert into seen values (?) on conflict do update set trace = null', []],
    ['insert into users values (?)', []],
    ['update "traces" set "sale_count" = "traces"."sale_count" + 1 where num = ?', []],
    ['update "traces" set "sale_count" = "sale_count" + 1, "title" = null where num = ?', ['traces']],
    ['update sqlite_dbpage set data = ? where pgno = ?', []],
    ['select updated from deleted', []],
  ])('returns for %s the tables %j', (sql, expected) => {
    expect(tablesDeletedFrom(sql)).toEqual(expected)
  })
})

describe('checkpoint', () => {
  test('leaves no deleted row in the bytes of the file, and does not change other rows', { tags: 'long' }, async () => {
    const local = openTestDatabase()
    await run(local, [tables, ...yieldStatements('one', 1_000)])
    const before = readContents()
    await local.checkpoint()
    expect(await findTexts(listDeletedMarkers('one', 1_000))).toEqual([])
    expect(await findTexts(listKeptMarkers('one', 1_000))).toEqual(listKeptMarkers('one', 1_000))
    expect(readContents()).toEqual({ ...before, integrity: ['ok'] })
  })

  test('loses and damages no row while other connections write to the same pages', { tags: 'long' }, async () => {
    const local = openTestDatabase()
    const other = openTestDatabase()
    await run(local, [tables])
    let writes = true
    const clearing = (async () => {
      // If pages move at the same time, `checkpoint` throws SQLITE_BUSY after some tries.
      while (writes)
        await local.checkpoint().catch((error: { code?: string }) => {
          if (error.code !== 'SQLITE_BUSY') throw error
        })
    })()
    await Promise.all([run(local, yieldStatements('one', 500)), run(other, yieldStatements('two', 500))])
    writes = false
    await clearing
    await local.checkpoint()
    await other.checkpoint()
    const { rows, integrity } = readContents()
    expect(integrity).toEqual(['ok'])
    expect(rows).toHaveLength(2 * 2 * listKeptMarkers('one', 500).length)
    for (const label of ['one', 'two']) {
      expect(await findTexts(listDeletedMarkers(label, 500))).toEqual([])
      expect(await findTexts(listKeptMarkers(label, 500))).toEqual(listKeptMarkers(label, 500))
    }
  })

  // promise: copies-sqlite-left-unused
  test('leaves no data of 120 erased users in the bytes of the file', { tags: 'long' }, async () => {
    const local = openTestDatabase()
    await migrate(local)
    const stores = libsqlStores(local)
    const people = Array.from({ length: 160 }, (_, at) => {
      const marker = makeMarker('person', at)
      return {
        id: marker,
        email: `mail-${marker}@example.com`,
        machines: [0, 1, 2].map((number) => ({
          hash: makeMarker(marker, number),
          label: `machine ${number} of ${marker} ${'m'.repeat((at * 7 + number) % 60)}`,
        })),
        traces: [0, 1].map((number) =>
          makeTrace(marker, number, {
            sourceId: `name ${number} of ${marker}`,
            messages: JSON.stringify([{ content: `${number} of ${marker} begins ${'word '.repeat((at * 37) % 400)}` }]),
          }),
        ),
      }
    })
    const listTexts = ({ email, machines, traces }: (typeof people)[number]): string[] => [
      email,
      ...machines.map(({ label }) => label),
      ...traces.flatMap(({ id, sourceId, messages }) => [id, sourceId, messages.slice(0, 60)]),
    ]
    for (const { id, email, machines, traces } of people) {
      await seedTraces(local, id, traces)
      await local.batch(
        [
          { sql: 'update users set email = ? where id = ?', args: [email, id] },
          ...machines.map(({ hash, label }) => ({
            sql:
              'insert into credentials (hash, id, kind, owner, label, created_at, expires_at) select ?, ?, ' +
              "'token', num, ?, 0, 0 from users where id = ?",
            args: [hash, hash, label, id],
          })),
          {
            sql:
              'insert into jobs (id, owner, source, status, total, parts, enqueued_at, next_at) select ?, num, ' +
              "'x', 'done', 3, 0, 0, 0 from users where id = ?",
            args: [id, id],
          },
          ...traces.map((trace, index) => ({
            sql:
              'insert into outcomes (job, idx, source_id, outcome, trace_id, redactions, tokens) select num, ?, ?, ' +
              "'stored', ?, 0, 0 from jobs where id = ?",
            args: [index, trace.sourceId, trace.id, id],
          })),
        ],
        'write',
      )
    }
    const erased = people.filter((_, at) => at % 4 !== 0)
    const kept = people.filter((_, at) => at % 4 === 0)
    for (const { id } of erased) {
      while (await stores.traces.eraseTraces({ ownerId: id, notice: makeRemovalNotice() }));
      while ((await stores.ingest.eraseJobs({ ownerId: id })).hasMore);
      while (await stores.auth.erase({ ownerId: id }));
    }
    await local.checkpoint()
    expect(await findTexts(erased.flatMap(listTexts))).toEqual([])
    expect(await findTexts(kept.flatMap(listTexts))).toEqual(kept.flatMap(listTexts))
  })
})

describe('openLocal', () => {
  /** Creates a database in which a process deleted rows and left copies of them. */
  async function fillWithoutClearing(): Promise<void> {
    const database = new Database(path)
    database.exec('pragma journal_mode = wal; pragma secure_delete = on')
    for (const statements of [tables, ...yieldStatements('one', 1_000)]) {
      database.exec('begin')
      for (const { sql, args } of statements) database.prepare(sql).run(args)
      database.exec('commit')
    }
    database.exec('pragma wal_checkpoint(truncate)')
    database.close()
    expect(await findTexts(listDeletedMarkers('one', 1_000))).not.toEqual([])
  }

  // promise: next-process-opens-file
  test('clears the copies that a killed process left, after the first read', { tags: 'slow' }, async () => {
    await fillWithoutClearing()
    const local = openTestDatabase({ checkpointMs: 50 })
    await local.execute({ sql: 'select count(*) from people', args: [] })
    await vi.waitFor(async () => expect(await findTexts(listDeletedMarkers('one', 1_000))).toEqual([]))
    expect(readContents().integrity).toEqual(['ok'])
  })

  test('clears rows that the owner deleted, in a thread with a write lease', { tags: 'long' }, async () => {
    const owner = openTestDatabase({ checkpointMs: 50 })
    await run(owner, [tables])
    const thread = openTestDatabase({ checkpointMs: 600_000, writeLease: shareWrites(owner) })
    await run(owner, yieldStatements('one', 500))
    await vi.waitFor(async () => expect(await findTexts(listDeletedMarkers('one', 500))).toEqual([]))
    expect((await thread.execute({ sql: 'select count(*) from people', args: [] })).rows[0]?.[0]).toBe(
      listKeptMarkers('one', 500).length,
    )
  })

  test('clears its deleted rows on close', { tags: 'long' }, async () => {
    const local = openTestDatabase()
    await run(local, [tables, ...yieldStatements('one', 500)])
    local.close()
    expect(await findTexts(listDeletedMarkers('one', 500))).toEqual([])
    expect(await findTexts(listKeptMarkers('one', 500))).toEqual(listKeptMarkers('one', 500))
  })
})
