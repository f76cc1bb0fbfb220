import { secretlintVerifier as nodeVerifier } from '@tributary/host-node'
import { describe, expect, test } from 'vitest'
import { verifierFrom } from './secretlint.ts'

describe('verifierFrom', () => {
  test('returns the same verifier as the Node host, with the same version', async () => {
    const { verifier } = await verifierFrom('secretlint')
    const texts = [`use gh${'p_'}A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8`]
    expect(await verifier!.verify(texts, new AbortController().signal)).toEqual(['github/GITHUB_TOKEN'])
    expect(verifier!.version).toBe((await nodeVerifier()).version)
  })

  test('returns no verifier for off and for an empty value, and throws for an unknown value', async () => {
    for (const value of [undefined, '', 'off']) expect(await verifierFrom(value)).toEqual({})
    await expect(verifierFrom('on')).rejects.toThrow('VERIFIER must be secretlint or off, not on')
  })
})
