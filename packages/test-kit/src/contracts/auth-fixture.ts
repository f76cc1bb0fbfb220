import type {
  AuthStore,
  DeviceDecision,
  NewCredential,
  SignInCode,
  StartDeviceAuthorizationParams,
  VerifySignInCodeParams,
  VerifySignInCodeResult,
} from '@tributary/core/stores'
import { expect } from 'vitest'

/** Two auth stores on one database, as two hosts have them. */
export interface AuthPlace {
  readonly stores: readonly [AuthStore, AuthStore]
  close?(): Promise<void>
}

export const minute = 60_000
export const start = Date.UTC(2026, 10, 20, 12)
let count = 0
export const makeHash = (): string => (++count).toString(16).padStart(64, '0')
export const makeId = (): string => `00000000-0000-7000-8000-${(++count).toString(16).padStart(12, '0')}`
export const makeAddress = (): string => `person-${++count}@example.com`
export const makeCredential = (expiresAt = start + 60 * minute): NewCredential => ({
  id: makeId(),
  hash: makeHash(),
  expiresAt,
})

/** Makes a token. Its id is the id of its device authorization. */
export const makeToken = (expiresAt = start + 60 * minute): Omit<NewCredential, 'id'> => ({
  hash: makeHash(),
  expiresAt,
})

/** Makes `length` concurrent calls. */
export const runConcurrently = <T>(length: number, call: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length }, (_, index) => call(index)))

/** Signs a user in. */
export async function signIn(
  store: AuthStore,
  email = makeAddress(),
  session = makeCredential(),
): Promise<{ id: string; email: string; session: NewCredential }> {
  const result = await enterCode(store, await createCode(store, email), { session })
  if (result.outcome !== 'signed_in') throw new Error(`sign-in ended with ${result.outcome}`)
  return { id: result.user.id, email, session }
}

/** Stores a sign-in code. */
export async function createCode(
  store: AuthStore,
  email = makeAddress(),
  overrides: Partial<SignInCode> = {},
): Promise<SignInCode> {
  const code = {
    challengeHash: makeHash(),
    codeHash: 'right',
    address: email,
    createdAt: start,
    expiresAt: start + 10 * minute,
    ...overrides,
  }
  await store.createSignInCode(code)
  return code
}

/** Enters a sign-in code. The code is right unless `overrides` contains another code. */
export function enterCode(
  store: AuthStore,
  { challengeHash, address, codeHash }: SignInCode,
  overrides: Partial<VerifySignInCodeParams> = {},
): Promise<VerifySignInCodeResult> {
  return store.verifySignInCode({
    challengeHash,
    address,
    codeHashes: [codeHash],
    codeGuesses: 5,
    userId: makeId(),
    session: makeCredential(),
    label: '',
    replacedHash: null,
    now: start,
    ...overrides,
  })
}

/** Starts a device authorization. */
export async function startDevice(store: AuthStore): Promise<StartDeviceAuthorizationParams> {
  const authorization = {
    id: makeId(),
    deviceCodeHash: makeHash(),
    userCodeHash: makeHash(),
    machine: `machine ${count}`,
    createdAt: start,
    expiresAt: start + 15 * minute,
    interval: 5,
  }
  expect(await store.startDeviceAuthorization(authorization)).toBe(true)
  return authorization
}

/** Approves a device authorization. */
export const approve = (
  store: AuthStore,
  ownerId: string,
  userCodeHash: string,
  { now = start, sessionHash = null }: { readonly now?: number; readonly sessionHash?: string | null } = {},
): Promise<DeviceDecision> =>
  store.decideDeviceAuthorization({ ownerId, sessionHash, userCodeHash, decision: 'approved', now })

/** Issues a token to a machine of the owner by a device authorization. */
export async function issueToken(store: AuthStore, ownerId: string, token = makeToken()): Promise<NewCredential> {
  const { id, userCodeHash, deviceCodeHash } = await startDevice(store)
  await approve(store, ownerId, userCodeHash)
  await store.pollDeviceToken({ deviceCodeHash, token, now: start })
  return { ...token, id }
}

/**
 * Creates another user with a session, a token and a code. Returns a function that checks that all of them are
 * unchanged.
 */
export async function createOtherUser(store: AuthStore): Promise<() => Promise<void>> {
  const { id: ownerId, email, session } = await signIn(store)
  const token = await issueToken(store, ownerId)
  const code = await createCode(store, email)
  const before = await store.export({ ownerId })
  return async () => {
    expect(await store.export({ ownerId })).toEqual(before)
    expect(await store.findCredential(session)).toMatchObject({ kind: 'session', user: { id: ownerId, email } })
    expect(await store.findCredential(token)).toMatchObject({ kind: 'token', user: { id: ownerId } })
    expect(await enterCode(store, code)).toEqual({ outcome: 'signed_in', user: { id: ownerId, email } })
  }
}
