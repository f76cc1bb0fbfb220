// `npm run mutants [-- --sample N --seed N --only PATH]`: changes one thing in a source file at a time, runs the tests
// beside it, and prints how many of the changes each folder's tests notice. Names those that they do not.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { mutantsOf } from './mutants.ts'
import type { PlacedMutant } from './plugin.ts'

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})
const root = process.cwd()
const core = 'packages/core/src'

/** Returns the files that are changed: decisions, HTTP, and the statements of both kinds of stores. */
function sources(): string[] {
  const capabilities = readdirSync(join(root, core), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${core}/${name}/rules.ts`)
  const folders = ['http', 'stores/libsql', 'stores/memory'].flatMap((folder) =>
    readdirSync(join(root, core, folder)).map((name) => `${core}/${folder}/${name}`),
  )
  return [...capabilities, ...folders].filter(
    (file) =>
      file.endsWith('.ts') &&
      !/\.(?:test|fixture)\.ts$|\/(?:index|tables|migrations)\.ts$/.test(file) &&
      file.includes(values.only) &&
      existsSync(join(root, file)),
  )
}

/** Returns the tests that must notice a change of a file: its own, else those of its folder and of the capability. */
function testsOf(file: string): string[] {
  const own = file.replace(/\.ts$/, '.test.ts')
  const name = basename(file, '.ts')
  const capability = `${core}/${name}`
  if (file.includes('/stores/'))
    return [
      existsSync(join(root, own)) ? own : dirname(file),
      ...(existsSync(join(root, capability)) ? [capability] : []),
    ]
  return [dirname(file)]
}

/** Returns whether a test fails with the mutant in its place. */
function isKilled(file: string, placed: PlacedMutant): boolean {
  const vitest = join(root, 'node_modules/.bin/vitest')
  const { status } = spawnSync(vitest, ['run', '--bail=1', '--reporter=dot', ...testsOf(file)], {
    env: { ...process.env, TRIBUTARY_MUTANT: JSON.stringify(placed) },
    stdio: 'ignore',
    timeout: 180_000,
  })
  return status !== 0
}

const all = sources().flatMap((file) => {
  const path = join(root, file)
  return mutantsOf(readFileSync(path, 'utf8')).map((mutant) => ({ file, path, mutant }))
})
let state = Number(values.seed)
const random = (): number => (state = (state * 1_664_525 + 1_013_904_223) >>> 0) / 2 ** 32
const chosen = all
  .map((placed) => ({ placed, order: random() }))
  .sort((a, b) => a.order - b.order)
  .slice(0, Number(values.sample))
  .map(({ placed }) => placed)
console.log(`${chosen.length} of ${all.length} mutants`)

const scores = new Map<string, { killed: number; total: number }>()
for (const { file, path, mutant } of chosen) {
  const folder = dirname(file)
  const score = scores.get(folder) ?? { killed: 0, total: 0 }
  const killed = isKilled(file, { path, mutant })
  scores.set(folder, { killed: score.killed + Number(killed), total: score.total + 1 })
  const before = readFileSync(path, 'utf8').slice(mutant.start, mutant.end)
  if (!killed) console.log(`survived  ${file}:${mutant.line}  ${before}  →  ${mutant.replacement || '(nothing)'}`)
}
for (const [folder, { killed, total }] of [...scores].sort(([a], [b]) => a.localeCompare(b)))
  console.log(`${folder}: ${killed} of ${total} killed, ${((100 * killed) / total).toFixed(0)} %`)
