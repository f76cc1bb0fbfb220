import type { DeviceStart, Minted, SessionStore, SignInAttempt, SignInCode, SignInResult } from '@tributary/core'
import { expect } from 'vitest'

/** A sessions store as its laws need it: two of it on one database, as two hosts have it. */
export interface SessionsPlace {
  readonly stores: readonly [SessionStore, SessionStore]
  close?(): Promise<void>
}

export const minute = 60_000
export const start = Date.UTC(2026, 10, 20, 12)
let made = 0
export const hash = (): string => (++made).toString(16).padStart(64, '0')
export const id = (): string => `00000000-0000-7000-8000-${(++made).toString(16).padStart(12, '0')}`
export const minted = (expiresAt = start + 60 * minute): Minted => ({ id: id(), hash: hash(), expiresAt })
export const address = (): string => `person-${++made}@example.com`
/** Calls at once. */
export const many = <T>(count: number, call: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)))

/** Somebody who signed in. */
export async function person(
  store: SessionStore,
  email = address(),
  session = minted(),
): Promise<{ id: string; email: string; session: Minted }> {
  const result = await verify(store, await mailedCode(store, email), { session })
  if (result.outcome !== 'signed_in') throw new Error(`signing in ended as ${result.outcome}`)
  return { id: result.user.id, email, session }
}

/** A code that waits for the guesses of whoever asked for it. */
export async function mailedCode(
  store: SessionStore,
  email = address(),
  more: Partial<SignInCode> = {},
): Promise<SignInCode> {
  const code = {
    challengeHash: hash(),
    codeHash: 'right',
    address: email,
    browserHash: null,
    createdAt: start,
    expiresAt: start + 10 * minute,
    ...more,
  }
  await store.createSignInCode(code)
  return code
}

/** Types a code, the right one unless told otherwise. */
export function verify(
  store: SessionStore,
  code: SignInCode,
  attempt: Partial<SignInAttempt> = {},
): Promise<SignInResult> {
  const { challengeHash, address: email, codeHash } = code
  return store.verifySignInCode({
    challengeHash,
    address: email,
    codeHashes: [codeHash],
    codeGuesses: 5,
    dailyGuesses: 20,
    userId: id(),
    session: minted(),
    label: '',
    replacedHash: null,
    now: start,
    ...attempt,
  })
}

/** A device login that waits. */
export async function login(store: SessionStore): Promise<DeviceStart> {
  const one = {
    deviceHash: hash(),
    userHash: hash(),
    machine: `machine ${made}`,
    createdAt: start,
    expiresAt: start + 15 * minute,
    interval: 5,
  }
  expect(await store.startDevice(one)).toBe(true)
  return one
}

/** A token that a machine of the owner's got by device login. */
export async function machine(store: SessionStore, owner: string, token = minted()): Promise<Minted> {
  const device = await login(store)
  await store.decideDevice(owner, device.userHash, 'approved', start)
  await store.pollDevice(device.deviceHash, token, start)
  return token
}

/** Somebody else with one of everything, and the proof that none of it was touched. */
export async function stranger(store: SessionStore): Promise<() => Promise<void>> {
  const { id: strange, email, session } = await person(store)
  const token = await machine(store, strange)
  const code = await mailedCode(store, email)
  const before = await store.export(strange)
  return async () => {
    expect(await store.export(strange)).toEqual(before)
    expect(await store.find(session.hash)).toMatchObject({ kind: 'session', user: { id: strange, email } })
    expect(await store.find(token.hash)).toMatchObject({ kind: 'token', user: { id: strange } })
    expect(await verify(store, code)).toEqual({ outcome: 'signed_in', user: { id: strange, email } })
  }
}
