import { existsSync } from 'node:fs'
import { defineConfig } from 'tsup'

const entries = { index: 'src/index.ts', libsql: 'src/libsql/index.ts', memory: 'src/memory/index.ts', scrub: 'src/scrub/index.ts', client: 'src/client/index.ts', worker: 'src/worker.ts', host: 'src/host.ts' }
const entry = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)))

/**
 * Files that a bundler must be able to leave out whole: what only some users of an entry need, and what has effects at its top, as
 * drizzle's tables. An entry of its own is what makes esbuild keep a file apart; the package does not export them.
 */
const apart = { gravity: 'src/ads/gravity.ts', database: 'src/libsql/database.ts', builder: 'src/libsql/builder.ts', tables: 'src/libsql/tables.ts', migrations: 'src/libsql/migrations.ts', migrate: 'src/libsql/migrate.ts' }

export default defineConfig({
  entry: { ...entry, ...Object.fromEntries(Object.entries(apart).map(([name, file]) => [`apart/${name}`, file])) },
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  // Entries share chunks: a class must be the same one behind each door.
  splitting: true,
  clean: true,
  // esbuild keeps the order of effects by imports that name nothing. There are none here, and they would bring a part along with who does not need it.
  plugins: [{ name: 'no import without a name', renderChunk: (code) => ({ code: code.split('\n').filter((line) => !line.startsWith('import ".')).join('\n') }) }],
  dts: process.env['TRIBUTARY_NO_TYPES'] ? false : { entry },
  esbuildOptions(options) {
    options.conditions = ['import', 'default']
  },
})
