import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { listMistakes, type Source } from './source-rules.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Returns every TypeScript source that git tracks or would add. */
function listSources(): Source[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.ts'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed
    .split('\n')
    .filter((path) => path.startsWith('packages/') || path.startsWith('examples/'))
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

test('listMistakes returns nothing for the sources of the repository', () => {
  const all = listSources()
  expect(all.length).toBeGreaterThan(100)
  expect(listMistakes(all)).toEqual([])
  // Parses every source.
})

const core = 'packages/core/src'
const cases: [why: string, path: string, text: string][] = [
  ['is a port', `${core}/traces/rules.ts`, 'const now = new Date()'],
  ['rules are data', `${core}/scrubber/rules/tools.ts`, 'export const isLong = (value: string) => value.length > 9'],
  ['name the file by its content', `${core}/traces/utils.ts`, ''],
  ['without a deadline', `${core}/ads/gravity.ts`, "const answer = await options.fetch(url, { method: 'GET' })"],
  ['without a deadline', 'packages/host-lambda/src/sqs.ts', 'await client.send(command)'],
  ['without a deadline', 'packages/host-node/src/mail.ts', 'await transport.sendMail({ to })'],
  ['joined by hyphens', `${core}/traces/bulkUpdate.ts`, ''],
  ['break the line before 140', `${core}/traces/rules.ts`, `const text = '${'word '.repeat(30)}'`],
]

describe('listMistakes returns a mistake for', () => {
  test.each(cases)('%s: %s %j', (why, path, text) => {
    const found = listMistakes([{ path, text }])
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(why)
  })

  test('listMistakes returns nothing for permitted code', () => {
    const fine: [string, string][] = [
      [`${core}/ids.test.ts`, "import { readFile } from 'node:fs'\nconst now = Date.now()"],
      [`${core}/ids.ts`, '// new Date(0)'],
      [
        `${core}/telemetry/otlp.ts`,
        'within(9, (signal) => fetch(url, { signal }))\nservice.fetch(request)\nfetch(url, { signal })',
      ],
      [
        'packages/host-node/src/mail.ts',
        'within(9, () => transport.sendMail({ to }))\nconst ask = (...given) => fetch(...given)',
      ],
    ]
    expect(listMistakes(fine.map(([path, text]) => ({ path, text })))).toEqual([])
  })
})
