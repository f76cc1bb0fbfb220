import type { ChallengePurpose, PasskeyStore, StoredPasskey } from '../../auth/passkeys/store.ts'
import type { MemoryAudit } from './audit.ts'

/** A session of an operator. */
export interface OperatorSessionRow {
  readonly operator: string
  readonly startedAt: number
  readonly expiresAt: number
  passkey: string | null
  challenge: { readonly text: string; readonly purpose: ChallengePurpose; readonly expiresAt: number } | null
}

/** Returns the methods of the auth store that keep passkeys of operators. */
export function memoryPasskeys(
  sessions: Map<string, OperatorSessionRow>,
  audits: Pick<MemoryAudit, 'record'>,
): PasskeyStore {
  const passkeys = new Map<string, StoredPasskey>()
  const findSession = (hash: string, now: number): OperatorSessionRow | null => {
    const session = sessions.get(hash)
    return session && session.expiresAt > now ? session : null
  }
  const all = (): StoredPasskey[] => [...passkeys.values()]

  return {
    async setChallenge({ sessionHash, purpose, challenge, expiresAt, now }) {
      const session = findSession(sessionHash, now)
      if (session) session.challenge = { text: challenge, purpose, expiresAt }
      return session !== null
    },
    async takeChallenge({ sessionHash, purpose, now }) {
      const session = findSession(sessionHash, now)
      const challenge = session?.challenge ?? null
      if (session === null || challenge?.purpose !== purpose || challenge.expiresAt <= now) return null
      session.challenge = null
      return challenge.text
    },
    async listPasskeys({ operator }) {
      const keyOf = ({ operator: name, createdAt, id }: StoredPasskey): string =>
        `${name}\n${String(createdAt).padStart(16, '0')}\n${id}`
      return all()
        .filter((passkey) => operator === null || passkey.operator === operator)
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    },
    async addPasskey({ passkey, sessionHash, limit, audit }) {
      const session = findSession(sessionHash, audit.at)
      if (session?.operator !== passkey.operator) return 'no_session'
      if (all().some(({ credentialId }) => credentialId === passkey.credentialId)) return 'exists'
      if (all().filter(({ operator }) => operator === passkey.operator).length >= limit) return 'too_many'
      const { id, operator, label } = passkey
      passkeys.set(id, { ...passkey, createdAt: audit.at, usedAt: null })
      session.passkey = id
      audits.record(audit, 'operator.add_passkey', operator, null, { id, label })
      return 'added'
    },
    async usePasskey({ id, counter, sessionHash, nextSessionHash, audit }) {
      const [passkey, session] = [passkeys.get(id), findSession(sessionHash, audit.at)]
      if (!passkey || !session || passkey.operator !== session.operator) return false
      if (passkey.counter >= counter && (passkey.counter > 0 || counter > 0)) return false
      passkeys.set(id, { ...passkey, counter, usedAt: audit.at })
      sessions.delete(sessionHash)
      sessions.set(nextSessionHash, { ...session, passkey: id })
      audits.record(audit, 'operator.use_passkey', passkey.operator, null, { id, label: passkey.label })
      return true
    },
    async removePasskey({ id, operator, sessionHash, audit }) {
      const passkey = passkeys.get(id)
      if (!passkey || (operator !== null && passkey.operator !== operator)) return false
      passkeys.delete(id)
      for (const [hash, session] of sessions) if (session.passkey === id && hash !== sessionHash) sessions.delete(hash)
      audits.record(audit, 'operator.remove_passkey', passkey.operator, { id, label: passkey.label }, null)
      return true
    },
  }
}
