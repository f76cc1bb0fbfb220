import { commands } from './samples/commands.ts'
import { frames } from './samples/frames.ts'
import { generic } from './samples/generic.ts'
import { languages } from './samples/languages.ts'
import { more } from './samples/more.ts'
import { papers } from './samples/papers.ts'
import { personal } from './samples/personal.ts'
import { providers } from './samples/providers.ts'
import { tools } from './samples/tools.ts'
import { webhooks } from './samples/webhooks.ts'

/**
 * For every rule of the table: a text that it must find, one that it must leave alone, and where the format is documented.
 * Kept apart from the rules so that a bundle does not carry it; a test holds the two together, and SCRUB.md is made from both.
 *
 * `{hex:32}` and its kin stand for characters drawn at test time, so that this file holds no token that a secret scanner
 * could take for a real one: hex, dec, low (a-z0-9), up (A-Z0-9), mix (A-Za-z0-9), web (mix, - and _), b64 (mix, + and /),
 * let (A-Za-z), az (a-z), num (0-9), HEX, uuid. `{value}` marks nothing: the whole drawn text is compared by what must be gone from it, `gone`.
 */
export interface Example {
  readonly match: string
  readonly miss: string
  readonly docs: string
}

export const examples: ReadonlyMap<string, Example> = new Map(
  [providers, generic, commands, personal, webhooks, tools, frames, languages, more, papers]
    .flat()
    .map(([id, match, miss, docs]) => [id, { match, miss, docs }]),
)

const ALPHABETS: Readonly<Record<string, string>> = {
  hex: '0123456789abcdef',
  HEX: '0123456789ABCDEF',
  num: '0123456789',
  dec: '123456789',
  low: 'abcdefghijklmnopqrstuvwxyz0123456789',
  up: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  mix: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  web: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  b64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  let: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  base58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  az: 'abcdefghijklmnopqrstuvwxyz',
  nostr: '023456789acdefghjklmnpqrstuvwxyz',
  checkout: 'abcdefghijklmnopqrstuvwxyz234567',
}

/** Fills a template with drawn characters; the same seed draws the same. */
export function draw(template: string, seed: number): string {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  const next = (below: number): number => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state % below
  }
  const some = (alphabet: string, count: number): string =>
    Array.from({ length: count }, () => alphabet[next(alphabet.length)]!).join('')
  return template.replace(/\{(\w+)(?::(\d+))?\}/g, (whole, kind: string, count?: string) => {
    if (kind === 'uuid') return [8, 4, 4, 4, 12].map((length) => some(ALPHABETS['hex']!, length)).join('-')
    const alphabet = ALPHABETS[kind]
    return alphabet ? some(alphabet, Number(count)) : whole
  })
}

/** The stretch of a drawn match that must not be left, by its template: the longest drawn part. */
export function secretOf(template: string, drawn: string): string {
  const fixed = template.split(/\{(?:uuid|\w+:\d+)\}/)
  if (fixed.length === 1) return ''
  let at = 0
  let longest = ''
  for (let i = 0; i + 1 < fixed.length; i++) {
    at += fixed[i]!.length
    const size = [...template.matchAll(/\{(?:uuid|(\w+):(\d+))\}/g)][i]!
    const length = size[2] ? Number(size[2]) : 36
    const part = drawn.slice(at, at + length)
    if (part.length > longest.length) longest = part
    at += length
  }
  return longest
}
