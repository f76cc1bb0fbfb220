import { createTestStores, makeAuditContext, seededRandom } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { buildRequest } from '../http/fixture.ts'
import { createOperatorSession, operatorTokens, readAdminTokens, type OperatorToken } from './operator.ts'

const token = 'an-obviously-fake-admin-token'
const jane = { name: 'jane', token: 'another-obviously-fake-admin-token' }
const operator = { name: 'operator', token }
const hours12 = 12 * 60 * 60 * 1000
const now = 1_700_000_000_000
const withCookie = (line: string) => buildRequest('GET', '/admin', { headers: { cookie: line.split(';', 1)[0]! } })

const by = { ...makeAuditContext(now, { actor: 'operator' }), now }
const random = seededRandom()
const createSession = (operators: readonly OperatorToken[], store = createTestStores().auth, secure = false) =>
  createOperatorSession({ operators, store, random, secure })

describe('check', () => {
  test('returns the operator whose token equals the bearer', () => {
    const { check } = createSession([operator, jane])
    expect([token, jane.token].map(check)).toEqual([
      { name: 'operator', role: 'operator' },
      { name: 'jane', role: 'operator' },
    ])
    expect([`${token}x`, token.slice(1), '', null].map(check)).toEqual(['no', 'no', 'no', 'no'])
  })

  test('returns off when no operator token is configured', async () => {
    const nobody = createSession([])
    expect([nobody.check(token), nobody.check(null), await nobody.signedIn(withCookie('a=b'), now)]).toEqual([
      'off',
      'off',
      'off',
    ])
  })
})

describe('operator session', () => {
  test('is valid until a millisecond before twelve hours, on every host', async () => {
    const store = createTestStores().auth
    const one = createSession([operator, jane], store, true)
    const line = await one.start(makeAuditContext(now))
    expect(line).toMatch(
      /^__Host-tributary_operator=[0-9A-Za-z]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    )
    const other = createSession([jane, operator], store, true)
    for (const host of [one, other]) {
      const readSession = (at: number) => host.signedIn(withCookie(line), at)
      expect([
        await readSession(now),
        await readSession(now + hours12 - 1),
        await readSession(now + hours12),
      ]).toMatchObject([{ name: 'jane', role: 'operator' }, { name: 'jane', role: 'operator' }, 'no'])
    }
    expect(await createSession([operator, jane], store, false).signedIn(withCookie(line), now)).toBe('no')
  })

  test('ends at sign-out, so that a copied cookie is refused', async () => {
    const store = createTestStores().auth
    const session = createSession([operator], store)
    const again = { ...makeAuditContext(now, { actor: 'operator' }), now }
    const [line, stays] = [await session.start(by), await session.start(again)]
    expect(await session.end(withCookie(line), by)).toMatch(/^tributary_operator=; Path=\/; Max-Age=0/)
    expect([
      await session.signedIn(withCookie(line), now),
      await createSession([operator], store).signedIn(withCookie(stays), now),
    ]).toMatchObject(['no', { name: 'operator', role: 'operator' }])
    expect(await session.end(withCookie('tributary_operator=junk'), by)).toMatch(/Max-Age=0/)
  })

  // promise: browser-stays-signed-hours
  test("ends when the operator's token is changed or removed from the configuration", async () => {
    const store = createTestStores().auth
    const line = await createSession([operator, jane], store).start(makeAuditContext(now))
    expect(await createSession([operator], store).signedIn(withCookie(line), now)).toBe('no')
    expect(
      await createSession([operator, { ...jane, token: `${jane.token}2` }], store).signedIn(withCookie(line), now),
    ).toBe('no')
    expect(await createSession([jane], store).signedIn(withCookie(line), now)).toMatchObject({
      name: 'jane',
      role: 'operator',
    })
  })

  test("ends when its operator is renamed, because passkeys belong to the operator's name", async () => {
    const store = createTestStores().auth
    const line = await createSession([operator, jane], store).start(makeAuditContext(now))
    const renamed = createSession([{ ...jane, name: 'jane2' }], store)
    expect(await renamed.signedIn(withCookie(line), now)).toBe('no')
    expect(await renamed.awaitsPasskey(withCookie(line), now)).toBeNull()
  })

  test('is not found for an unknown cookie', async () => {
    const session = createSession([operator])
    await session.start(by)
    for (const value of ['', 'x', 'a'.repeat(43), `${now + hours12}.${'0'.repeat(64)}`]) {
      expect(await session.signedIn(withCookie(`tributary_operator=${value}`), now)).toBe('no')
    }
    const unused = () => Promise.reject(new Error('the store was asked'))
    const findsNothing = createSession([operator], { ...createTestStores().auth, findOperatorSession: unused })
    for (const cookie of ['', 'tributary_operator=x'])
      expect(await findsNothing.signedIn(withCookie(cookie), now)).toBe('no')
  })
})

describe('operatorTokens', () => {
  test('returns adminToken as the operator named operator, then adminTokens', () => {
    expect(operatorTokens({ adminToken: token, adminTokens: [jane] })).toEqual([operator, jane])
    expect(operatorTokens({})).toEqual([])
  })

  test.each([
    [{ adminToken: '' }, 'adminToken is empty'],
    [{ adminTokens: [{ name: '', token }] }, 'is not a name'],
    [{ adminTokens: [{ name: 'a b', token }] }, '"a b" is not a name'],
    [{ adminTokens: [{ name: 'x'.repeat(65), token }] }, 'is not a name'],
    [{ adminTokens: [{ name: 'a', token: '' }] }, 'the token of a is empty'],
    [{ adminTokens: [{ name: 'a', token, role: 'owner' as 'viewer' }] }, 'the role of a is neither'],
    [
      { adminToken: 'x', adminTokens: [operator] },
      'adminTokens: the name operator occurs twice: it is also the name of adminToken',
    ],
    [{ adminToken: 'x', adminTokens: [jane, { ...jane, token }] }, /^adminTokens: the name jane occurs twice$/],
    [{ adminToken: token, adminTokens: [{ name: 'a', token }] }, 'two operators have the same token'],
  ])('refuses %j', (options, message) => {
    expect(() => operatorTokens(options)).toThrow(message)
  })
})

describe('readAdminTokens', () => {
  test('parses pairs separated by commas or lines, without comments', () => {
    expect(readAdminTokens('a=1, b=2=2\n# c=3\n\nd=4\r\n')).toEqual([
      { name: 'a', token: '1' },
      { name: 'b', token: '2=2' },
      { name: 'd', token: '4' },
    ])
    expect(readAdminTokens('')).toEqual([])
    expect(readAdminTokens('a:viewer=1,b:operator=2')).toEqual([
      { name: 'a', token: '1', role: 'viewer' },
      { name: 'b', token: '2', role: 'operator' },
    ])
  })

  test('throws an error with the number of the malformed entry, but without the text of the entry', () => {
    for (const text of ['a=1,secret', 'a=1,b=', 'a=1,b:owner=2', 'a=1,=c', 'a=1,b c=d']) {
      expect(() => readAdminTokens(text)).toThrow(/^adminTokens: entry 2 is not name=token$/)
    }
  })
})
