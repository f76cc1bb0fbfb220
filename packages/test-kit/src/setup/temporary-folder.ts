import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const minFreeBytes = 2 * 1024 ** 3
let folder: string | undefined

/**
 * Puts the temporary files of a run into memory, if there is a file system in memory with 2 GB free. Waiting for the
 * disk at each commit of SQLite takes half the time of a test with a database. Vitest calls this function once for each
 * project.
 */
export function setup(): void {
  if (process.env['TRIBUTARY_TEMPORARY'] !== undefined || !existsSync(memory)) return
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < minFreeBytes) return
  folder = mkdtempSync(join(memory, 'tributary-tests-'))
  // The folder has the mode of /tmp, because some tests start a process of another user.
  chmodSync(folder, 0o1777)
  process.env['TRIBUTARY_TEMPORARY'] = process.env['TMPDIR'] = folder
}

/** Deletes the temporary files, including the files of killed processes. */
export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
