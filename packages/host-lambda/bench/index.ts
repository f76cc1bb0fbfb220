// `npm run bench:lambda [-- --rounds N]`: what a cold start of the built http function costs, beside a hono + zod hello and
// beside zod + drizzle + libSQL's web build, each in a fresh process, interleaved, medians. Ratios are what counts.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { startHrana } from '../../test-kit/src/emulators/hrana.ts'
import { bundleFunctions, type FunctionBundle, type FunctionFile } from '../src/bundle.ts'
import { floor, hello, measure } from './variants.ts'

interface Run {
  readonly imported: number
  readonly first: number
  readonly read: number
  readonly rss: number
}

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const at = process.argv.indexOf('--rounds')
const rounds = at >= 0 ? Number(process.argv[at + 1]) : 15
const folder = mkdtempSync(join(tmpdir(), 'tributary-bench-'))
/** What anybody would make of it: one file. */
async function single(contents: string, home: string): Promise<FunctionBundle> {
  const {
    outputFiles: [file],
  } = await build({
    stdin: { contents, resolveDir: join(root, home) },
    bundle: true,
    write: false,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    conditions: ['workerd'],
    mainFields: ['module', 'main'],
    external: ['@aws-sdk/*'],
  })
  return {
    start: [{ name: 'function.cjs', text: file!.text, bytes: file!.contents.length, sources: [], outside: [] }],
    later: [],
  }
}
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

const database = await startHrana({ path: join(folder, 'a.db') })
try {
  const { migrate } = await import('@tributary/core/libsql')
  const { createClient } = await import('@libsql/client/web')
  const client = createClient({ url: database.url })
  await migrate(client as never)
  client.close()
  const names = ['tributary', 'hono + zod hello', 'zod + drizzle + libsql/web'] as const
  const { http } = await bundleFunctions({
    entries: { http: join(root, 'examples/lambda-sam/src/http.ts') },
    conditions: ['tributary-source'],
  })
  const packed = [http!, await single(hello, 'packages/host-lambda'), await single(floor, 'packages/core')]
  for (const [i, { start, later }] of packed.entries()) {
    mkdirSync(join(folder, `${i}`))
    for (const { name, text } of [...start, ...later]) writeFileSync(join(folder, `${i}`, name), text)
  }
  const kilobytes = (files: readonly FunctionFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0) / 1000
  writeFileSync(join(folder, 'measure.cjs'), measure)
  const env = {
    BASE_URL: 'https://api.example.com',
    TURSO_URL: database.url,
    BUCKET: 'b',
    QUEUE_URL: 'https://sqs.us-east-1.amazonaws.com/1/q',
    MAIL_FROM: 'a@example.com',
  }
  const runs: Run[][] = names.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const i of names.keys()) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(folder, 'measure.cjs'), join(folder, `${i}`, packed[i]!.start[0]!.name)],
        { env },
      )
      runs[i]!.push(JSON.parse(stdout) as Run)
    }
  }
  const of = (i: number, what: keyof Run): number => median(runs[i]!.map((run) => run[what]))
  const row = (what: string, unit: string, value: (i: number) => number, digits = 1): string =>
    `| ${what} | ${names.map((_, i) => `${value(i).toFixed(digits)} ${unit}`).join(' | ')} | ${(value(0) / value(1)).toFixed(2)} | ${(value(0) / value(2)).toFixed(2)} |`
  const both = (i: number): number => of(i, 'imported') + of(i, 'first')
  const loaded = (i: number): number => kilobytes(packed[i]!.start)
  process.stdout.write(
    [
      `| ${rounds} fresh processes each, medians | ${names.join(' | ')} | to hello | to the floor |`,
      '|---|---|---|---|---|---|',
      row('loaded at the start, minified', 'KB', loaded, 0),
      row('with what is loaded when it is needed', 'KB', (i) => loaded(i) + kilobytes(packed[i]!.later), 0),
      row('import', 'ms', (i) => of(i, 'imported')),
      row('first request', 'ms', (i) => of(i, 'first')),
      row('import + first request', 'ms', both),
      row('first request that reads the database', 'ms', (i) => of(i, 'read')),
      row('all three', 'ms', (i) => both(i) + of(i, 'read')),
      row('memory after them', 'MB', (i) => of(i, 'rss') / 1e6),
      '',
      `Budget 330 KB: ${loaded(0) <= 330 ? 'met' : `missed by ${(loaded(0) - 330).toFixed(0)} KB`}. Goal 1.15 × the floor for import + first request: ${both(0) <= 1.15 * both(2) ? 'met' : 'missed'}.`,
      '',
    ].join('\n'),
  )
} finally {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
}
