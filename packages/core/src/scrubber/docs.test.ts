import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { examples } from './examples.ts'
import { identities } from './identity.ts'
import { rules } from './rules/index.ts'
import { VERSION } from './version.ts'

const page = new URL('../../SCRUB.md', import.meta.url)
const OPEN = '<!-- rules: made by docs.test.ts, run it with UPDATE=1 -->'
const CLOSE = '<!-- end of rules -->'

const folder = new URL('.', import.meta.url)
const source = new URL('version.ts', folder)

/**
 * The version that goes with the sources: a date, and a digest of every file of the scrubber and of the versions of the
 * two libraries it decides with. Whoever changes any of them must take a new one, and cannot take an old one again.
 */
function versionOfSources(): string {
  const hash = createHash('sha256')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
  for (const name of names.sort()) {
    // The examples are read by tests and pages only, the hostile strings by the bench.
    if (
      !name.endsWith('.ts') ||
      name.endsWith('.test.ts') ||
      name.startsWith('samples/') ||
      ['version.ts', 'examples.ts', 'hostile.ts'].includes(name)
    )
      continue
    hash.update(`${name}\n${readFileSync(new URL(name, folder), 'utf8').replaceAll('\r', '')}\n`)
  }
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', folder), 'utf8'))
  hash.update(`${dependencies['ipaddr.js']} ${dependencies['@noble/hashes']}`)
  const digest = hash.digest('hex').slice(0, 8)
  return VERSION.endsWith(`+${digest}`) ? VERSION : `${new Date().toISOString().slice(0, 10)}+${digest}`
}

const version = versionOfSources()

test('the version is that of these sources', () => {
  if (process.env['UPDATE']) writeFileSync(source, readFileSync(source, 'utf8').replace(VERSION, version))
  else
    expect(VERSION, 'a rule or its code changed: UPDATE=1 npx vitest run packages/core/src/scrubber/docs.test.ts').toBe(
      version,
    )
})

const cell = (text: string): string => text.replaceAll('\n', '↵').replaceAll('|', '\\|').replaceAll('`', "'")

function tableOfRules(): string {
  const rows = rules.map(({ id, category, placeholder, keywords }) => {
    const example = examples.get(id)!
    const words = keywords.length > 6 ? [...keywords.slice(0, 5), `and ${keywords.length - 5} more`] : keywords
    return `| ${id} | ${category} | \`[${placeholder}_1]\` | ${words.map((word) => `\`${cell(word)}\``).join(' ')} | \`${cell(example.match).slice(0, 80)}\` | \`${cell(example.miss).slice(0, 60)}\` | [format](${example.docs}) |`
  })
  const numbers = identities.map(
    ({ id, category, placeholder, near }) =>
      `| ${id} | ${category} | \`[${placeholder}_1]\` | ${near ? 'beside a word for it, at least without separators' : 'by itself'} |`,
  )
  return `Version ${version}, ${rules.length} rules. In the examples \`{hex:32}\` and its kin stand for drawn characters.

| rule | category | placeholder | keywords | finds | leaves | documented |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

The rule \`number\` knows payment cards (Luhn and issuers' ranges), SSN, phone numbers, IBAN, and these, each with its check digits:

| number | category | placeholder | where |
| --- | --- | --- | --- |
${numbers.join('\n')}
`
}

test('SCRUB.md shows the table as it is', () => {
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split(OPEN)
  const after = rest?.split(CLOSE)[1]
  expect(after, 'the marks in SCRUB.md').toBeDefined()
  const fresh = `${before}${OPEN}\n\n${tableOfRules()}\n${CLOSE}${after}`
  if (process.env['UPDATE']) writeFileSync(page, fresh)
  else
    expect(text === fresh, 'SCRUB.md is stale: UPDATE=1 npx vitest run packages/core/src/scrubber/docs.test.ts').toBe(
      true,
    )
})
