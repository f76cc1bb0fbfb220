import { mount, type Handlers, type Mounted } from '../../http/route.ts'
import { sessionContract } from './contract.ts'

const sessionHandlers: Handlers<typeof sessionContract, object> = {
  session: ({ user }) => ({ ok: true, userId: user.id }),
}

/** Binds the route of the current session to its handler. */
export const mountSession = (): Mounted[] => mount(sessionContract, sessionHandlers, {})
