import { cookieName, readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import { dropOldest } from '../lists.ts'
import type { User } from '../http/route.ts'
import type { ReportSecurity } from '../http/security-events.ts'
import { isSafeMethod, type Authenticator } from '../http/authenticate.ts'
import { toHex } from '../ids.ts'
import type { Digest, Identity, Logger } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { classifyBearer, isSecret, renewedExpiry } from './rules.ts'
import type { AuthStore, Credential, StoredUser } from './store.ts'

export interface AuthenticatorOptions {
  readonly store: AuthStore
  readonly digest: Digest
  readonly logger: Logger
  readonly identity: Identity | null
  readonly secure: boolean
  readonly operator: Authenticator['operator']
  readonly buyer: Authenticator['buyer']
}

/** Authenticates requests, with a cache. A credential is dropped from the cache when it is revoked on this host. */
export interface CachingAuthenticator extends Authenticator {
  /** Drops a revoked credential. */
  forgetCredential(hash: string): void
  /** Drops an erased user. */
  forgetUser(id: string): void
}

/**
 * `holder` is the user of the credential. `isRenewed` is true if the service has tried to store a use since the
 * credential was read.
 */
type CachedCredential = Credential & { readonly holder: User; readonly isRenewed: boolean }

/**
 * The time for which a cached answer of the store serves requests that only read, in milliseconds. After this time a
 * token that was revoked on another host is refused here too. Requests that change something query the store each time.
 */
const cacheMs = 5000
const maxCacheEntries = 10_000

/**
 * Returns the authenticator. If there is a bearer token, only this token counts: a token of this service is looked up
 * by its hash (after its checksum, so that a mistyped token costs no query); any other token is passed to the app's own
 * sign-in, without cookies. If there is no bearer token, the session cookie counts, and if the cookie is not valid, the
 * app's own sign-in.
 */
export function createAuthenticator({
  store,
  digest,
  logger,
  identity,
  secure,
  operator,
  buyer,
}: AuthenticatorOptions): CachingAuthenticator {
  const credentials = new ExpiringCache<CachedCredential>()
  const users = new ExpiringCache<StoredUser & { readonly identityEmail: string | null }>()
  const sessionCookie = cookieName(secure)

  function userOfCredential(
    secret: string,
    kind: Credential['kind'],
    request: PlainRequest,
    now: number,
    report: ReportSecurity,
  ): User | null | Promise<User | null> {
    const hash = toHex(digest(secret))
    const cached = isSafeMethod(request.method) ? credentials.get(hash, now) : undefined
    if (cached) return useCredential(secret, hash, cached, now)
    return findCredential(hash, kind, now, report).then((found) => found && useCredential(secret, hash, found, now))
  }

  /** Reads a credential from the store. */
  async function findCredential(
    hash: string,
    kind: Credential['kind'],
    now: number,
    report: ReportSecurity,
  ): Promise<CachedCredential | null> {
    const { generation } = credentials
    const stored = await store.findCredential({ hash })
    if (!stored || stored.kind !== kind) {
      if (credentials.get(hash, now)) credentials.delete(hash)
      if (!stored) await reportRevoked(hash, now, report)
      return null
    }
    const { user, createdAt } = stored
    const holder: User =
      kind === 'token'
        ? { ...user, via: 'token', credential: hash, signedInAt: null }
        : { ...user, via: 'cookie', credential: hash, signedInAt: createdAt }
    const credential = { ...stored, holder, isRenewed: credentials.get(hash, now)?.isRenewed ?? false }
    credentials.set(hash, credential, now, generation)
    return credential
  }

  /** Returns the user of a credential that has not expired. Stores the use from time to time. */
  function useCredential(
    secret: string,
    hash: string,
    credential: CachedCredential,
    now: number,
  ): User | null | Promise<User> {
    if (credential.expiresAt <= now) return null
    const expiresAt = credential.isRenewed ? null : renewedExpiry(credential, now)
    return expiresAt === null ? credential.holder : storeUse(secret, hash, credential, expiresAt, now)
  }

  async function storeUse(
    secret: string,
    hash: string,
    credential: CachedCredential,
    expiresAt: number,
    now: number,
  ): Promise<User> {
    const { kind, holder } = credential
    const isStored = await renew(hash, credential, expiresAt, now)
    if (!isStored || kind === 'token' || expiresAt === credential.expiresAt) return holder
    const maxAge = Math.ceil((expiresAt - now) / 1000)
    return { ...holder, renewed: writeCookie(sessionCookie, secret, { maxAge, secure }) }
  }

  /** Reports the use of a revoked credential. The reply is the same as for an unknown credential. */
  async function reportRevoked(hash: string, now: number, report: ReportSecurity): Promise<void> {
    const revoked = await store.findRevokedCredential({ hash, now })
    if (revoked) report('auth.token.revoked_used', revoked.userId)
  }

  /**
   * Stores a use. A store that cannot write must not stop reads: the credential stays valid, and a later use tries
   * again.
   */
  async function renew(hash: string, credential: CachedCredential, expiresAt: number, now: number): Promise<boolean> {
    credentials.update(hash, { ...credential, isRenewed: true })
    try {
      await store.renewCredential({ hash, now, expiresAt })
    } catch (error) {
      if (!Unavailable.is(error)) throw error
      logger.warn({ err: error }, 'auth.credential.renewal_failed')
      return false
    }
    credentials.update(hash, { ...credential, isRenewed: true, expiresAt })
    return true
  }

  async function userOfIdentity(request: PlainRequest, bearer: string | null, now: number): Promise<User | null> {
    if (!identity) return null
    const { cookie, ...others } = request.headers
    const headers = bearer === null ? request.headers : others
    const identified = await identity({ method: request.method, path: request.path, headers, address: request.address })
    if (!identified) return null
    const { id } = identified
    const idType = typeof id
    if (idType !== 'string' || id === '' || id.length > 128)
      throw new Error(
        `identity: id must be a text of 1 to 128 characters, not ${idType === 'string' ? id.length : idType}`,
      )
    const identityEmail = identified.email ? identified.email.trim().toLowerCase() : null
    let user = users.get(id, now)
    if (!user || user.identityEmail !== identityEmail) {
      const { generation } = users
      let stored = await store.findUser({ id })
      if (!stored || stored.email !== identityEmail) {
        await store.upsertUser({ id, email: identityEmail, now })
        stored = await store.findUser({ id })
      }
      user = { id, email: stored?.email ?? null, identityEmail }
      users.set(id, user, now, generation)
    }
    const { email } = user
    if (bearer !== null) return { id, email, via: 'token', credential: null, signedInAt: null }
    return { id, email, via: 'cookie', credential: null, signedInAt: identified.signedInAt ?? null }
  }

  async function userOfCookie(request: PlainRequest, now: number, report: ReportSecurity): Promise<User | null> {
    const secret = readCookies(request.headers['cookie'])[sessionCookie]
    const user =
      secret !== undefined && isSecret(secret) ? await userOfCredential(secret, 'session', request, now, report) : null
    return user ?? userOfIdentity(request, null, now)
  }

  return {
    operator,
    buyer,
    person(request, bearer, now, report) {
      if (bearer === null) return userOfCookie(request, now, report)
      const kind = classifyBearer(bearer)
      if (kind === 'token') return userOfCredential(bearer, 'token', request, now, report)
      return kind === 'malformed' ? null : userOfIdentity(request, bearer, now)
    },
    forgetCredential: (hash) => credentials.delete(hash),
    forgetUser(id) {
      users.delete(id)
      credentials.deleteWhere((credential) => credential.user.id === id)
    },
  }
}

/** A bounded map whose entries expire after `cacheMs`. When the map is full, the oldest entry is dropped. */
class ExpiringCache<Value> {
  /** Counts deletions. A value that was read from the store before a deletion may be outdated, and is not cached. */
  // No test can notice a change of `0`: only changes of the generation are compared.
  generation = 0
  readonly #entries = new Map<string, { value: Value; readonly cachedAt: number }>()

  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry && now >= entry.cachedAt && now - entry.cachedAt < cacheMs) return entry.value
    return undefined
  }

  set(key: string, value: Value, now: number, generation: number): void {
    if (generation !== this.generation) return
    this.#entries.delete(key)
    this.#entries.set(key, { value, cachedAt: now })
    dropOldest(this.#entries, maxCacheEntries)
  }

  /** Changes a cached value without extending its lifetime. */
  update(key: string, value: Value): void {
    const entry = this.#entries.get(key)
    if (entry) entry.value = value
  }

  delete(key: string): void {
    this.generation++
    this.#entries.delete(key)
  }

  deleteWhere(matches: (value: Value) => boolean): void {
    this.generation++
    for (const [key, { value }] of this.#entries) if (matches(value)) this.#entries.delete(key)
  }
}
