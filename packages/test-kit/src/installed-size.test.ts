import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const host = realpathSync(fileURLToPath(new URL('../../host-node', import.meta.url)))

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/**
 * Returns the folder of a package as Node finds it from another folder. Returns null if the package is not for this
 * platform.
 */
function findPackage(from: string, name: string): string | null {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return realpathSync(folder)
  return dirname(from) === from ? null : findPackage(dirname(from), name)
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/** Returns the folders of a package and of everything that npm installs with it, except optional peers. */
function listInstalled(folder: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(folder)) return found
  found.add(folder)
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta } = readManifest(folder)
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta?.[name]?.optional)
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
    const other = findPackage(folder, name)
    if (other) listInstalled(other, found)
  }
  return found
}

/** Returns the total bytes of a package's files, without the files of nested packages. */
function sumFiles(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .reduce((sum, path) => sum + (statSync(path).isDirectory() ? sumFiles(path) : statSync(path).size), 0)
}

test('core and host-node install at most 80 packages with files of at most 60 MB', () => {
  const folders = [...listInstalled(host)]
  // Only the built files of our own packages are published.
  const isOurs = (folder: string): boolean => readManifest(folder).name.startsWith('@tributary/')
  const bytes = folders.map((folder) => sumFiles(isOurs(folder) ? join(folder, 'dist') : folder))
  const megabytes = bytes.reduce((sum, one) => sum + one, 0) / 1e6
  // Smaller values would mean that the dependencies were not found.
  expect(folders.length).toBeGreaterThan(30)
  expect(megabytes).toBeGreaterThan(30)
  expect(folders.length).toBeLessThanOrEqual(80)
  expect(megabytes).toBeLessThanOrEqual(60)
})
