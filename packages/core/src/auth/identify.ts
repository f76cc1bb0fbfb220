import { cookieName, readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import type { User } from '../http/route.ts'
import type { ReportSecurity } from '../http/security-events.ts'
import { isSafeMethod, type Authenticator } from '../http/authenticate.ts'
import { toHex } from '../ids.ts'
import type { Digest, Identity, Logger } from '../ports.ts'
import { Unavailable } from '../unavailable.ts'
import { bearerKind, extended, isSecret } from './rules.ts'
import type { Account, Credential, SessionStore } from './store.ts'

export interface IdentificationOptions {
  readonly store: SessionStore
  readonly digest: Digest
  readonly logger: Logger
  readonly identity: Identity | null
  readonly secure: boolean
  readonly operator: Authenticator['operator']
}

/** Tells who asks, and forgets at once what was ended on this host. */
export interface Identification extends Authenticator {
  /** After a credential was ended. */
  forget(hash: string): void
  /** After a person was erased. */
  forgetPerson(id: string): void
}

/** `settled`: its use was written down, or tried, since it was read. */
type Cached = Credential & { readonly settled: boolean }

/**
 * How long an answer of the store counts for requests that only read: a token that was ended on another host is refused here
 * within this time. Requests that change something ask the store each time.
 */
const keptMs = 5000
const keptEntries = 10_000

/**
 * The `Who` of decisions section 3. A bearer decides alone: one that looks like ours is looked up by its hash (after its
 * checksum, so that a mistyped one costs no query); any other goes to the app's own sign-in, which then sees no cookie.
 * Without a bearer our session cookie counts, and if it names nobody, the app's own sign-in is asked.
 */
export function createIdentification({
  store,
  digest,
  logger,
  identity,
  secure,
  operator,
}: IdentificationOptions): Identification {
  const credentials = new Remembered<Cached>()
  const people = new Remembered<Account & { offered: string | null }>()
  const name = cookieName(secure)

  async function held(
    secret: string,
    kind: Credential['kind'],
    request: PlainRequest,
    now: number,
    report: ReportSecurity,
  ): Promise<User | null> {
    const hash = toHex(digest(secret))
    let found = isSafeMethod(request.method) ? credentials.get(hash, now) : undefined
    if (!found) {
      const { generation } = credentials
      const stored = await store.find(hash)
      if (!stored || stored.kind !== kind) {
        if (credentials.get(hash, now)) credentials.drop(hash)
        if (!stored) await reportEnded(hash, now, report)
        return null
      }
      found = { ...stored, settled: credentials.get(hash, now)?.settled ?? false }
      credentials.set(hash, found, now, generation)
    }
    if (found.expiresAt <= now) return null
    const {
      user: { id, email },
      createdAt,
    } = found
    const known =
      kind === 'token'
        ? { id, email, via: 'token' as const, credential: hash, signedInAt: null }
        : { id, email, via: 'cookie' as const, credential: hash, signedInAt: createdAt }
    const next = found.settled ? null : extended(found, now)
    if (next === null || !(await touched(hash, found, next, now)) || kind === 'token') return known
    return { ...known, renewed: writeCookie(name, secret, { maxAge: Math.ceil((next - now) / 1000), secure }) }
  }

  /** An unknown credential is refused either way: whether it was revoked is for the log alone. */
  async function reportEnded(hash: string, now: number, report: ReportSecurity): Promise<void> {
    const ended = await store.findEnded({ hash, now })
    if (ended) report('auth.token.revoked_used', ended.userId)
  }

  /** A store that takes no writes just now must not stop reading: the credential still holds, and a later use tries again. */
  async function touched(hash: string, found: Cached, expiresAt: number, now: number): Promise<boolean> {
    credentials.amend(hash, { ...found, settled: true })
    try {
      await store.touch(hash, now, expiresAt)
    } catch (error) {
      if (!Unavailable.is(error)) throw error
      logger.warn({ err: error }, 'the use of a credential could not be written down')
      return false
    }
    credentials.amend(hash, { ...found, settled: true, expiresAt })
    return true
  }

  async function vouched(request: PlainRequest, bearer: string | null, now: number): Promise<User | null> {
    if (!identity) return null
    const { cookie, ...others } = request.headers
    const headers = bearer === null ? request.headers : others
    const person = await identity({ method: request.method, path: request.path, headers, address: request.address })
    if (!person) return null
    if (person.id === '' || person.id.length > 128) throw new Error('identity: an id has 1 to 128 characters')
    const offered = person.email ? person.email.trim().toLowerCase() : null
    let account = people.get(person.id, now)
    if (!account || account.offered !== offered) {
      const generation = people.generation
      let row = await store.account(person.id)
      if (!row || row.email !== offered) {
        await store.upsertUser({ id: person.id, email: offered }, now)
        row = await store.account(person.id)
      }
      account = { id: person.id, email: row?.email ?? null, offered }
      people.set(person.id, account, now, generation)
    }
    const { id, email } = account
    if (bearer !== null) return { id, email, via: 'token', credential: null, signedInAt: null }
    return { id, email, via: 'cookie', credential: null, signedInAt: person.signedInAt ?? null }
  }

  return {
    operator,
    async person(request, bearer, now, report) {
      if (bearer !== null) {
        const kind = bearerKind(bearer)
        if (kind === 'token') return held(bearer, 'token', request, now, report)
        return kind === 'broken' ? null : vouched(request, bearer, now)
      }
      const cookie = readCookies(request.headers['cookie'])[name]
      const user = cookie !== undefined && isSecret(cookie) ? await held(cookie, 'session', request, now, report) : null
      return user ?? vouched(request, null, now)
    },
    forget: (hash) => credentials.drop(hash),
    forgetPerson(id) {
      people.drop(id)
      credentials.dropWhere((credential) => credential.user.id === id)
    },
  }
}

/** A bounded map of the store's answers that are young enough, oldest out first. */
class Remembered<Value> {
  /** Counts what was dropped. An answer asked for before a drop may be from before it too, and is not kept. */
  generation = 0
  readonly #entries = new Map<string, { value: Value; readonly at: number }>()

  get(key: string, now: number): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry && now >= entry.at && now - entry.at < keptMs) return entry.value
    return undefined
  }

  set(key: string, value: Value, now: number, generation: number): void {
    if (generation !== this.generation) return
    this.#entries.delete(key)
    this.#entries.set(key, { value, at: now })
    if (this.#entries.size > keptEntries) this.#entries.delete(this.#entries.keys().next().value!)
  }

  /** Changes what is remembered without making it younger. */
  amend(key: string, value: Value): void {
    const entry = this.#entries.get(key)
    if (entry) entry.value = value
  }

  drop(key: string): void {
    this.generation++
    this.#entries.delete(key)
  }

  dropWhere(test: (value: Value) => boolean): void {
    this.generation++
    for (const [key, { value }] of this.#entries) if (test(value)) this.#entries.delete(key)
  }
}
