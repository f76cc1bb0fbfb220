import {
  deviceKeptMs,
  guessWindowMs,
  type Account,
  type Credential,
  type DeviceStart,
  type Machine,
  type SessionStore,
  type SignInCode,
} from '../../auth/store.ts'
import { memoryAudit, type MemoryAudit } from './audit.ts'

interface Person {
  id: string
  email: string | null
  createdAt: number
}
interface Held {
  id: string
  hash: string
  kind: Credential['kind']
  owner: string
  label: string
  createdAt: number
  usedAt: number | null
  expiresAt: number
}
interface Code extends SignInCode {
  guesses: number
  used: boolean
}
interface Login extends DeviceStart {
  status: 'pending' | 'approved' | 'denied' | 'taken'
  wait: number
  polledAt: number | null
  owner: string | null
}

/** The sessions store in Maps. Each method runs to its end without waiting, which is what makes it atomic. */
export function memorySessions(audits: Pick<MemoryAudit, 'record'> = memoryAudit()): SessionStore {
  const people = new Map<string, Person>()
  const byEmail = new Map<string, string>()
  const held = new Map<string, Held>()
  const codes = new Map<string, Code>()
  const logins = new Map<string, Login>()
  const byUserCode = new Map<string, Login>()
  const operatorSessions = new Map<string, { readonly operator: string; readonly expiresAt: number }>()
  /** Ended before they expired, by hash. */
  const ended = new Map<string, { readonly owner: string; readonly expiresAt: number }>()
  let secret: string | undefined

  const wrongGuesses = ({ guesses, used }: Code): number => guesses - (used ? 1 : 0)
  const account = ({ id, email }: Person): Account => ({ id, email })
  const ofOwner = (owner: string): Held[] => [...held.values()].filter((one) => one.owner === owner)
  const machine = ({ id, label, createdAt, usedAt }: Held): Machine => ({ id, label, createdAt, lastUsedAt: usedAt })

  function sweep<Value extends { expiresAt: number }>(map: Map<string, Value>, before: number): void {
    for (const [key, { expiresAt }] of map) if (expiresAt <= before) map.delete(key)
  }

  function drop(hash: string): void {
    const one = held.get(hash)
    if (one) ended.set(hash, { owner: one.owner, expiresAt: one.expiresAt })
    held.delete(hash)
  }

  return {
    async find(hash) {
      const one = held.get(hash)
      const person = one && people.get(one.owner)
      if (!person) return null
      const { kind, createdAt, expiresAt, usedAt } = one
      return { kind, user: account(person), createdAt, expiresAt, usedAt }
    },
    async touch(hash, now, expiresAt) {
      const one = held.get(hash)
      if (one && one.expiresAt > now) Object.assign(one, { usedAt: now, expiresAt })
    },
    async end(hash) {
      drop(hash)
    },

    async findEnded({ hash, now }) {
      const one = ended.get(hash)
      return one && one.expiresAt > now && people.has(one.owner) ? { userId: one.owner } : null
    },
    async forgetEnded(now) {
      sweep(ended, now)
      return false
    },

    async account(id) {
      const person = people.get(id)
      return person ? account(person) : null
    },
    async upsertUser({ id, email }, now) {
      const free = email !== null && (byEmail.get(email) ?? id) === id
      const known = people.get(id)
      if (known?.email) byEmail.delete(known.email)
      const kept = free ? email : null
      if (kept) byEmail.set(kept, id)
      people.set(id, { id, email: kept, createdAt: known?.createdAt ?? now })
    },

    async secret(fresh) {
      return (secret ??= fresh)
    },
    async createSignInCode(code) {
      for (const [key, { createdAt }] of codes) if (createdAt <= code.createdAt - guessWindowMs) codes.delete(key)
      codes.set(code.challengeHash, { ...code, guesses: 0, used: false })
    },
    async verifySignInCode({
      challengeHash,
      address,
      codeHashes,
      codeGuesses,
      dailyGuesses,
      userId,
      session,
      label,
      replacedHash,
      now,
    }) {
      const code = codes.get(challengeHash)
      if (!code || code.address !== address || code.used || code.expiresAt <= now) return { outcome: 'wrong' }
      const guessed = [...codes.values()].filter(
        (other) =>
          other.address === address &&
          other.browserHash === code.browserHash &&
          other.createdAt > now - guessWindowMs &&
          wrongGuesses(other) > 0,
      )
      if (guessed.reduce((sum, other) => sum + wrongGuesses(other), 0) >= dailyGuesses) {
        return {
          outcome: 'too_many_guesses',
          until: Math.min(...guessed.map(({ createdAt }) => createdAt)) + guessWindowMs,
        }
      }
      if (code.guesses >= codeGuesses) return { outcome: 'wrong' }
      code.guesses += 1
      if (!codeHashes.includes(code.codeHash)) return { outcome: 'wrong' }
      code.used = true
      const id = byEmail.get(address) ?? userId
      if (!people.has(id)) people.set(id, { id, email: address, createdAt: now })
      byEmail.set(address, id)
      sweep(held, now)
      if (replacedHash !== null && held.get(replacedHash)?.kind === 'session') drop(replacedHash)
      held.set(session.hash, { ...session, kind: 'session', owner: id, label, createdAt: now, usedAt: null })
      return { outcome: 'signed_in', user: account(people.get(id)!) }
    },

    async startDevice(login) {
      for (const [key, one] of logins) {
        if (one.expiresAt > login.createdAt - deviceKeptMs) continue
        logins.delete(key)
        byUserCode.delete(one.userHash)
      }
      if (byUserCode.has(login.userHash)) return false
      const one: Login = { ...login, status: 'pending', wait: login.interval, polledAt: null, owner: null }
      logins.set(login.deviceHash, one)
      byUserCode.set(login.userHash, one)
      return true
    },
    async findDevice(userHash) {
      const one = byUserCode.get(userHash)
      return one
        ? { machine: one.machine, createdAt: one.createdAt, expiresAt: one.expiresAt, status: one.status }
        : null
    },
    async decideDevice(owner, userHash, decision, now) {
      const one = byUserCode.get(userHash)
      if (!one || !people.has(owner)) return { outcome: 'unknown' }
      if (one.status !== 'pending') return { outcome: 'already_decided' }
      if (one.expiresAt <= now) return { outcome: 'expired' }
      Object.assign(one, { status: decision, owner })
      return { outcome: 'decided', machine: one.machine }
    },
    async pollDevice(deviceHash, token, now) {
      const one = logins.get(deviceHash)
      if (!one) return { outcome: 'unknown' }
      if (one.status === 'denied' || one.status === 'taken') return { outcome: one.status }
      if (one.expiresAt <= now) return { outcome: 'expired' }
      if (one.status === 'approved') {
        one.status = 'taken'
        sweep(held, now)
        held.set(token.hash, {
          ...token,
          kind: 'token',
          owner: one.owner!,
          label: one.machine,
          createdAt: now,
          usedAt: null,
        })
        return { outcome: 'approved', userId: one.owner! }
      }
      const early = one.polledAt !== null && now < one.polledAt + one.wait * 1000
      one.polledAt = now
      if (!early) return { outcome: 'pending' }
      one.wait += 5
      return { outcome: 'slow_down', interval: one.wait }
    },

    async listSignedIn({ ownerId, now, currentHash }) {
      return ofOwner(ownerId)
        .filter(({ expiresAt }) => expiresAt > now)
        .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
        .map((one) => ({
          ...machine(one),
          kind: one.kind === 'token' ? 'machine' : 'browser',
          isCurrent: one.hash === currentHash,
        }))
    },
    async revoke(owner, id) {
      const one = ofOwner(owner).find((credential) => credential.id === id)
      if (one) drop(one.hash)
      return one?.hash ?? null
    },

    async startOperatorSession({ hash, expiresAt, audit }) {
      sweep(operatorSessions, audit.at)
      operatorSessions.set(hash, { operator: audit.actor, expiresAt })
      audits.record(audit, 'operator.sign_in', audit.actor, null, null)
    },
    async findOperatorSession({ hashes, now }) {
      return hashes.find((hash) => (operatorSessions.get(hash)?.expiresAt ?? 0) > now) ?? null
    },
    async endOperatorSession({ hash, audit }) {
      const session = operatorSessions.get(hash)
      if (!session) return
      operatorSessions.delete(hash)
      audits.record(audit, 'operator.sign_out', session.operator, null, null)
    },

    async export(owner) {
      const user = people.get(owner)
      if (!user) return null
      const all = ofOwner(owner).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
      return {
        user: { ...user },
        machines: all
          .filter(({ kind }) => kind === 'token')
          .map((one) => ({ ...machine(one), expiresAt: one.expiresAt })),
        sessions: all
          .filter(({ kind }) => kind === 'session')
          .map(({ label, createdAt, usedAt, expiresAt }) => ({ label, createdAt, lastUsedAt: usedAt, expiresAt })),
        deviceLogins: [...logins.values()]
          .filter((one) => one.owner === owner)
          .sort((a, b) => a.createdAt - b.createdAt)
          .map(({ machine: label, status, createdAt }) => ({ machine: label, status, createdAt })),
      }
    },
    async erase(owner) {
      for (const { hash } of ofOwner(owner)) held.delete(hash)
      for (const [key, one] of logins) {
        if (one.owner !== owner) continue
        logins.delete(key)
        byUserCode.delete(one.userHash)
      }
      const email = people.get(owner)?.email
      if (email) {
        for (const [key, { address }] of codes) if (address === email) codes.delete(key)
        byEmail.delete(email)
      }
      for (const [hash, one] of ended) if (one.owner === owner) ended.delete(hash)
      people.delete(owner)
      return false
    },
  }
}
