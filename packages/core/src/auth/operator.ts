import { hmac } from '@noble/hashes/hmac.js'
import { itemAt } from '../lists.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { auditContext, type AuditRequest } from '../http/audit-context.ts'
import type { AuditContext } from '../audit/store.ts'
import { cookieName, readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import type { Authenticator, OperatorRole, SignedInOperator } from '../http/authenticate.ts'
import { toHex } from '../ids.ts'
import type { Random } from '../ports.ts'
import { generateSecret, isSecret } from './rules.ts'
import type { AuthStore, StoredOperatorSession } from './store.ts'

/** A configured operator: a person or a program with access to everything under `/api/admin`. */
export interface OperatorToken {
  /** The operator's name in the audit log: 1 to 64 letters, digits and `. _ @ + -`. */
  readonly name: string
  /** The bearer of the API and the password of `/admin`. It must be long and random in production. */
  readonly token: string
  /** The role. A `viewer` can read everything but cannot change anything. Default: `operator`. */
  readonly role?: OperatorRole | undefined
}

/** The recognized operator, or a reason why there is none: `off` when no token is configured, otherwise `no`. */
export type OperatorCheck = SignedInOperator | 'no' | 'off'

/** Authenticates operators: programs by bearer, browsers by cookie (routes with auth `admin-page`). */
export interface OperatorSession {
  /** Returns the operator whose token equals the bearer token. */
  check: Authenticator['operator']
  /**
   * Returns the operator who signed in with this browser within the last 12 hours and has not signed out. If the
   * operator has a passkey, the sign-in must have been confirmed with it.
   */
  signedIn(request: PlainRequest, now: number): Promise<OperatorCheck>
  /** Returns the operator whose session must still be confirmed with a passkey, or null. */
  awaitsPasskey(request: PlainRequest, now: number): Promise<SignedInOperator | null>
  /** Signs a browser in as the audit context's operator. Returns the `set-cookie` value. */
  start(audit: AuditContext): Promise<string>
  /** Creates the next secret of an operator's session. Returns its hash, and the `set-cookie` value with the secret. */
  nextSecret(name: string): { readonly hash: string; readonly cookie: string }
  /** Signs this browser out, on every host. Returns the `set-cookie` value that removes the cookie. */
  end(request: PlainRequest, context: Omit<AuditRequest, 'actor'>): Promise<string>
}

export interface OperatorSessionOptions {
  readonly operators: readonly OperatorToken[]
  readonly store: Pick<AuthStore, 'startOperatorSession' | 'findOperatorSession' | 'endOperatorSession'>
  readonly random: Random
  readonly secure: boolean
}

/** The time for which a session is valid, in seconds. */
const sessionSeconds = 12 * 60 * 60

/**
 * Returns the operators of a configuration: `adminToken` as the operator named `operator`, then `adminTokens`. Throws
 * on a malformed name, and on a name or a token that occurs twice.
 */
export function operatorTokens({
  adminToken,
  adminTokens = [],
}: {
  readonly adminToken?: string
  readonly adminTokens?: readonly OperatorToken[]
}): readonly OperatorToken[] {
  if (adminToken === '') throw new Error('adminToken is empty; leave it out to have no operator')
  const all = [...(adminToken === undefined ? [] : [{ name: 'operator', token: adminToken }]), ...adminTokens]
  for (const { name, token, role } of all as readonly OperatorToken[]) {
    if (!/^[\w.@+-]{1,64}$/.test(name))
      throw new Error(`adminTokens: "${name}" is not a name of 1 to 64 letters, digits and . _ @ + -`)
    if (token === '') throw new Error(`adminTokens: the token of ${name} is empty`)
    if (role !== undefined && role !== 'operator' && role !== 'viewer')
      throw new Error(`adminTokens: the role of ${name} is neither operator nor viewer`)
  }
  const names = all.map(({ name }) => name)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) {
    const reason = repeated === 'operator' && adminToken !== undefined ? ': it is also the name of adminToken' : ''
    throw new Error(`adminTokens: the name ${repeated} occurs twice${reason}`)
  }
  if (new Set(all.map(({ token }) => token)).size < all.length)
    throw new Error('adminTokens: two operators have the same token')
  return all
}

/**
 * Parses `adminTokens` from text: `name=token` or `name:viewer=token` pairs separated by commas or line breaks; a line
 * that starts with `#` is a comment. Throws on a malformed pair, without its text in the message.
 *
 * ```ts
 * readAdminTokens('jane=TOKEN-OF-JANE,guest:viewer=TOKEN-OF-A-GUEST') // [{ name: 'jane', token: 'TOKEN-OF-JANE' }, ...]
 * ```
 */
