import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { auditContext, type AuditRequest } from '../admin/audit/rules.ts'
import type { AuditContext } from '../admin/audit/store.ts'
import { readCookies, writeCookie, type PlainRequest } from '../http/message.ts'
import type { Authenticator } from '../http/authenticate.ts'
import { toHex } from '../ids.ts'
import type { Random } from '../ports.ts'
import { isSecret, secret } from './rules.ts'
import type { SessionStore } from './store.ts'

/** An operator of a configuration: a person or a program that may do everything under `/api/admin`. */
export interface OperatorToken {
  /** Names the operator in the audit: 1 to 64 letters, digits and `. _ @ + -`. */
  readonly name: string
  readonly token: string
}

/** An operator who was recognized, or why none was; `off` when no token is configured. */
export type OperatorCheck = { readonly name: string } | 'no' | 'off'

/** The operators, by bearer for programs and by cookie for the page `/admin` (routes with auth `admin-page`). */
export interface OperatorSession {
  /** Tells whose token a bearer is. */
  check: Authenticator['operator']
  /** Tells who signed this browser in within the last 12 hours and has not signed it out. */
  signedIn(request: PlainRequest, now: number): Promise<OperatorCheck>
  /** Signs a browser in as the operator who asks; returns the `set-cookie` value. */
  start(audit: AuditContext): Promise<string>
  /** Signs this browser out, on every host; returns the `set-cookie` value that removes the cookie. */
  end(request: PlainRequest, asks: Omit<AuditRequest, 'actor'>): Promise<string>
}

export interface OperatorSessionOptions {
  readonly operators: readonly OperatorToken[]
  readonly store: Pick<SessionStore, 'startOperatorSession' | 'findOperatorSession' | 'endOperatorSession'>
  readonly random: Random
  readonly secure: boolean
}

const hours12 = 12 * 60 * 60

/**
 * Returns the operators of a configuration: `adminToken` as the one named `operator`, then `adminTokens`. Throws on a name that
 * is malformed and on a name or a token that is there twice.
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
  for (const { name, token } of all) {
    if (!/^[\w.@+-]{1,64}$/.test(name))
      throw new Error(`adminTokens: "${name}" is not a name of 1 to 64 letters, digits and . _ @ + -`)
    if (token === '') throw new Error(`adminTokens: the token of ${name} is empty`)
  }
  if (new Set(all.map(({ name }) => name)).size < all.length)
    throw new Error('adminTokens: a name is there twice; adminToken is named operator')
  if (new Set(all.map(({ token }) => token)).size < all.length)
    throw new Error('adminTokens: two operators have the same token')
  return all
}

/**
 * Reads `adminTokens` from text: `name=token` pairs divided by commas or line breaks; a line that starts with `#` is a comment.
 * Throws on what is no pair, without repeating it.
 *
 * ```ts
 * readAdminTokens('jane=TOKEN-OF-JANE,deploy=TOKEN-OF-THE-SCRIPT') // [{ name: 'jane', token: 'TOKEN-OF-JANE' }, ...]
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
    .map((pair, at) => {
      const [, name, token] = /^([^=\s]+)=(\S+)$/.exec(pair) ?? []
      if (name === undefined || token === undefined) throw new Error(`adminTokens: entry ${at + 1} is not name=token`)
      return { name, token }
    })
}

/**
 * Makes the check of operators. The cookie holds a random secret; its session is stored as the HMAC of that secret under the
 * operator's token. So the database holds nothing that a token could be guessed from, and a token that is taken out of the
 * configuration, or changed, ends its sessions. The cookie is `SameSite=Strict`: no other site can make the operator's browser
 * do anything.
 */
export function createOperatorSession({ operators, store, random, secure }: OperatorSessionOptions): OperatorSession {
  const cookie = secure ? '__Host-tributary_operator' : 'tributary_operator'
  const known = operators.map(({ name, token }) => ({
    name,
    expected: sha256(utf8ToBytes(token)),
    key: sha256(utf8ToBytes(`tributary operator session\n${token}`)),
  }))
  const hashes = (sent: string): string[] => known.map(({ key }) => toHex(hmac(sha256, key, utf8ToBytes(sent))))
  async function sessionOf(
    request: PlainRequest,
    now: number,
  ): Promise<{ readonly hash: string; readonly name: string } | null> {
    const value = readCookies(request.headers['cookie'])[cookie]
    if (value === undefined || !isSecret(value)) return null
    const candidates = hashes(value)
    const hash = await store.findOperatorSession({ hashes: candidates, now })
    return hash === null ? null : { hash, name: known[candidates.indexOf(hash)]!.name }
  }
  return {
    check(bearer) {
      if (known.length === 0) return 'off'
      if (bearer === null) return 'no'
      const hash = sha256(utf8ToBytes(bearer))
      const [found] = known.filter(({ expected }) => same(hash, expected))
      return found ? { name: found.name } : 'no'
    },
    async signedIn(request, now) {
      if (known.length === 0) return 'off'
      const found = await sessionOf(request, now)
      return found ? { name: found.name } : 'no'
    },
    async start(audit) {
      const value = secret(random)
      const hash = hashes(value)[known.findIndex(({ name }) => name === audit.actor)]!
      await store.startOperatorSession({ hash, expiresAt: audit.at + hours12 * 1000, audit })
      return writeCookie(cookie, value, { maxAge: hours12, secure, sameSite: 'Strict' })
    },
    async end(request, asks) {
      const found = await sessionOf(request, asks.now)
      if (found)
        await store.endOperatorSession({
          hash: found.hash,
          audit: auditContext({ ...asks, actor: found.name }, random),
        })
      return writeCookie(cookie, '', { maxAge: 0, secure, sameSite: 'Strict' })
    },
  }
}

/** Compares in a time that does not tell how much was right. */
function same(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= a[i]! ^ (b[i] ?? 0)
  return difference === 0
}
