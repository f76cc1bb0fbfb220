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
  // Each chunk that starts a thread must find the thread's file next to it, so chunks are in the folder of the entries.
  splitting: true,
  clean: true,
  esbuildOptions(options) {
    options.conditions = ['import', 'default']
  },
})
