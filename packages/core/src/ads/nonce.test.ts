import { createTestStores, seededRandom } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { uuid7 } from '../ids.ts'
import { decodeServeCode, encodeServeCode, secretLifetimeMs, createSigner, type SignerOptions } from './nonce.ts'

const day = 24 * 60 * 60 * 1000
const now = Date.UTC(2026, 10, 20, 23, 59)
const random = seededRandom(3)
const id = uuid7(now, random)
const createStore = () => createTestStores().ads
const createOwnSigner = (secrets: readonly string[]) =>
  createSigner({ configured: secrets, rotateSecrets: createStore().rotateSecrets, random })
const old = 'x'.repeat(16)
const fresh = 'y'.repeat(16)

test('encodeServeCode and decodeServeCode convert an id to 22 characters and back', () => {
  for (let n = 0; n < 500; n++) {
    const each = uuid7(n * 1e9, random)
    expect(encodeServeCode(each)).toMatch(/^[\w-]{22}$/)
    expect(decodeServeCode(encodeServeCode(each))).toBe(each)
  }
  for (const code of [
    '',
    'A'.repeat(21),
    'A'.repeat(23),
    `${'A'.repeat(21)}B`,
    `${'A'.repeat(21)}/`,
    `${'é'.repeat(22)}`,
  ])
    expect(decodeServeCode(code)).toBeNull()
})

describe('createSigner', () => {
  test('accepts a signature only for its kind, and rejects it when one character is changed', async () => {
    const one = createOwnSigner([old])
    const { nonce, token } = await one.sign(id, now)
    expect(await one.verify(nonce, 'nonce', now)).toBe(id)
    expect(await one.verify(token, 'token', now)).toBe(id)
    expect([await one.verify(nonce, 'token', now), await one.verify(token, 'nonce', now)]).toEqual([null, null])
    for (const none of ['', 'x', nonce.slice(1)]) expect(await one.verify(none, 'nonce', now)).toBeNull()
    for (let at = 0; at < nonce.length; at++) {
      const other = nonce[at] === 'A' ? 'B' : 'A'
      expect(await one.verify(nonce.slice(0, at) + other + nonce.slice(at + 1), 'nonce', now), `at ${at}`).toBeNull()
    }
  })

  test('verifies a signature for the seven days for which its serve is kept, and with a clock that is two days off', async () => {
    const one = createOwnSigner([old])
    const { token } = await one.sign(id, now)
    for (const later of [60_000, day, -day]) expect(await one.verify(token, 'token', now + later)).toBe(id)
    for (const later of [7 * day, -2 * day]) expect(await one.verify(token, 'token', now + later)).toBe(id)
    for (const later of [8 * day, -3 * day]) expect(await one.verify(token, 'token', now + later)).toBeNull()
    expect((await one.sign(id, now + day)).token).not.toBe(token)
  })

  test('reads the secrets of the store again when they are older than a day', async () => {
    const { rotateSecrets } = createStore()
    const reads: number[] = []
    const signer = createSigner({
      configured: [],
      rotateSecrets: (params) => (reads.push(params.now), rotateSecrets(params)),
      random,
    })
    for (const later of [0, day, day + 1]) await signer.sign(id, now + later)
    expect(reads).toEqual([now, now + day + 1])
  })

  test('verifies a signature that was made with an old secret as long as the secret is configured', async () => {
    const { nonce } = await createOwnSigner([old]).sign(id, now)
    expect(await createOwnSigner([fresh, old]).verify(nonce, 'nonce', now)).toBe(id)
    expect((await createOwnSigner([fresh, old]).sign(id, now)).nonce).toBe(
      (await createOwnSigner([fresh]).sign(id, now)).nonce,
    )
    expect(await createOwnSigner([fresh]).verify(nonce, 'nonce', now)).toBeNull()
  })

  test('verifies a signature on another host, after a restart and after a change of the stored secret', async () => {
    const { rotateSecrets: secrets } = createStore()
    const createHostSigner = () => createSigner({ configured: [], rotateSecrets: secrets, random })
    const one = createHostSigner()
    const { nonce } = await one.sign(id, now)
    const two = createHostSigner()
    expect(await two.verify(nonce, 'nonce', now)).toBe(id)
    // A third host replaces the secret. The first host has not noticed yet, but the signatures of both hosts are valid.
    const later = now + secretLifetimeMs
    const before = await one.sign(id, later - 1)
    const three = createHostSigner()
    const replaced = await three.sign(id, later)
    expect(replaced.nonce).not.toBe(before.nonce)
    expect(await three.verify(before.nonce, 'nonce', later)).toBe(id)
    expect(await two.verify(replaced.nonce, 'nonce', later)).toBe(id)
  })

  test('reloads secrets for an unknown signature at most once in five seconds', async () => {
    let looks = 0
    const { rotateSecrets: secrets } = createStore()
    const one = createSigner({ configured: [], random, rotateSecrets: (params) => (looks++, secrets(params)) })
    const { nonce } = await createOwnSigner([old]).sign(id, now)
    for (let n = 0; n < 50; n++) expect(await one.verify(nonce, 'nonce', now + n)).toBeNull()
    expect(looks).toBe(1)
    await one.verify(nonce, 'nonce', now + 4999)
    expect(looks).toBe(1)
    await one.verify(nonce, 'nonce', now + 5000)
    expect(looks).toBe(2)
  })

  test('asks the store for a secret of 256 bits after seven days, and never if a secret is configured', async () => {
    const asked: object[] = []
    const rotateSecrets: SignerOptions['rotateSecrets'] = async (params) => {
      asked.push(params)
      return [params.fresh]
    }
    const configured = createSigner({ configured: [old], rotateSecrets, random })
    await configured.sign(id, now)
    expect(await configured.verify((await createOwnSigner([fresh]).sign(id, now)).nonce, 'nonce', now)).toBeNull()
    expect(asked).toEqual([])
    await createSigner({ configured: [], rotateSecrets, random }).sign(id, now)
    expect(asked).toEqual([{ fresh: expect.stringMatching(/^[0-9a-f]{64}$/), now, since: now - 604_800_000 }])
  })
})
