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
  esbuildOptions(options) {
    options.conditions = ['import', 'default']
  },
})
