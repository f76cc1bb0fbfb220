import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { estimatedBits, operatorsOf, refuseWeakTokens } from './operators.ts'

const strong = '9f3c1e7ab2d84c60517e'
const given = (adminToken?: string, adminTokens?: string) => ({
  'admin-token': adminToken,
  'admin-tokens': adminTokens,
})

describe('refuseWeakTokens', () => {
  test('accepts random tokens of 20 characters or more', () => {
    for (let n = 0; n < 500; n++) {
      expect(() =>
        refuseWeakTokens(given(randomBytes(12).toString('hex'), `jane=${randomBytes(16).toString('base64url')}`)),
      ).not.toThrow()
    }
    expect(() => refuseWeakTokens(given())).not.toThrow()
  })

  test.each([
    [
      given(strong.slice(0, 19)),
      '--admin-token has 19 characters and needs 20 or more. Make one with: openssl rand -hex 24',
    ],
    [given('a'.repeat(40)), '--admin-token can be guessed'],
    [given('operator-'.repeat(3)), '--admin-token can be guessed'],
    [given('abcdefghijklmnopqrstuvwxyz'), '--admin-token can be guessed'],
    [given('12345678901234567890'), '--admin-token can be guessed'],
    [given(strong, 'jane=short'), '--admin-tokens: the token of jane has 5 characters'],
    [given(strong, `jane=${'password'.repeat(4)}`), '--admin-tokens: the token of jane can be guessed'],
  ])('refuses %j with what to do', (values, message) => {
    expect(() => refuseWeakTokens(values)).toThrow(message)
    expect(() => refuseWeakTokens(values)).toThrow('openssl rand -hex 24')
  })

  test('estimates nothing for no characters', () => {
    expect(estimatedBits('')).toBe(0)
  })
})

describe('operatorsOf', () => {
  test('reads named tokens from the flag and from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-operators-'))
    const path = join(folder, 'tokens')
    writeFileSync(path, `# ours\njane=${strong}\n`)
    const adminTokens = [{ name: 'jane', token: strong }]
    expect(operatorsOf(given('one', `jane=${strong}`))).toEqual({ adminToken: 'one', adminTokens })
    expect(operatorsOf(given(undefined, `file:${path}`))).toEqual({ adminTokens })
    rmSync(folder, { recursive: true })
    expect(() => operatorsOf(given(undefined, `file:${path}`))).toThrow(`--admin-tokens: cannot read ${path} (ENOENT)`)
  })

  test('refuses text without a pair, and does not repeat it', () => {
    expect(() => operatorsOf(given(undefined, 'jane'))).toThrow(/^--admin-tokens: entry 1 is not name=token$/)
    expect(() => operatorsOf(given(undefined, ' , '))).toThrow('--admin-tokens names nobody')
  })
})
