import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

import type { PlantedMutant } from './mutants.ts'

const folder = import.meta.dirname
const core = join(folder, '../../../core/src')

/**
 * Bundles the command with the sources of this repository, and returns the path of the program. It runs in a process of
 * its own, because a test runner loads modules at times that would change the order of a simulation.
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

/**
 * Bundles the command with a mutant in the sources of core. Throws if the code to change does not occur exactly once.
 */
export async function bundleMutant({ name, file, from, to }: PlantedMutant): Promise<string> {
  const path = join(core, file)
  const parts = (await readFile(path, 'utf8')).split(from)
  if (parts.length !== 2) throw new Error(`${file} has the code of the mutant "${name}" ${parts.length - 1} times`)
  return bundleSimulation(name.replaceAll(' ', '-'), [
    {
      name: 'mutant',
      setup(build) {
        build.onLoad({ filter: new RegExp(`/${file.replaceAll('.', '\\.')}$`) }, ({ path: loaded }) =>
          loaded === path ? { contents: parts.join(to), loader: 'ts' } : null,
        )
      },
    },
  ])
}
