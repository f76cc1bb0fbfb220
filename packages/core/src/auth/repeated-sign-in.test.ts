import { fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { storeKinds } from './stores.fixture.ts'

describe.each(storeKinds)('a second sign-in with the same address on %s', (_, open) => {
  test('returns the same user with another session, and keeps the first session', async () => {
    const made = fixture({ stores: await open() })
    const first = await made.signIn('jane@example.com')
    const second = await made.signIn('JANE@example.com')
    const other = await made.signIn('john@example.com')
    expect(second.userId).toBe(first.userId)
    expect(other.userId).not.toBe(first.userId)
    expect([second.token, second.cookie.cookie]).not.toEqual([first.token, first.cookie.cookie])
    for (const { bearer } of [first, second]) {
      const { status, json } = await made.ask('GET', '/api/cli/session', { headers: bearer })
      expect([status, json.userId]).toEqual([200, first.userId])
    }
  })
})
