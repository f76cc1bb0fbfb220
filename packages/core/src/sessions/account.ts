import type { SessionExport, SessionStore } from './store.ts'
import type { Identification } from './who.ts'

/** This capability's part of a person's export and erasure, handed by `service.ts` to whoever does the whole. */
export interface SessionAccount {
  /** What is held here about a person, times in ms; null when there is no such person. No secret and no hash is in it. */
  export(userId: string): Promise<SessionExport | null>
  /** Deletes the person, last of all parts, since the others' records hang on the row. Every credential is worth nothing at once. */
  erase(userId: string): Promise<void>
}

export function sessionAccount(store: SessionStore, who: Pick<Identification, 'forgetPerson'>): SessionAccount {
  return {
    export: (userId) => store.export(userId),
    async erase(userId) {
      await store.erase(userId)
      who.forgetPerson(userId)
    },
  }
}
