// `npm run check -- simulate [--seeds N --steps N]`: `command.ts` describes this check.
import { simulateCommand } from './command.ts'

process.exitCode = await simulateCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
})
