import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { app: 'src/app.ts' },
  format: 'esm',
  target: 'node20',
  clean: true,
})
