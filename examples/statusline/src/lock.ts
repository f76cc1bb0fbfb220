import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { locateConfigFile } from './config-files.ts'
import type { Session } from './runtime.ts'

const name = 'statusline.lock'
/** A lock that is older than this was left by a dead process, because a background process ends much sooner. */
const longestMs = 60_000

/** Returns whether a background process is running. A process that died without removing its lock does not count. */
export function isLocked(session: Session): boolean {
  const file = locateConfigFile(session, name)
  try {
    if (Date.now() - statSync(file).mtimeMs > longestMs) return false
    process.kill(Number(readFileSync(file, 'utf8')) || 0, 0)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM'
  }
}

/**
 * Runs the work, or resolves with null if another process of this machine is running it, so that many concurrent
 * prompts make one request. (If two processes remove the lock of a dead process, the service still counts one
 * impression for each nonce.)
 */
export async function runExclusively<T>(session: Session, work: () => Promise<T>): Promise<T | null> {
  if (isLocked(session)) return null
  const file = locateConfigFile(session, name)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    rmSync(file, { force: true })
    writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
  } catch {
    return null
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}
