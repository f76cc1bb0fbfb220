// `npm run bench:lambda [-- --rounds N]`: measures the cold start of the http function beside a hono + zod hello and
// beside a baseline of zod + drizzle + libSQL's web build. All are built with the same esbuild options and run in fresh
// processes, interleaved. The medians' ratios count.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startHrana } from '../../test-kit/src/emulators/hrana.ts'
import { listFiles, buildFunctions, listExampleFunctions, startOf, type BuiltFile } from '../src/bundle.fixture.ts'
import { baseline, hello, measure } from './variants.ts'

interface Run {
  readonly imported: number
  readonly first: number
  readonly read: number
  readonly rss: number
}

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const flag = process.argv.indexOf('--rounds')
const rounds = flag >= 0 ? Number(process.argv[flag + 1]) : 15
const folder = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
/** Writes a variant beside the packages that it imports, for the time of its build. */
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
const kilobytes = (files: readonly BuiltFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0) / 1000

const database = await startHrana({ path: join(folder, 'a.db') })
try {
  const { migrate } = await import('@tributary/core/libsql')
  const { createClient } = await import('@libsql/client/web')
  const client = createClient({ url: database.url })
  await migrate(client as never)
  client.close()

  const variants = [
    { title: 'tributary', name: 'http', files: await buildFunctions(listExampleFunctions(root), join(folder, 'http')) },
    { title: 'hono + zod hello', name: 'hello', files: await buildVariant('hello', hello, 'packages/host-lambda') },
    {
      title: 'zod + drizzle + libsql/web',
      name: 'baseline',
      files: await buildVariant('baseline', baseline, 'packages/core'),
    },
  ]
  writeFileSync(join(folder, 'measure.mjs'), measure)
  const env = {
    BASE_URL: 'https://api.example.com',
    TURSO_URL: database.url,
    BUCKET: 'b',
    QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/q',
    MAIL_FROM: 'a@example.com',
  }
  const runs: Run[][] = variants.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [i, { name }] of variants.entries()) {
      const args = [join(folder, 'measure.mjs'), join(folder, name, `${name}.mjs`)]
      const { stdout } = await promisify(execFile)(process.execPath, args, { env })
      // The lines before are the function's metrics.
      runs[i]!.push(JSON.parse(stdout.trim().split('\n').at(-1)!) as Run)
    }
  }
  const medianOf = (i: number, field: keyof Run): number => median(runs[i]!.map((run) => run[field]))
  const row = (what: string, unit: string, value: (i: number) => number, digits = 1): string =>
    `| ${what} | ${variants.map((_, i) => `${value(i).toFixed(digits)} ${unit}`).join(' | ')} | ` +
    `${(value(0) / value(1)).toFixed(2)} | ${(value(0) / value(2)).toFixed(2)} |`
  const untilFirstReply = (i: number): number => medianOf(i, 'imported') + medianOf(i, 'first')
  process.stdout.write(
    [
      `| ${rounds} fresh processes each, medians | ${variants.map(({ title }) => title).join(' | ')} | to hello | to the baseline |`,
      '|---|---|---|---|---|---|',
      row('loaded at the start, minified', 'KB', (i) => kilobytes(startOf(variants[i]!.files, variants[i]!.name)), 0),
      row('with what is loaded later', 'KB', (i) => kilobytes(listFiles(variants[i]!.files, variants[i]!.name)), 0),
      row('import', 'ms', (i) => medianOf(i, 'imported')),
      row('first request', 'ms', (i) => medianOf(i, 'first')),
      row('import + first request', 'ms', untilFirstReply),
      row('first request that reads the database', 'ms', (i) => medianOf(i, 'read')),
      row('all three', 'ms', (i) => untilFirstReply(i) + medianOf(i, 'read')),
      row('memory after them', 'MB', (i) => medianOf(i, 'rss') / 1e6),
      '',
      'Goal: at most 1.5 × the baseline for import + first request (1.3 wanted): ' +
        `${untilFirstReply(0) <= 1.5 * untilFirstReply(2) ? 'met' : 'missed'}.`,
      '',
    ].join('\n'),
  )
} finally {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
}
