import { fail } from '../../http/failures.ts'
import { mount, type Handlers, type Mounted } from '../../http/route.ts'
import { programContract } from './contract.ts'
import type { ProgramStore } from './store.ts'

export interface ProgramDeps {
  readonly store: ProgramStore
  /** The maximum number of devices that a person may claim. Null means no limit. */
  readonly maxDevices: number | null
}

const programHandlers: Handlers<typeof programContract, ProgramDeps> = {
  async claimDevice({ user, body, now }, { store, maxDevices }) {
    const result = await store.claimDevice({ ownerId: user.id, deviceId: body.deviceId, now, maxDevices: maxDevices })
    return result === 'claimed' ? { ok: true, result } : fail(result)
  },
}

/** Binds the routes of claiming devices to their handlers. */
export const mountProgram = (deps: ProgramDeps): Mounted[] => mount(programContract, programHandlers, deps)
