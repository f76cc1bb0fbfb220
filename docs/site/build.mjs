// Builds the documents as a static site in `dist`: copies the pages, writes the reference of the API, renders both.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))
const root = join(folder, '../..')
const pages = join(folder, 'pages')
const run = (command, ...args) =>
  execFileSync(process.execPath, [join(folder, 'node_modules', command), ...args], { cwd: folder, stdio: 'inherit' })

rmSync(pages, { recursive: true, force: true })
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: root })
for (const page of listed.toString().trim().split('\n')) {
  mkdirSync(dirname(join(pages, page)), { recursive: true })
  cpSync(join(root, page), join(pages, page))
}
run('typedoc/bin/typedoc', '--options', 'typedoc.config.mjs')
run('vitepress/bin/vitepress.js', 'build', '.')
