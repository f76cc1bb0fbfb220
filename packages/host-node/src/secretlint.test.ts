import { describe, expect, test } from 'vitest'
import { secretlintVerifier, withFindings } from './secretlint.ts'

const token = `gh${'p_'}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8`
const verifier = await secretlintVerifier()
const verify = (...texts: string[]) => verifier.verify(texts, new AbortController().signal)

describe('secretlintVerifier', () => {
  test('returns the rules that found something in a message, without the found text', async () => {
    expect(await verify('hello', `use ${token}`, token)).toEqual(['github/GITHUB_TOKEN'])
    expect(await verify('x'.repeat(300_000), `use ${token}`)).toEqual(['github/GITHUB_TOKEN'])
  })

  test('returns nothing for empty and harmless texts', async () => {
    expect([await verify(), await verify('', ''), await verify('hello', 'git status')]).toEqual([[], [], []])
  })

  test('accepts a connection string only if its password is a placeholder', async () => {
    const makeConnectionString = (user: string, password: string): string =>
      `postgres://${user}:${password}@db.acme.io/main`
    expect(await verify(makeConnectionString('app', '[PASSWORD_12]'))).toEqual([])
    expect(await verify(makeConnectionString('[USER_1]', 'kiwi-9-Tango'))).toEqual([
      expect.stringContaining('PostgreSQL'),
    ])
  })

  test('rejects when its signal is aborted', async () => {
    await expect(verifier.verify(['hello'], AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late')
  })

  test('has the version of the installed preset', () => {
    expect(verifier.version).toMatch(/^secretlint-\d+\.\d+\.\d+$/)
  })
})

test('withFindings reports each trace with findings', async () => {
  const reported: (readonly string[])[] = []
  const counted = withFindings(verifier, (rules) => reported.push(rules))
  for (const text of [token, 'hello']) await counted.verify([text], new AbortController().signal)
  expect([reported, counted.version]).toEqual([[['github/GITHUB_TOKEN']], verifier.version])
})
