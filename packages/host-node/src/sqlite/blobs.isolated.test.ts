import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Unavailable } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { fileBlobs } from './blobs.ts'

/** The paths whose times were read, and the folders that were synced. */
const calls = vi.hoisted(() => ({ stat: [] as string[], sync: [] as string[] }))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>()
  return {
    ...real,
    async stat(path: string) {
      calls.stat.push(path)
      return real.stat(path)
    },
    async open(path: string, flags: string, mode?: number) {
      const file = await real.open(path, flags, mode)
      const sync = file.sync.bind(file)
      file.sync = async () => {
        await sync()
        if (flags === 'r') calls.sync.push(path)
      }
      return file
    },
  }
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-blobs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const some = Uint8Array.from({ length: 256 }, (_, byte) => byte)

test('fileBlobs returns the same bytes, also in another process, until the blob is deleted', async () => {
  await fileBlobs(folder).put('jobs/a-1/0', some)
  const blobs = fileBlobs(folder)
  expect(await blobs.get('jobs/a-1/0')).toEqual(some)
  await blobs.put('jobs/a-1/0', some.subarray(0, 3))
  expect(await blobs.get('jobs/a-1/0')).toEqual(some.slice(0, 3))
  await blobs.delete('jobs/a-1/0')
  await blobs.delete('jobs/a-1/0')
  expect(await blobs.get('jobs/a-1/0')).toBeNull()
})

test('concurrent puts leave one complete value per key', async () => {
  const blobs = fileBlobs(folder)
  const values = Array.from({ length: 30 }, (_, i) => new Uint8Array(100_000).fill(i))
  await Promise.all(values.map((value) => blobs.put('same', value)))
  const kept = (await blobs.get('same'))!
  expect(new Set(kept)).toHaveLength(1)
  expect(kept).toHaveLength(100_000)
  expect(readdirSync(folder)).toEqual(['same.blob'])
})

test('stale returns the keys written before a time and deletes partial files of a crash', async () => {
  const blobs = fileBlobs(folder)
  for (const key of ['old/0', 'old/1', 'new/0']) await blobs.put(key, some)
  writeFileSync(join(folder, 'old~2.blob.half'), 'half')
  for (const name of ['0.blob', '1.blob', '2.blob.half']) utimesSync(join(folder, `old~${name}`), 1_000, 1_000)
  expect(await blobs.stale(2_000_000, 10, '')).toEqual(['old/0', 'old/1'])
  expect(await blobs.stale(2_000_000, 1, '')).toEqual(['old/0'])
  expect(await blobs.stale(2_000_000, 1, 'old/0')).toEqual(['old/1'])
  expect(readdirSync(folder).sort()).toEqual(['new~0.blob', 'old~0.blob', 'old~1.blob'])
  expect(await fileBlobs(join(folder, 'none')).stale(2_000_000, 10, '')).toEqual([])
})

test('stale also deletes old partial files of keys before `after`', async () => {
  for (const name of ['old', 'new']) writeFileSync(join(folder, `content~${name}.blob.half`), 'half')
  utimesSync(join(folder, 'content~old.blob.half'), 1_000, 1_000)
  expect(await fileBlobs(folder).stale(2_000_000, 10, 'content0')).toEqual([])
  expect(readdirSync(folder)).toEqual(['content~new.blob.half'])
})

test('a key cannot name a file outside of the folder', async () => {
  const blobs = fileBlobs(folder)
  for (const key of ['../x', 'a/../../x', '/x', 'A', 'a//b', '', `${'a'.repeat(129)}`])
    await expect(blobs.put(key, some)).rejects.toThrow(TypeError)
})

test('put throws Unavailable when the folder cannot be written', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(fileBlobs(join(folder, 'file')).put('a', some)).rejects.toSatisfy(Unavailable.is)
})

