import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'

/** A function as it goes to Lambda. */
export interface Parcel {
  readonly text: string
  /** Bytes, minified. */
  readonly bytes: number
  /** Every source in it, by its path from the repository's root. */
  readonly sources: readonly string[]
  /** Every module that it asks the platform for. */
  readonly outside: readonly string[]
  readonly metafile: Metafile
}

/**
 * Bundles a Lambda function from the workspace's sources, as `examples/lambda-sam` bundles it from `dist`: CommonJS,
 * minified, without the AWS SDK, which Lambda's runtime has, and with libSQL's builds for where there is no native code.
 */
export async function parcel(entry: URL | { readonly contents: string; readonly resolveDir: string }, minify = true): Promise<Parcel> {
  const { metafile, outputFiles } = await build({
    ...(entry instanceof URL ? { entryPoints: [fileURLToPath(entry)] } : { stdin: { ...entry, loader: 'ts' as const } }),
    bundle: true, write: false, metafile: true, minify, platform: 'node', format: 'cjs', target: 'node20', outfile: 'function.cjs',
    conditions: ['tributary-source', 'workerd'], mainFields: ['module', 'main'], external: ['@aws-sdk/*'], logLevel: 'error',
    absWorkingDir: fileURLToPath(new URL('../../../', import.meta.url)),
  })
  const [output] = Object.values(metafile.outputs)
  const [file] = outputFiles
  return {
    text: file!.text, bytes: file!.contents.length, metafile,
    sources: Object.keys(metafile.inputs), outside: [...new Set(output!.imports.map(({ path }) => path))],
  }
}
