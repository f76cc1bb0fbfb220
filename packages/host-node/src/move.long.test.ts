import {
  listTableShapes,
  migrate as migrateLibsql,
  MigrationError,
  openDatabase as openLibsql,
  raw,
  type SqlValue,
} from '@tributary/core/libsql'
import { migrate as migratePostgres, openDatabase as openPostgres } from '@tributary/core/postgres'
import { temporaryDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { borrowPglite } from '../../core/src/stores/postgres/borrowed.fixture.ts'
import { isMoving, moveDatabase, MoveError, type MoveSide } from './move.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** One database of a move, with the migration that a server runs on it when it starts. */
interface Side extends MoveSide {
  migrate(): Promise<unknown>
}

async function openFile(): Promise<Side> {
  const { client, close } = await temporaryDatabase()
  closers.push(close)
  return { database: openLibsql(client), dialect: 'libsql', migrate: () => migrateLibsql(client) }
}

async function openPglite(): Promise<Side> {
  const { pools, release } = await borrowPglite()
  closers.push(release)
  return { database: openPostgres(pools[0]), dialect: 'postgres', migrate: () => migratePostgres(pools[0]) }
}

const texts = ['plain', 'bytes of 𝔘 and é "quoted" \\ and\nmore', '']

/** Returns the value of a column in the n-th row of a table. */
function valueOf(table: string, column: string, type: string, n: number): SqlValue {
  if (table === 'fingerprints' && column === 'hashes') return JSON.stringify([n, n + 1])
  if (table === 'contents' && column === 'messages' && n === 2) return '{"blob":"content/2"}'
  if (table === 'overlaps' && column === 'ranges') return '[[0,10]]'
  if (type === 'integer') return n === 3 ? Number.MAX_SAFE_INTEGER - 5 : n
  if (type === 'real') return n + 0.1
  if (type === 'blob') return new Uint8Array([0, n, 255])
  return `${texts[n % texts.length]}${column}${n}`
}

/** Inserts rows into every table. */
async function fill({ database }: MoveSide): Promise<void> {
  await database.write([raw('delete from "main"."fingerprint_state"')])
  for (const { name, columns, types } of listTableShapes())
    for (let n = 1; n <= 3; n++) {
      const values = columns.map((column, at) => valueOf(name, column, types[at]!, n))
      const marks = columns.map(() => '?').join(', ')
      const reservation =
        name === 'contents' && n === 2
          ? [raw(`insert into "main"."content_blobs" (key, due_at, deleting) values ('content/2', 0, 0)`)]
          : []
      const list = columns.map((column) => `"${column}"`).join(', ')
      await database.write([...reservation, raw(`insert into "main"."${name}" (${list}) values (${marks})`, values)])
    }
}

describe('moveDatabase', () => {
  let source: MoveSide
  beforeEach(async () => {
    source = await openFile()
    await fill(source)
  })

  test('moves every table from libSQL to PostgreSQL and back, with equal counts and hashes', async () => {
    const [postgres, file] = [await openPglite(), await openFile()]
    const moved = await moveDatabase({ from: source, to: postgres })
    expect(moved.map(({ name, rows }) => [name, rows])).toEqual(listTableShapes().map(({ name }) => [name, 3]))
    expect(await moveDatabase({ from: postgres, to: file })).toEqual(moved)
    const indexed = 'select hash, trace from "main"."fingerprint_index" order by 1, 2'
    for (const { database } of [postgres, file])
      expect(await database.read(raw(indexed))).toEqual(await source.database.read(raw(indexed)))
  })

  test('never reuses a number after a move', async () => {
    const [postgres, file] = [await openPglite(), await openFile()]
    const add = raw(`insert into "main"."users" (id, created_at) values ('new', 0) returning num`)
    const { database } = source
    await database.write([raw(`insert into "main"."users" (id, created_at) values ('gone', 0)`)])
    const [{ num: gone }] = (await database.read<{ num: number }>(
      raw(`select max(num) as num from "main"."users"`),
    )) as [{ num: number }]
    await database.write([raw('delete from "main"."users" where num = ?', [gone])])
    await moveDatabase({ from: source, to: postgres })
    await moveDatabase({ from: postgres, to: file })
    for (const side of [postgres, file]) {
      const [{ rows }] = await side.database.write<[{ num: number }]>([add] as never)
      expect(rows).toEqual([{ num: gone + 1 }])
    }
  })

  test.each(['libsql', 'postgres'])(
    'continues on %s after an interruption; before its end no server starts on the target',
    async (kind) => {
      const to = await (kind === 'libsql' ? openFile() : openPglite())
      let writes = 0
      const breaking: MoveSide = {
        ...to,
        database: {
          ...to.database,
          write: (async (...given: Parameters<typeof to.database.write>) => {
            if (writes++ === 20) throw new Error('interrupted')
            return to.database.write(...given)
          }) as typeof to.database.write,
        },
      }
      await expect(moveDatabase({ from: source, to: breaking })).rejects.toThrow('interrupted')
      expect(await isMoving(to)).toBe(true)
      await expect(to.migrate()).rejects.toThrow(
        new MigrationError(
          'a move into this database is not complete. Run the same `tributary move` command again: it continues the move.',
        ),
      )
      await moveDatabase({ from: source, to })
      expect(await isMoving(to)).toBe(false)
      expect(await to.migrate()).toMatchObject({ ids: [] })
    },
  )

  test('refuses a target with rows, and names a table that changed during the move', async () => {
    const to = await openFile()
    await to.database.write([raw(`insert into "main"."users" (id, created_at) values ('ann', 0)`)])
    await expect(moveDatabase({ from: source, to })).rejects.toThrow('--to is not empty: table users has rows')
    const changing = await openFile()
    const moving = moveDatabase({
      from: source,
      to: changing,
      onRows: (table) =>
        table === 'users' &&
        void changing.database.write([raw(`update "main"."users" set email = 'other' where num = 1`)]),
    })
    await expect(moving).rejects.toThrow(MoveError)
    await expect(moving).rejects.toThrow('table users differs: 3 rows in --from, 3 in --to')
  })
})
