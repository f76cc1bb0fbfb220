import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '@tributary/core/libsql'
import { createWorker } from '@tributary/core/worker'
import { makeTraces, seedTraces } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBlobs, openStore } from '../../server-config.ts'
import { built, run, type EndedProcess } from '../cli.fixture.ts'
import { runCommand } from '../program.fixture.ts'
import { datasetCommand } from './dataset.ts'

const count = 4_000
const kills = 20
/** The longest delay between the first change of the blobs and the kill of the process, in ms. */
const maxMsBeforeKill = 60
/** A delay in ms after which the reservation of every blob that a killed process wrote has expired. */
const laterMs = 3 * 60 * 60 * 1_000
const secret = 'secret-of-these-tests-only'
let folder: string
let database: string
let blobFolder: string
let manifest: unknown
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-contents-'))
  database = join(folder, 'tributary.db')
  blobFolder = join(folder, 'blobs')
  mkdirSync(blobFolder)
  const { client } = await openStore({ url: database })
  await migrate(client!)
  await seedTraces(client!, 'ann', makeTraces(count, 'ann'))
  client!.close()
  manifest = await exportManifest('before')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const placeFlags = (): string[] => ['--database', database, '--blobs', `files:${blobFolder}`]
const listBlobFiles = (): string[] =>
  readdirSync(blobFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
const startMove = (to: string) =>
  run(['contents', 'move', '--to', to, ...placeFlags(), '--secret', secret, '--content-bytes', '0', '--json'])

/** Kills a move at a random moment after the move first changes the blobs. */
async function killMove(to: string): Promise<EndedProcess> {
  const before = listBlobFiles().length
  const { child, ended } = startMove(to)
  await expect.poll(() => listBlobFiles().length, { interval: 5 }).not.toBe(before)
  await sleep(Math.random() * maxMsBeforeKill)
  child.kill('SIGKILL')
  return ended
}

/** Exports every trace and returns the manifest, which contains the checksums of the exported files. */
async function exportManifest(name: string): Promise<unknown> {
  const argv = ['export', '--filter', 'all', '--out', join(folder, name), '--json', ...placeFlags(), '--secret', secret]
  const { code, out } = await runCommand(datasetCommand, argv)
  expect([code, JSON.parse(out)]).toMatchObject([0, { ok: true, traces: count }])
  return JSON.parse(readFileSync(join(folder, name, 'manifest.json'), 'utf8'))
}

/** Runs a worker once, with its clock set to a time after every reservation has expired. */
async function sweepBlobs(): Promise<void> {
  const { client, stores } = await openStore({ url: database })
  const blobs = createBlobs({ blobFolder })!
  const clock = () => Date.now() + laterMs
  await createWorker({ baseUrl: 'http://127.0.0.1', stores, blobs, secret: [secret], clock }).work()
  client!.close()
}

describe.skipIf(!built)('tributary contents move', () => {
  test.each([
    ['blobs', count],
    ['database', 0],
  ] as const)(`keeps every content and leaves no blob when ${kills} moves to the %s are killed`, async (to, files) => {
    for (let kill = 0; kill < kills; kill++) expect(await killMove(to)).toMatchObject({ signal: 'SIGKILL' })
    const { code, out, err } = await startMove(to).ended
    const { moved } = JSON.parse(out) as { moved: number }
    expect([code, err]).toEqual([0, ''])
    expect(moved).toBeGreaterThan(0)
    expect(moved).toBeLessThan(count)
    await sweepBlobs()
    expect(listBlobFiles()).toHaveLength(files)
    expect(await exportManifest(`in-${to}`)).toEqual(manifest)
  })
})
