import { existsSync } from 'node:fs'
import { defineConfig } from 'tsup'

const entries = { index: 'src/index.ts', libsql: 'src/libsql/index.ts', memory: 'src/memory/index.ts', scrub: 'src/scrub/index.ts', client: 'src/client/index.ts' }

export default defineConfig({
  entry: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file))),
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  // Declarations take most of the time; `npm start` does not need them.
  dts: !process.env['TRIBUTARY_NO_TYPES'],
  clean: true,
})
