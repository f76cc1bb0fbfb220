import { isFullRun, seededRandom } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createScrubber } from './index.ts'

const random = seededRandom()
const below = (count: number): number => random(4).reduce((sum, byte) => sum * 256 + byte, 0) % count
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!

const keys = [
  'password',
  'api_key',
  'email',
  'card',
  'prompt',
  'note',
  'Authorization',
  'token',
  'path',
  'a',
  'Enter password: ',
  'x"y',
]
const strings = [
  'Enter password: ',
  'password: "hunter2!"',
  'password = \\"s3cr3t-Pa55\\"',
  'jane@corp.io',
  'Bearer abcdefghijklmnop1234567890',
  'API_KEY="',
  '"',
  '\\',
  'secret\\',
  'AKIAIOSFODNN7EXAMPLE',
  'postgres://user:pa55w0rd@db.corp.io/x',
  '{"password":"hunter2!"}',
  '["token: ", 5]',
  'curl -u admin:"pass word"',
  '',
  '4111 1111 1111 1111',
  'my password is "correct horse"',
  'export SECRET=\'a"b"c\'',
  'pwd: ',
  'line\nbreak "quoted"',
  '\u001b[31mpassword:\u001b[0m hunter2!',
  'DB_PASS="x\\"y"',
]
const numbers = [5, 0, -1, 1e21, 4111111111111111, 123456789, 0.25]

function document(depth: number): unknown {
  const kind = below(depth > 0 ? 6 : 4)
  if (kind < 2) return pick(strings)
  if (kind === 2) return pick(numbers)
  if (kind === 3) return pick([true, false, null])
  const items = Array.from({ length: 1 + below(4) }, () => document(depth - 1))
  return kind === 4 ? items : Object.fromEntries(items.map((item) => [pick(keys), item]))
}

/** Returns whether two documents have the same lists and objects, with the same numbers of members. */
function isAlike(one: unknown, other: unknown): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, i) => isAlike(item, other[i]))
  if (one === null || typeof one !== 'object') return other === null || typeof other !== 'object'
  return other !== null && typeof other === 'object' && !Array.isArray(other)
}

describe('scrub of a text that is a JSON document', () => {
  // promise: json-stays-json-same
  test('returns a JSON document of the same shape for each generated document', () => {
    const scrubber = createScrubber()
    const broken: string[] = []
    for (let i = 0; i < (isFullRun ? 5_000 : 500); i++) {
      const value = [document(3)]
      const text = JSON.stringify(value, null, below(2) * 2)
      const done = scrubber.scrub([text])
      let after: unknown
      try {
        after = done.ok ? JSON.parse(done.texts[0]!) : undefined
      } catch {
        after = undefined
      }
      if (!isAlike(value, after)) broken.push(`${text} -> ${done.ok ? done.texts[0] : done.reason}`)
    }
    expect(broken.slice(0, 5)).toEqual([])
  })

  test('uses the same placeholder for a password in the document and in another text', () => {
    const done = createScrubber().scrub([
      '["DB_PASS=\\"hunter2!x\\"", "Enter password: ", 5]',
      'then I typed hunter2!x',
    ])
    expect(done).toMatchObject({ ok: true })
    const [json, text] = done.ok ? done.texts : []
    expect(JSON.parse(json!)).toHaveLength(3)
    const placeholder = /\[[A-Z_]+_1\]/.exec(text!)![0]
    expect(json).toContain(placeholder)
    expect(json).not.toContain('hunter2')
  })
})
