import {
  expiredAuthorizationMs,
  guessWindowMs,
  newestFirst,
  type AuthStore,
  type Credential,
  type ListedCredential,
  type Machine,
  type SignInCode,
  type StartDeviceAuthorizationParams,
  type StoredUser,
} from '../../auth/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'
import { MemoryScrubContexts } from './blocked-terms.ts'
import { memoryPasskeys, type OperatorSessionRow } from './passkeys.ts'

interface UserRow extends StoredUser {
  /** Grows with each sign-up. */
  readonly num: number
  readonly createdAt: number
}

/** The auth store, and in which order people signed up. */
export interface MemoryAuth extends AuthStore {
  /** Returns the number of a user's sign-up, or null. */
  findSignUp(id: string): number | null
  /** Returns when a user signed up, in milliseconds; 0 for an unknown one. */
  signedUpAt(id: string): number
  /** Returns the user whose address is exactly this one, or null. */
  findUserIdByAddress(address: string): Promise<string | null>
  /** Returns whether a token or session is valid, or the one that replaced it at a sign-in of the same person. */
  isLiveCredential(hash: string, now: number): boolean
}
interface CredentialRow {
  readonly id: string
  readonly hash: string
  readonly kind: Credential['kind']
  readonly ownerId: string
  readonly label: string
  readonly createdAt: number
  usedAt: number | null
  expiresAt: number
}
interface CodeRow extends SignInCode {
  guesses: number
  isUsed: boolean
}
interface DeviceLogin extends StartDeviceAuthorizationParams {
  status: 'pending' | 'approved' | 'denied' | 'taken'
  wait: number
  polledAt: number | null
  ownerId: string | null
}

