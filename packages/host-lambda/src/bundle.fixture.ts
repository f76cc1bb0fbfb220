import { dirname, join } from 'node:path'
import { build, type BuildOptions, type OutputChunk, type OutputOptions, type RolldownOptions } from 'rolldown'
import exampleBuilds from '../../../examples/lambda-sam/rolldown.config.ts'

/** A built file. */
export interface BuiltFile {
  readonly name: string
  readonly bytes: number
  /** The absolute path of every source in the built file. */
  readonly sources: readonly string[]
  /** Files and packages that the built file imports at its start. */
  readonly imports: readonly string[]
  /** Files and packages that the built file imports later. */
  readonly dynamicImports: readonly string[]
}

/**
 * Builds each function separately into a folder as `examples/lambda-sam` does, from the sources of the packages.
 * Returns the files by name.
 */
export async function buildFunctions(
  entryPoints: Readonly<Record<string, string>>,
  dir: string,
): Promise<ReadonlyMap<string, BuiltFile>> {
  const files = new Map<string, BuiltFile>()
  for (const [entry, path] of Object.entries(entryPoints)) {
    const { output } = await build(optionsOf(entry, path, dir))
    for (const chunk of output) if (chunk.type === 'chunk') files.set(chunk.fileName, describeChunk(chunk))
  }
  return files
}

/**
 * Returns the build options of the example's function with that name, with the given entry and folder. If the example
 * has no such function, the options of its first function are used.
 */
function optionsOf(entry: string, path: string, dir: string): BuildOptions {
  const builds = exampleBuilds as readonly RolldownOptions[]
  const found = builds.find(({ input }) => Object.hasOwn(input as object, entry))
  const own = found ?? builds[0]!
  // The configuration contains a path relative to the folder in which it runs, so the path is set here. Entries that
  // are not functions of the example use the global classes, because their client uses the global `fetch`.
  const globals = join(dirname(path), 'globals.ts')
  const injected = found ? Object.keys(own.transform!.inject!).map((name) => [name, [globals, name]]) : []
  const transform = { ...own.transform, inject: Object.fromEntries(injected) as Record<string, [string, string]> }
  const conditionNames = ['tributary-source', ...(own.resolve?.conditionNames ?? [])]
  const output = { ...(own.output as OutputOptions), dir }
  const resolve = { ...own.resolve, conditionNames }
  return { ...own, input: { [entry]: path }, transform, resolve, output, logLevel: 'silent' }
}

function describeChunk({ fileName, code, modules, imports, dynamicImports }: OutputChunk): BuiltFile {
  const included = Object.entries(modules).filter(([, { renderedLength }]) => renderedLength > 0)
  return {
    name: fileName,
    bytes: Buffer.byteLength(code),
    sources: included.map(([path]) => path),
    imports,
    dynamicImports,
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
