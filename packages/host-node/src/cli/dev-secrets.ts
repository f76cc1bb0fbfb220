import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { localPath, type DatabaseConfig } from '../server-config.ts'

/** Returns the folder of a development database, where its token and secret are stored. */
export function developmentFolder(database: DatabaseConfig): string {
  const path = localPath(database)
  return path === null || path === ':memory:' ? '.tributary' : dirname(path)
}

/** Reads the token or secret of a development database. Creates it at first, so that it survives a restart. */
export function readOrCreateSecret(path: string): string {
  if (existsSync(path)) {
    const stored = readFileSync(path, 'utf8').trim()
    if (stored.length >= 16) return stored
  }
  const created = randomBytes(24).toString('hex')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${created}\n`, { mode: 0o600 })
  return created
}
