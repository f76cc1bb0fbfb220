import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { Unavailable, type Blobs } from '@tributary/core'

const readCode = (error: unknown): unknown => (error as { code?: unknown } | null)?.code
const suffix = '.blob'
/** The number of files for which times are read concurrently. */
const parallelStats = 64
/** Matches a UUID version 7 and captures its milliseconds. */
const uuid7Pattern = /(?:^|\/)([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}(?:\/|$)/

/**
 * Stores uploads as files in a folder. A file is written under a temporary name, synced and renamed, so that after a
 * crash a key has all of its bytes or none. Each `/` of a key becomes a `~` in the name of its file, so that no folders
 * are created. Files in folders, which earlier versions wrote, are also found. Throws `Unavailable` if the disk is full,
 * if the folder is missing, or if another folder is in its place: the files of an unmounted disk are not deleted.
 */
export function fileBlobs(folder: string): Blobs {
  const root = resolve(folder)
  /**
   * The entries that the previous page found and did not return, so that paging does not read the folder for every
   * page.
   */
  let remaining: {
    readonly before: number
    readonly after: string
    readonly keys: readonly [key: string, name: string][]
  } | null = null

  /** The device and inode of the folder, when this process saw it first. */
  let seen: string | null = null
  /** Throws if the folder is missing or was replaced. */
  async function checkFolder(): Promise<void> {
    const { dev, ino } = await stat(root)
    const found = `${dev} ${ino}`
    seen ??= found
    if (found !== seen) throw new Unavailable(new Error(`another folder is in the place of ${root}`))
  }

  const listPaths = (key: string): [flat: string, nested: string | null] => {
    if (!/^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/.test(key) || key.length > 128)
      throw new TypeError(`invalid blob key: ${JSON.stringify(key)}`)
    return [
      join(root, `${key.replaceAll('/', '~')}${suffix}`),
      key.includes('/') ? join(root, `${key}${suffix}`) : null,
    ]
  }
  const withUnavailable = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      throw typeof readCode(error) === 'string' ? new Unavailable(error) : error
    }
  }

  /** Removes the file of an earlier version and its empty folders. */
  async function removeNested(path: string): Promise<void> {
    await rm(path, { force: true })
    for (let folder = dirname(path); folder !== root; folder = dirname(folder)) {
      const isRemoved = await rmdir(folder).then(
        () => true,
        () => false,
      )
      if (!isRemoved) return
    }
  }

  /** Returns the keys and file names after `after`, and all partial files, in the order of their keys. */
  async function listFiles(after: string): Promise<[string, string][]> {
    const keys: [string, string][] = []
    for (const name of await listNames(root)) {
      const key = name.slice(0, Math.max(0, name.indexOf(suffix))).replaceAll('~', '/')
      // `stale` never returns a partial file, so partial files are deleted for every range of keys.
      if (key > after || !name.endsWith(suffix)) keys.push([key, name])
    }
    return keys.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  }

  return {
    put: (key, bytes) =>
      withUnavailable(async () => {
        const [path, nested] = listPaths(key)
        if (seen === null) await createFolder(root)
        await checkFolder()
        const partial = `${path}.${randomUUID()}`
        try {
          await writeSynced(partial, bytes)
          await rename(partial, path)
        } catch (error) {
          await rm(partial, { force: true })
          throw error
        }
        await syncFolder(root)
        if (nested) await removeNested(nested)
      }),
    get: (key) =>
      withUnavailable(async () => {
        for (const path of listPaths(key)) {
          if (path === null) continue
          try {
            return new Uint8Array(await readFile(path))
          } catch (error) {
            if (readCode(error) !== 'ENOENT') throw error
          }
        }
        await checkFolder()
        return null
      }),
    delete: (key) =>
      withUnavailable(async () => {
        const [path, nested] = listPaths(key)
        await checkFolder()
        await rm(path, { force: true })
        if (nested) await removeNested(nested)
      }),
    stale: (before, limit, after) =>
      withUnavailable(async () => {
        if (seen !== null) await checkFolder()
        const found =
          remaining && remaining.before === before && remaining.after === after
            ? remaining.keys
            : await listFiles(after)
        const keys: string[] = []
        let index = 0
        while (index < found.length && keys.length < limit) {
          // A key with a UUID that is not older than `before` was written after `before`, so the time of its file need
          // not be read.
          const candidates: (readonly [key: string, name: string])[] = []
          for (; index < found.length && candidates.length < Math.min(parallelStats, limit - keys.length); index++) {
            if (createdAt(found[index]![0]) < before) candidates.push(found[index]!)
          }
          const times = await Promise.all(
            candidates.map(async ([, name]) => (await stat(join(root, name)).catch(() => null))?.mtimeMs ?? Infinity),
          )
          for (const [candidate, [key, name]] of candidates.entries()) {
            if (times[candidate]! >= before) continue
            // A file without the suffix is the partial file of a write that a crash interrupted.
            if (!name.endsWith(suffix)) await rm(join(root, name), { force: true })
            else if (keys.at(-1) !== key) keys.push(key)
          }
        }
        remaining = keys.length > 0 ? { before, after: keys.at(-1)!, keys: found.slice(index) } : null
        return keys
      }),
  }
}

/** Returns the milliseconds of the UUID version 7 in a key, or negative infinity without one. */
function createdAt(key: string): number {
  const [, high, low] = uuid7Pattern.exec(key) ?? []
  return high === undefined ? Number.NEGATIVE_INFINITY : Number.parseInt(`${high}${low}`, 16)
}

/**
 * Returns every blob file below the folder, with `/` as the separator, and removes the empty folders that earlier
 * versions left.
 */
async function listNames(root: string): Promise<string[]> {
  const found: string[] = []
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (readCode(error) === 'ENOENT') return []
      throw error
    })
    if (entries.length === 0 && folder !== root) await rmdir(folder).catch(() => undefined)
    const prefix = folder === root ? '' : `${relative(root, folder).replaceAll('\\', '/')}/`
    for (const entry of entries) {
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
      else if (entry.name.includes(suffix)) found.push(prefix + entry.name)
    }
  }
  return found
}

/** Creates a folder durably, and also syncs its parents. */
async function createFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let created = folder; created.length >= first.length; created = dirname(created))
    await syncFolder(dirname(created))
}

async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Syncs a folder, which makes renames in it durable if the system allows it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
