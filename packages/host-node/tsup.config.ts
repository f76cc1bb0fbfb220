import { defineConfig } from 'tsup'

export default defineConfig({
  entry: {
    'index': 'src/index.ts',
    'cli': 'src/cli/cli.ts',
    'thread': 'src/worker/thread.ts',
    'model-thread': 'src/detector-model/model-thread.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  // The files of threads are found beside whichever chunk starts them, so chunks stay flat beside the entries.
  splitting: true,
  clean: true,
  esbuildOptions(options) {
    options.conditions = ['import', 'default']
  },
})
