import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { built, cli, startDev, run, startWriting, type Dev } from '../cli.fixture.ts'
import { backupCommand } from './backup.ts'
import { doctorCommand } from './doctor.ts'
import { migrateCommand } from './migrate.ts'
import { restoreCommand } from './restore.ts'
import { runCommand } from '../program.fixture.ts'
import type { CliCommand } from '../program.ts'

let folder: string
let path: string
let copy: string
let running: Dev | undefined
const template = mkdtempSync(join(tmpdir(), 'tributary-restore-template-'))
beforeAll(async () => {
  const original = join(template, 'original.db')
  await runCommand(migrateCommand, ['--database', original])
  addUsers(original, 'old')
  await runCommand(backupCommand, ['--database', original, '--out', join(template, 'copy.db')])
})
afterAll(() => rmSync(template, { recursive: true, force: true }))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-restore-'))
  path = join(folder, 'data', 'tributary.db')
  copy = join(folder, 'copy.db')
  mkdirSync(join(folder, 'data'))
  for (const target of [path, copy]) copyFileSync(join(template, 'copy.db'), target)
})
afterEach(async () => {
  await running?.stop('SIGKILL')
  running = undefined
  rmSync(folder, { recursive: true, force: true })
})
const restore = (...argv: string[]) => runCommand(restoreCommand, ['--database', path, '--from', copy, ...argv])

const script = `
  const [file, ...statements] = process.argv.slice(1)
  const database = new (require('libsql'))(file)
  const last = statements.pop()
  for (const statement of statements) database.exec(statement)
  console.log(JSON.stringify(database.prepare(last).raw(true).all([]).map(([value]) => value)))`

/**
 * Opens a database in another process, runs SQL, and returns the first column of the last statement's rows. The driver
 * keeps a file open until its statements are garbage collected, so this process itself must not open the database.
 */
const query = (file: string, ...statements: string[]): unknown[] =>
  JSON.parse(
    execFileSync(process.execPath, ['-e', script, file, ...statements], { cwd: import.meta.dirname, encoding: 'utf8' }),
  ) as unknown[]
/** Adds so many rows that the two databases share no page. */
const addUsers = (file: string, name: string): unknown =>
  query(
    file,
    'insert into users (id, created_at) with recursive n (i) as (select 1 union all select i + 1 from n ' +
      `where i < 3000) select '${name}-' || i, 0 from n`,
    'select 1',
  )
/** Returns the name and number of the rows that a file contains, and the result of `integrity_check`. */
const readContents = (file: string): string =>
  query(
    file,
    `
  select coalesce(group_concat(name || ' ' || count, ', '), '') from (
    select substr(id, 1, 3) name, count(*) count from users group by 1 order by 1)
  union all select integrity_check from pragma_integrity_check`,
  ).join('; ')
const old = 'old 3000; ok'

