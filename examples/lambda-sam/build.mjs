import { rm } from 'node:fs/promises'
import { build } from 'esbuild'

await rm('dist', { recursive: true, force: true })

// One build for each function: what one needs at its start is then not shared with, and loaded by, the others.
for (const name of ['http', 'queue', 'schedule']) {
  await build({
    entryPoints: [`src/${name}.ts`],
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // A function loads each part of the service when a request first asks for it; esbuild can only split ES modules.
    format: 'esm',
    splitting: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    // libSQL's client for the web has a build without WebSockets under this condition. Naming a condition drops
    // `module`, by which packages offer ES modules, of which esbuild leaves out what is not used.
    conditions: ['workerd', 'module'],
    // Lambda's runtime has the AWS SDK.
    external: ['@aws-sdk/*'],
    logLevel: 'warning',
  })
}
