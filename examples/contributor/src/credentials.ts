import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Terminal } from './terminal.ts'

/** The file that holds a token for each service, in `TRIBUTARY_CONFIG_DIR`, else where XDG says, else `~/.config`. */
export function credentialsFile({ env, home }: Terminal): string {
  const folder = env['TRIBUTARY_CONFIG_DIR'] ?? join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'tributary')
  return join(folder, 'credentials.json')
}

function all(terminal: Terminal): Record<string, string> {
  try {
    return JSON.parse(readFileSync(credentialsFile(terminal), 'utf8')) as Record<string, string>
  } catch {
    return {}
  }
}

/** The token kept for a service, or null. */
export function tokenFor(terminal: Terminal, base: string): string | null {
  const token = all(terminal)[base]
  return typeof token === 'string' ? token : null
}

/** Keeps a token (null forgets it) in a file that only its owner may read; written beside and renamed, so never half. */
export function keepToken(terminal: Terminal, base: string, token: string | null): void {
  const { [base]: _, ...others } = all(terminal)
  const file = credentialsFile(terminal)
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
  const beside = `${file}.${process.pid}`
  writeFileSync(beside, `${JSON.stringify(token === null ? others : { ...others, [base]: token }, null, 2)}\n`, {
    mode: 0o600,
  })
  chmodSync(beside, 0o600)
  renameSync(beside, file)
}
