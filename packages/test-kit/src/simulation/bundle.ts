import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { findMutants } from '../mutation/mutants.ts'
import { applyMutant } from '../mutation/plugin.ts'
import type { PlantedMutant } from './mutants.ts'

const folder = import.meta.dirname
const core = join(folder, '../../../core/src')

/**
 * Bundles the command with the sources of this repository, and returns the path of the program. It runs in a separate
 * process, because a test runner loads modules at times that would change the order of a simulation.
 */
export async function bundleSimulation(name: string, plugins: Plugin[] = []): Promise<string> {
  const outfile = join(folder, '../../node_modules/.cache/simulation', `${name}.mjs`)
  await build({
    entryPoints: [join(folder, 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['tributary-source'],
    external: ['libsql', '@libsql/client'],
    logLevel: 'warning',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" },
    plugins,
  })
  return outfile
}

/** Returns the source of core with a mutant. Throws if its reference does not name exactly one change. */
export async function readMutant({ file, change }: PlantedMutant): Promise<{ path: string; contents: string }> {
  const path = join(core, file)
  const text = await readFile(path, 'utf8')
  const [mutant, ...others] = findMutants(text, change)
  if (!mutant || others.length > 0)
    throw new Error(`"${change}" names ${mutant ? others.length + 1 : 0} changes of ${file}, but must name one`)
  return { path, contents: applyMutant(text, mutant) }
}

/** Bundles the command with a mutant. */
export async function bundleMutant(planted: PlantedMutant): Promise<string> {
  const { path, contents } = await readMutant(planted)
  const plugin: Plugin = {
    name: 'mutant',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, (loaded) => (loaded.path === path ? { contents, loader: 'ts' } : null))
    },
  }
  return bundleSimulation(planted.name.replaceAll(' ', '-'), [plugin])
}
