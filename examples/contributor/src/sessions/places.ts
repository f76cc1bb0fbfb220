import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Where each tool keeps its sessions below the home folder. */
export const places = [
  { tool: 'Claude Code', folder: '.claude/projects', name: /\.jsonl$/ },
  { tool: 'Codex', folder: '.codex/sessions', name: /\.jsonl$/ },
  { tool: 'Gemini CLI', folder: '.gemini/tmp', name: /[\\/]chats[\\/][^\\/]*\.jsonl?$/ },
]

/** The session files below the home folder, by tool; a tool that is not there has none. */
export function found(home: string): { tool: string; files: string[] }[] {
  return places.map(({ tool, folder, name }) => ({
    tool,
    files: walk(join(home, folder)).filter((file) => name.test(file)),
  }))
}

/** The named files; a folder stands for every `.json` and `.jsonl` below it. Throws for what is not there. */
export function expand(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    statSync(path).isDirectory() ? walk(path).filter((file) => /\.jsonl?$/.test(file)) : [path],
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
