import { existsSync } from 'node:fs'
import { defineConfig } from 'tsup'

const entries = { index: 'src/index.ts', libsql: 'src/libsql/index.ts', memory: 'src/memory/index.ts', scrub: 'src/scrub/index.ts', client: 'src/client/index.ts', worker: 'src/worker.ts', host: 'src/host.ts' }
const entry = Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)))

export default defineConfig({
  entry,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  // Entries share chunks: a class must be the same one behind each door.
  splitting: true,
  clean: true,
  dts: process.env['TRIBUTARY_NO_TYPES'] ? false : { entry },
  esbuildOptions(options) {
    options.conditions = ['import', 'default']
  },
})
