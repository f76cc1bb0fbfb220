import { defineConfig } from 'tsup'

// One file a function with all it needs; the AWS SDK is in Lambda's runtime. CommonJS loads some milliseconds sooner.
export default defineConfig({
  entry: { http: 'src/http.ts', queue: 'src/queue.ts', schedule: 'src/schedule.ts' },
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  minify: true,
  clean: true,
  splitting: false,
  noExternal: [/^(?!@aws-sdk\/)/],
  external: [/^@aws-sdk\//],
  esbuildOptions(options) {
    // `workerd` leaves WebSockets and every native module of libSQL out.
    options.conditions = ['workerd', 'import', 'default']
    options.mainFields = ['module', 'main']
  },
})