export function readAdminTokens(text: string): OperatorToken[] {
  const pairs = text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join(',')
    .split(',')
    .map((pair) => pair.trim())
  return pairs
    .filter((pair) => pair !== '')
    .map((pair, index) => {
      const [, name, role, token] = /^([^=:\s]+)(?::(operator|viewer))?=(\S+)$/.exec(pair) ?? []
      // No test can notice a change of `||`: the pattern finds either both parts or none.
      if (name === undefined || token === undefined)
        throw new Error(`adminTokens: entry ${index + 1} is not name=token`)
      return { name, token, ...(role === undefined ? {} : { role: role as OperatorRole }) }
    })
}

/**
 * Creates the authentication of operators. The cookie contains a random secret; the session is stored as the HMAC of
 * that secret, with the operator's token as key. Therefore no token can be guessed from the database, and removing or
 * changing a token in the configuration ends its sessions. The cookie is `SameSite=Strict`, so browsers do not send it
 * with requests from other sites.
 */
export function createOperatorSession({ operators, store, random, secure }: OperatorSessionOptions): OperatorSession {
  const cookie = cookieName(secure, 'operator')
  const configured = operators.map(({ name, token, role = 'operator' }) => ({
    caller: { name, role },
    expected: sha256(utf8ToBytes(token)),
    key: sha256(utf8ToBytes(`tributary operator session\n${token}`)),
  }))
  const sessionHashes = (value: string): string[] =>
    configured.map(({ key }) => toHex(hmac(sha256, key, utf8ToBytes(value))))
  /**
   * Returns the session of a request, or null. Ignores a session whose operator was renamed, because passkeys belong to
   * names.
   */
  async function findSession(
    request: PlainRequest,
    now: number,
  ): Promise<(SignedInOperator & Pick<StoredOperatorSession, 'needsPasskey'>) | null> {
    const value = readCookies(request.headers['cookie'])[cookie]
    if (value === undefined || !isSecret(value)) return null
    const candidates = sessionHashes(value)
    const found = await store.findOperatorSession({ hashes: candidates, now })
    if (!found) return null
    const { hash: sessionHash, operator, startedAt: signedInAt, needsPasskey } = found
    const { caller } = itemAt(configured, candidates.indexOf(sessionHash))
    return caller.name === operator ? { ...caller, sessionHash, signedInAt, needsPasskey } : null
  }
  function nextSecret(name: string): ReturnType<OperatorSession['nextSecret']> {
    const value = generateSecret(random)
    const hash = itemAt(
      sessionHashes(value),
      configured.findIndex(({ caller }) => caller.name === name),
    )
    return { hash, cookie: writeCookie(cookie, value, { maxAge: sessionSeconds, secure, sameSite: 'Strict' }) }
  }
  return {
    check(bearer) {
      if (configured.length === 0) return 'off'
      if (bearer === null) return 'no'
      const hash = sha256(utf8ToBytes(bearer))
      const [found] = configured.filter(({ expected }) => equalsInConstantTime(hash, expected))
      return found?.caller ?? 'no'
    },
    async signedIn(request, now) {
      if (configured.length === 0) return 'off'
      const found = await findSession(request, now)
      return found && !found.needsPasskey ? found : 'no'
    },
    async awaitsPasskey(request, now) {
      const found = await findSession(request, now)
      return found?.needsPasskey ? found : null
    },
    async start(audit) {
      const { hash, cookie: line } = nextSecret(audit.actor)
      await store.startOperatorSession({ hash, expiresAt: audit.at + sessionSeconds * 1000, audit })
      return line
    },
    nextSecret,
    async end(request, context) {
      const found = await findSession(request, context.now)
      if (found) {
        const audit = auditContext({ ...context, actor: found.name }, random)
        await store.endOperatorSession({ hash: found.sessionHash, audit })
      }
      return writeCookie(cookie, '', { maxAge: 0, secure, sameSite: 'Strict' })
    },
  }
}

/** Compares two hashes. The time does not depend on their bytes, so it does not reveal the bytes. */
function equalsInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  // No test can notice a change of `0`: both hashes have the same length.
  for (const [i, byte] of a.entries()) difference |= byte ^ (b[i] ?? 0)
  return difference === 0
}
