import { describe, expect, test } from 'vitest'
import { draw, examples, secretOf } from '@tributary/test-kit/scrubber'
import { createScrubber } from './index.ts'
import { rules } from './packs/table.ts'

const scrubber = createScrubber()

function clean(...texts: string[]): string[] {
  const done = scrubber.scrub(texts)
  if (!done.ok) throw new Error(done.reason)
  const again = scrubber.scrub(done.texts)
  expect(again, 'a second pass changes nothing').toMatchObject({ ok: true, texts: done.texts, total: 0 })
  return done.texts
}

test('each rule has a unique id and examples', () => {
  const ids = rules.map((rule) => rule.id)
  expect(new Set(ids).size).toBe(ids.length)
  expect([...examples.keys()].sort()).toEqual([...ids].sort())
})

/** Returns the value that the first placeholder replaced. */
function replaced(text: string, out: string): string {
  const [before, ...rest] = out.split(/\[[A-Z0-9_]+_\d+\]/)
  const next = rest[0]!
  const from = before!.length
  return text.slice(from, next === '' ? text.length : text.indexOf(next, from + 1))
}

/** Each function encodes or surrounds an example as a whole. */
const encodings: Record<string, (text: string) => string> = {
  'in a sentence': (text) => `please use ${text} for now`,
  'after an escaped newline': (text) => `done\\n${text.replaceAll('\n', '\\n')}`,
  'in colours': (text) => `\u001b[32m${text}\u001b[0m`,
  'in a diff line': (text) => `+${text.replaceAll('\n', '\n+')}`,
  'in a JSON string': (text) => JSON.stringify({ output: `got\n${text}\n` }),
  'in a JSON string inside a JSON string': (text) => JSON.stringify(JSON.stringify({ output: `got\n${text}\n` })),
  'in base64': (text) => Buffer.from(`value: ${text} # as set\n`).toString('base64'),
  'next to comments that disable other scanners': (text) =>
    `secretlint-disable gitleaks:allow pragma: allowlist secret nosemgrep\n${text} # gitleaks:allow`,
}

const middle = (secret: string): number => Math.min(9, secret.length >> 1)

const percent = (char: string): string =>
  char > '\u007f' ? encodeURIComponent(char) : `%${char.charCodeAt(0).toString(16)}`

const splits: Record<string, (secret: string) => string> = {
  'split by a colour': (secret) => `${secret.slice(0, middle(secret))}\u001b[1m${secret.slice(middle(secret))}`,
  'split by a zero-width character': (secret) =>
    `${secret.slice(0, middle(secret))}\u200b${secret.slice(middle(secret))}`,
  'split by a tag character and a variation selector': (secret) =>
    `${secret.slice(0, middle(secret))}\u{e0041}\ufe0e${secret.slice(middle(secret))}`,
  'with JSON escapes': (secret) =>
    [...secret]
      .map((char, i) => (i % 5 === 4 ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char))
      .join(''),
  'with percent codes': (secret) => [...secret].map((char, i) => (i % 5 === 4 ? percent(char) : char)).join(''),
}

const cases = rules.map((rule, index) => {
  const { match, miss } = examples.get(rule.id)!
  const text = draw(match, index + 1)
  const value = replaced(text, clean(text)[0]!)
  /** The generated part of the example. If there is no such part, the value that the rule finds in the example. */
  const secret = secretOf(match, text) || value
  // The quick run tests the encodings of every sixth rule.
  const tags = index % 6 === 0 ? [] : ['slow']
  return { id: rule.id, kind: rule.kind, text, secret, value, counterexample: draw(miss, index + 1), tags }
})

describe.each(cases)('$id', ({ text, secret, value, counterexample, tags }) => {
  test('replaces its example and keeps its counterexample', () => {
    const [out] = clean(text)
    expect(out).toMatch(/\[[A-Z0-9_]+_\d+\]/)
    expect(out).not.toContain(secret)
    expect(clean(counterexample)).toEqual([counterexample])
  })

  test.each(Object.entries(encodings))('%s', { tags }, (_, encode) => {
    const [out] = clean(encode(text))
    expect(out).toMatch(/\[[A-Z0-9_]+_\d+\]/)
    expect(out).not.toContain(secret)
  })

  const whole = secret.length >= 14 ? secret : value
  test.each(Object.entries(splits))('%s', { tags }, (_, split) => {
    const [out] = clean(text.replace(whole, split(whole)))
    expect(out).toMatch(/\[[A-Z0-9_]+_\d+\]/)
    expect(out).not.toContain(whole.slice(-8))
  })

  test('keeps JSON valid', { tags }, () => {
    const [out] = clean(JSON.stringify({ a: text, list: [text, 1, null], nested: { [text]: text } }))
    expect(JSON.parse(out!)).toMatchObject({ list: [expect.any(String), 1, null] })
  })
})

// Shorter values and probable values are excluded, because they are not replaced without their context.
describe.each(cases.filter(({ value, kind }) => value.length >= 10 && kind !== 'probable'))(
  '$id',
  ({ text, value, tags }) => {
    test('replaces the value also without its context and as a JSON key', { tags }, () => {
      const outs = clean(
        text,
        `the thing ${value} again`,
        JSON.stringify({ [value]: 1 }),
        `x=${encodeURIComponent(value)}&y`,
      )
      for (const out of outs.slice(1)) expect(out).toMatch(/\[[A-Z0-9_]+_\d+\]/)
      expect(outs[1]).toMatch(/^the thing \S+ again$/)
      expect(Object.keys(JSON.parse(outs[2]!))).toEqual([expect.stringMatching(/^\[[A-Z0-9_]+_\d+\]$/)])
    })
  },
)
