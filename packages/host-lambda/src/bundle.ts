import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build, transform } from 'esbuild'
import { rollup, type OutputChunk } from 'rollup'

/** Where a function's code begins: a file, or text as if it stood in a folder. */
export type Entry = string | { readonly contents: string; readonly resolveDir: string }

export interface BundleOptions {
  /** By the name of the function, which is also that of its file: `{ http: 'src/http.ts' }` makes `http.cjs`. */
  readonly entries: Readonly<Record<string, Entry>>
  /** What is in it is deleted first. Absent: nothing is written. */
  readonly outdir?: string
  /** Conditions of packages' exports beside Node's own. */
  readonly conditions?: readonly string[]
}

/** A file of a function. */
export interface FunctionFile {
  readonly name: string
  readonly text: string
  /** Minified, in UTF-8. */
  readonly bytes: number
  /** Every source in it, by its path from the working directory. */
  readonly sources: readonly string[]
  /** Modules that it asks the platform for. */
  readonly outside: readonly string[]
}

export interface FunctionBundle {
  /** What a cold start loads. */
  readonly start: readonly FunctionFile[]
  /** What is loaded when a request first needs it. */
  readonly later: readonly FunctionFile[]
}

const folder = '/function'

/**
 * Bundles each function by itself: one CommonJS file that a cold start loads, and one for each part that core loads when a
 * request first needs it. The AWS SDK is left to Lambda's runtime. esbuild finds the parts and cannot write them as
 * CommonJS, which loads some milliseconds sooner than modules do; Rollup can, and puts what the start needs into one file.
 *
 * ```ts
 * await bundleFunctions({ entries: { http: 'src/http.ts' }, outdir: 'dist' })
 * ```
 */
export async function bundleFunctions({ entries, outdir, conditions = [] }: BundleOptions): Promise<Record<string, FunctionBundle>> {
  const bundles: Record<string, FunctionBundle> = {}
  for (const [name, entry] of Object.entries(entries)) bundles[name] = await bundleFunction(name, entry, conditions)
  if (outdir === undefined) return bundles
  await rm(outdir, { recursive: true, force: true })
  await mkdir(outdir, { recursive: true })
  for (const { start, later } of Object.values(bundles)) for (const { name, text } of [...start, ...later]) await writeFile(join(outdir, name), text)
  return bundles
}

async function bundleFunction(name: string, entry: Entry, conditions: readonly string[]): Promise<FunctionBundle> {
  const { outputFiles, metafile } = await build({
    ...(typeof entry === 'string' ? { entryPoints: [{ in: entry, out: name }] } : { stdin: { ...entry, loader: 'ts' }, entryNames: name }),
    bundle: true, write: false, metafile: true, splitting: true, format: 'esm', platform: 'node', target: 'node20', outdir: folder,
    conditions: [...conditions, 'import', 'default'], mainFields: ['module', 'main'], external: ['@aws-sdk/*'], logLevel: 'error',
  })
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]))
  const sources = new Map(Object.entries(metafile.outputs).map(([path, { inputs }]) => [resolve(path), Object.keys(inputs)]))
  const merged = await rollup({
    input: { [name]: join(folder, `${name}.js`) },
    // Inside, parts ask the start's file for what both need.
    preserveEntrySignatures: 'allow-extension',
    external: (id) => !id.startsWith('.') && !id.startsWith(folder),
    plugins: [{
      name: 'esbuild\'s output',
      resolveId: (id) => (id.startsWith('.') ? join(folder, id) : texts.has(id) ? id : null),
      load: (id) => texts.get(id) ?? null,
    }],
  })
  const { output } = await merged.generate({
    format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: `${name}-[hash].cjs`, generatedCode: 'es2015', dynamicImportInCjs: false,
    // What the SDK gives to `require` is what `import` would make of it.
    interop: (id) => (id?.startsWith('@aws-sdk/') ? 'esModule' : 'auto'),
  })
  const chunks = output.filter((one) => one.type === 'chunk')
  const own = new Set(chunks.map(({ fileName }) => fileName))
  const start = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  for (const file of start) for (const needed of chunks.find(({ fileName }) => fileName === file)!.imports) if (own.has(needed)) start.add(needed)
  const files = await Promise.all(chunks.map((chunk) => fileOf(chunk, sources, own)))
  return { start: files.filter((file) => start.has(file.name)), later: files.filter((file) => !start.has(file.name)) }
}

async function fileOf(chunk: OutputChunk, sources: ReadonlyMap<string, readonly string[]>, own: ReadonlySet<string>): Promise<FunctionFile> {
  const { code } = await transform(chunk.code, { minify: true, format: 'cjs', platform: 'node', target: 'node20' })
  return {
    name: chunk.fileName, text: code, bytes: Buffer.byteLength(code),
    sources: Object.entries(chunk.modules).filter(([, { renderedLength }]) => renderedLength > 0).flatMap(([module]) => sources.get(module) ?? []),
    outside: [...chunk.imports, ...chunk.dynamicImports].filter((id) => !own.has(id)),
  }
}
