import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { path } from './folder.ts'
import type { Session } from './surroundings.ts'

const name = 'statusline.lock'
/** A background process is done long before. */
const longestMs = 60_000

/** Returns whether a background process is running. One that died without removing its lock is not. */
export function locked(session: Session): boolean {
  const file = path(session, name)
  try {
    if (Date.now() - statSync(file).mtimeMs > longestMs) return false
    process.kill(Number(readFileSync(file, 'utf8')) || 0, 0)
    return true
  } catch (error) {
    return (error as { code?: unknown }).code === 'EPERM'
  }
}

/**
 * Does the work if nobody else on this machine is at it; resolves with null if somebody is. Many prompts at once are
 * one request. (Should two get past a dead process's lock, the service still counts one impression a nonce.)
 */
export async function alone<T>(session: Session, work: () => Promise<T>): Promise<T | null> {
  if (locked(session)) return null
  const file = path(session, name)
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
