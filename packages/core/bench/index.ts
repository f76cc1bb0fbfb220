/**
 * `npm run bench:scrub`: quality and speed of the scrubber, beside secretlint's recommended preset and a plain
 * baseline.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { heldOutCases, labelledCases } from '@tributary/test-kit/scrubber'
import { createScrubber } from '../src/scrubber/index.ts'
import { codeReport } from './code.ts'
import { hostileReport } from './attack.ts'
import { coldReport, measureCold } from './cold.ts'
import { heldOutReport } from './held-out.ts'
import { identityReport } from './identity.ts'
import { measure, memoryReport } from './memory.ts'
import { precisionReport } from './precision/index.ts'
import { qualityReport } from './quality.ts'
import { speedReport } from './speed.ts'
import { conversations, traceReport } from './traces.ts'

const sized = process.argv.find((word) => word.startsWith('--measure='))
if (sized) await measure(Number(sized.slice(10)))
else if (process.argv.includes('--cold')) await measureCold()
else if (process.argv.includes('--hostile')) hostileReport(createScrubber())
else if (process.argv.includes('--precision')) await precisionReport(join(import.meta.dirname, '..', '..', '..', '..'))
else await report()

/**
 * Prints the whole report. `-- --speed` measures speed and hostile strings alone, `-- --quick` leaves the hostile
 * strings out, `-- --hostile` measures them alone.
 */
async function report(): Promise<void> {
  // The bundle stands in packages/core/dist/bench.
  const root = join(import.meta.dirname, '..', '..', '..', '..')
  const folder = (name: string): URL => pathToFileURL(join(root, 'packages/test-kit/src/fixtures/scrubber', name, '/'))
  const cases = labelledCases(folder('cases'))

  const scrubber = createScrubber()
  console.log(`scrubber ${scrubber.version}, node ${process.version}\n`)
  const only = process.argv.includes('--speed')
  if (!only) {
    await qualityReport(cases, scrubber)
    identityReport(scrubber)
    heldOutReport(heldOutCases(folder('heldout')), scrubber)
    codeReport(join(root, 'node_modules', '.pnpm'), scrubber)
  }
  const talks = conversations(join(root, '..', 'shared', 'traces'))
  if (talks && !only) traceReport(talks, scrubber)
  else if (!talks) console.log('skip  replacements in real conversations: ../shared/traces is missing\n')
  const texts = talks ?? [
    Object.values(cases)
      .flat()
      .map(({ text }) => text),
  ]
  await speedReport(texts)
  memoryReport(texts.flat().join('\n'))
  coldReport(texts.flat().join('\n'))
  // In a process of its own: here the garbage of what was measured before would be collected during the hostile
  // strings.
  if (!process.argv.includes('--quick'))
    spawnSync(process.execPath, ['--expose-gc', process.argv[1]!, '--hostile'], { stdio: 'inherit' })
}
