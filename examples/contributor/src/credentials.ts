import { locateConfigFile, readJson, writeJson } from './files.ts'
import type { Terminal } from './terminal.ts'

/** Returns the tokens of all services, by their URL. */
function readTokens(terminal: Terminal): Record<string, string> {
  return (readJson(locateConfigFile(terminal, 'credentials.json')) ?? {}) as Record<string, string>
}

/** Returns the token that was saved for a service, or null. */
export function readToken(terminal: Terminal, base: string): string | null {
  const token = readTokens(terminal)[base]
  return typeof token === 'string' ? token : null
}

/** Saves the token of a service; null deletes it. */
export function saveToken(terminal: Terminal, base: string, token: string | null): void {
  const { [base]: _, ...others } = readTokens(terminal)
  writeJson(locateConfigFile(terminal, 'credentials.json'), token === null ? others : { ...others, [base]: token })
}
