import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    seed: 'src/fixtures/seed.ts',
    scrubber: 'src/fixtures/scrubber/index.ts',
    conformance: 'src/conformance.ts',
    faults: 'src/faults/index.ts',
    attacks: 'src/attacks/index.ts',
    simulation: 'src/simulation/index.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  clean: true,
  esbuildOptions(options) {
    options.conditions = ['import', 'default']
  },
})
