import { defineConfig } from 'tsup'

const entry = { index: 'src/index.ts', aws: 'src/aws.ts', turso: 'src/turso.ts', secretlint: 'src/secretlint.ts' }

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
