import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Runtime } from './runtime.ts'

type Folder = Pick<Runtime, 'env' | 'home'>

/**
 * Returns the path of one of this client's files: below `TRIBUTARY_CONFIG_DIR`, else XDG's folder, else `~/.config`.
 * The contributor's client uses the same folder.
 */
export function locateConfigFile({ env, home }: Folder, name: string): string {
  const folder = env['TRIBUTARY_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'tributary')
  return join(folder, name)
}

/** Reads a JSON file. Returns null if it is missing, unreadable, cut off or not an object. */
export function readConfig(where: Folder, name: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readFileSync(locateConfigFile(where, name), 'utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/**
 * Writes a file that only its owner may read. Writes a temporary file and renames it, so that a reader never sees an
 * incomplete file.
 */
export function writeConfig(where: Folder, name: string, value: unknown): void {
  const file = locateConfigFile(where, name)
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  renameSync(temporary, file)
}

/** Returns the token that `npm run example:contributor -- login` stored for a service, or null. */
export function readToken(where: Folder, base: string): string | null {
  const token = readConfig(where, 'credentials.json')?.[base]
  return typeof token === 'string' ? token : null
}
