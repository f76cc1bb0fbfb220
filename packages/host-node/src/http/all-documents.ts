import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from './page.ts'

// The build writes the file next to the chunks; sources read it from `dist`.
const candidates = ['./llms-full.txt', '../../dist/llms-full.txt']

/** Returns a function that reads all documents of this version as one text, or null when the package was not built. */
export function allDocumentsPage(): (() => Promise<Page>) | null {
  const file = candidates.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path))
  if (file === undefined) return null
  const headers = [['cache-control', 'public, max-age=3600']] as const
  return async () => ({ type: 'text/plain; charset=utf-8', body: await readFile(file, 'utf8'), headers })
}
