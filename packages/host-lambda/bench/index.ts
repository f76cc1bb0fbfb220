// `npm run bench:lambda [-- --rounds N] [--before FOLDER]` compares the cold start of the http function with that of a
// hello-world program (hono + zod) and of a baseline (zod + drizzle + libSQL's web build). All are built like the
// functions of `examples/lambda-sam` and run in turn in fresh processes. The command prints the ratios of the medians.
// `--before` adds the function of another commit: a copy of its `examples/lambda-sam/dist`.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { startHrana } from '../../test-kit/src/emulators/hrana.ts'
import { startSecretsExtension } from '../../test-kit/src/emulators/secrets-extension.ts'
import { listFiles, buildFunctions, listExampleFunctions, startOf, type BuiltFile } from '../src/bundle.fixture.ts'
import { baseline, hello, measure } from './variants.ts'

/** Elapsed milliseconds, and milliseconds of processor time. */
type Lap = readonly [elapsed: number, processor: number]

interface Run {
  readonly imported: Lap
  readonly first: Lap
  readonly read: Lap
  readonly rss: number
}

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const { rounds, before } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, before: { type: 'string' } },
}).values
const folder = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
/**
 * Builds a variant. Its source is written to the folder of the packages that it imports, and is removed after the
 * build.
 */
async function buildVariant(name: string, source: string, home: string): Promise<ReadonlyMap<string, BuiltFile>> {
  const file = join(root, home, `${name}.bench.ts`)
  writeFileSync(file, source)
  try {
    return await buildFunctions({ [name]: file }, join(folder, name))
  } finally {
    rmSync(file)
  }
}
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
const kilobytes = (files: readonly BuiltFile[] | null): number =>
  files === null ? Number.NaN : files.reduce((sum, { bytes }) => sum + bytes, 0) / 1000

const database = await startHrana({ path: join(folder, 'a.db') })
const extension = await startSecretsExtension({
  'tributary/turso-token': 'turso',
  'tributary/secret': 'a secret of this bench alone',
  'tributary/admin-tokens': 'operator=the-operator-of-this-bench',
})
try {
  const { migrate } = await import('@tributary/core/libsql')
  const { createClient } = await import('@libsql/client/web')
  const client = createClient({ url: database.url })
  await migrate(client as never)
  client.close()

  const describe = (title: string, name: string, files: ReadonlyMap<string, BuiltFile>) => ({
    title,
    path: join(folder, name, `${name}.mjs`),
    start: startOf(files, name),
    all: listFiles(files, name),
  })
  const variants = [
    describe('tributary', 'http', await buildFunctions(listExampleFunctions(root), join(folder, 'http'))),
    describe('hono + zod hello', 'hello', await buildVariant('hello', hello, 'packages/host-lambda')),
    describe('zod + drizzle + libsql/web', 'baseline', await buildVariant('baseline', baseline, 'packages/core')),
    ...(before === undefined ? [] : [{ title: 'before', path: resolve(before, 'http.mjs'), start: null, all: null }]),
  ]
  writeFileSync(join(folder, 'measure.mjs'), measure)
  const env = {
    BASE_URL: 'https://api.example.com',
    TURSO_URL: database.url,
    BUCKET: 'b',
    QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/q',
    MAIL_FROM: 'a@example.com',
    SECRETS: 'tributary',
    ...extension.env,
  }
  const runs: Run[][] = variants.map(() => [])
  for (let round = 0; round < Number(rounds); round++) {
    for (const [i, { path }] of variants.entries()) {
      const args = [join(folder, 'measure.mjs'), path]
      const { stdout } = await promisify(execFile)(process.execPath, args, { env })
      // The last line is the result; the lines before it are the function's metrics.
      runs[i]!.push(JSON.parse(stdout.trim().split('\n').at(-1)!) as Run)
    }
  }
  const findMedian = (i: number, clock: 0 | 1, ...laps: readonly ('imported' | 'first' | 'read')[]): number =>
    median(runs[i]!.map((run) => laps.reduce((sum, lap) => sum + run[lap][clock], 0)))
  const format = (value: number, digits: number): string => (Number.isNaN(value) ? '–' : value.toFixed(digits))
  const row = (what: string, unit: string, value: (i: number) => number, digits = 1): string =>
    `| ${what} | ${variants.map((_, i) => `${format(value(i), digits)} ${unit}`).join(' | ')} | ` +
    `${variants
      .slice(1)
      .map((_, i) => format(value(0) / value(i + 1), 2))
      .join(' | ')} |`
  const rows = (clock: 0 | 1, suffix: string): string[] => [
    row(`import${suffix}`, 'ms', (i) => findMedian(i, clock, 'imported')),
    row(`first request${suffix}`, 'ms', (i) => findMedian(i, clock, 'first')),
    row(`import + first request${suffix}`, 'ms', (i) => findMedian(i, clock, 'imported', 'first')),
    row(`first request that reads the database${suffix}`, 'ms', (i) => findMedian(i, clock, 'read')),
    row(`all three${suffix}`, 'ms', (i) => findMedian(i, clock, 'imported', 'first', 'read')),
  ]
  const isMet = (...laps: readonly ('imported' | 'first' | 'read')[]): string =>
    findMedian(0, 0, ...laps) <= 1.5 * findMedian(2, 0, ...laps) ? 'met' : 'missed'
  process.stdout.write(
    [
      `| ${rounds} fresh processes each, medians | ${variants.map(({ title }) => title).join(' | ')} | ${variants
        .slice(1)
        .map(({ title }) => `to ${title}`)
        .join(' | ')} |`,
      `|${'---|'.repeat(2 * variants.length)}`,
      row('loaded at the start, minified', 'KB', (i) => kilobytes(variants[i]!.start), 0),
      row('with what is loaded later', 'KB', (i) => kilobytes(variants[i]!.all), 0),
      ...rows(0, ''),
      ...rows(1, ', processor time'),
      row('memory after them', 'MB', (i) => median(runs[i]!.map(({ rss }) => rss)) / 1e6),
      '',
      'Goals, at most 1.5 × the baseline: import + first request (1.3 wanted) ' +
        `${isMet('imported', 'first')}; first request that reads the database ${isMet('read')}.`,
      '',
    ].join('\n'),
  )
} finally {
  await extension.close()
  await database.close()
  rmSync(folder, { recursive: true, force: true })
}
