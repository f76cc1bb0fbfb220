// `npm run check -- conformance ADDRESS [flags]`: checks a running Tributary against its interface, from outside.
import { conformanceCommand } from '@tributary/test-kit/conformance'

// The first Ctrl-C ends the run, which then deletes the created data. The second Ctrl-C ends the process.
const interruption = new AbortController()
process.once('SIGINT', () => {
  process.stderr.write('\nDeleting the data that the run created. Press Ctrl-C again to stop now and keep it.\n')
  interruption.abort()
})
process.exitCode = await conformanceCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  env: process.env,
  signal: interruption.signal,
})
