import { defineConfig } from 'tsup'

export default defineConfig({
  entry: { cli: 'src/cli.ts', options: 'src/options.ts', signin: 'src/signin.ts' },
  format: 'esm',
  target: 'node20',
  clean: true,
  // Workers resolve built-in modules only with this protocol.
  removeNodeProtocol: false,
})
