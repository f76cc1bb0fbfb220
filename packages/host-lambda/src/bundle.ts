import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { build, transform, type Plugin } from 'esbuild'
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
 * Of zod, a third of a start, contracts make nothing before a request needs a schema: its file is loaded with the first.
 *
 * ```ts
 * await bundleFunctions({ entries: { http: 'src/http.ts' }, outdir: 'dist' })
 * ```
 */
export async function bundleFunctions({
  entries,
  outdir,
  conditions = [],
}: BundleOptions): Promise<Record<string, FunctionBundle>> {
  const bundles: Record<string, FunctionBundle> = {}
  for (const [name, entry] of Object.entries(entries)) bundles[name] = await bundleFunction(name, entry, conditions)
  if (outdir === undefined) return bundles
  await rm(outdir, { recursive: true, force: true })
  await mkdir(outdir, { recursive: true })
  for (const { start, later } of Object.values(bundles))
    for (const { name, text } of [...start, ...later]) await writeFile(join(outdir, name), text)
  return bundles
}

async function bundleFunction(name: string, entry: Entry, conditions: readonly string[]): Promise<FunctionBundle> {
  const { outputFiles, metafile } = await divided(name, entry, conditions)
  const texts = new Map(outputFiles.map(({ path, text }) => [path, text]))
  const sources = new Map(
    Object.entries(metafile.outputs).map(([path, { inputs }]) => [resolve(path), Object.keys(inputs)]),
  )
  const zod = `${name}-zod.cjs`
  const merged = await rollup({
    input: { [name]: join(folder, `${name}.js`) },
    // Inside, parts ask the start's file for what both need.
    preserveEntrySignatures: 'allow-extension',
    external: (id) => !id.startsWith('.') && !id.startsWith(folder),
    plugins: [
      {
        name: "esbuild's output",
        resolveId: (id) => (id.startsWith('.') ? join(folder, id) : texts.has(id) ? id : null),
        load: (id) => texts.get(id) ?? null,
      },
    ],
  })
  const { output } = await merged.generate({
    format: 'cjs',
    generatedCode: 'es2015',
    dynamicImportInCjs: false,
    hoistTransitiveImports: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: (part) => (part.name === 'zod' ? zod : `${name}-[hash].cjs`),
    onlyExplicitManualChunks: true,
    manualChunks: (id) => (ofZod(sources.get(id) ?? []) ? 'zod' : null),
    // What the SDK gives to `require` is what `import` would make of it.
    interop: (id) => (id?.startsWith('@aws-sdk/') ? 'esModule' : 'auto'),
  })
  const chunks = output.filter((one) => one.type === 'chunk')
  const own = new Set(chunks.map(({ fileName }) => fileName))
  const start = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  for (const file of start) {
    for (const needed of chunks.find(({ fileName }) => fileName === file)!.imports)
      if (own.has(needed) && needed !== zod) start.add(needed)
  }
  const files = await Promise.all(chunks.map((chunk) => fileOf(chunk, sources, own, zod)))
  return { start: files.filter((file) => start.has(file.name)), later: files.filter((file) => !start.has(file.name)) }
}

async function fileOf(
  chunk: OutputChunk,
  sources: ReadonlyMap<string, readonly string[]>,
  own: ReadonlySet<string>,
  zod: string,
): Promise<FunctionFile> {
  const { code } = await transform(lazily(chunk.code, zod), {
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  })
  return {
    name: chunk.fileName,
    text: code,
    bytes: Buffer.byteLength(code),
    sources: Object.entries(chunk.modules)
      .filter(([, { renderedLength }]) => renderedLength > 0)
      .flatMap(([module]) => sources.get(module) ?? []),
    outside: [...chunk.imports, ...chunk.dynamicImports].filter((id) => !own.has(id)),
  }
}

const ofZod = (sources: readonly string[]): boolean =>
  sources.length > 0 && sources.every((path) => /(?:^|\/)node_modules\/zod\//.test(path))

/** Finds the parts. esbuild divides by which entry needs what, so that zod is apart when somebody needs it alone. */
async function divided(name: string, entry: Entry, conditions: readonly string[]) {
  const texts = new Map(typeof entry === 'string' ? [] : [['text:function', entry]])
  const entryPoints = [{ in: typeof entry === 'string' ? entry : 'text:function', out: name }]
  const given: Plugin = {
    name: 'entries given as text',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^text:/ }, ({ path }) => ({ path, namespace: 'text' }))
      onLoad({ filter: /./, namespace: 'text' }, ({ path }) => ({ ...texts.get(path)!, loader: 'ts' }))
    },
  }
  const run = () =>
    build({
      entryPoints,
      plugins: [given],
      bundle: true,
      write: false,
      metafile: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outdir: folder,
      // libSQL's client without WebSockets and native code.
      conditions: [...conditions, 'workerd', 'import', 'default'],
      mainFields: ['module', 'main'],
      external: ['@aws-sdk/*'],
      logLevel: 'error',
    })
  const whole = await run()
  const zod = Object.keys(whole.metafile.inputs).find((path) => /(?:^|\/)node_modules\/zod\/index\.js$/.test(path))
  if (zod === undefined) return whole
  texts.set('text:zod', {
    contents: `import * as z from ${JSON.stringify(resolve(zod))}\nexport const some = [z.string, z.iso.datetime]`,
    resolveDir: dirname(resolve(zod)),
  })
  entryPoints.push({ in: 'text:zod', out: 'zod' })
  return run()
}

/** The code with one of its files asked for when the first of its names is used, and not before. */
function lazily(code: string, file: string): string {
  const asked = `require('./${file}')`
  return code
    .split('\n')
    .map((line) => {
      if (!line.includes(asked)) return line
      if (line === `${asked};`) return ''
      const [, name] = line.endsWith(` = ${asked};`) ? (/^const (\w+) = /.exec(line) ?? []) : []
      if (name === undefined) throw new Error(`${file} is asked for in a way that is not known here: ${line}`)
      return `const ${name} = new Proxy({}, { get: (_, name) => ${asked}[name] });`
    })
    .join('\n')
}
