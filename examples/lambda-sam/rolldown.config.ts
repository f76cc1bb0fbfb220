import { resolve } from 'node:path'
import { defineConfig, type RolldownOptions } from 'rolldown'

const globals = resolve('src/globals.ts')
/** The parts of the stores that most requests need. */
const stores = 'libsql\\W(?:database|statement|tables\\W|limiter|bounded-writes|auth\\W)'

/** Each function has a separate build, so that at startup it does not load code that only other functions need. */
const functions: RolldownOptions[] = ['http', 'queue', 'schedule'].map((name) => ({
  input: { [name]: `src/${name}.ts` },
  platform: 'node',
  // Lambda's runtime has the AWS SDK.
  external: /^@aws-sdk\//,
  // libSQL's client for the web has a build without WebSockets, which the condition `workerd` selects.
  resolve: { conditionNames: ['workerd', 'module'] },
  transform: {
    target: 'node20',
    // libSQL's client creates requests with the global classes, whose first use loads undici.
    inject: Object.fromEntries(['Headers', 'Request', 'Response'].map((name) => [name, [globals, name]])),
  },
  output: {
    dir: 'dist',
    format: 'esm',
    minify: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: `${name}-[name]-[hash].mjs`,
    // A function loads each part of the service when a request first needs this part. Code that runs at startup is in
    // one file, and code that most requests need later is in a second file, because each file adds half a millisecond
    // to a cold start.
    codeSplitting: {
      groups: [
        { name: 'start', tags: ['$initial'], priority: 3 },
        { name: 'database', test: new RegExp(`drizzle-orm|@libsql|host-lambda\\W.*fetch|${stores}`), priority: 2 },
        { name: 'routes', test: /\Wzod\W|http\Wfields\W|ui\W(?:html|marks|layout|messages)\W/, priority: 1 },
      ],
    },
  },
}))

export default defineConfig(functions)
