import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../program.fixture.ts'
import { scrubCommand } from './scrub.ts'

const secret = ['x8Kq2Lm9', 'Zt4Rw7Yb'].join('')
let folder: string
let first: string
let second: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-scrub-'))
  first = join(folder, 'first.env')
  second = join(folder, 'second.txt')
  await writeFile(first, `# [EMAIL_7]\nAPI_TOKEN=${secret}\n`)
  await writeFile(second, `the value ${secret}\u001b[2J came from jane@acme.io\n`)
})
afterAll(() => rm(folder, { recursive: true }))

const run = (...argv: string[]) => runCommand(scrubCommand, argv)

test('prints each line that changes and never a value', async () => {
  const { code, out } = await run(first, second)
  expect(code).toBe(0)
  expect(out).toContain(`${first}:2: API_TOKEN=[SECRET_1]`)
  expect(out).toContain('the value [SECRET_1]')
  expect(out).toContain('3 replacements in 2 files')
  expect(out).not.toContain(secret)
  expect(out).not.toContain('jane')
  expect(out).not.toContain('\u001b')
})

test('prints the counts by category with --json', async () => {
  const { code, out } = await run('--json', first, second)
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    total: 3,
    counts: { secret: 2, email: 1 },
    files: [
      { file: first, replacements: 1, changes: [{ line: 2, placeholders: ['[SECRET_1]'] }] },
      { file: second, replacements: 2 },
    ],
  })
  expect(out).not.toContain(secret)
})

test('ends with 2 for wrong arguments and with 1 for a file that cannot be read', async () => {
  expect(await run()).toMatchObject({ code: 2, out: '' })
  expect(await run('--fix', first)).toMatchObject({ code: 2, err: expect.stringContaining("unknown option '--fix'") })
  expect(await run(join(folder, 'none'))).toMatchObject({ code: 1, err: expect.stringContaining('File not found: ') })
  expect(await run('--json', join(folder, 'none'))).toMatchObject({
    code: 1,
    out: expect.stringContaining('"ok":false'),
  })
  expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--json') })
})
