import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { breaches, type Source } from './house.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Every TypeScript source that git knows or would add. */
function sources(): Source[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', '*.ts'], { cwd: root, encoding: 'utf8' })
  return listed.split('\n').filter((path) => path.startsWith('packages/') || path.startsWith('examples/'))
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

test('the sources keep the house rules', () => {
  const all = sources()
  expect(all.length).toBeGreaterThan(100)
  expect(breaches(all)).toEqual([])
})

const core = 'packages/core/src'
const cases: [why: string, path: string, text: string][] = [
  ['core runs anywhere', `${core}/traces/handlers.ts`, 'import { readFile } from \'node:fs\''],
  ['core runs anywhere', `${core}/libsql/traces.ts`, 'import type { Client } from \'@libsql/client\''],
  ['core runs anywhere', `${core}/service.ts`, 'export * from \'@tributary/test-kit\''],
  ['core runs anywhere', `${core}/service.ts`, 'const h3 = await import(\'h3\')'],
  ['drizzle only', `${core}/memory/traces.ts`, 'import { eq } from \'drizzle-orm\''],
  ['another\'s store', `${core}/traces/handlers.ts`, 'import type { A } from \'../sessions/store.ts\''],
  ['not who keeps it', `${core}/traces/worker.ts`, 'import { a } from \'../memory/traces.ts\''],
  ['know only zod', `${core}/traces/rules.ts`, 'import { a } from \'../sessions/rules.ts\''],
  ['know only zod', `${core}/traces/contract.ts`, 'import type { Clock } from \'../ports.ts\''],
  ['store types only', `${core}/libsql/traces.ts`, 'import { a } from \'../traces/handlers.ts\''],
  ['only what @tributary/core exports', 'packages/host-node/src/app.ts', 'import { a } from \'../../core/src/ids.ts\''],
  ['only what @tributary/core exports', 'examples/embed/src/cli.ts', 'import { a } from \'@tributary/core/src/ids.ts\''],
  ['is a port', `${core}/traces/rules.ts`, 'const now = Date.now()'],
  ['is a port', `${core}/traces/rules.ts`, 'const now = new Date()'],
  ['is a port', `${core}/ids.ts`, 'const x = [1].map(Math.random)'],
  ['core runs anywhere', `${core}/ids.ts`, 'const x = process.env.HOME'],
  ['core runs anywhere', `${core}/ids.ts`, 'const x = Buffer.from(\'a\')'],
  ['name the idea', `${core}/traces/utils.ts`, ''],
  ['without a deadline', `${core}/ads/gravity.ts`, 'const answer = await options.fetch(url, { method: \'GET\' })'],
  ['without a deadline', 'packages/host-lambda/src/sqs.ts', 'await client.send(command)'],
  ['without a deadline', 'packages/host-node/src/mail.ts', 'await transport.sendMail({ to })'],
  ['joined by hyphens', `${core}/traces/bulkUpdate.ts`, ''],
]

describe('each rule can fail', () => {
  test.each(cases)('%s: %s %j', (why, path, text) => {
    const found = breaches([{ path, text }])
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(why)
  })

  test('and what is allowed passes', () => {
    const fine: [string, string][] = [
      [`${core}/libsql/traces.ts`, 'import { eq } from \'drizzle-orm\'\nimport type { A } from \'../traces/store.ts\''],
      [`${core}/traces/contract.ts`, 'import * as z from \'zod\'\nimport { route } from \'../http/route.ts\''],
      [`${core}/system.ts`, 'const now = Date.now()'],
      [`${core}/ids.test.ts`, 'import { readFile } from \'node:fs\'\nconst now = Date.now()'],
      [`${core}/ids.ts`, '// Date.now() and process are ports\nconst x = { process: 1 }\nx.process\nnew Date(0)'],
      [`${core}/telemetry/otlp.ts`, 'within(9, (signal) => fetch(url, { signal }))\nservice.fetch(request)\nfetch(url, { signal })'],
      ['packages/host-node/src/mail.ts', 'within(9, () => transport.sendMail({ to }))\nconst ask = (...given) => fetch(...given)'],
      ['packages/host-node/src/app.ts', 'import { a } from \'@tributary/core/libsql\'\nimport { b } from \'node:fs\''],
    ]
    expect(breaches(fine.map(([path, text]) => ({ path, text })))).toEqual([])
  })
})
