import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moveContents } from '@tributary/core/host'
import { migrate } from '@tributary/core/libsql'
import { makeTraces, seedTraces } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBlobs, openStore } from '../../server-config.ts'
import { runCommand } from '../program.fixture.ts'
import { contentsCommand } from './contents.ts'
import { datasetCommand } from './dataset.ts'

const count = 12
const secret = 'secret-of-these-tests-only'
let folder: string
let database: string
let blobFolder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-contents-'))
  database = join(folder, 'tributary.db')
  blobFolder = join(folder, 'blobs')
  const { client } = await openStore({ url: database })
  await migrate(client!)
  await seedTraces(client!, 'ann', makeTraces(count, 'ann'))
  client!.close()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const placeFlags = (): string[] => ['--database', database, '--blobs', `files:${blobFolder}`]
async function move(to: string, ...more: string[]): Promise<unknown> {
  const argv = ['move', '--to', to, ...placeFlags(), '--secret', secret, '--content-bytes', '0', '--json', ...more]
  const { code, out, err } = await runCommand(contentsCommand, argv)
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out)
}
/** Moves five contents, like an interrupted move. */
async function moveFive(to: 'blobs' | 'database'): Promise<void> {
  const { client, stores } = await openStore({ url: database })
  const options = { baseUrl: 'http://127.0.0.1', stores, contentBytes: 0, secret: [secret] }
  const interrupted = moveContents({ ...options, blobs: createBlobs({ blobFolder })! }, to, (moved) => {
    if (moved === 5) throw new Error('interrupted')
  })
  await expect(interrupted).rejects.toThrow('interrupted')
  client!.close()
}
const listBlobFiles = (): string[] =>
  readdirSync(blobFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
const exportTo = (out: string, ...more: string[]) => {
  const argv = ['export', '--filter', 'all', '--out', join(folder, out), '--json', ...placeFlags(), ...more]
  return runCommand(datasetCommand, argv)
}
const readManifest = (out: string): unknown => JSON.parse(readFileSync(join(folder, out, 'manifest.json'), 'utf8'))

describe('tributary contents move', () => {
  test('moves every content to the blobs and back; a repeated move moves nothing', async () => {
    expect(await move('blobs')).toEqual({ ok: true, to: 'blobs', moved: count })
    expect(listBlobFiles()).toHaveLength(count)
    expect(await move('blobs')).toEqual({ ok: true, to: 'blobs', moved: 0 })
    expect(await move('database')).toEqual({ ok: true, to: 'database', moved: count })
    expect(listBlobFiles()).toEqual([])
    expect(await move('database')).toEqual({ ok: true, to: 'database', moved: 0 })
  })

  test('moves only contents of --content-bytes and more to the blobs', async () => {
    expect(await move('blobs', '--content-bytes', '1000000')).toEqual({ ok: true, to: 'blobs', moved: 0 })
  })

  test.each(['blobs', 'database'] as const)('continues a move to the %s that was interrupted', async (to) => {
    if (to === 'database') await move('blobs')
    await moveFive(to)
    expect(await move(to)).toEqual({ ok: true, to, moved: count - 5 })
    expect(listBlobFiles()).toHaveLength(to === 'blobs' ? count : 0)
  })

  test('exits with 1 when the blobs do not contain the contents, and says which blobs to use', async () => {
    await move('blobs')
    const elsewhere = ['--blobs', `files:${join(folder, 'elsewhere')}`, '--secret', secret]
    const argv = ['move', '--to', 'database', '--database', database, ...elsewhere]
    const { code, err } = await runCommand(contentsCommand, argv)
    expect([code, err]).toEqual([1, expect.stringContaining(`${count} are not in these blobs. Give the --blobs that`)])
    expect(await move('database')).toEqual({ ok: true, to: 'database', moved: count })
  })

  test.each(['blobs', 'database'])(
    'moves nothing to the %s with a secret that differs from the secret of the contents',
    async (to) => {
      await moveFive('blobs')
      const files = listBlobFiles()
      const another = ['--secret', 'another-secret-of-these-tests', '--content-bytes', '0']
      const { code, err } = await runCommand(contentsCommand, ['move', '--to', to, ...placeFlags(), ...another])
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/no configured secret decrypts the blob content\/.*NEW,OLD/),
      ])
      expect(listBlobFiles()).toEqual(files)
      expect(await move('blobs')).toEqual({ ok: true, to: 'blobs', moved: count - 5 })
    },
  )

  test('moves nothing when the given blobs lack every content that is stored in blobs', async () => {
    await moveFive('blobs')
    const elsewhere = ['--blobs', `files:${join(folder, 'elsewhere')}`, '--secret', secret, '--content-bytes', '0']
    const argv = ['move', '--to', 'blobs', '--database', database, ...elsewhere]
    const { code, err } = await runCommand(contentsCommand, argv)
    expect([code, err]).toEqual([1, expect.stringContaining('Moved 0 contents; 5 are not in these blobs')])
    expect(await move('blobs')).toEqual({ ok: true, to: 'blobs', moved: count - 5 })
  })

  test('exits with 2 without --blobs', async () => {
    const argv = ['move', '--to', 'database', '--database', database, '--secret', secret]
    const { code, err } = await runCommand(contentsCommand, argv)
    expect([code, err]).toEqual([2, expect.stringContaining('--blobs is required')])
  })

  test.each([
    [['list'], 'The only action is `tributary contents move`'],
    [['move', '--to', 'disk'], '--to: expected "blobs" or "database"'],
    [['move', '--to', 'blobs'], '--secret (or TRIBUTARY_SECRET) is required'],
  ])('exits with 2 and names the error for %j', async (argv, message) => {
    const { code, err } = await runCommand(contentsCommand, [...argv, ...placeFlags()])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('tributary dataset export', () => {
  test('writes the same files from contents in --blobs as from the database, and writes no manifest if --secret differs', async () => {
    expect((await exportTo('from-database')).code).toBe(0)
    await move('blobs')
    const { code, out } = await exportTo('from-blobs', '--secret', secret)
    expect([code, JSON.parse(out)]).toMatchObject([0, { ok: true, traces: count }])
    expect(readManifest('from-blobs')).toEqual(readManifest('from-database'))
    const refused = await exportTo('refused', '--secret', 'another-secret-of-these-tests')
    expect([refused.code, JSON.parse(refused.out)]).toMatchObject([1, { ok: false }])
    expect(() => readManifest('refused')).toThrow('ENOENT')
  })
})
