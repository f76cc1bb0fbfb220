// `npm run mutants` (see `usage`) changes one thing in a source file at a time and runs the tests of that file. It
// prints for each folder how many of the changes the tests notice. It names the changes that no test notices, except
// those that a comment in the source calls equivalent (`equivalents.ts`). One process runs all tests, because loading
// modules takes most of a test's time.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { findEquivalenceReason } from './equivalents.ts'
import { core, mutatedFolders, type MutatedFolder } from './folders.ts'
import { listMutants } from './mutants.ts'
import { createMutantRunner, type MutantRunner } from './runner.ts'

const usage = `npm run mutants -- [--folder NAME] [--sample N] [--seed N] [--only PATH]

Changes one thing in a source file at a time, runs the tests of that file, and prints how many changes they notice.

  --folder NAME  %FOLDERS%; default: all
  --sample N     changes of each folder, drawn at random; default: 20
  --seed N       the same seed draws the same changes; default: 1
  --only PATH    only files whose path holds this`
const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    folder: { type: 'string', default: '' },
    sample: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})
const root = process.cwd()

/** Returns numbers from 0 to 1 that are the same for the same seed. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32
}

interface Score {
  readonly killed: number
  readonly survived: number
  readonly equivalent: number
}

/** Runs a sample of a folder's mutants. */
async function runFolder({ name, files, testsOf }: MutatedFolder, runner: MutantRunner): Promise<Score> {
  const all = files
    .filter((file) => file.includes(values.only))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
    .flatMap(({ file, text }) => listMutants(text).map((mutant) => ({ file, text, mutant })))
  const random = seededRandom(Number(values.seed))
  const sample = all
    .map((one) => ({ ...one, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, Number(values.sample))
  console.log(`\n${name}: ${sample.length} of ${all.length} mutants`)
  const score = { killed: 0, survived: 0, equivalent: 0 }
  for (const [index, { file, text, mutant }] of sample.entries()) {
    const startedAt = Date.now()
    const inCore = relative(core, file)
    const known = findEquivalenceReason(text, mutant)
    let result: keyof typeof score = known ? 'equivalent' : 'survived'
    for (const tests of testsOf(file)) {
      if (result !== 'survived' || tests.length === 0) continue
      if (await runner.isKilled(tests, { path: join(root, file), mutant })) result = 'killed'
    }
    score[result]++
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0)
    console.log(`${index + 1}  ${result.padEnd(10)}  ${inCore}:${mutant.line}  ${seconds} s`)
    if (result === 'killed') continue
    console.log(`    ${text.slice(mutant.start, mutant.end)}  →  ${mutant.replacement || '(nothing)'}`)
    console.log(`    ${known ?? text.split('\n')[mutant.line - 1]?.trim()}`)
  }
  return score
}

function percent({ killed, survived, equivalent }: Score): string {
  const total = killed + survived
  const share = total === 0 ? '–' : ((100 * killed) / total).toFixed(0)
  return `${killed} of ${total} killed, ${share} %; ${equivalent} equivalent`
}

if (values.help) {
  const names = mutatedFolders(root).map(({ name }) => name)
  console.log(usage.replace('%FOLDERS%', names.join(', ')))
  process.exit()
}
const folders = mutatedFolders(root).filter(({ name }) => name.includes(values.folder))
if (folders.length === 0) throw new Error(`--folder: no folder is named ${values.folder}`)
const runner = await createMutantRunner(root)
const scores: [string, Score][] = []
for (const folder of folders) {
  const score = await runFolder(folder, runner)
  scores.push([folder.name, score])
  console.log(`${folder.name}: ${percent(score)}`)
}
console.log('')
for (const [name, score] of scores) console.log(`${name}: ${percent(score)}`)
const sum = (key: keyof Score): number => scores.reduce((total, [, score]) => total + score[key], 0)
console.log(`total: ${percent({ killed: sum('killed'), survived: sum('survived'), equivalent: sum('equivalent') })}`)
await runner.close()
process.exit()
