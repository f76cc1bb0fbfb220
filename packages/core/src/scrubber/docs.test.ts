import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { examples } from '@tributary/test-kit/scrubber'
import { idNumbers } from './rules/id-numbers.ts'
import { rules } from './rules/index.ts'
import { VERSION } from './version.ts'

const page = new URL('../../SCRUB.md', import.meta.url)
const OPEN = '<!-- rules: made by docs.test.ts, run it with UPDATE=1 -->'
const CLOSE = '<!-- end of rules -->'

const cell = (text: string): string => text.replaceAll('\n', '↵').replaceAll('|', '\\|').replaceAll('`', "'")

function tableOfRules(): string {
  const rows = rules.map(({ id, category, placeholder, keywords }) => {
    const example = examples.get(id)!
    const words = keywords.length > 6 ? [...keywords.slice(0, 5), `and ${keywords.length - 5} more`] : keywords
    return `| ${id} | ${category} | \`[${placeholder}_1]\` | ${words.map((word) => `\`${cell(word)}\``).join(' ')} | \`${cell(example.match).slice(0, 80)}\` | \`${cell(example.miss).slice(0, 60)}\` | [format](${example.docs}) |`
  })
  const numbers = idNumbers.map(
    ({ id, category, placeholder, near }) =>
      `| ${id} | ${category} | \`[${placeholder}_1]\` | ${near ? 'beside a word for it, at least without separators' : 'by itself'} |`,
  )
  return `Version ${VERSION}, ${rules.length} rules. In the examples \`{hex:32}\` and its kin stand for drawn characters.

| rule | category | placeholder | keywords | finds | leaves | documented |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

The rule \`number\` knows payment cards (Luhn and issuers' ranges), SSN, phone numbers, IBAN, and these, each with its check digits:

| number | category | placeholder | where |
| --- | --- | --- | --- |
${numbers.join('\n')}
`
}

test('SCRUB.md shows the table of rules as it is', () => {
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split(OPEN)
  const after = rest?.split(CLOSE)[1]
  expect(after, 'the marks in SCRUB.md').toBeDefined()
  const fresh = `${before}${OPEN}\n\n${tableOfRules()}\n${CLOSE}${after}`
  if (process.env['UPDATE']) writeFileSync(page, fresh)
  const todo = 'SCRUB.md is stale: UPDATE=1 npx vitest run packages/core/src/scrubber/docs.test.ts'
  expect(readFileSync(page, 'utf8') === fresh, todo).toBe(true)
})
