import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { estimatedBits, parseOperators, requireStrongTokens } from './operators.ts'
import { requireSecret } from './service.ts'

const strong = '9f3c1e7ab2d84c60517e'
const makeFlags = (adminToken?: string, adminTokens?: string) => ({
  'admin-token': adminToken,
  'admin-tokens': adminTokens,
})

describe('requireStrongTokens', () => {
  // promise: start-refuses-could-guessed
  test('accepts random tokens of 20 characters or more', () => {
    for (let n = 0; n < 500; n++) {
      expect(() =>
        requireStrongTokens(
          makeFlags(randomBytes(24).toString('hex'), `jane=${randomBytes(16).toString('base64url')}`),
        ),
      ).not.toThrow()
    }
    expect(() => requireStrongTokens(makeFlags())).not.toThrow()
  })

  test.each([
    [
      makeFlags(strong.slice(0, 19)),
      '--admin-token has 19 characters, expected 20 or more. Create one with: openssl rand -hex 24',
    ],
    [makeFlags('a'.repeat(40)), '--admin-token is easy to guess'],
    [makeFlags('operator-'.repeat(3)), '--admin-token is easy to guess'],
    [makeFlags('abcdefghijklmnopqrstuvwxyz'), '--admin-token is easy to guess'],
    [makeFlags('12345678901234567890'), '--admin-token is easy to guess'],
    [makeFlags(strong, 'jane=short'), '--admin-tokens: the token of jane has 5 characters'],
    [makeFlags(strong, `jane=${'password'.repeat(4)}`), '--admin-tokens: the token of jane is easy to guess'],
  ])('throws for %j', (values, message) => {
    expect(() => requireStrongTokens(values)).toThrow(message)
    expect(() => requireStrongTokens(values)).toThrow('openssl rand -hex 24')
  })

  test('estimates 0 bits for an empty token', () => {
    expect(estimatedBits('')).toBe(0)
  })
})

describe('requireSecret', () => {
  test.each([
    ['short-secret-16ch', '--secret has 17 characters, expected 20 or more'],
    ['a'.repeat(40), '--secret is easy to guess'],
    ['12345678901234567890', '--secret is easy to guess'],
    ['password'.repeat(4), '--secret is easy to guess'],
  ])('throws for %s, with every admin token', (secret, message) => {
    expect(() => requireSecret({ secret, 'admin-token': strong })).toThrow(message)
  })

  test('accepts a random secret followed by a weak secret that it replaces, and accepts an admin token without a secret', () => {
    const newest = randomBytes(24).toString('hex')
    expect(() => requireSecret({ secret: `${newest},${'a'.repeat(16)}` })).not.toThrow()
    expect(() => requireSecret({ 'admin-token': strong })).not.toThrow()
    expect(() => requireSecret({ secret: `${'a'.repeat(16)},${newest}` })).toThrow('--secret has 16 characters')
    expect(() => requireSecret({})).toThrow('--secret (or TRIBUTARY_SECRET) is required')
  })
})

describe('parseOperators', () => {
  test('reads named tokens from the flag and from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-operators-'))
    const path = join(folder, 'tokens')
    writeFileSync(path, `# ours\njane=${strong}\n`)
    const adminTokens = [{ name: 'jane', token: strong }]
    expect(parseOperators(makeFlags('one', `jane=${strong}`))).toEqual({ adminToken: 'one', adminTokens })
    expect(parseOperators(makeFlags(undefined, `file:${path}`))).toEqual({ adminTokens })
    rmSync(folder, { recursive: true })
    expect(() => parseOperators(makeFlags(undefined, `file:${path}`))).toThrow(
      `--admin-tokens: cannot read ${path} (ENOENT)`,
    )
  })

  test('throws for a text that is not a list of name=token, and does not repeat the text in the message', () => {
    expect(() => parseOperators(makeFlags(undefined, 'jane'))).toThrow(/^--admin-tokens: entry 1 is not name=token$/)
    expect(() => parseOperators(makeFlags(undefined, ' , '))).toThrow(
      '--admin-tokens: expected NAME=TOKEN, found no operator',
    )
  })
})
