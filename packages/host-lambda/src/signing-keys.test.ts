import { createHash, generateKeyPairSync } from 'node:crypto'
import { createTestStores, fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { readSigningKeys } from './index.ts'

const makeKey = () => {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url')
  return { kid, publicKey: Buffer.from(x!, 'base64url').toString('base64') }
}

describe('readSigningKeys', () => {
  test('reads keys with the dates of their first and last use, and the service lists the newest key first', async () => {
    const [newer, older] = [makeKey(), makeKey()]
    const signingKeys = readSigningKeys(`${newer.publicKey}, ${older.publicKey}@2026-01-01/2026-11-01`)
    const { ask } = fixture({ stores: createTestStores(), signingKeys })
    expect((await ask('GET', '/.well-known/tributary-keys.json')).json).toEqual({
      keys: [
        { ...newer, from: null, until: null },
        { ...older, from: '2026-01-01T00:00:00.000Z', until: '2026-11-01T00:00:00.000Z' },
      ],
    })
  })

  test('returns no keys without a text, and throws for a text that is not a public key, without repeating the text', () => {
    expect([readSigningKeys(undefined), readSigningKeys('')]).toEqual([[], []])
    expect(() => readSigningKeys(`${makeKey().publicKey},a-secret`)).toThrow(
      /^signing keys: key 2 is not a public Ed25519/,
    )
  })
})