describe('while the folder is missing, such as an unmounted disk', () => {
  const away = (): string => `${folder}-away`
  afterEach(() => rmSync(away(), { recursive: true, force: true }))

  test('get and delete throw Unavailable, and work again when the folder is back', async () => {
    await fileBlobs(folder).put('a', some)
    renameSync(folder, away())
    const blobs = fileBlobs(folder)
    await expect(blobs.get('a')).rejects.toSatisfy(Unavailable.is)
    await expect(blobs.delete('a')).rejects.toSatisfy(Unavailable.is)
    renameSync(away(), folder)
    expect(await blobs.get('a')).toEqual(some)
    await blobs.delete('a')
    expect(readdirSync(folder)).toEqual([])
  })

  test('put does not create the folder again, and every call refuses another folder in its place', async () => {
    const blobs = fileBlobs(folder)
    await blobs.put('a', some)
    renameSync(folder, away())
    await expect(blobs.put('b', some)).rejects.toSatisfy(Unavailable.is)
    expect(existsSync(folder)).toBe(false)
    mkdirSync(folder)
    for (const call of [() => blobs.put('b', some), () => blobs.get('a'), () => blobs.delete('a')])
      await expect(call()).rejects.toSatisfy(Unavailable.is)
    await expect(blobs.stale(2_000_000, 10, '')).rejects.toSatisfy(Unavailable.is)
    rmSync(folder, { recursive: true })
    renameSync(away(), folder)
    await blobs.put('b', some)
    expect(readdirSync(folder).sort()).toEqual(['a.blob', 'b.blob'])
  })
})

describe('put', () => {
  test('creates no folder for a key with slashes, so that nothing remains after delete', async () => {
    const blobs = fileBlobs(folder)
    await blobs.put('upload/a/0', some)
    expect(readdirSync(folder)).toEqual(['upload~a~0.blob'])
    await blobs.delete('upload/a/0')
    expect(readdirSync(folder)).toEqual([])
  })

  test('syncs the folder of the file and the parents of folders that it creates', async () => {
    calls.sync.length = 0
    await fileBlobs(join(folder, 'new', 'blobs')).put('a', some)
    expect(calls.sync).toEqual([join(folder, 'new'), folder, join(folder, 'new', 'blobs')])
    await fileBlobs(join(folder, 'new', 'blobs')).put('b', some)
    expect(calls.sync.slice(3)).toEqual([join(folder, 'new', 'blobs')])
  })
})

describe('a file in nested folders, which earlier versions wrote', () => {
  const locateBlob = (key: string): string => join(folder, `${key}.blob`)
  beforeEach(() => {
    mkdirSync(dirname(locateBlob('upload/a/0')), { recursive: true })
    for (const key of ['upload/a/0', 'upload/a/1']) writeFileSync(locateBlob(key), some)
  })

  test('is read and listed, and its folders are removed with the last file', async () => {
    const blobs = fileBlobs(folder)
    expect(await blobs.get('upload/a/0')).toEqual(some)
    utimesSync(locateBlob('upload/a/1'), 1_000, 1_000)
    expect(await blobs.stale(2_000_000, 10, '')).toEqual(['upload/a/1'])
    await blobs.delete('upload/a/0')
    expect(await blobs.get('upload/a/1')).toEqual(some)
    await blobs.delete('upload/a/1')
    expect(existsSync(join(folder, 'upload'))).toBe(false)
  })

  test('is replaced by a put', async () => {
    const blobs = fileBlobs(folder)
    await blobs.put('upload/a/0', some.subarray(0, 3))
    expect(await blobs.get('upload/a/0')).toEqual(some.slice(0, 3))
    await blobs.delete('upload/a/0')
    expect(await blobs.get('upload/a/0')).toBeNull()
  })

  test('leaves no empty folder after stale', async () => {
    mkdirSync(join(folder, 'upload', 'empty'))
    await fileBlobs(folder).stale(2_000_000, 10, '')
    expect(readdirSync(join(folder, 'upload'))).toEqual(['a'])
  })
})

describe('stale', () => {
  test('does not read the time of a file if its key was created after the given time', async () => {
    const [old, fresh] = ['0198a1b2-0000-7000-8000-00000000000', '0198a1b3-0000-7000-8000-00000000000']
    const blobs = fileBlobs(folder)
    for (let n = 0; n < 5; n++)
      for (const id of [old, fresh]) writeFileSync(join(folder, `upload~${id}${n}~0.blob`), some)
    for (let n = 0; n < 5; n++) utimesSync(join(folder, `upload~${old}${n}~0.blob`), 1_000, 1_000)
    calls.stat.length = 0
    const bound = Number.parseInt('0198a1b30000', 16)
    expect(await blobs.stale(bound, 3, '')).toEqual([0, 1, 2].map((n) => `upload/${old}${n}/0`))
    expect(await blobs.stale(bound, 3, `upload/${old}2/0`)).toEqual([3, 4].map((n) => `upload/${old}${n}/0`))
    expect(await blobs.stale(bound, 3, `upload/${old}4/0`)).toEqual([])
    expect(calls.stat).toHaveLength(5)
  })
})
