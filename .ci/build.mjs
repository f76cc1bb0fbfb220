import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packages, Problem, root, run } from './root.mjs'

function* files(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (
      entry.name === 'node_modules' ||
      entry.name === 'dist' ||
      entry.name === 'bench' ||
      entry.name.endsWith('.test.ts')
    )
      continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* files(path)
    else yield path
  }
}

/** A package's fingerprint: its sources, its manifest, and the fingerprints of the workspace packages it stands on. */
function fingerprint(folder, done, types) {
  const manifest = readFileSync(join(root, folder, 'package.json'), 'utf8')
  const { dependencies = {} } = JSON.parse(manifest)
  const hash = createHash('sha256')
    .update(String(types))
    .update(readFileSync(join(root, 'pnpm-lock.yaml')))
  for (const [name, print] of done) if (name in dependencies) hash.update(print)
  for (const file of files(join(root, folder))) hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex')
}

function buildable(folder) {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  return builderOf(folder) && manifest.scripts?.build ? manifest : null
}

/** How a package is built: by a `build.mjs` of its own, else by tsup. */
function builderOf(folder) {
  if (existsSync(join(root, folder, 'build.mjs'))) return [process.execPath, 'build.mjs']
  return existsSync(join(root, folder, 'tsup.config.ts')) ? [join(root, 'node_modules', '.bin', 'tsup')] : null
}

/**
 * Builds each package whose sources are not the ones that its `dist` was made of. `only` names the folders that are
 * wanted (their dependencies must be among them); `types: false` leaves the declarations out, which running does not need.
 */
export async function build({ only = packages(), types = true } = {}) {
  const done = new Map()
  for (const folder of packages().filter((one) => only.includes(one))) {
    const manifest = buildable(folder)
    if (!manifest) continue
    const stamp = join(root, folder, 'dist', '.sources')
    const full = fingerprint(folder, done, true)
    const print = types ? full : fingerprint(folder, done, false)
    done.set(manifest.name, full)
    const built = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
    if (built === full || built === print) continue
    console.error(`Building ${manifest.name}…`)
    const env = types ? {} : { TRIBUTARY_NO_TYPES: '1' }
    const { code, output } = await run(builderOf(folder), { cwd: join(root, folder), quiet: true, env })
    if (code !== 0) throw new Problem(`${output.trim()}\n\n${folder} does not build; the lines above say where.`)
    mkdirSync(join(root, folder, 'dist'), { recursive: true })
    writeFileSync(stamp, print)
  }
}

/** A package's folder and those of the workspace packages that it runs on, in the order of the build. */
export function closure(folder) {
  const byName = new Map(
    packages().map((one) => [JSON.parse(readFileSync(join(root, one, 'package.json'), 'utf8')).name, one]),
  )
  const needed = new Set()
  const add = (one) => {
    needed.add(one)
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, one, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies))
      if (byName.has(name) && !needed.has(byName.get(name))) add(byName.get(name))
  }
  add(folder)
  return packages().filter((one) => needed.has(one))
}
