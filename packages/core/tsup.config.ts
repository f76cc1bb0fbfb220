import { existsSync } from 'node:fs'
import { defineConfig } from 'tsup'

const entries = {
  index: 'src/index.ts',
  libsql: 'src/stores/libsql/index.ts',
  memory: 'src/stores/memory/index.ts',
  scrub: 'src/scrubber/index.ts',
  client: 'src/client/index.ts',
  worker: 'src/service/worker.ts',
  host: 'src/service/host.ts',
}
const entry = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)))

/**
 * Files that a bundler must be able to leave out whole: what only some users of an entry need, and what has effects at its top, as
 * drizzle's tables. An entry of its own is what makes esbuild keep a file apart; the package does not export them.
 */
const apart = {
  gravity: 'src/ads/gravity.ts',
  database: 'src/stores/libsql/database.ts',
  builder: 'src/stores/libsql/builder.ts',
  tables: 'src/stores/libsql/tables.ts',
  migrations: 'src/stores/libsql/migrations.ts',
  migrate: 'src/stores/libsql/migrate.ts',
}

export default defineConfig({
  entry: { ...entry, ...Object.fromEntries(Object.entries(apart).map(([name, file]) => [`apart/${name}`, file])) },
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  // Entries share chunks: a class must be the same one behind each door.
  splitting: true,
  clean: true,
  // esbuild keeps the order of effects by imports that name nothing. There are none here, and they would bring a part along with who does not need it.
  plugins: [
    {
      name: 'no import without a name',
      renderChunk: (code) => ({
        code: code
          .split('\n')
          .filter((line) => !line.startsWith('import ".'))
          .join('\n'),
      }),
    },
  ],
  dts: process.env['TRIBUTARY_NO_TYPES'] ? false : { entry },
  esbuildOptions(options) {
    options.conditions = ['import', 'default']
  },
})
