import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Terminal } from './terminal.ts'

/**
 * Returns the path of a file of this client: in `TRIBUTARY_CONFIG_DIR`, else in XDG's folder, else in
 * `~/.config/tributary`.
 */
export function locateConfigFile({ env, home }: Pick<Terminal, 'env' | 'home'>, name: string): string {
  const folder = env['TRIBUTARY_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'tributary')
  return join(folder, name)
}

/** Reads a JSON file of this client. Returns null if the file is missing or damaged. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch {
    return null
  }
}

/** Writes a JSON file atomically. Only its owner can read it. */
export function writeJson(path: string, value: unknown): void {
  mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  const partial = `${path}.${process.pid}`
  writeFileSync(partial, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  chmodSync(partial, 0o600)
  renameSync(partial, path)
}
