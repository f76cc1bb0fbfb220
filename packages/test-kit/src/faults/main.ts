// `npm run check -- faults [--flow NAME --store NAME --json]`: makes each port call of each flow fail once, and checks what
// is left.
import { faultsCommand } from '@tributary/test-kit/faults'

process.exitCode = await faultsCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
})