describe.skipIf(!built)('tributary restore with a running server', () => {
  // promise: refuses-while-process-database
  test(
    'exits with 1 while a server has the database open; a later restore keeps the replaced database',
    { tags: 'slow' },
    async () => {
      running = await startDev(path)
      const refused = { code: 1, printed: expect.stringMatching(/is open in another process\. Stop every server/) }
      expect(await restore()).toMatchObject(refused)
      const writing = startWriting(running.url)
      while (writing.acknowledged.length < 20) await sleep(5)
      expect(await restore()).toMatchObject(refused)
      await writing.stop()
      await running.stop('SIGKILL')
      const { code, printed } = await restore('--json')
      const { keptAs, ...rest } = JSON.parse(printed) as { keptAs: string }
      expect([code, rest]).toEqual([
        0,
        expect.objectContaining({ ok: true, database: path, from: copy, integrity: 'ok', pending: [] }),
      ])
      // The log of the killed server was kept with the replaced database, and the restored database has no log.
      expect(
        readdirSync(join(folder, 'data'))
          .filter((name) => name.startsWith('tributary.db'))
          .sort(),
      ).toEqual(['tributary.db', keptAs.slice(keptAs.lastIndexOf('/') + 1)])
      const kept = new Set(query(keptAs, 'select id from reports'))
      expect(writing.acknowledged.filter((id) => !kept.has(id))).toEqual([])
      expect(readContents(path)).toBe(old)
      running = await startDev(path)
      expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
    },
  )

  // promise: database-either-old-new
  test('leaves the complete old or the complete new database when it is killed', { tags: 'slow' }, async () => {
    const newer = join(folder, 'newer.db')
    copyFileSync(copy, newer)
    addUsers(newer, 'new')
    for (const wait of [200, 300, 400, 100_000]) {
      rmSync(path)
      copyFileSync(newer, path)
      const { child, ended } = run(['restore', '--database', path, '--from', copy, '--discard-current'], {}, folder)
      await Promise.race([ended, sleep(wait, undefined, { ref: false })])
      child.kill('SIGKILL')
      await ended
      expect(wait === 100_000 ? [old] : [old, 'new 3000, old 3000; ok']).toContain(readContents(path))
    }
  })

  test('changes nothing when the disk is full', { tags: 'slow' }, async () => {
    const script = 'ulimit -f 100; exec "$0" "$@"'
    let failed = { status: 0, stderr: '' }
    try {
      execFileSync('bash', ['-c', script, process.execPath, cli, 'restore', '--database', path, '--from', copy], {
        encoding: 'utf8',
        stdio: 'pipe',
      })
    } catch (error) {
      failed = error as typeof failed
    }
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining('was not changed')])
    expect(failed.stderr).not.toMatch(/\n {4}at /)
    expect([readContents(path), readdirSync(join(folder, 'data'))]).toEqual([old, ['tributary.db']])
  })
})

describe('tributary restore', () => {
  test('creates a database that does not exist, and removes the log of an earlier database', async () => {
    rmSync(path)
    writeFileSync(`${path}-wal`, 'stale')
    writeFileSync(`${path}-shm`, 'stale')
    expect(await restore()).toMatchObject({ code: 0 })
    expect([readContents(path), readdirSync(join(folder, 'data')), (statSync(path).mode & 0o777).toString(8)]).toEqual([
      old,
      ['tributary.db'],
      '600',
    ])
  })

  test('deletes the current database with --discard-current', { tags: 'long' }, async () => {
    addUsers(path, 'new')
    expect(await restore('--discard-current')).toMatchObject({ code: 0 })
    expect([readContents(path), readdirSync(join(folder, 'data'))]).toEqual([old, ['tributary.db']])
  })

  test('includes the write-ahead log next to a raw copy', { tags: 'long' }, async () => {
    const open = new Database(path)
    open.exec('pragma journal_mode = wal')
    open.exec("insert into users (id, created_at) values ('wal-1', 0)")
    const raw = join(folder, 'raw.db')
    // Another process copies the file, because a plain file call would drop the locks that this process holds.
    for (const end of ['', '-wal']) execFileSync('cp', [path + end, raw + end])
    open.close()
    expect(await restore('--from', raw)).toMatchObject({ code: 0 })
    expect(readContents(path)).toBe('old 3000, wal 1; ok')
  })

  test('replaces a database that SQLite cannot read, and keeps it', async () => {
    writeFileSync(path, 'no database any more')
    expect(await restore()).toMatchObject({ code: 0 })
    expect(readContents(path)).toBe(old)
    const [, kept] = readdirSync(join(folder, 'data'))
    expect(kept).toMatch(/^tributary\.db\.before-restore-\w+Z$/)
    expect(readFileSync(join(folder, 'data', kept!), 'utf8')).toBe('no database any more')
  })

  test(
    'changes nothing if FILE is damaged, not a database, of a newer schema, of another app, or the database itself',
    { tags: 'long' },
    async () => {
      const makeCopy = (name: string, make: (made: string) => void): string => {
        copyFileSync(copy, join(folder, name))
        make(join(folder, name))
        return join(folder, name)
      }
      const { size } = statSync(copy)
      const refusals: [string, number, RegExp][] = [
        [
          makeCopy('text.db', (made) => writeFileSync(made, 'text\n'.repeat(500))),
          1,
          /it is not an SQLite database\. Use another backup/,
        ],
        [join(folder, 'none.db'), 1, /file not found/],
        [
          makeCopy('half.db', (made) => truncateSync(made, size / 2)),
          1,
          /Cannot restore .*half\.db: it is damaged.*Use another backup.*was not changed/,
        ],
        [makeCopy('empty.db', (made) => truncateSync(made)), 1, /empty database/],
        [
          makeCopy('songs.db', (made) => (rmSync(made), query(made, 'create table songs (x)', 'select 1'))),
          1,
          /another application/,
        ],
        [
          makeCopy('newer.db', (made) =>
            query(made, "insert into tributary_migrations values ('9999-later', 'x', 'x')", 'select 1'),
          ),
          1,
          /newer than this code: it has 9999-later/,
        ],
        [path, 2, /is the database itself/],
        [folder, 1, /is a folder/],
        ['', 2, /--from/],
      ]
      for (const [from, code, words] of refusals)
        expect(await restore('--from', from)).toMatchObject({ code, printed: expect.stringMatching(words) })
      expect(await restore('--database', 'libsql://db.example.com')).toMatchObject({
        code: 2,
        printed: expect.stringContaining('turso db create'),
      })
      expect([readContents(path), readdirSync(join(folder, 'data'))]).toEqual([old, ['tributary.db']])
      expect(existsSync(`${path}.partial`)).toBe(false)
    },
  )
})

