import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Command } from './command.ts'
import { devCommand } from './dev.ts'
import { doctorCommand } from './doctor.ts'
import { migrateCommand } from './migrate.ts'
import { seedCommand } from './seed.ts'
import { startCommand } from './start.ts'
import { explain } from './trouble.ts'
import { workerCommand } from './worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'tributary-trouble-'))
const at = (name: string): string => join(folder, name)
beforeAll(async () => {
  writeFileSync(at('text'), 'no database, no country file, no folder\n'.repeat(100))
  await run(migrateCommand, ['--database', at('good.db')])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(command: Command, argv: readonly string[], env: Record<string, string> = {}) {
  let said = ''
  const add = (text: string): void => void (said += text)
  try {
    return { code: await command.run(argv, { env, out: add, err: add }), said }
  } catch (error) {
    const known = explain(error)
    // What nobody explains goes out as a stack.
    return { code: known?.code ?? -1, said: known?.message ?? String(error) }
  }
}

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
const start = (...argv: string[]): [Command, string[]] => [
  startCommand,
  [...served, '--database', at('good.db'), ...argv],
]
const worker = (...argv: string[]): [Command, string[]] => [
  workerCommand,
  ['--database', at('good.db'), '--secret', secret, ...argv],
]

test.each<[[Command, string[]], number, string]>([
  [[seedCommand, []], 2, 'seed --demo'],
  [[seedCommand, ['--demo', '--database', ':memory:']], 2, 'gone with this process'],
  [[seedCommand, ['--demo', '--seed', '1.5', '--database', at('s.db')]], 2, '--seed is a whole number'],
  [[seedCommand, ['--demo', '--database', at('text')]], 1, 'not an SQLite database'],
  [[seedCommand, ['--demo', '--database', folder]], 1, 'is a folder'],
  [[seedCommand, ['--demo', '--database', at('text/x.db')]], 1, 'cannot be made'],
  [[seedCommand, ['demo']], 2, 'Unexpected argument'],
  [[seedCommand, ['--demo', '--database', '']], 2, '--database'],
  [[migrateCommand, []], 2, '--database'],
  [[migrateCommand, ['--database', ':memory:']], 2, 'name a file'],
  [[migrateCommand, ['--database', 'libsql://']], 2, 'not "libsql://"'],
  [[migrateCommand, ['--database', 'ftp://x']], 2, 'not "ftp://x"'],
  [[migrateCommand, ['--database', 'http://127.0.0.1:1']], 1, 'does not answer'],
  [[migrateCommand, ['--dry-run=1', '--database', at('m.db')]], 2, 'does not take an argument'],
  [[doctorCommand, []], 2, '--database'],
  [[doctorCommand, ['--databse', 'x']], 2, "Unknown option '--databse'"],
  [[doctorCommand, ['--database', ':memory:']], 2, 'name a file'],
  [
    [doctorCommand, ['--database', at('good.db'), '--smtp-url', 'smtp://x.example?ignoreTLS=true']],
    1,
    'smtp+insecure://',
  ],
  [[doctorCommand, ['--database', at('text')]], 1, 'not an SQLite database'],
  [[doctorCommand, ['--database', at('good.db'), '--smtp-url', 'nope']], 1, '--smtp-url: a mail server is an address'],
  [[doctorCommand, ['--database', at('good.db'), '--base-url', 'nope']], 1, 'not "nope"'],
  [[workerCommand, []], 2, '--database'],
  [worker('--database', at('none.db')), 1, 'tributary migrate'],
  [worker('--database', ':memory:'), 2, 'name a file'],
  [[workerCommand, ['--database', at('good.db')]], 2, 'Say a secret: --secret'],
  [[startCommand, [...unsecured, '--database', at('good.db')]], 2, 'Say a secret: --secret'],
  [
    [startCommand, [...unsecured, '--database', at('good.db'), '--admin-tokens', 'jo=9f3c1e7ab2d84c60517e']],
    2,
    'openssl rand -hex 24',
  ],
  [
    [startCommand, [...unsecured, '--database', at('good.db'), '--secret', secret, '--host', 'nope.invalid']],
    1,
    '--host',
  ],
  [worker('--queue', 'x'), 2, 'sqs:'],
  [worker('--base-url', 'nope'), 2, '--base-url is an address'],
  [worker('--smtp-url', 'nope'), 2, '--smtp-url: a mail server is an address'],
  [worker('--smtp-url', 'smtp://x.example', '--mail-from', 'nope'), 2, '--mail-from is an address'],
  [worker('--ingest-limit', '2048.5'), 2, 'a whole number'],
  [worker('--blobs', `files:${at('text')}`), 2, 'can be no folder'],
  [worker('--usd-per-million-tokens', '-1'), 2, 'needs a value'],
  [worker('--usd-per-million-tokens', '1e3'), 2, 'is a number'],
  [worker('--report-days', '29'), 2, '30 to 3650'],
  [worker('--job-days', '29'), 2, '30 to 3650'],
  [worker('--port', '1'), 2, '--port'],
  [start('--country', 'USA'), 2, 'two letters'],
  [start('--country-header', 'a b'), 2, 'name of a header'],
  [start('--country-file', at('none')), 2, 'ENOENT'],
  [start('--country-file', at('text')), 2, 'MaxMind'],
  [start('--origins', 'nope'), 2, 'origins like'],
  [start('--origins', 'https://a.example/path'), 2, 'without a path'],
  [start('--prefix', 'nope'), 2, '--prefix is a path'],
  [start('--base-url', 'https://x.example/?a=b'), 2, 'path alone'],
  [start('--base-url', 'https://u:p@x.example'), 2, 'path alone'],
  [start('--min-version', '1.2.3junk'), 2, 'semantic version'],
  [start('--trusted-proxies', '0.5'), 2, 'a whole number'],
  [start('--port', '0x10'), 2, 'a whole number'],
  [start('--mail-from', 'nope'), 2, '--mail-from is an address'],
  [start('--smtp-url', 'http://x.example'), 2, '--smtp-url: a mail server is an address'],
  [start('--database', ':memory:'), 2, 'name a file'],
  [start('--secret', 'short'), 2, '16 characters'],
  [start('--host', '203.0.113.1'), 1, '--host'],
  [start('--host', 'nope.invalid'), 1, '--host'],
  [start('--migrate', 'off', '--database', at('fresh.db')), 1, 'tributary migrate'],
  [[devCommand, ['--database', at('d.db'), '--country', 'USA']], 2, 'two letters'],
  [[devCommand, ['--database', at('text/x.db'), '--port', '0', '--log-level', 'silent']], 1, 'cannot be made'],
])('%j ends with %i and says %j', async ([command, argv], code, words) => {
  const ended = await run(command, argv)
  expect([ended.code, ended.said]).toEqual([code, expect.stringContaining(words)])
  expect(ended.said).not.toMatch(/\n {4}at /)
})

test('every number flag refuses what is no plain number', async () => {
  for (const value of ['1e2', '0x10', ' 5', '+5', '', 'Infinity', '-1', '1,5', '99999999999999999999']) {
    const ended = await run(workerCommand, ['--database', at('good.db'), '--secret', secret], {
      TRIBUTARY_INGEST_LIMIT: value === '' ? ' ' : value,
    })
    expect([value, ended.code, ended.said]).toEqual([value, 2, expect.stringContaining('TRIBUTARY_INGEST_LIMIT')])
  }
})
