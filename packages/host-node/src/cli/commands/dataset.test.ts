import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '@tributary/core/libsql'
import { isFullRun, makeTraces, seedTraces } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataFiles, type Manifest } from '../../dataset/manifest.ts'
import { openStore } from '../../server-config.ts'
import { built, startDev, run } from '../cli.fixture.ts'
import { runCommand } from '../program.fixture.ts'
import { datasetCommand } from './dataset.ts'

const root = mkdtempSync(join(tmpdir(), 'tributary-dataset-'))
const database = join(root, 'tributary.db')
const count = isFullRun ? 2_000 : 500

beforeAll(async () => {
  const { client } = await openStore({ url: database })
  await migrate(client!)
  await seedTraces(client!, 'ann', makeTraces(count, 'ann'))
  client!.close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const exportArgs = (out: string): string[] => [
  '--filter',
  'all',
  '--out',
  join(root, out),
  '--shard-traces',
  '100',
  '--json',
]
const exportTo = (out: string, ...more: string[]) => run(['dataset', 'export', ...exportArgs(out), ...more])
/** Runs the command in this process, which is faster. It is for tests that do not kill the process. */
const runHere = (action: string, out: string, ...more: string[]) =>
  runCommand(
    datasetCommand,
    action === 'verify' ? [action, join(root, out), ...more] : [action, ...exportArgs(out), ...more],
  )
const readManifest = (out: string): Manifest =>
  JSON.parse(readFileSync(join(root, out, 'manifest.json'), 'utf8')) as Manifest

describe.runIf(built)('tributary dataset export', () => {
  for (const format of ['documents', 'parquet', 'sts'])
    test(
      `continues an export as ${format} after SIGKILL, with the same SHA-256 of each file`,
      { tags: format === 'documents' ? 'long' : 'slow' },
      async () => {
        const whole = await exportTo(`whole-${format}`, '--database', database, '--format', format).ended
        expect([whole.code, JSON.parse(whole.out)]).toMatchObject([0, { ok: true, traces: count }])
        const killed = exportTo(`part-${format}`, '--database', database, '--format', format)
        const progress = join(root, `part-${format}`, '.progress.json')
        while (!existsSync(progress) && killed.child.exitCode === null)
          await new Promise((resolve) => setTimeout(resolve, 2))
        killed.child.kill('SIGKILL')
        expect((await killed.ended).signal).toBe('SIGKILL')
        expect(existsSync(join(root, `part-${format}`, 'manifest.json'))).toBe(false)
        const again = await exportTo(`part-${format}`, '--database', database, '--format', format).ended
        expect([again.code, again.err]).toEqual([0, ''])
        expect(readManifest(`part-${format}`)).toEqual(readManifest(`whole-${format}`))
      },
    )

  test(
    'writes the same files from a running service with the admin token as from the database of that service',
    { tags: 'slow' },
    async () => {
      const served = await startDev(database)
      try {
        const read = (out: string, token: string) =>
          exportTo(out, '--address', `${served.url}/`, '--admin-token', token).ended
        expect((await read('http', served.adminToken)).code).toBe(0)
        await exportTo('file', '--database', database).ended
        expect(dataFiles(readManifest('http'))).toEqual(dataFiles(readManifest('file')))
        const refused = await read('refused', 'wrong')
        expect([refused.code, JSON.parse(refused.out)]).toEqual([
          1,
          { ok: false, error: '--admin-token: the service does not accept it' },
        ])
      } finally {
        await served.stop()
      }
    },
  )

  test.each<[string[], string]>([
    [[], 'Name the traces to export'],
    [['--sale', 'x'], '"x" is not the id of a sale'],
    [['--filter', 'color=red'], '"color" is not a field'],
    [['--filter', 'all', '--address', 'nowhere'], '--address: expected a URL'],
    [['--filter', 'all', '--address', 'http://127.0.0.1:1'], '--admin-token or --buyer-token is required'],
    [['--filter', 'all', '--format', 'csv'], 'Expected documents or messages or sts or atif or parquet'],
  ])('exits with 2 and names the error for %j', async (args, message) => {
    const { code, err } = await runCommand(datasetCommand, ['export', '--out', join(root, 'bad'), ...args])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  test('verifies a package with a key file; exits with 1 and prints the first difference after a change', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url').toString('base64')
    const key = join(root, 'key.pem')
    writeFileSync(key, publicKey.export({ format: 'pem', type: 'spki' }))
    expect((await runHere('export', 'signed', '--database', database, '--signing-key', seed)).code).toBe(0)
    const verify = () => runHere('verify', 'signed', '--key', key, '--json')
    const { code, out } = await verify()
    expect([code, JSON.parse(out)]).toMatchObject([0, { ok: true, traces: count, signature: 'valid', lines: 'valid' }])
    writeFileSync(join(root, 'signed', 'manifest.json'), '{}')
    const changed = await verify()
    expect([changed.code, JSON.parse(changed.out).error]).toEqual([
      1,
      expect.stringContaining('manifest.json: the sig'),
    ])
  })

  test('run again: prints that nothing changed, signs the package, and writes it again without a withdrawn trace', async () => {
    const args = ['export', '--filter', 'all', '--database', database, '--out', join(root, 'again')]
    const exportAgain = (...more: string[]) => runCommand(datasetCommand, [...args, ...more])
    expect((await exportAgain()).out).toContain(`Exported ${count} traces`)
    const unchanged = await exportAgain()
    expect([unchanged.code, unchanged.out]).toEqual([
      0,
      expect.stringMatching(
        /again already has the export: \d+ traces .*may still be delivered\.\nThe package is unsigned/,
      ),
    ])
    const { privateKey } = generateKeyPairSync('ed25519')
    const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url').toString('base64')
    const signed = JSON.parse((await exportAgain('--signing-key', seed, '--json')).out)
    expect(signed).toMatchObject({ ok: true, status: 'signed', removed: 0, signature: { algorithm: 'Ed25519' } })
    const otherSeed = Buffer.alloc(32, 7).toString('base64')
    expect((await exportAgain('--signing-key', otherSeed)).out).toMatch(
      /\nThe package is now signed by the key \S+\.\n$/,
    )
    const { client } = await openStore({ url: database })
    const setWithdrawn = (value: string) =>
      client!.execute({ sql: `update "main"."traces" set withdrawn_at = ${value} where num in (1, 2)`, args: [] })
    try {
      await setWithdrawn('1')
      const { code, out } = await exportAgain('--signing-key', seed)
      expect([code, out]).toEqual([
        0,
        expect.stringMatching(
          /^2 traces in the folder were no longer for sale, so the package was written again\.\nExported/,
        ),
      ])
      expect(JSON.parse((await exportAgain('--json')).out)).toMatchObject({ status: 'unchanged', traces: count - 2 })
      expect((await runHere('verify', 'again', '--json')).code).toBe(0)
    } finally {
      await setWithdrawn('null')
      client!.close()
    }
    const away = ['--address', 'http://127.0.0.1:1', '--admin-token', 'x']
    const { code, err } = await runCommand(datasetCommand, [
      ...args.filter((arg) => !arg.includes('database') && arg !== database),
      ...away,
    ])
    expect([code, err]).toEqual([1, expect.stringContaining('Run the same command again')])
  })

  test('exits with 1 when the service does not answer, and prints how to continue', async () => {
    const { code, out } = await runHere('export', 'away', '--address', 'http://127.0.0.1:1', '--admin-token', 'x')
    expect([code, JSON.parse(out).error]).toEqual([1, expect.stringContaining('Run the same command again')])
  })
})
