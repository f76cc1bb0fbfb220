import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { localPath, type DatabaseConfig } from '../../server-config.ts'

/** The folder of a development database, where what belongs to it is kept. */
export function folderBeside(database: DatabaseConfig): string {
  const path = localPath(database)
  return path === null || path === ':memory:' ? '.tributary' : dirname(path)
}

/** Reads a token or secret of a development database, or makes it, so that a restart keeps it. */
export function keptToken(path: string): string {
  if (existsSync(path)) {
    const kept = readFileSync(path, 'utf8').trim()
    if (kept.length >= 16) return kept
  }
  const made = randomBytes(24).toString('hex')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${made}\n`, { mode: 0o600 })
  return made
}
