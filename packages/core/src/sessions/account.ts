import { timestamp, timestampOrNull } from '../ids.ts'
import type { SessionStore } from './store.ts'
import type { Identification } from './who.ts'

/** This capability's part of a person's export and erasure, handed to whoever does the whole. */
export interface SessionAccount {
  /** What is held here about a person, ready for JSON; null when there is no such person. No secret and no hash is in it. */
  export(userId: string): Promise<Record<string, unknown> | null>
  /** Deletes the person, last of all parts, since the others' records hang on the row. Every credential is worth nothing at once. */
  erase(userId: string): Promise<void>
}

export function sessionAccount(store: SessionStore, who: Pick<Identification, 'forgetPerson'>): SessionAccount {
  return {
    async export(userId) {
      const held = await store.export(userId)
      if (!held) return null
      const times = ({ createdAt, lastUsedAt, expiresAt }: { createdAt: number; lastUsedAt: number | null; expiresAt: number }) =>
        ({ createdAt: timestamp(createdAt), lastUsedAt: timestampOrNull(lastUsedAt), expiresAt: timestamp(expiresAt) })
      return {
        user: { ...held.user, createdAt: timestamp(held.user.createdAt) },
        machines: held.machines.map((machine) => ({ id: machine.id, label: machine.label, ...times(machine) })),
        sessions: held.sessions.map(times),
        deviceLogins: held.deviceLogins.map((login) => ({ ...login, createdAt: timestamp(login.createdAt) })),
      }
    },
    async erase(userId) {
      await store.erase(userId)
      who.forgetPerson(userId)
    },
  }
}
