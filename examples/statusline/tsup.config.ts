import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { cli: 'src/cli.ts' },
  format: 'esm',
  target: 'node20',
  clean: true,
  splitting: true,
  // A prompt waits for this process: of core only the one function that makes text safe comes in, from its sources,
  // file by file.
  noExternal: [/^@tributary\/core/],
  esbuildOptions(options) {
    options.conditions = ['tributary-source']
  },
})
