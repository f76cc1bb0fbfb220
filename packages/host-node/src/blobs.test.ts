import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Unavailable } from '@tributary/core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileBlobs } from './blobs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-blobs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const some = Uint8Array.from({ length: 256 }, (_, byte) => byte)

test('what was put is there, byte for byte, for another process too, until it is deleted', async () => {
  await fileBlobs(folder).put('jobs/a-1/0', some)
  const blobs = fileBlobs(folder)
  expect(await blobs.get('jobs/a-1/0')).toEqual(some)
  await blobs.put('jobs/a-1/0', some.subarray(0, 3))
  expect(await blobs.get('jobs/a-1/0')).toEqual(some.slice(0, 3))
  await blobs.delete('jobs/a-1/0')
  await blobs.delete('jobs/a-1/0')
  expect(await blobs.get('jobs/a-1/0')).toBeNull()
})

test('of many puts at once each key holds one whole value', async () => {
  const blobs = fileBlobs(folder)
  const values = Array.from({ length: 30 }, (_, i) => new Uint8Array(100_000).fill(i))
  await Promise.all(values.map((value) => blobs.put('same', value)))
  const kept = (await blobs.get('same'))!
  expect(new Set(kept)).toHaveLength(1)
  expect(kept).toHaveLength(100_000)
  expect(readdirSync(folder)).toEqual(['same.blob'])
})

test('stale tells the keys written before a time, and clears what a crash left half written', async () => {
  const blobs = fileBlobs(folder)
  for (const key of ['old/0', 'old/1', 'new/0']) await blobs.put(key, some)
  writeFileSync(join(folder, 'old', '2.blob.half'), 'half')
  for (const name of ['0.blob', '1.blob', '2.blob.half']) utimesSync(join(folder, 'old', name), 1_000, 1_000)
  expect(await blobs.stale(2_000_000, 10, '')).toEqual(['old/0', 'old/1'])
  expect(await blobs.stale(2_000_000, 1, '')).toEqual(['old/0'])
  expect(await blobs.stale(2_000_000, 1, 'old/0')).toEqual(['old/1'])
  expect(readdirSync(join(folder, 'old')).sort()).toEqual(['0.blob', '1.blob'])
  expect(await fileBlobs(join(folder, 'none')).stale(2_000_000, 10, '')).toEqual([])
})

test('no key leads out of the folder', async () => {
  const blobs = fileBlobs(folder)
  for (const key of ['../x', 'a/../../x', '/x', 'A', 'a//b', '', `${'a'.repeat(129)}`]) await expect(blobs.put(key, some)).rejects.toThrow(TypeError)
})

test('a place that cannot be written to is an outage', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(fileBlobs(join(folder, 'file')).put('a', some)).rejects.toSatisfy(Unavailable.is)
})
