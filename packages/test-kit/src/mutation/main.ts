// `npm run mutants` (see `usage`): changes one thing in a source file at a time,
// runs the tests of that file, and prints how many of the changes they notice, for each folder. Names those that they
// do not. One process runs all, since most of the time of a test is that of its modules.
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { mutatedFolders, type MutatedFolder } from './folders.ts'
import { mutantsOf } from './mutants.ts'
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

/** Runs a sample of a folder's mutants, and returns how many were killed out of how many. */
async function runFolder({ name, files, testsOf }: MutatedFolder, runner: MutantRunner): Promise<[number, number]> {
  const all = files
    .filter((file) => file.includes(values.only))
    .flatMap((file) => mutantsOf(readFileSync(join(root, file), 'utf8')).map((mutant) => ({ file, mutant })))
  const random = seededRandom(Number(values.seed))
  const sample = all
    .map((one) => ({ ...one, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, Number(values.sample))
  console.log(`\n${name}: ${sample.length} of ${all.length} mutants`)
  let killed = 0
  for (const [index, { file, mutant }] of sample.entries()) {
    const path = join(root, file)
    const startedAt = Date.now()
    let isKilled = false
    for (const tests of testsOf(file)) {
      isKilled ||= tests.length > 0 && (await runner.isKilled(tests, { path, mutant }))
    }
    if (isKilled) killed++
    const before = readFileSync(path, 'utf8').slice(mutant.start, mutant.end)
    const change = isKilled ? '' : `  ${before}  →  ${mutant.replacement || '(nothing)'}`
    const place = `${relative('packages/core/src', file)}:${mutant.line}`
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(0)
    console.log(`${index + 1}  ${isKilled ? 'killed  ' : 'survived'}  ${place}  ${seconds} s${change}`)
  }
  return [killed, sample.length]
}

const percent = ([killed, total]: readonly [number, number]): string =>
  `${killed} of ${total} killed, ${total === 0 ? '–' : ((100 * killed) / total).toFixed(0)} %`

if (values.help) {
  const names = mutatedFolders(root).map(({ name }) => name)
  console.log(usage.replace('%FOLDERS%', names.join(', ')))
  process.exit()
}
const folders = mutatedFolders(root).filter(({ name }) => name.includes(values.folder))
if (folders.length === 0) throw new Error(`--folder: no folder is named ${values.folder}`)
const runner = await createMutantRunner(root)
const scores: [string, [number, number]][] = []
for (const folder of folders) {
  const score = await runFolder(folder, runner)
  scores.push([folder.name, score])
  console.log(`${folder.name}: ${percent(score)}`)
}
console.log('')
for (const [name, score] of scores) console.log(`${name}: ${percent(score)}`)
const sum = (at: 0 | 1): number => scores.reduce((total, [, score]) => total + score[at], 0)
console.log(`total: ${percent([sum(0), sum(1)])}`)
await runner.close()
process.exit()
