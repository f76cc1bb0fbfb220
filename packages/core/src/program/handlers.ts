import { fail } from '../http/failures.ts'
import type { Handlers } from '../http/route.ts'
import type { programContract } from './contract.ts'
import type { ProgramStore } from './store.ts'

export interface ProgramDeps {
  readonly store: ProgramStore
}

export const programHandlers: Handlers<typeof programContract, ProgramDeps> = {
  async claimDevice({ user, body, now }, { store }) {
    const result = await store.claim(user.id, body.deviceId, now)
    return result === 'claimed' ? { ok: true, result } : fail(result)
  },
}
