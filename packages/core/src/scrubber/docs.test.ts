import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { examples, firstSight, scoreHeldOut, type HeldOutScore } from '@tributary/test-kit/scrubber'
import { createScrubber } from './index.ts'
import { idNumbers } from './rules/id-numbers.ts'
import { rules } from './packs/table.ts'
import { VERSION } from './version.ts'

const page = (name: string): URL => new URL(`../../${name}`, import.meta.url)
/** Returns the texts at the start and the end of a generated part. */
const marks = (part: string): readonly [open: string, close: string] => [
  `<!-- ${part}: made by docs.test.ts, run it with UPDATE=1 -->`,
  `<!-- end of ${part} -->`,
]

const NO_CASES: HeldOutScore = { cases: 0, right: 0 }

const cell = (text: string): string => text.replaceAll('\n', '↵').replaceAll('|', '\\|').replaceAll('`', "'")

function tableOfRules(): string {
  const rows = rules.map(({ id, category, placeholder, keywords }) => {
    const example = examples.get(id)!
    const words = keywords.length > 6 ? [...keywords.slice(0, 5), `and ${keywords.length - 5} more`] : keywords
    return `| ${id} | ${category} | \`[${placeholder}_1]\` | ${words.map((word) => `\`${cell(word)}\``).join(' ')} | \`${cell(example.match).slice(0, 80)}\` | \`${cell(example.miss).slice(0, 60)}\` | [format](${example.docs}) |`
  })
  const numbers = Object.entries(idNumbers).map(
    ([id, { category = 'government_id', placeholder, near, nearBare }]) =>
      `| ${id} | ${category} | \`[${placeholder}_1]\` | ${(near ?? nearBare) ? 'beside a word for it, at least without separators' : 'by itself'} |`,
  )
  return `Version ${VERSION}, ${rules.length} rules. In the examples \`{hex:32}\` and similar marks mean random characters.

| rule | category | placeholder | keywords | finds | leaves | documented |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

The rule \`number\` knows payment cards (Luhn and issuers' ranges), SSN, phone numbers, IBAN, and these, each with its check digits:

| number | category | placeholder | where |
| --- | --- | --- | --- |
${numbers.join('\n')}
`
}

/**
 * Returns a table with two scores for each group of held-out cases: the first score, before any change of the rules for
 * this group, and the current score.
 */
function tableOfHeldOut(): string {
  const scrubber = createScrubber()
  const today = scoreHeldOut((texts, identity) => {
    const done = scrubber.scrub(texts, { identity })
    if (!done.ok) throw new Error(done.reason)
    return done.texts
  })
  const percent = ({ cases, right }: HeldOutScore): string => `${((100 * right) / cases).toFixed(0)} %`
  const totals = new Map<string, [first: HeldOutScore, now: HeldOutScore]>()
  const add = (a: HeldOutScore, b: HeldOutScore): HeldOutScore => ({
    cases: a.cases + b.cases,
    right: a.right + b.right,
  })
  for (const [name, score] of Object.entries(today)) {
    const group = name.split(':')[0]!
    const [first, now] = totals.get(group) ?? [NO_CASES, NO_CASES]
    totals.set(group, [add(first, firstSight[name]!), add(now, score)])
  }
  const rows = [...totals].map(
    ([group, [first, now]]) => `| ${group} | ${now.cases} | ${percent(first)} | ${percent(now)} |`,
  )
  return `| held-out cases | n | right at first sight | right today |
| --- | --: | --: | --: |
${rows.join('\n')}
`
}

describe('SCRUB.md and SCRUB-RULES.md', () => {
  test.each([
    ['rules', 'SCRUB-RULES.md', tableOfRules],
    ['held-out cases', 'SCRUB.md', tableOfHeldOut],
  ])('contain the current %s', { tags: 'long' }, (part, name, content) => {
    const [open, close] = marks(part)
    const text = readFileSync(page(name), 'utf8')
    const [before, rest] = text.split(open)
    const after = rest?.split(close)[1]
    expect(after, `the marks of ${part} in ${name}`).toBeDefined()
    const fresh = `${before}${open}\n\n${content()}\n${close}${after}`
    if (process.env['UPDATE']) writeFileSync(page(name), fresh)
    const todo = `${name} is stale: UPDATE=1 npx vitest run packages/core/src/scrubber/docs.test.ts`
    expect(readFileSync(page(name), 'utf8') === fresh, todo).toBe(true)
  })

  test('SCRUB.md has at most 300 lines', () => {
    expect(readFileSync(page('SCRUB.md'), 'utf8').split('\n').length).toBeLessThanOrEqual(300)
  })
})
