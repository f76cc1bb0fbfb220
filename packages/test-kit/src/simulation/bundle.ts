import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const folder = import.meta.dirname

/**
 * Bundles the command with the sources of this repository, and returns the path of the program. A process of its own
 * runs it: a test runner loads modules in its own time, which the order of a simulation would depend on.
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
