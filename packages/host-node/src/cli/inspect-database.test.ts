import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { schemaStatements } from '@tributary/core/postgres'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CliCommand } from './program.ts'
import { backupCommand } from './commands/backup.ts'
import { devCommand } from './commands/dev.ts'
import { doctorCommand } from './commands/doctor.ts'
import { migrateCommand } from './commands/migrate.ts'
import { restoreCommand } from './commands/restore.ts'
import { runCommand } from './program.fixture.ts'
import { schemaCommand } from './commands/schema.ts'
import { seedCommand } from './commands/seed.ts'
import { startCommand } from './commands/start.ts'
import { workerCommand } from './commands/worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-database-'))
const locateFile = (name: string): string => join(folder, name)

/** Runs SQL on a database file directly with SQLite. */
function executeSql(path: string, text: string): void {
  const database = new Database(path)
  database.exec(text)
  database.close()
}

const secretFlags = ['--secret', 'a-secret-of-these-tests']
const commands: readonly { readonly name: string; readonly command: CliCommand; readonly argv: readonly string[] }[] = [
  {
    name: 'start',
    command: startCommand,
    argv: [
      '--base-url=https://x.example',
      '--smtp-url=smtp://127.0.0.1:9',
      '--mail-from=a@x.example',
      '--port=0',
      '--log-level=silent',
      ...secretFlags,
    ],
  },
  { name: 'dev', command: devCommand, argv: ['--port', '0', '--log-level', 'silent'] },
  { name: 'worker', command: workerCommand, argv: ['--log-level', 'silent', ...secretFlags] },
  { name: 'migrate', command: migrateCommand, argv: [] },
  { name: 'doctor', command: doctorCommand, argv: [] },
  { name: 'seed', command: seedCommand, argv: ['--demo', '--force'] },
]

/** A kind of damage to the database, how to cause it, and the message of every command. */
const cases: readonly (readonly [string, (path: string) => void, RegExp])[] = [
  [
    'the table of migrations was dropped',
    (path) => executeSql(path, 'drop table tributary_migrations'),
    /table users exists already, but migration 0001-users, .* is not listed.*tributary restore/,
  ],
  [
    'rows of the table of migrations were deleted',
    (path) => executeSql(path, "delete from tributary_migrations where id = '0001-sessions'"),
    /credentials exists already, but migration 0001-sessions,.* is not listed.*tributary restore/,
  ],
  [
    'a move into it is not complete',
    (path) => executeSql(path, 'alter table tributary_migrations rename to tributary_moving'),
    /a move into this database is not complete\. Run the same `tributary move` command again/,
  ],
  [
    'a table was dropped',
    (path) => executeSql(path, 'drop table outcomes'),
    /table outcomes is missing, but migration \S+, which creates it, is listed.*tributary restore/,
  ],
  [
    'an index was dropped',
    (path) => executeSql(path, 'drop index credentials_owner'),
    /index credentials_owner is missing/,
  ],
  [
    'the file is text',
    (path) => writeFileSync(path, 'no database\n'.repeat(1000)),
    /is not an SQLite database.*--database/,
  ],
  [
    'the path is a folder',
    (path) => (rmSync(path, { force: true }), void mkdirSync(path)),
    /is a folder; use a file in it/,
  ],
  [
    'it is the database of another application',
    (path) => (rmSync(path), executeSql(path, 'create table songs (x); create table albums (x)')),
    /database of another application \(tables: albums, songs\)/,
  ],
  [
    'it is of a newer version',
    (path) => executeSql(path, "insert into tributary_migrations values ('9999-later', 'x', 'x')"),
    /newer than this code: it has 9999-later/,
  ],
]

beforeAll(async () => {
  await runCommand(migrateCommand, ['--database', locateFile('good.db')])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(commands)('tributary $name', ({ name, command, argv }) => {
  test.each(cases.map(([what, spoil, words], number) => ({ what, spoil, words, number })))(
    'exits with 1 and prints an explanation when $what',
    async ({ spoil, words, number }) => {
      const path = locateFile(`${name}-${number}.db`)
      executeSql(locateFile('good.db'), `vacuum into '${path}'`)
      spoil(path)
      const { code, printed } = await runCommand(command, ['--database', path, ...argv])
      expect([code, printed]).toEqual([1, expect.stringMatching(words)])
      expect(printed).not.toMatch(/\n {4}at /)
      // A `-wal` file would show that the database was opened for writing.
      expect(existsSync(`${path}-wal`)).toBe(false)
    },
  )
})

describe('tributary migrate --dry-run', () => {
  test('does not create a file or a folder when the database does not exist', async () => {
    const { code, printed } = await runCommand(migrateCommand, [
      '--database',
      locateFile('none/at/all.db'),
      '--dry-run',
    ])
    expect([code, printed]).toEqual([0, expect.stringContaining('create table users')])
    expect(existsSync(locateFile('none'))).toBe(false)
  })
})

test.each([
  ['backup', backupCommand, 'postgres:///app', 'Use `pg_dump` and `pg_restore`, or the point-in-time recovery'],
  ['restore', restoreCommand, 'postgresql://db.example.com/app', 'Use `pg_dump` and `pg_restore`'],
  ['backup', backupCommand, 'libsql://db.example.com', 'libsql://db.example.com is remote; this command needs a file'],
  [
    'restore',
    restoreCommand,
    'libsql://db.example.com',
    'libsql://db.example.com is remote; this command needs a file',
  ],
] as const)('tributary %s names a solution for a remote database: %#', async (_, command, url, expected) => {
  const { code, err } = await runCommand(command, ['--database', url])
  expect([code, err]).toEqual([2, expect.stringContaining(expected)])
})

describe('tributary schema', () => {
  test('prints the SQL of PostgreSQL by default, and refuses an unknown dialect', async () => {
    expect(await runCommand(schemaCommand, [])).toMatchObject({
      code: 0,
      out: schemaStatements()
        .map((statement) => `${statement};\n`)
        .join(''),
    })
    expect(await runCommand(schemaCommand, ['--dialect', 'mysql'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--dialect: expected postgres or libsql, not "mysql"'),
    })
  })

  test('prints SQL that creates a SQLite database to which migrate applies nothing', async () => {
    const { printed } = await runCommand(schemaCommand, ['--dialect', 'libsql'])
    executeSql(locateFile('pipeline.db'), printed)
    expect(await runCommand(migrateCommand, ['--database', locateFile('pipeline.db')])).toMatchObject({
      code: 0,
      printed: 'The database is up to date.\n',
    })
  })
})

describe('tributary migrate', () => {
  test('creates the tables in an empty file', async () => {
    writeFileSync(locateFile('empty.db'), '')
    expect(await runCommand(migrateCommand, ['--database', locateFile('empty.db')])).toMatchObject({
      code: 0,
      printed: expect.stringContaining('Applied 0001-users'),
    })
  })
})
