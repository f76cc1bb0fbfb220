import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { cli: 'src/cli.ts' },
  format: 'esm',
  target: 'node20',
  clean: true,
  splitting: true,
  // A prompt waits for this process, so the bundle contains only the one function of core that makes text safe, built
  // from core's sources.
  noExternal: [/^@tributary\/core/],
  esbuildOptions(options) {
    options.conditions = ['tributary-source']
  },
})
