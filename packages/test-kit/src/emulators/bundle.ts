import { createHash, randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

// Bare imports of the native packages resolve in this folder, and test runs leave no files in the source tree.
const cache = fileURLToPath(
  import.meta.url.replace(/\/(?:src\/emulators|dist)\/[^/]*$/, '/node_modules/.cache/tributary/'),
)

/**
 * Bundles a TypeScript entry to plain JavaScript, for a test that needs a real child process or worker thread, because
 * Node 20 cannot run TypeScript and a clean clone has no `dist` yet. Workspace packages are bundled from their sources.
 *
 * ```ts
 * const child = fork(await bundle(new URL('./writer.fixture.ts', import.meta.url)), [file])
 * ```
 *
 * @param entry The entry's file address. @returns The path of an ES module. Its name depends on its content, so that
 * concurrent tests can share the file.
 */
export async function bundle(entry: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['tributary-source'],
    external: ['libsql', '@libsql/*', 'esbuild', 'vitest'],
    // CommonJS inside the bundle still calls `require`.
    banner: { js: "import { createRequire as $r } from 'node:module'; const require = $r(import.meta.url);" },
    logLevel: 'error',
  })
  const text = outputFiles[0]?.text ?? ''
  const file = `${cache}${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`
  const fresh = `${file}.${randomUUID()}`
  await mkdir(cache, { recursive: true })
  await writeFile(fresh, text)
  // The file is renamed when it is complete, so that no process can run an incomplete file.
  await rename(fresh, file)
  return file
}