describe('tributary doctor --integrity', () => {
  test('finds a damaged page and prints how to restore', async () => {
    const healthy = await runCommand(doctorCommand, ['--database', path, '--integrity'])
    expect(healthy.code).toBe(0)
    expect(healthy.printed).toMatch(/ok {4}integrity +no damage found \(\d+\.\d s\)/)
    const damaged = join(folder, 'damaged', 'tributary.db')
    mkdirSync(join(folder, 'damaged'))
    const bytes = execFileSync('cat', [copy], { maxBuffer: Infinity })
    // A changed letter breaks the order in the index of `users.id`; the schema stays readable.
    const place = bytes.lastIndexOf('old-2999')
    bytes.write('xxx', place)
    writeFileSync(damaged, bytes)
    const { code, printed } = await runCommand(doctorCommand, ['--database', damaged, '--integrity', '--json'])
    const { checks } = JSON.parse(printed) as { checks: { check: string; ok: boolean; found: string }[] }
    expect([code, checks.find(({ check }) => check === 'integrity')]).toEqual([
      1,
      { check: 'integrity', ok: false, found: expect.stringMatching(/is damaged: .*tributary restore --from FILE/s) },
    ])
  })
})

describe('docs/operations.md', () => {
  test('contains commands that back up, restore and upgrade as described', { tags: 'long' }, async () => {
    const text = readFileSync(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8')
    const lines = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, code]) => code!.trim().split('\n'))
    mkdirSync(join(folder, 'backup'))
    const commands: Readonly<Record<string, CliCommand>> = {
      backup: backupCommand,
      restore: restoreCommand,
      doctor: doctorCommand,
      migrate: migrateCommand,
    }
    const ran: string[] = []
    for (const line of lines.map((one) =>
      one.replaceAll('/var/lib/tributary/', join(folder, 'data/')).replaceAll('/backup/', join(folder, 'backup/')),
    )) {
      const [program, name = '', ...argv] = line.split(' ')
      const [, database, sql] = /^sqlite3 (\S+) "(.*)"$/.exec(line) ?? []
      if (database && sql) query(database, sql, 'select 1')
      if (program !== 'tributary') continue
      const { code, printed } = await runCommand(commands[name]!, argv)
      expect([line, code, printed]).toEqual([
        line,
        0,
        expect.stringMatching(name === 'migrate' ? /up to date/ : /integrity ok|integrity +no damage found/),
      ])
      ran.push(name)
    }
    expect(ran).toEqual(['backup', 'backup', 'restore', 'doctor', 'migrate', 'backup', 'migrate', 'doctor'])
    for (const name of ['tributary.db', 'by-sqlite.db', 'before-upgrade.db'])
      expect(readContents(join(folder, 'backup', name))).toBe(old)
    expect(readContents(path)).toBe(old)
  })
})
