import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { Unavailable, type Blobs } from '@tributary/core'

const code = (error: unknown): unknown => (error as { code?: unknown } | null)?.code
const suffix = '.blob'
/** Files whose times are read at once. */
const together = 64
/** The milliseconds at the start of a UUID version 7. */
const uuid7 = /(?:^|\/)([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}(?:\/|$)/

/**
 * Uploads as files in a folder, for batches too large to want in the database. A file is written whole under another name,
 * synced and then renamed, so after a crash a key holds all of its bytes or none. Each `/` of a key is a `~` in the name of its
 * file, so that no job leaves a folder behind; files in folders, as earlier versions wrote them, are found too. Throws
 * `Unavailable` when the disk is full or not there.
 */
export function fileBlobs(folder: string): Blobs {
  const root = resolve(folder)
  /** What the page before found and did not return: paging must not read the folder again for every page. */
  let rest: {
    readonly before: number
    readonly after: string
    readonly keys: readonly [key: string, name: string][]
  } | null = null

  const places = (key: string): [flat: string, nested: string | null] => {
    if (!/^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/.test(key) || key.length > 128)
      throw new TypeError(`invalid blob key: ${JSON.stringify(key)}`)
    return [
      join(root, `${key.replaceAll('/', '~')}${suffix}`),
      key.includes('/') ? join(root, `${key}${suffix}`) : null,
    ]
  }
  const guarded = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      throw typeof code(error) === 'string' ? new Unavailable(error) : error
    }
  }

  /** Removes the file of an earlier version and its folders, as far as they are empty. */
  async function removeNested(path: string): Promise<void> {
    await rm(path, { force: true })
    for (let at = dirname(path); at !== root; at = dirname(at))
      if (
        !(await rmdir(at).then(
          () => true,
          () => false,
        ))
      )
        return
  }

  /** Returns the keys and half-written files of the folder, in the order of their keys, those after `after`. */
  async function listed(after: string): Promise<[string, string][]> {
    const keys: [string, string][] = []
    for (const name of await names(root)) {
      const key = name.slice(0, Math.max(0, name.indexOf(suffix))).replaceAll('~', '/')
      if (key > after) keys.push([key, name])
    }
    return keys.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  }

  return {
    put: (key, bytes) =>
      guarded(async () => {
        const [path, nested] = places(key)
        await makeFolder(root)
        const waiting = `${path}.${randomUUID()}`
        try {
          await written(waiting, bytes)
          await rename(waiting, path)
        } catch (error) {
          await rm(waiting, { force: true })
          throw error
        }
        await synced(root)
        if (nested) await removeNested(nested)
      }),
    get: (key) =>
      guarded(async () => {
        for (const path of places(key)) {
          if (path === null) continue
          try {
            return new Uint8Array(await readFile(path))
          } catch (error) {
            if (code(error) !== 'ENOENT') throw error
          }
        }
        return null
      }),
    delete: (key) =>
      guarded(async () => {
        const [path, nested] = places(key)
        await rm(path, { force: true })
        if (nested) await removeNested(nested)
      }),
    stale: (before, limit, after) =>
      guarded(async () => {
        const found = rest && rest.before === before && rest.after === after ? rest.keys : await listed(after)
        const keys: string[] = []
        let at = 0
        for (; at < found.length && keys.length < limit;) {
          // A key that holds a UUID of a later time was written later: its file's time need not be read.
          const some: (readonly [key: string, name: string])[] = []
          for (; at < found.length && some.length < Math.min(together, limit - keys.length); at++) {
            if (madeAt(found[at]![0]) < before) some.push(found[at]!)
          }
          const old = await Promise.all(
            some.map(async ([, name]) => (await stat(join(root, name)).catch(() => null))?.mtimeMs ?? Infinity),
          )
          for (const [i, [key, name]] of some.entries()) {
            if (old[i]! >= before) continue
            // Half of a write that a crash cut off.
            if (!name.endsWith(suffix)) await rm(join(root, name), { force: true })
            else if (keys.at(-1) !== key) keys.push(key)
          }
        }
        rest = keys.length > 0 ? { before, after: keys.at(-1)!, keys: found.slice(at) } : null
        return keys
      }),
  }
}

/** Milliseconds of the UUID version 7 in a key; of a key without one, long ago. */
function madeAt(key: string): number {
  const [, high, low] = uuid7.exec(key) ?? []
  return high === undefined ? Number.NEGATIVE_INFINITY : Number.parseInt(`${high}${low}`, 16)
}

/** Returns every blob file below the folder, with `/` between, and removes the empty folders that earlier versions left. */
async function names(root: string): Promise<string[]> {
  const found: string[] = []
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (code(error) === 'ENOENT') return []
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

/** Makes the folder durably: the entry of a new folder lies in its parent. */
async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let at = folder; at.length >= first.length; at = dirname(at)) await synced(dirname(at))
}

async function written(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The folder too: a rename is durable only with it. Some systems refuse, and then it is as durable as they make it. */
async function synced(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
