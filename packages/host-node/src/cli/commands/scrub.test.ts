import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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
const runOnTerminal = (...argv: string[]) => runCommand(scrubCommand, argv, { isTerminal: true })

// promise: prints-value-show-values
test('tributary scrub prints each line that changes, without its values', async () => {
  const { code, out } = await run(first, second)
  expect(code).toBe(0)
  expect(out).toContain(`${first}:2: API_TOKEN=[SECRET_1]`)
  expect(out).toContain('the value [SECRET_1]')
  expect(out).toContain('3 replacements in 2 files')
  expect(out).not.toContain(secret)
  expect(out).not.toContain('jane')
  expect(out).not.toContain('\u001b')
})

test('tributary scrub prints the counts by category with --json', async () => {
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

test('tributary scrub exits with 2 for wrong arguments and with 1 for a file that cannot be read', async () => {
  expect(await run()).toMatchObject({ code: 2, out: '' })
  expect(await run('--fix', first)).toMatchObject({ code: 2, err: expect.stringContaining("unknown option '--fix'") })
  expect(await run(join(folder, 'none'))).toMatchObject({ code: 1, err: expect.stringContaining('File not found: ') })
  expect(await run('--json', join(folder, 'none'))).toMatchObject({
    code: 1,
    out: expect.stringContaining('"ok":false'),
  })
  expect(await run('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--json') })
})

describe('tributary scrub --diff', () => {
  test('shows each replacement in its context with position, category, rule, kind and score, and shows no value', async () => {
    const { code, out } = await run('--diff', first, second)
    expect(code).toBe(0)
    expect(out).toMatch(
      /first\.env:2:11 secret \([a-z-]+, probable, score 0\.\d{1,2}\)\n {2}\+ API_TOKEN=\[SECRET_1\]\n/,
    )
    expect(out).toContain(`${second}:1:11 secret`)
    expect(out).toContain('email (email, proven, score 1)')
    expect(out).toContain('3 replacements in 2 files')
    expect(out).not.toContain(secret)
    expect(out).not.toContain('jane')
    expect(out).not.toContain('\u001b')
  })

  test('is colored on a terminal, and removes control characters of the file', async () => {
    const { out } = await runOnTerminal('--diff', first, second)
    expect(out).toContain('\u001b[32m[SECRET_1]\u001b[39m')
    expect(out).not.toContain('\u001b[2J')
    expect(out).not.toContain(secret)
  })

  test('prints the same information as JSON with --json', async () => {
    const { out } = await runOnTerminal('--diff', '--json', first, second)
    const { files } = JSON.parse(out)
    expect(files[0].diff).toEqual([
      {
        line: 2,
        column: 11,
        placeholder: '[SECRET_1]',
        category: 'secret',
        rule: expect.any(String),
        kind: 'probable',
        score: 0.99,
        context: 'API_TOKEN=[SECRET_1]',
        contextOffset: 10,
      },
    ])
    expect(out).not.toContain(secret)
  })

  test('shortens a long line around the placeholder', async () => {
    const long = join(folder, 'long.txt')
    await writeFile(long, `one\n${'word '.repeat(100)}jane@acme.io ${'word '.repeat(100)}\n`)
    const [file] = JSON.parse((await run('--diff', '--json', long)).out).files
    const [{ line, column, context, contextOffset }] = file.diff
    expect([line, column, context.startsWith('…'), context.endsWith('…')]).toEqual([2, 501, true, true])
    expect(context.slice(contextOffset, contextOffset + 9)).toBe('[EMAIL_1]')
    expect(context.length).toBeLessThan(170)
  })
})

describe('tributary scrub --show-values', () => {
  test('prints the replaced values on a terminal', async () => {
    const { code, out } = await runOnTerminal('--diff', '--show-values', first, second)
    expect(code).toBe(0)
    expect(out).toContain(secret)
    expect(out).toContain('jane@acme.io')
  })

  test.each([
    ['where stdout is not a terminal', ['--diff', '--show-values'], false],
    ['with --json', ['--diff', '--show-values', '--json'], true],
    ['without --diff', ['--show-values'], true],
  ])('is refused %s, and prints nothing', async (_, flags, isTerminal) => {
    const { code, printed } = await runCommand(scrubCommand, [...flags, first], { isTerminal })
    expect(code).toBe(2)
    expect(printed).toContain('--show-values prints secrets')
    expect(printed).not.toContain(secret)
  })
})

describe('tributary scrub --blocked-term and --blocked-terms-file', () => {
  test('replace their terms', async () => {
    const [terms, notes] = [join(folder, 'terms.txt'), join(folder, 'notes.txt')]
    await writeFile(terms, 'Blue Bird\r\n\n')
    await writeFile(notes, 'KUMQUAT and quince and the blue bird')
    const { code, out } = await run(
      '--blocked-term=Kumquat',
      '--blocked-term=Quince',
      `--blocked-terms-file=${terms}`,
      notes,
    )
    expect(code).toBe(0)
    expect(out).toMatch(/\[BLOCKED_\d\] and \[BLOCKED_\d\] and the \[BLOCKED_\d\]/)
    expect(out).toContain('3  blocked_term')
  })

  test('refuse terms that the service would refuse', async () => {
    const terms = join(folder, 'many.txt')
    await writeFile(terms, Array.from({ length: 201 }, (_, n) => `term ${n}`).join('\n'))
    expect(await run('--blocked-term', 'x', first)).toMatchObject({ code: 2 })
    expect(await run('--blocked-term', 'x'.repeat(129), first)).toMatchObject({ code: 2 })
    expect(await run('--blocked-terms-file', terms, first)).toMatchObject({
      code: 2,
      err: expect.stringContaining('At most 200'),
    })
    expect(await run('--blocked-terms-file', join(folder, 'none'), first)).toMatchObject({ code: 1 })
  })
})

test('tributary scrub --known-name, --known-email, --known-organization and --known-host replace known values', async () => {
  const notes = join(folder, 'known.txt')
  await writeFile(notes, 'AcmeTools of Mira Holm: mira@kestrelbay.dev, https://quince.example/x and mholm')
  const { code, out } = await run(
    '--known-name=Mira Holm',
    '--known-email=mira@kestrelbay.dev',
    '--known-organization=Acme Tools',
    '--known-host=quince.example',
    notes,
  )
  expect(code).toBe(0)
  expect(out).toContain('[ORG_1] of [PERSON_1]: [EMAIL_1], https://[HOST_1]/x and [PERSON_1]')
})
