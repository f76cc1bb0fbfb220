import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { built, startDev, run, startWriting, type Dev } from '../cli.fixture.ts'
import { backupCommand } from './backup.ts'
import { migrateCommand } from './migrate.ts'
import { runCommand } from '../program.fixture.ts'

let folder: string
let path: string
let running: Dev | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-backup-'))
  path = join(folder, 'data', 'tributary.db')
})
afterEach(async () => {
  await running?.stop('SIGKILL')
  running = undefined
  rmSync(folder, { recursive: true, force: true })
})
const runCli = (...args: string[]) => run(args, {}, folder).ended

/** Runs one query on a database to which no process of the test writes. */
function query(file: string, sql: string): unknown[] {
  const database = new Database(file)
  const rows = database.prepare(sql).raw(true).all([]) as unknown[][]
  database.close()
  return rows.map(([value]) => value)
}

const listReports = (file: string): Set<unknown> => new Set(query(file, 'select id from reports'))

describe.skipIf(!built)('tributary backup while a server runs', () => {
  // promise: copy-holds-write-acknowledged
  test(
    'copies everything that was acknowledged before the start, with mode 0600, while a server writes',
    { tags: 'slow' },
    async () => {
      running = await startDev(path)
      const writing = startWriting(running.url)
      while (writing.acknowledged.length < 20) await new Promise((resolve) => setTimeout(resolve, 5))
      for (const name of ['one', 'two']) {
        const before = [...writing.acknowledged]
        const out = join(folder, `${name}.db`)
        const { code, out: printed, err } = await runCli('backup', '--database', path, '--out', out, '--json')
        expect([code, err]).toEqual([0, ''])
        expect(JSON.parse(printed)).toMatchObject({
          ok: true,
          out,
          bytes: statSync(out).size,
          integrity: 'ok',
          pending: [],
        })
        expect(query(out, 'pragma integrity_check')).toEqual(['ok'])
        const copied = listReports(out)
        expect(before.filter((id) => !copied.has(id))).toEqual([])
        expect((statSync(out).mode & 0o777).toString(8)).toBe('600')
      }
      const count = writing.acknowledged.length
      while (writing.acknowledged.length < count + 20) await new Promise((resolve) => setTimeout(resolve, 5))
      await writing.stop()
      await running.stop('SIGKILL')
      const kept = listReports(path)
      expect(writing.acknowledged.filter((id) => !kept.has(id))).toEqual([])
      expect(readdirSync(folder).sort()).toEqual(['data', 'one.db', 'two.db'])
    },
  )
})

describe('tributary backup', () => {
  beforeEach(async () => {
    await runCommand(migrateCommand, ['--database', path])
  })
  const runBackup = (...argv: string[]) => runCommand(backupCommand, ['--database', path, ...argv])

  test('replaces FILE only with --overwrite, and always replaces the partial file of a killed backup', async () => {
    const out = join(folder, 'copy.db')
    writeFileSync(out, 'precious')
    expect(await runBackup('--out', out)).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/already exists.*--overwrite/),
    })
    expect(readFileSync(out, 'utf8')).toBe('precious')
    writeFileSync(`${out}.partial`, 'half a database')
    writeFileSync(`${out}.partial-journal`, 'half a journal')
    expect(await runBackup('--out', out, '--overwrite')).toMatchObject({
      code: 0,
      printed: expect.stringContaining('integrity ok'),
    })
    expect(query(out, 'pragma integrity_check')).toEqual(['ok'])
    expect(readdirSync(folder).filter((name) => name.includes('.partial'))).toEqual([])
  })

  test('exits with 1 while another backup writes FILE', async () => {
    const other = new Database(join(folder, 'copy.db.partial'))
    other.exec('begin exclusive')
    expect(await runBackup('--out', join(folder, 'copy.db'))).toMatchObject({
      code: 1,
      printed: expect.stringContaining('another backup or restore is writing'),
    })
    other.close()
  })

  test('copies a database without a migrations table and prints a warning', async () => {
    const database = new Database(path)
    database.exec('drop table tributary_migrations')
    database.close()
    const { code, printed } = await runBackup('--out', join(folder, 'copy.db'), '--json')
    expect([code, JSON.parse(printed)]).toEqual([
      0,
      expect.objectContaining({ ok: true, warning: expect.stringContaining('0001-users') }),
    ])
  })

  test('exits with code 1 or 2 when the target is the source database or a folder, or the source is not a local database', async () => {
    const songs = new Database(join(folder, 'songs.db'))
    songs.exec('create table songs (x)')
    songs.close()
    const out = join(folder, 'x.db')
    const refusals: [string[], number, string][] = [
      [[], 2, '--out'],
      [['--out', path], 2, 'is the database itself'],
      [['--out', `${path}-wal`], 2, 'is the database itself'],
      [['--out', join(folder, 'none', 'x.db')], 1, 'folder not found'],
      [['--out', folder], 1, 'is a folder'],
      [['--out', out, '--database', join(folder, 'none.db')], 1, 'file not found'],
      [['--out', out, '--database', join(folder, 'songs.db')], 1, 'another application'],
      [['--out', out, '--database', 'libsql://db.example.com'], 2, 'turso db export'],
      [['--out', out, '--database', ':memory:'], 2, ':memory:'],
    ]
    for (const [argv, code, words] of refusals)
      expect(await runBackup(...argv)).toMatchObject({ code, printed: expect.stringContaining(words) })
    expect(readdirSync(folder).sort()).toEqual(['data', 'songs.db'])
  })
})
