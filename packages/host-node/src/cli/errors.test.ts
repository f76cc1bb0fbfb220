import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Unavailable } from '@tributary/core'
import { isFullRun, makeTraces, seedTraces } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { CliCommand } from './program.ts'
import { datasetCommand } from './commands/dataset.ts'
import { devCommand } from './commands/dev.ts'
import { doctorCommand } from './commands/doctor.ts'
import { migrateCommand } from './commands/migrate.ts'
import { seedCommand } from './commands/seed.ts'
import { startCommand } from './commands/start.ts'
import { built, cli } from './cli.fixture.ts'
import { describeError } from './errors.ts'
import { runCommand } from './program.fixture.ts'
import { workerCommand } from './commands/worker.ts'
import { openLocal } from '../sqlite/local.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-errors-'))
const locateFile = (name: string): string => join(folder, name)
beforeAll(async () => {
  writeFileSync(locateFile('text'), 'no database, no country file, no folder\n'.repeat(100))
  await runCommand(migrateCommand, ['--database', locateFile('good.db')])
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const secret = 'secret-of-these-tests-only'
const served = [
  '--base-url',
  'https://x.example',
  '--smtp-url',
  'smtp://127.0.0.1:9',
  '--mail-from',
  'a@x.example',
  '--port',
  '0',
  '--host',
  '127.0.0.1',
  '--log-level',
  'silent',
  '--admin-token',
  '9f3c1e7ab2d84c60517e',
]
const unsecured = served.slice(0, -2)
const start = (...argv: string[]): [CliCommand, string[]] => [
  startCommand,
  [...served, '--database', locateFile('good.db'), ...argv],
]
const makeWorkerCommand = (...argv: string[]): [CliCommand, string[]] => [
  workerCommand,
  ['--database', locateFile('good.db'), '--secret', secret, ...argv],
]

const failures: readonly (readonly [[CliCommand, string[]], number, string])[] = [
  [[seedCommand, []], 2, 'seed --demo'],
  [[seedCommand, ['--demo', '--database', ':memory:']], 2, ':memory: ends with this process'],
  [[seedCommand, ['--demo', '--seed', '1.5', '--database', locateFile('s.db')]], 2, 'Expected a whole number'],
  [[seedCommand, ['--demo', '--database', locateFile('text')]], 1, 'not an SQLite database'],
  [[seedCommand, ['--demo', '--database', folder]], 1, 'is a folder'],
  [[seedCommand, ['--demo', '--database', locateFile('text/x.db')]], 1, 'Cannot create the folder'],
  [[seedCommand, ['demo']], 2, 'too many arguments'],
  [[seedCommand, ['--demo', '--database', '']], 2, '--database'],
  [[migrateCommand, []], 2, '--database'],
  [[migrateCommand, ['--database', ':memory:']], 2, ':memory: ends with this process'],
  [[migrateCommand, ['--database', 'libsql://']], 2, 'not "libsql://"'],
  [[migrateCommand, ['--database', 'ftp://x']], 2, 'not "ftp://x"'],
  [[migrateCommand, ['--database', 'http://127.0.0.1:1']], 1, 'does not answer'],
  [[migrateCommand, ['--dry-run=1', '--database', locateFile('m.db')]], 2, "unknown option '--dry-run=1'"],
  [[doctorCommand, []], 2, '--database'],
  [[doctorCommand, ['--databse', 'x']], 2, 'did you mean --database?'],
  [[doctorCommand, ['--database', ':memory:']], 2, ':memory: ends with this process'],
  [
    [doctorCommand, ['--database', locateFile('good.db'), '--smtp-url', 'smtp://x.example?ignoreTLS=true']],
    1,
    'smtp+insecure://',
  ],
  [[doctorCommand, ['--database', locateFile('text')]], 1, 'not an SQLite database'],
  [[doctorCommand, ['--database', locateFile('good.db'), '--smtp-url', 'nope']], 1, '--smtp-url: '],
  [[doctorCommand, ['--database', locateFile('good.db'), '--base-url', 'nope']], 1, 'not "nope"'],
  [[workerCommand, []], 2, '--database'],
  [makeWorkerCommand('--database', locateFile('none.db')), 1, 'tributary migrate'],
  [makeWorkerCommand('--database', ':memory:'), 2, ':memory: ends with this process'],
  [[workerCommand, ['--database', locateFile('good.db')]], 2, '--secret (or TRIBUTARY_SECRET) is required'],
  [
    [startCommand, [...unsecured, '--database', locateFile('good.db')]],
    2,
    '--secret (or TRIBUTARY_SECRET) is required',
  ],
  [
    [startCommand, [...unsecured, '--database', locateFile('good.db'), '--admin-tokens', 'jo=9f3c1e7ab2d84c60517e']],
    2,
    'openssl rand -hex 24',
  ],
  [
    start('--admin-tokens', 'jane=2c81f6e09b4d73a5518e,jane=7be02d94c1a65f380e4b'),
    2,
    '--admin-tokens: the name jane occurs twice',
  ],
  [
    start('--admin-tokens', 'operator=2c81f6e09b4d73a5518e'),
    2,
    '--admin-tokens: the name operator occurs twice: it is also the name of --admin-token',
  ],
  [start('--admin-tokens', 'jane=9f3c1e7ab2d84c60517e'), 2, '--admin-tokens: two operators have the same token'],
  [start('--admin-tokens', 'j/a=2c81f6e09b4d73a5518e'), 2, '--admin-tokens: "j/a" is not a name of'],
  [
    [startCommand, [...unsecured, '--database', locateFile('good.db'), '--secret', secret, '--host', 'nope.invalid']],
    1,
    '--host',
  ],
  [makeWorkerCommand('--queue', 'x'), 2, 'sqs:'],
  [makeWorkerCommand('--base-url', 'nope'), 2, '--base-url: expected a URL'],
  [makeWorkerCommand('--smtp-url', 'nope'), 2, '--smtp-url: '],
  [makeWorkerCommand('--smtp-url', 'smtp://x.example', '--mail-from', 'nope'), 2, '--mail-from: expected an address'],
  [makeWorkerCommand('--ingest-limit', '2048.5'), 2, 'Expected a whole number'],
  [makeWorkerCommand('--blobs', `files:${locateFile('text')}`), 2, 'cannot create the folder'],
  [makeWorkerCommand('--usd-per-million-tokens', '-1'), 2, 'Expected a number of 0 or more'],
  [makeWorkerCommand('--usd-per-million-tokens', '1e3'), 2, 'Expected a number of 0 or more'],
  [makeWorkerCommand('--report-days', '29'), 2, 'from 30 to 3650'],
  [makeWorkerCommand('--job-days', '29'), 2, 'from 30 to 3650'],
  [makeWorkerCommand('--port', '1'), 2, '--port'],
  [start('--country', 'USA'), 2, 'two letters'],
  [start('--country-header', 'a b'), 2, 'name of a header'],
  [start('--country-file', locateFile('none')), 2, 'ENOENT'],
  [start('--country-file', locateFile('text')), 2, 'MaxMind'],
  [start('--origins', 'nope'), 2, '--origins: expected'],
  [start('--origins', 'https://a.example/path'), 2, '--origins: expected'],
  [start('--prefix', 'nope'), 2, '--prefix: expected a path'],
  [start('--base-url', 'https://x.example/?a=b'), 2, 'must not contain'],
  [start('--base-url', 'https://u:p@x.example'), 2, 'must not contain'],
  [start('--min-version', '1.2.3junk'), 2, 'semantic version'],
  [start('--trusted-proxies', '0.5'), 2, 'Expected a whole number'],
  [start('--port', '0x10'), 2, 'Expected a whole number'],
  [start('--mail-from', 'nope'), 2, '--mail-from: expected an address'],
  [start('--smtp-url', 'http://x.example'), 2, '--smtp-url: '],
  [start('--database', ':memory:'), 2, ':memory: ends with this process'],
  [start('--secret', 'short'), 2, '16 characters'],
  [start('--host', '203.0.113.1'), 1, '--host'],
  [start('--host', 'nope.invalid'), 1, '--host'],
  [start('--migrate', 'off', '--database', locateFile('fresh.db')), 1, 'tributary migrate'],
  [[devCommand, ['--database', locateFile('d.db'), '--country', 'USA']], 2, 'two letters'],
  [
    [devCommand, ['--database', locateFile('text/x.db'), '--port', '0', '--log-level', 'silent']],
    1,
    'Cannot create the folder',
  ],
]
test.each(
  failures.map(([[command, argv], code, message]) => ({
    command,
    argv,
    last: argv.slice(-2).join(' '),
    code,
    message,
  })),
)(
  'tributary exits with $code and prints "$message" for arguments that end with $last',
  async ({ command, argv, code, message }) => {
    const result = await runCommand(command, argv)
    expect([result.code, result.printed]).toEqual([code, expect.stringContaining(message)])
    expect(result.printed).not.toMatch(/\n {4}at /)
  },
)

test.each(['1e2', '0x10', ' 5', '+5', ' ', 'Infinity', '-1', '1,5', '99999999999999999999'])(
  'a number flag rejects the variable "%s"',
  async (value) => {
    vi.stubEnv('TRIBUTARY_INGEST_LIMIT', value)
    const { code, printed } = await runCommand(workerCommand, ['--database', locateFile('good.db'), '--secret', secret])
    expect([code, printed]).toEqual([2, expect.stringContaining('TRIBUTARY_INGEST_LIMIT')])
  },
)

describe('describeError', () => {
  const causedBy = (code: string, more = {}): Error =>
    Object.assign(new Error('as the system says it'), { code, ...more })

  test.each([
    ['ENOSPC', /^The disk is full \(ENOSPC\)\. Free space on it and try again$/],
    ['EDQUOT', /^The disk quota of this user is used up \(EDQUOT\)\. Free space or raise the quota, and try again$/],
    ['EROFS', /^The file or its disk is read-only \(EROFS\)\. Allow this user to write/],
    ['EACCES', /^This user has no permission \(EACCES\)\. Change the owner/],
    ['EMFILE', /^This process may not open more files \(EMFILE\)\. Raise the limit of file descriptors.*ulimit -n/],
    ['SQLITE_FULL', /^x\.db: the disk is full \(SQLITE_FULL\)\. Free space on it and try again$/],
    ['SQLITE_READONLY_DIRECTORY', /^x\.db: the file or its disk is read-only \(SQLITE_READONLY_DIRECTORY\)\. Allow/],
    ['SQLITE_READONLY_DBMOVED', /^x\.db: another program deleted or replaced the file .*\. Start again/],
    ['SQLITE_CANTOPEN', /^x\.db: it cannot be opened .*folder exists.*file descriptors/],
    ['SQLITE_IOERR_SHMSIZE', /^x\.db: the disk does not read or write; it may be full.*\. Free space/],
    ['SQLITE_BUSY', /^x\.db: another process locks the file \(SQLITE_BUSY\)\. Stop it, or try again later$/],
  ])('says what to do about %s, also if this error is the reason why a store does not answer', (code, message) => {
    const expected = { exitCode: 1, message: expect.stringMatching(message) as string }
    expect(describeError(causedBy(code), 'x.db')).toEqual(expected)
    expect(describeError(new Unavailable(causedBy(code)), 'x.db')).toEqual(expected)
  })

  test('names the path of a problem', () => {
    expect(describeError(causedBy('EMFILE', { syscall: 'open', path: '/data/a' }))?.message).toMatch(
      /^Cannot use \/data\/a: this process may not open more files \(EMFILE\)\. /,
    )
    expect(describeError(causedBy('ENOSPC', { syscall: 'mkdir', path: '/data/a' }))?.message).toBe(
      'Cannot use /data/a: the disk is full (ENOSPC). Free space on it and try again',
    )
  })

  test("names a solution for an error of PostgreSQL, and does not show the statement's values", () => {
    const denied = Object.assign(new Error('permission denied for schema public'), { code: '42501' })
    expect(describeError(new Error('Failed query: insert ... params: ann@x.example', { cause: denied }))).toEqual({
      exitCode: 1,
      message:
        'PostgreSQL: permission denied for schema public. ' +
        'Use a role that has this privilege: `tributary migrate` creates tables, a server only changes rows',
    })
  })
  test('returns null for a bug', () => expect(describeError(new TypeError('a bug'))).toBeNull())
})

test.runIf(existsSync('/dev/full'))('dataset export says that the disk is full, and prints no stack', async () => {
  const database = openLocal(locateFile('good.db'))
  await seedTraces(database, 'ann', makeTraces(101, 'ann'))
  database.close()
  const out = locateFile('out')
  mkdirSync(out)
  symlinkSync('/dev/full', join(out, '.progress.json.partial'))
  const argv = ['export', '--filter', 'all', '--database', locateFile('good.db'), '--out', out, '--shard-traces', '100']
  const { code, err } = await runCommand(datasetCommand, argv)
  expect([code, err.split('\n').at(-2)]).toEqual([1, 'The disk is full (ENOSPC). Free space on it and try again'])
  expect(err).not.toMatch(/\n {4}at /)
})

/** Runs the built command in a shell after the shell has run `prepare`. */
function runAfter(prepare: string, argv: readonly string[]): { code: number | null; err: string } {
  const { status, stderr } = spawnSync(
    'unshare',
    ['-rm', 'sh', '-c', `${prepare} && exec "$@"`, 'sh', process.execPath, cli, ...argv],
    {
      encoding: 'utf8',
      timeout: 600_000,
    },
  )
  return { code: status, err: stderr }
}

const makeReadOnly = `mount --bind ${folder} ${folder} && mount -o remount,bind,ro ${folder}`
const hasNamespaces = built && spawnSync('unshare', ['-rm', 'sh', '-c', makeReadOnly]).status === 0
describe.runIf(hasNamespaces)('on a read-only disk', () => {
  const database = ['--database', locateFile('read-only.db')]
  beforeAll(() => {
    // Separate processes create the files, so that this process leaves no file open.
    for (const name of ['read-only.db', 'backup.db'])
      spawnSync(process.execPath, [cli, 'migrate', '--database', locateFile(name)])
  })

  const commands: readonly [name: string, argv: string[], file?: string][] = [
    ['start', [...served, '--secret', secret, ...database]],
    ['worker', ['--secret', secret, ...database]],
    ['restore', [...database, '--from', locateFile('backup.db')]],
    ['contents', ['move', '--to', 'blobs', '--blobs', `files:${folder}-blobs`, '--secret', secret, ...database]],
    ['backup', [...database, '--out', locateFile('copy.db')], 'copy.db.partial'],
    ['dataset', ['export', '--filter', 'all', ...database, '--out', locateFile('package')], 'package'],
  ]
  test.each(commands.filter(([name]) => isFullRun || name === 'start' || name === 'backup'))(
    '%s names the file that it cannot write, and prints a solution',
    { tags: 'long' },
    (name, argv, file = 'read-only.db') => {
      const { code, err } = runAfter(makeReadOnly, [name, ...argv])
      expect([code, err]).toEqual([
        1,
        expect.stringContaining(
          `Cannot use ${locateFile(file)}: the file or its disk is read-only (EROFS). Allow this user to write the file`,
        ),
      ])
    },
  )
})

// With a limit from 48 to about 150, Node does not report the limit but reports a missing module.
test.runIf(hasNamespaces).each([24, 64, 128])(
  'a command that may open %i descriptors says to raise the limit',
  { tags: 'long' },
  (limit) => {
    const { code, err } = runAfter(`ulimit -n ${limit}`, ['migrate', '--database', locateFile('good.db')])
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^Cannot use .*: this process may not open more files \(EMFILE\)\. Raise the limit.*`\n$/),
    ])
  },
)
