import { describe, expect, test } from 'vitest'
import { createHmacCode } from '../auth/hmac.ts'
import { lazy } from '../lazy.ts'
import { browserSession, createFlashes } from './flash.ts'
import { buildRequest } from './fixture.ts'

const open = (...secrets: string[]) =>
  createFlashes({ hmacCode: createHmacCode({ secrets, storedSecret: lazy(async () => '') }), secure: false })
const place = { path: '/account', session: 'mine', now: 1_795_000_000_000 }
const flash = { done: 'revoked', counts: [1, 0], about: 'Ann’s laptop; 100 %' }
const write = async (flashes = open('first secret')) => {
  const cookie = (await flashes.write(flash, place)).split(';', 1)[0]!
  return { cookie, request: buildRequest('GET', '/account', { headers: { cookie: `a=b; ${cookie}` } }) }
}

describe('read', () => {
  test('returns a written flash for one minute', async () => {
    const { request } = await write()
    const read = (now: number) => open('first secret').read(request, { ...place, now })
    expect(await read(place.now + 59_999)).toEqual(flash)
    expect(await read(place.now + 60_000)).toBeNull()
  })

  test('accepts a flash that was signed before the secret was rotated, and none that was signed with another secret', async () => {
    const { request } = await write()
    expect(await open('new secret', 'first secret').read(request, place)).toEqual(flash)
    expect(await open('new secret').read(request, place)).toBeNull()
  })

  test.each([
    ['another page', { path: '/traces' }],
    ['another session', { session: 'theirs' }],
  ])('returns null for %s', async (_, other) => {
    const { request } = await write()
    expect(await open('first secret').read(request, { ...place, ...other })).toBeNull()
  })

  test('returns null for a changed text, a changed signature and a malformed cookie', async () => {
    const { cookie } = await write()
    const [, signature, text] = /=([^.]+)\.(.+)$/.exec(cookie)!
    for (const value of ['', '%', signature, `${signature}.`, `${signature}.${text}1`, `${'0'.repeat(64)}.${text}`]) {
      const request = buildRequest('GET', '/account', { headers: { cookie: `tributary_flash=${value}` } })
      expect([value, await open('first secret').read(request, place)]).toEqual([value, null])
    }
  })
})

describe('browserSession', () => {
  const read = (cookie: string, ...set: string[]) =>
    browserSession(buildRequest('GET', '/', { headers: { cookie } }), {
      secure: false,
      appUserId: null,
      reply: set.map((line) => ['set-cookie', line] as const),
    })

  test('returns the same text for a reply that starts or ends a session as for the next request', () => {
    const [signedOut, signedIn] = [read('a=b'), read('tributary_session=s; a=c')]
    expect(signedOut).not.toBe(signedIn)
    expect(read('a=b', 'tributary_session=s; Path=/')).toBe(signedIn)
    expect(read('tributary_session=s', 'tributary_session=; Path=/; Max-Age=0')).toBe(signedOut)
    expect(read('tributary_operator=s')).not.toBe(signedIn)
  })

  test('differs between people whom an embedding app identified', () => {
    const of = (appUserId: string) => browserSession(buildRequest('GET', '/'), { secure: true, appUserId })
    expect(of('ann')).not.toBe(of('bob'))
  })
})
