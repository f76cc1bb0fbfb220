// `npm run check -- feedback-protocol ADDRESS [flags]`: checks any server of the agent feedback protocol, from outside.
import { feedbackProtocolCommand } from '@tributary/test-kit/conformance'

process.exitCode = await feedbackProtocolCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  env: process.env,
})
