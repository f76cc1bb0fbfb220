import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commandNames } from './help.ts'

const skill = readFileSync(new URL('../SKILL.md', import.meta.url), 'utf8')

/** Words in SKILL.md that are fields and values of replies, not names of commands. */
const words = ['next', 'ok', 'error', 'unauthorized', 'missing', 'stored', 'duplicate', 'rejected', 'message']

test('SKILL.md starts with a name and a description on separate lines, as assistants read them', () => {
  const [, name, description] = /^---\nname: (.+)\ndescription: (.+)\n---\n/.exec(skill) ?? []
  expect(name).toMatch(/^[a-z-]{1,64}$/)
  expect(description!.length).toBeLessThan(1024)
})

test('SKILL.md names only commands that exist', () => {
  const spans = [...skill.matchAll(/`(?:tributary-contributor )?([a-z]+) ?((?:-|[A-Z])[^`]*)?`/g)]
  const named = spans.map(([, word]) => word!).filter((word) => !words.includes(word))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((word) => !commandNames.includes(word))).toEqual([])
})
