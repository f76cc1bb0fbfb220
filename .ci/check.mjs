// `npm run check -- NAME [ARGS]` runs one of the checks that people run by hand; without NAME the command lists all
// checks.
const checks = {
  'conformance': ['packages/test-kit', 'src/conformance/main.ts'],
  'feedback-protocol': ['packages/test-kit', 'src/conformance/feedback-protocol-main.ts'],
  'faults': ['packages/host-node', 'bench/faults.ts'],
  'attacks': ['packages/host-node', 'bench/attacks.ts'],
  'simulate': ['packages/host-node', 'bench/simulate.ts'],
}
const name = process.argv[2] ?? ''
if (Object.hasOwn(checks, name)) {
  process.argv.splice(2, 1, ...checks[name])
  await import('./exec.mjs')
} else {
  console.error(`npm run check -- NAME [ARGS], with one of these names: ${Object.keys(checks).join(', ')}`)
  process.exitCode = 1
}
