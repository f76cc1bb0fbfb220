import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

// Here bare imports of the native packages resolve, and no test run can leave anything in the tree.
const cache = fileURLToPath(new URL('../node_modules/.cache/tributary/', import.meta.url))

/**
 * Makes plain JavaScript of a TypeScript entry, for a test that needs a real child process or worker thread: Node 20
 * cannot run TypeScript, and a clean clone has no `dist` yet. Workspace packages come from their sources.
 *
 * ```ts
 * const child = fork(await bundle(new URL('./writer.fixture.ts', import.meta.url)), [file])
 * ```
 *
 * @param entry The entry's file address.
 * @returns The path of an ES module, anew for each process that asks, so that parallel tests do not meet.
 */
export async function bundle(entry: URL): Promise<string> {
  const source = fileURLToPath(entry)
  const name = createHash('sha256').update(`${source} ${process.pid} ${Math.random()}`).digest('hex').slice(0, 16)
  const outfile = `${cache}${name}.mjs`
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['tributary-source'],
    external: ['libsql', '@libsql/*', 'esbuild', 'vitest'],
    // CommonJS inside the bundle still asks for `require`.
    banner: { js: "import { createRequire as $r } from 'node:module'; const require = $r(import.meta.url);" },
    logLevel: 'error',
  })
  return outfile
}
