import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Surroundings } from './surroundings.ts'

type Where = Pick<Surroundings, 'env' | 'home'>

/**
 * Returns the path of one of this client's files: below `TRIBUTARY_CONFIG_DIR`, else XDG's folder, else `~/.config`.
 * The contributor's client uses the same folder.
 */
export function path({ env, home }: Where, name: string): string {
  const folder = env['TRIBUTARY_CONFIG_DIR'] ?? join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'tributary')
  return join(folder, name)
}

/** Reads a JSON file; null when it is missing, unreadable, cut off or not an object. */
export function read(where: Where, name: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path(where, name), 'utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Writes a file that only its owner may read; written beside and renamed, so a reader never sees half of it. */
export function write(where: Where, name: string, value: unknown): void {
  const file = path(where, name)
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}`
  writeFileSync(beside, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  chmodSync(beside, 0o600)
  renameSync(beside, file)
}

/** Returns the token that `npm run example:contributor -- login` stored for a service, or null. */
export function keptToken(where: Where, base: string): string | null {
  const token = read(where, 'credentials.json')?.[base]
  return typeof token === 'string' ? token : null
}
