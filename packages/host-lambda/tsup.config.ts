import { defineConfig } from 'tsup'

const names = ['index', 'aws', 'turso', 'fetch', 'secretlint']
const entry = Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]))

export default defineConfig({
  entry,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  splitting: true,
  clean: true,
  dts: process.env['TRIBUTARY_NO_TYPES'] ? false : { entry },
  esbuildOptions(options) {
    options.conditions = ['import', 'default']
  },
})