/** Returns the auth store in Maps. A method is atomic because it never awaits. */
export function memoryAuth(
  audits: Pick<MemoryAudit, 'record'> = memoryAudit(),
  contexts: Pick<MemoryScrubContexts, 'raise'> = new MemoryScrubContexts(),
): MemoryAuth {
  const users = new Map<string, UserRow>()
  const userIdsByEmail = new Map<string, string>()
  const credentials = new Map<string, CredentialRow>()
  /** The sessions that replaced others of the same person. */
  const successors = new Map<string, string>()
  const codes = new Map<string, CodeRow>()
  const logins = new Map<string, DeviceLogin>()
  const loginsByUserCode = new Map<string, DeviceLogin>()
  const operatorSessions = new Map<string, OperatorSessionRow>()
  const passkeys = memoryPasskeys(operatorSessions, audits)
  const revoked = new Map<string, { readonly ownerId: string; readonly expiresAt: number }>()
  let secret: string | undefined
  let signUps = 0

  const storedUser = ({ id, email }: UserRow): StoredUser => ({ id, email })
  const credentialsOf = (ownerId: string): CredentialRow[] =>
    [...credentials.values()].filter((credential) => credential.ownerId === ownerId)
  const approvedLogins = (ownerId: string): DeviceLogin[] =>
    [...logins.values()].filter((login) => login.ownerId === ownerId && login.status === 'approved')
  const machine = ({ id, label, createdAt, usedAt }: CredentialRow): Machine => ({
    id,
    label,
    createdAt,
    lastUsedAt: usedAt,
  })

  function deleteExpired<Value extends { readonly expiresAt: number }>(map: Map<string, Value>, now: number): void {
    for (const [key, { expiresAt }] of map) if (expiresAt <= now) map.delete(key)
  }

  function revoke(hash: string): void {
    const credential = credentials.get(hash)
    if (credential) revoked.set(hash, { ownerId: credential.ownerId, expiresAt: credential.expiresAt })
    credentials.delete(hash)
  }

  function deleteLogin({ deviceCodeHash, userCodeHash }: DeviceLogin): void {
    logins.delete(deviceCodeHash)
    loginsByUserCode.delete(userCodeHash)
  }

  return {
    async findCredential({ hash }) {
      const credential = credentials.get(hash)
      const user = credential && users.get(credential.ownerId)
      if (!user) return null
      const { kind, createdAt, expiresAt, usedAt } = credential
      return { kind, user: storedUser(user), createdAt, expiresAt, usedAt }
    },
    async renewCredential({ hash, now, expiresAt }) {
      const credential = credentials.get(hash)
      if (credential && credential.expiresAt > now) Object.assign(credential, { usedAt: now, expiresAt })
    },
    async revokeCredential({ hash }) {
      revoke(hash)
    },

    async findRevokedCredential({ hash, now }) {
      const credential = revoked.get(hash)
      if (!credential || credential.expiresAt <= now || !users.has(credential.ownerId)) return null
      return { userId: credential.ownerId }
    },
    async deleteExpiredRevocations({ now }) {
      deleteExpired(revoked, now)
      return false
    },

    isLiveCredential(hash, now) {
      let current = hash
      for (let next; (next = successors.get(current)) !== undefined;) current = next
      return (credentials.get(current)?.expiresAt ?? 0) > now
    },
    findSignUp: (id) => users.get(id)?.num ?? null,
    signedUpAt: (id) => users.get(id)?.createdAt ?? 0,
    findUserIdByAddress: async (address) => userIdsByEmail.get(address) ?? null,
    async findUser({ id }) {
      const user = users.get(id)
      return user ? storedUser(user) : null
    },
    async upsertUser({ id, email, now }) {
      const isFree = email !== null && (userIdsByEmail.get(email) ?? id) === id
      const known = users.get(id)
      if (known?.email) userIdsByEmail.delete(known.email)
      if (isFree) userIdsByEmail.set(email, id)
      const stored = isFree ? email : null
      if (known && known.email !== stored) contexts.raise(id)
      users.set(id, { num: known?.num ?? ++signUps, id, email: stored, createdAt: known?.createdAt ?? now })
    },

    async ensureSecret({ candidate }) {
      return (secret ??= candidate)
    },
    async countWrongGuesses({ address, now }) {
      return [...codes.values()]
        .filter((code) => code.address === address && code.createdAt > now - guessWindowMs)
        .reduce((sum, { guesses, isUsed }) => sum + guesses - (isUsed ? 1 : 0), 0)
    },
    async createSignInCode(code) {
      for (const [key, { createdAt }] of codes) if (createdAt <= code.createdAt - guessWindowMs) codes.delete(key)
      codes.set(code.challengeHash, { ...code, guesses: 0, isUsed: false })
    },
    async verifySignInCode({
      challengeHash,
      address,
      codeHashes,
      codeGuesses,
      userId,
      session,
      label,
      replacedHash,
      now,
    }) {
      const code = codes.get(challengeHash)
      if (!code || code.address !== address || code.isUsed || code.expiresAt <= now) return { outcome: 'wrong' }
      if (code.guesses >= codeGuesses) return { outcome: 'wrong' }
      code.guesses += 1
      if (!codeHashes.includes(code.codeHash)) return { outcome: 'wrong' }
      code.isUsed = true
      const id = userIdsByEmail.get(address) ?? userId
      const user = users.get(id) ?? { num: ++signUps, id, email: address, createdAt: now }
      users.set(id, user)
      userIdsByEmail.set(address, id)
      deleteExpired(credentials, now)
      const replaced = replacedHash === null ? undefined : credentials.get(replacedHash)
      if (replaced?.kind === 'session') {
        if (replaced.ownerId === id) successors.set(replaced.hash, session.hash)
        revoke(replaced.hash)
      }
      credentials.set(session.hash, { ...session, kind: 'session', ownerId: id, label, createdAt: now, usedAt: now })
      return { outcome: 'signed_in', user: storedUser(user) }
    },

    async startDeviceAuthorization(params) {
      for (const login of logins.values()) {
        if (login.expiresAt <= params.createdAt - expiredAuthorizationMs) deleteLogin(login)
      }
      if (loginsByUserCode.has(params.userCodeHash)) return false
      const login: DeviceLogin = { ...params, status: 'pending', wait: params.interval, polledAt: null, ownerId: null }
      logins.set(login.deviceCodeHash, login)
      loginsByUserCode.set(login.userCodeHash, login)
      return true
    },
    async findDeviceAuthorization({ userCodeHash }) {
      const login = loginsByUserCode.get(userCodeHash)
      if (!login) return null
      return {
        machine: login.machine,
        createdAt: login.createdAt,
        expiresAt: login.expiresAt,
        status: login.status,
      }
    },
    async decideDeviceAuthorization({ ownerId, sessionHash, userCodeHash, decision, now }) {
      const login = loginsByUserCode.get(userCodeHash)
      const isSignedIn =
        users.has(ownerId) && (sessionHash === null || credentials.get(sessionHash)?.ownerId === ownerId)
      if (!login || !isSignedIn) return { outcome: 'unknown' }
      if (login.status !== 'pending') return { outcome: 'already_decided' }
      if (login.expiresAt <= now) return { outcome: 'expired' }
      Object.assign(login, { status: decision, ownerId })
      return { outcome: 'decided', machine: login.machine }
    },
    async findPolledAuthorization({ deviceCodeHash }) {
      const login = logins.get(deviceCodeHash)
      if (!login) return null
      const { status, polledAt, wait } = login
      return { status, nextPollAt: polledAt === null ? null : polledAt + wait * 1000 }
    },
    async pollDeviceToken({ deviceCodeHash, token, now }) {
      const login = logins.get(deviceCodeHash)
      if (!login) return { outcome: 'unknown' }
      const { status, ownerId, machine: label } = login
      if (status === 'denied' || status === 'taken') return { outcome: status }
      if (login.expiresAt <= now) return { outcome: 'expired' }
      if (status === 'approved') {
        login.status = 'taken'
        deleteExpired(credentials, now)
        credentials.set(token.hash, {
          ...token,
          id: login.id,
          kind: 'token',
          ownerId: ownerId!,
          label,
          createdAt: now,
          usedAt: null,
        })
        return { outcome: 'approved', userId: ownerId! }
      }
      const isEarly = login.polledAt !== null && now < login.polledAt + login.wait * 1000
      login.polledAt = now
      if (!isEarly) return { outcome: 'pending' }
      login.wait += 5
      return { outcome: 'slow_down', interval: login.wait }
    },

    async listCredentials({ ownerId, now, currentHash }) {
      const signedIn = credentialsOf(ownerId)
        .filter(({ expiresAt }) => expiresAt > now)
        .map((credential): ListedCredential => ({
          ...machine(credential),
          kind: credential.kind === 'token' ? 'machine' : 'browser',
          status: 'signed_in',
          isCurrent: credential.hash === currentHash,
        }))
      const waiting = approvedLogins(ownerId)
        .filter(({ expiresAt }) => expiresAt > now)
        .map(({ id, machine: label, createdAt }): ListedCredential => ({
          id,
          label,
          createdAt,
          kind: 'machine',
          status: 'approved',
          lastUsedAt: null,
          isCurrent: false,
        }))
      return [...waiting, ...signedIn].sort(newestFirst)
    },
    async revokeCredentialById({ ownerId, id }) {
      const found = credentialsOf(ownerId).find((credential) => credential.id === id)
      if (found) {
        revoke(found.hash)
        return { hash: found.hash }
      }
      const login = approvedLogins(ownerId).find((approved) => approved.id === id)
      if (!login) return null
      login.status = 'denied'
      return { hash: null }
    },
    async revokeCredentials({ ownerId, kinds, keptHash, audit }) {
      const revokedHashes = credentialsOf(ownerId)
        .filter(({ kind, hash }) => (kinds === 'all' || kind === 'session') && hash !== keptHash)
        .map(({ hash }) => hash)
      for (const hash of revokedHashes) revoke(hash)
      const logins = approvedLogins(ownerId)
      for (const login of logins) login.status = 'denied'
      const ended = revokedHashes.length + logins.length
      if (audit && ended > 0) audits.record(audit, 'contributor.sign_out', ownerId, null, { ended })
      return [...revokedHashes.map((hash) => ({ hash })), ...logins.map(() => ({ hash: null }))]
    },

    async startOperatorSession({ hash, expiresAt, audit }) {
      deleteExpired(operatorSessions, audit.at)
      operatorSessions.set(hash, {
        operator: audit.actor,
        startedAt: audit.at,
        expiresAt,
        passkey: null,
        challenge: null,
      })
      audits.record(audit, 'operator.sign_in', audit.actor, null, null)
    },
    async findOperatorSession({ hashes, now }) {
      const hash = hashes.find((one) => (operatorSessions.get(one)?.expiresAt ?? 0) > now)
      if (hash === undefined) return null
      const { operator, startedAt, passkey } = operatorSessions.get(hash)!
      const needsPasskey = passkey === null && (await passkeys.listPasskeys({ operator })).length > 0
      return { hash, operator, startedAt, needsPasskey }
    },
    async endOperatorSession({ hash, audit }) {
      const session = operatorSessions.get(hash)
      if (!session) return
      operatorSessions.delete(hash)
      audits.record(audit, 'operator.sign_out', session.operator, null, null)
    },
    ...passkeys,

    async export({ ownerId }) {
      const user = users.get(ownerId)
      if (!user) return null
      const stored = credentialsOf(ownerId).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      return {
        user: { ...user },
        machines: stored
          .filter(({ kind }) => kind === 'token')
          .map((credential) => ({ ...machine(credential), expiresAt: credential.expiresAt })),
        sessions: stored
          .filter(({ kind }) => kind === 'session')
          .map(({ label, createdAt, usedAt, expiresAt }) => ({ label, createdAt, lastUsedAt: usedAt, expiresAt })),
        deviceLogins: [...logins.values()]
          .filter((login) => login.ownerId === ownerId)
          .sort((a, b) => a.createdAt - b.createdAt)
          .map(({ machine: label, status, createdAt }) => ({ machine: label, status, createdAt })),
      }
    },
    async erase({ ownerId }) {
      for (const { hash } of credentialsOf(ownerId)) credentials.delete(hash)
      for (const login of logins.values()) if (login.ownerId === ownerId) deleteLogin(login)
      const email = users.get(ownerId)?.email
      if (email) {
        for (const [key, { address }] of codes) if (address === email) codes.delete(key)
        userIdsByEmail.delete(email)
      }
      for (const [hash, credential] of revoked) if (credential.ownerId === ownerId) revoked.delete(hash)
      users.delete(ownerId)
      return false
    },
  }
}
