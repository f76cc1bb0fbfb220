/**
 * `npm run bench:scrub`: compares the quality and speed of the scrubber with secretlint's recommended preset and with a
 * plain baseline.
 */
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
import { runBench } from './run.ts'
import { conversations, histories, traceReport } from './traces.ts'

const sized = process.argv.find((word) => word.startsWith('--measure='))
if (sized) await measure(Number(sized.slice(10)))
else if (process.argv.includes('--cold')) await measureCold()
else if (process.argv.includes('--hostile')) hostileReport(createScrubber(), process.argv.includes('--speed'))
else if (process.argv.includes('--precision')) await precisionReport(join(import.meta.dirname, '..', '..', '..', '..'))
else await report()

/**
 * Prints the whole report. `-- --speed` measures speed, one long message and some of the hostile strings; `-- --quick`
 * leaves out the hostile strings; `-- --hostile` measures only the hostile strings. Nothing else of the bench runs
 * while the speed is measured. The other parts run concurrently in separate processes, because they measure processor
 * time.
 */
async function report(): Promise<void> {
  // The bundle is in packages/core/dist/bench.
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
  const sample = texts.flat().join('\n')
  const isHostile = !process.argv.includes('--quick')
  await speedReport('conversations', texts, !only)
  const sessions = talks ? histories(join(root, '..', 'shared', 'traces', 'histories')) : []
  if (sessions.length > 0) await speedReport('histories', sessions, false)
  const hostile = isHostile ? runBench(['--hostile', ...(only ? ['--speed'] : [])]) : ''
  await Promise.all([memoryReport(sample, only ? [50] : undefined), coldReport(sample)])
  console.log(await hostile)
}
