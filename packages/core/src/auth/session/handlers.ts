import type { Handlers, Mounted } from '../../http/route.ts'
import { mount } from '../../http/mount.ts'
import { sessionContract } from './contract.ts'

const sessionHandlers: Handlers<typeof sessionContract, object> = {
  session: ({ user }) => ({ ok: true, userId: user.id }),
}

/** Binds the route of the current session to its handler. */
export const mountSession = (): Mounted[] => mount(sessionContract, sessionHandlers, {})
