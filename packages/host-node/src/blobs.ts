import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Unavailable, type Blobs } from '@tributary/core'

const code = (error: unknown): unknown => (error as { code?: unknown } | null)?.code

/**
 * Uploads as files below a folder, for batches too large to want in the database. A file is written whole under another
 * name, synced and then renamed, so after a crash a key holds all of its bytes or none. Throws `Unavailable` when the
 * disk is full or not there.
 */
export function fileBlobs(folder: string): Blobs {
  const root = resolve(folder)
  const place = (key: string): string => {
    if (!/^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/.test(key) || key.length > 128) throw new TypeError('not a key of a blob')
    return join(root, `${key}.blob`)
  }
  const guarded = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call()
    } catch (error) {
      throw typeof code(error) === 'string' ? new Unavailable(error) : error
    }
  }
  return {
    put: (key, bytes) => guarded(async () => {
      const path = place(key)
      await mkdir(dirname(path), { recursive: true })
      const waiting = `${path}.${randomUUID()}`
      try {
        await written(waiting, bytes)
        await rename(waiting, path)
      } catch (error) {
        await rm(waiting, { force: true })
        throw error
      }
      await synced(dirname(path))
    }),
    get: (key) => guarded(async () => {
      try {
        return new Uint8Array(await readFile(place(key)))
      } catch (error) {
        if (code(error) === 'ENOENT') return null
        throw error
      }
    }),
    delete: (key) => guarded(() => rm(place(key), { force: true })),
    stale: (before, limit, after) => guarded(async () => {
      const keys: string[] = []
      for (const name of (await names(root)).sort()) {
        const at = name.indexOf('.blob')
        const key = name.slice(0, at)
        if (at < 0 || key <= after) continue
        const found = await stat(join(root, name)).catch(() => null)
        if (!found || found.mtimeMs >= before) continue
        // Half of a write that a crash cut off.
        if (name.length > at + 5) await rm(join(root, name), { force: true })
        else if (keys.push(key) >= limit) break
      }
      return keys
    }),
  }
}

/** Every file below the folder, with `/` between, whatever the system writes. */
async function names(root: string): Promise<string[]> {
  try {
    return (await readdir(root, { recursive: true })).map((name) => name.replaceAll('\\', '/'))
  } catch (error) {
    if (code(error) === 'ENOENT') return []
    throw error
  }
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
