import { generateSecret, isBuyerToken, isSecret } from '../../auth/rules.ts'
import { cookieName, readCookies, writeCookie, type PlainRequest } from '../../http/message.ts'
import { toHex } from '../../ids.ts'
import type { Digest, Random } from '../../ports.ts'
import type { Buyer, BuyerStore } from './store.ts'

interface FindBuyerDeps {
  readonly store: Pick<BuyerStore, 'findBuyer'>
  readonly digest: Digest
}

/** Returns the buyer of a token, or null. A text without the form of a token is refused without a query. */
export async function findBuyer(token: string, { store, digest }: FindBuyerDeps): Promise<Buyer | null> {
  return isBuyerToken(token) ? store.findBuyer({ tokenHash: toHex(digest(token)) }) : null
}

/** The time for which a session is valid, in seconds. */
const sessionSeconds = 12 * 60 * 60

/** The dependencies of buyers' sessions. */
export interface BuyerSessionDeps {
  readonly store: BuyerStore
  readonly digest: Digest
  readonly random: Random
  /** Whether cookies are sent over HTTPS only. */
  readonly secure: boolean
}

/** Returns the stored hash of the session that a browser sent, or null. */
function readSession(request: PlainRequest, deps: BuyerSessionDeps): string | null {
  const secret = readCookies(request.headers['cookie'])[cookieName(deps.secure, 'buyer')]
  return secret !== undefined && isSecret(secret) ? toHex(deps.digest(secret)) : null
}

/** Returns the buyer who signed in with this browser within the last 12 hours, or null. */
export async function signedInBuyer(request: PlainRequest, now: number, deps: BuyerSessionDeps): Promise<Buyer | null> {
  const hash = readSession(request, deps)
  return hash === null ? null : deps.store.findSession({ hash, now })
}

/**
 * Signs a browser in with a buyer's token. Returns the `set-cookie` value, or null for a wrong token. The cookie is
 * `SameSite=Strict`, so no other site can send requests with it.
 */
export async function startBuyerSession(token: string, now: number, deps: BuyerSessionDeps): Promise<string | null> {
  const { store, digest, random, secure } = deps
  if (!isBuyerToken(token)) return null
  const secret = generateSecret(random)
  const isStarted = await store.startSession({
    tokenHash: toHex(digest(token)),
    hash: toHex(digest(secret)),
    now,
    expiresAt: now + sessionSeconds * 1000,
  })
  if (!isStarted) return null
  return writeCookie(cookieName(secure, 'buyer'), secret, { maxAge: sessionSeconds, secure, sameSite: 'Strict' })
}

/** Signs a browser out. Returns the `set-cookie` value that removes the cookie. */
export async function endBuyerSession(request: PlainRequest, deps: BuyerSessionDeps): Promise<string> {
  const hash = readSession(request, deps)
  if (hash !== null) await deps.store.endSession({ hash })
  return writeCookie(cookieName(deps.secure, 'buyer'), '', { maxAge: 0, secure: deps.secure, sameSite: 'Strict' })
}
