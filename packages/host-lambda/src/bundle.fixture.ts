import { join } from 'node:path'
import { build, type BuildOptions, type Metafile } from 'esbuild'

/** A built file. */
export interface BuiltFile {
  readonly name: string
  readonly bytes: number
  /** Every source in it, by its path from the working directory. */
  readonly sources: readonly string[]
  /** Files and packages that it imports at its start. */
  readonly imports: readonly string[]
  /** Files and packages that it imports later. */
  readonly dynamicImports: readonly string[]
}

/** The options of `examples/lambda-sam/build.mjs`, from the sources of the packages. */
const options = {
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node20',
  conditions: ['tributary-source', 'workerd', 'module'],
  external: ['@aws-sdk/*'],
  metafile: true,
  logLevel: 'error',
} satisfies BuildOptions

/** Builds functions into a folder as `examples/lambda-sam` does, each by itself. Returns the files by name. */
export async function buildFunctions(
  entryPoints: Readonly<Record<string, string>>,
  outdir: string,
): Promise<ReadonlyMap<string, BuiltFile>> {
  const files = new Map<string, BuiltFile>()
  for (const [entry, path] of Object.entries(entryPoints)) {
    const { metafile } = await build({ ...options, entryPoints: { [entry]: path }, outdir })
    for (const [outputPath, output] of Object.entries(metafile.outputs)) {
      const name = nameOf(outputPath)
      files.set(name, { name, bytes: output.bytes, ...listImports(output), sources: Object.keys(output.inputs) })
    }
  }
  return files
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

function listImports({ imports }: Metafile['outputs'][string]): Pick<BuiltFile, 'imports' | 'dynamicImports'> {
  const named = imports.map(({ path, kind, external }) => ({ kind, path: external ? path : nameOf(path) }))
  return {
    imports: named.filter(({ kind }) => kind !== 'dynamic-import').map(({ path }) => path),
    dynamicImports: named.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
  }
}

/** Returns the files that a cold start of a function loads. */
export function startOf(files: ReadonlyMap<string, BuiltFile>, name: string): BuiltFile[] {
  return listReachable(files, `${name}.mjs`, ({ imports }) => imports)
}

/** Returns every file that a function may load. */
export function listFiles(files: ReadonlyMap<string, BuiltFile>, name: string): BuiltFile[] {
  return listReachable(files, `${name}.mjs`, ({ imports, dynamicImports }) => [...imports, ...dynamicImports])
}

function listReachable(
  files: ReadonlyMap<string, BuiltFile>,
  first: string,
  next: (file: BuiltFile) => readonly string[],
): BuiltFile[] {
  const found = new Set<BuiltFile>()
  const visit = (name: string): void => {
    const file = files.get(name)
    if (!file || found.has(file)) return
    found.add(file)
    for (const other of next(file)) visit(other)
  }
  visit(first)
  return [...found]
}

/** Returns the entry points of `examples/lambda-sam` below the root of the repository. */
export function listExampleFunctions(root: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['http', 'queue', 'schedule'].map((name) => [name, join(root, 'examples/lambda-sam/src', `${name}.ts`)]),
  )
}
