import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A tool, and the place of its sessions below the home folder. */
export interface Place {
  /** The name for `--source`. */
  readonly id: string
  readonly tool: string
  readonly folder: string
  readonly name: RegExp
}

export const places: readonly Place[] = [
  { id: 'claude-code', tool: 'Claude Code', folder: '.claude/projects', name: /\.jsonl$/ },
  { id: 'codex', tool: 'Codex', folder: '.codex/sessions', name: /\.jsonl$/ },
  { id: 'gemini-cli', tool: 'Gemini CLI', folder: '.gemini/tmp', name: /[\\/]chats[\\/][^\\/]*\.jsonl?$/ },
  { id: 'opencode', tool: 'OpenCode', folder: '.local/share/opencode/storage/session', name: /\.json$/ },
  { id: 'pi', tool: 'Pi', folder: '.pi/agent/sessions', name: /^(?!.*subagent-artifacts).*\.jsonl$/ },
]

/** Returns the session files below the home folder for each tool. */
export function findSessions(home: string): { place: Place; files: string[] }[] {
  return places.map((place) => ({
    place,
    files: walk(join(home, place.folder)).filter((file) => place.name.test(file)),
  }))
}

/**
 * Returns the named files. A folder means every `.json` and `.jsonl` file below it, except the pieces of opencode's
 * sessions. Throws for a path that does not exist.
 */
export function expandPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? walk(path).filter((file) => /\.jsonl?$/.test(file) && !/[\\/]storage[\\/](message|part)[\\/]/.test(file))
      : [path],
  )
}

function walk(folder: string): string[] {
  let entries
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? walk(path) : entry.isFile() ? [path] : []
    })
}
