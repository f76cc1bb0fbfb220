import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packages, pnpm, Problem, root, run } from './root.mjs'

const stamp = join(root, 'node_modules', '.tributary-installed')

/** What decides what is installed: the lockfile and each manifest, by content, since a checkout sets every mtime anew. */
function wanted() {
  const hash = createHash('sha256').update(process.version.split('.')[0])
  for (const file of [
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'package.json',
    ...packages().map((folder) => `${folder}/package.json`),
  ]) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

function present() {
  if (!existsSync(stamp)) return null
  const missing = packages().some((folder) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    return Object.keys({ ...dependencies, ...devDependencies }).some(
      (name) => !existsSync(join(root, folder, 'node_modules', name)),
    )
  })
  return missing ? null : readFileSync(stamp, 'utf8')
}

/** Installs the lockfile's packages with the pinned pnpm, when they are not there yet. */
export async function install() {
  const now = wanted()
  if (present() === now) return
  console.error('Installing packages (the first time takes a minute)…')
  // CI=true: pnpm must never stop to ask, and never changes the lockfile.
  const { code, output } = await run([...pnpm, 'install', '--frozen-lockfile'], { env: { CI: 'true' }, quiet: true })
  if (code !== 0) {
    throw new Problem(
      [
        output.trim(),
        '',
        'The packages could not be installed.',
        '  - no network, or a proxy in between?  npm ping',
        `  - a package.json changed without its lockfile?  ${pnpm.join(' ')} install`,
        '  - an install that was cut off?  delete the node_modules folders and try again',
      ].join('\n'),
    )
  }
  writeFileSync(stamp, now)
}
